package flow

import (
	"fmt"
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/net/circle"
	"macroscope/model/net/decoder/spline"
	"macroscope/model/setting"
)

// The orders of the coordinates in a flow's layers.
const (
	Alternate = "alternate" // forwards in even layers, backwards in odd layers
	Random    = "random"    // a permutation per layer, drawn from OrderSeed
)

// Config describes a flow.
type Config struct {
	Dim        int        // coordinates of a particle
	Circles    circle.Set // coordinates that repeat; their splines are bijections of a circle
	ZDim       int        // length of ẑ
	Layers     int        // number of transforms
	Bins       int        // bins of every spline
	Bound      float64    // the splines act on [-Bound, Bound]
	Hidden     []int      // widths of the conditioners' hidden layers
	Blocks     int        // residual blocks after the hidden layer; if above 0, Hidden has one width
	Act        kernel.Activation
	CondBase   bool // whether the base is N(μ(ẑ), σ(ẑ)²); otherwise it is N(0, 1)
	BaseHidden int  // width of the network behind μ and σ
	Order      string
	OrderSeed  uint64 // seed of the Random order
}

// Default returns the flow of the paper's one-dimensional demo.
func Default() Config {
	return Config{
		Dim: 1, ZDim: 8, Layers: 4, Bins: 50, Bound: 4, Hidden: []int{64, 64}, Act: kernel.ReLU,
		CondBase: true, BaseHidden: 64, Order: Alternate,
	}
}

// Table lists the settings other than Dim and ZDim, by their names in checkpoints.
func (c *Config) Table() setting.Table {
	t := setting.Table{
		{Name: "flow.layers", Value: &c.Layers, Low: 1, High: 64}, {Name: "flow.bins", Value: &c.Bins, Low: 2, High: spline.MaxBins},
		{Name: "flow.bound", Value: &c.Bound, Low: 1e-3, High: 1e6}, {Name: "flow.hidden", Value: &c.Hidden, Low: 1, High: 4096, Least: 1, Most: 16},
		{Name: "flow.blocks", Value: &c.Blocks, High: 16}, {Name: "flow.act", Value: &c.Act},
		{Name: "flow.condbase", Value: &c.CondBase}, {Name: "flow.basehidden", Value: &c.BaseHidden, High: 4096},
		{Name: "flow.order", Value: &c.Order, Options: setting.Choices(Alternate, Random)}, {Name: "flow.orderseed", Value: &c.OrderSeed},
	}
	if !c.CondBase {
		t.Find("flow.basehidden").Needs = "flow.condbase=true"
	}
	if c.Order != Random {
		t.Find("flow.orderseed").Needs = "flow.order=" + Random
	}
	return t
}

// Validate returns an error that says why the configuration is invalid.
func (c Config) Validate() error {
	t := append(c.Table(), setting.Field{Name: "dim", Value: &c.Dim, Low: 1, High: 16}, setting.Field{Name: "zdim", Value: &c.ZDim, Low: 1, High: 1024})
	if err := t.Check(); err != nil {
		return err
	}
	switch {
	case c.Blocks > 0 && len(c.Hidden) != 1:
		return fmt.Errorf("flow: conditioners of %d hidden layers and %d residual blocks; use blocks after one hidden layer", len(c.Hidden), c.Blocks)
	case c.CondBase && c.BaseHidden < 1:
		return fmt.Errorf("flow: a base that ẑ decides through %d numbers; use 1 to 4096", c.BaseHidden)
	}
	return nil
}

// spline returns the form of a coordinate's splines.
func (c Config) spline(coordinate int) spline.Spline {
	if c.Circles.Has(coordinate) {
		return spline.Spline{Bins: c.Bins, Bound: circle.Round / 2, Circular: true}
	}
	return spline.Spline{Bins: c.Bins, Bound: c.Bound}
}

// open returns the number of coordinates that do not lie on circles.
func (c Config) open() int { return c.Dim - c.Circles.Count() }

// params returns the number of raw parameters of a spline with the most of them.
func (c Config) params() (most int) {
	for k := range c.Dim {
		most = max(most, c.spline(k).Params())
	}
	return most
}

// turn returns by how much a layer turns circles before their splines. The splines of a layer have a fixed
// point at 1, so layers turn by different amounts: by multiples of the golden ratio of a round.
func (c Config) turn(layer int) float64 {
	return circle.Wrap(circle.Round * float64(layer) * (math.Phi - 1))
}

// bends reports whether a conditioner with one input is piecewise linear in that input.
func (c Config) bends() bool { return c.Blocks > 0 && c.Act == kernel.ReLU }
