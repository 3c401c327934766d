package flow

import (
	"fmt"

	"macroscope/model/compute/kernel"
	"macroscope/model/net/decoder/spline"
)

// The orders of the coordinates in layers.
const (
	Alternate = "alternate" // forwards in even layers, backwards in odd ones
	Random    = "random"    // a permutation per layer, drawn from OrderSeed
)

// Config describes a flow.
type Config struct {
	Dim        int     // coordinates of a particle
	ZDim       int     // length of ẑ
	Layers     int     // transforms
	Bins       int     // of every spline
	Bound      float64 // the splines act on [-Bound, Bound]
	Hidden     []int   // widths of the conditioners' hidden layers
	Blocks     int     // residual blocks after the hidden layer; if above 0, Hidden has one width
	Act        kernel.Activation
	CondBase   bool // whether the base is N(μ(ẑ), σ(ẑ)²) or N(0, 1)
	BaseHidden int  // width of the network behind μ and σ
	Order      string
	OrderSeed  uint64 // for Random
}

// Default returns the flow of the paper's one-dimensional demo.
func Default() Config {
	return Config{
		Dim: 1, ZDim: 8, Layers: 4, Bins: 50, Bound: 4, Hidden: []int{64, 64}, Act: kernel.ReLU,
		CondBase: true, BaseHidden: 64, Order: Alternate,
	}
}

// Validate returns an error that says why the configuration is invalid.
func (c Config) Validate() error {
	for _, f := range []struct {
		what  string
		value int
		most  int
	}{
		{"%d coordinates a particle", c.Dim, 16},
		{"latent dimension %d", c.ZDim, 1024},
		{"%d layers", c.Layers, 64},
	} {
		if f.value < 1 || f.value > f.most {
			return fmt.Errorf("flow: "+f.what+"; use 1 to %d", f.value, f.most)
		}
	}
	if err := c.spline().Validate(); err != nil {
		return fmt.Errorf("flow: %w", err)
	}
	if len(c.Hidden) < 1 || len(c.Hidden) > 16 {
		return fmt.Errorf("flow: conditioners of %d hidden layers; use 1 to 16", len(c.Hidden))
	}
	if c.Blocks < 0 || c.Blocks > 16 || c.Blocks > 0 && len(c.Hidden) != 1 {
		return fmt.Errorf("flow: conditioners of %d hidden layers and %d residual blocks; use up to 16 blocks, after one hidden layer", len(c.Hidden), c.Blocks)
	}
	widths := c.Hidden
	if c.CondBase {
		widths = append([]int{c.BaseHidden}, widths...)
	}
	for _, w := range widths {
		if w < 1 || w > 4096 {
			return fmt.Errorf("flow: hidden layer of width %d; use 1 to 4096", w)
		}
	}
	if _, err := kernel.ParseActivation(c.Act.String()); err != nil {
		return fmt.Errorf("flow: %w", err)
	}
	if c.Order != Alternate && c.Order != Random {
		return fmt.Errorf("flow: order %q; use %q or %q", c.Order, Alternate, Random)
	}
	return nil
}

func (c Config) spline() spline.Spline { return spline.Spline{Bins: c.Bins, Bound: c.Bound} }

// bends reports whether a conditioner of one coordinate is piecewise linear in it.
func (c Config) bends() bool { return c.Blocks > 0 && c.Act == kernel.ReLU }
