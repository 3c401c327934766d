package flow

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder/spline"
)

// Flow holds the configuration of a conditional density p(x | ẑ) and the offsets of its parameters
// in a tensor.Layout.
type Flow struct {
	cfg    Config
	layers []layer
	base   *nn.MLP // ẑ → [μ | log σ], nil for N(0, 1) and for circles
}

// layer transforms every coordinate once.
type layer struct {
	order []int // coordinates in the order of transforms
	first *nn.MLP
	rest  []conditioner // conditioners of places 1, 2, …
}

// New adds the flow's parameters to the layout. Their names begin with "flow". The configuration
// must be valid.
func New(c Config, l *tensor.Layout) *Flow {
	f := &Flow{cfg: c}
	for i := range c.Layers {
		name := fmt.Sprintf("flow.%d.cond", i)
		layer := layer{order: c.order(i)}
		params := c.spline(layer.order[0]).Params()
		if c.Blocks > 0 {
			layer.first = nn.NewResidual(l, name+".0", [3]int{c.ZDim, c.Hidden[0], params}, c.Blocks, false, c.Act)
		} else {
			layer.first = nn.NewMLP(l, name+".0", append(append([]int{c.ZDim}, c.Hidden...), params), c.Act, kernel.Identity)
		}
		for place := 1; place < c.Dim; place++ {
			layer.rest = append(layer.rest, newConditioner(c, l, fmt.Sprintf("%s.%d", name, place), layer.order, place))
		}
		f.layers = append(f.layers, layer)
	}
	if c.CondBase && c.open() > 0 {
		f.base = nn.NewMLP(l, "flow.base", []int{c.ZDim, c.BaseHidden, 2 * c.open()}, c.Act, kernel.Identity)
	}
	return f
}

// order returns the coordinates in the order of layer i's transforms.
func (c Config) order(i int) []int {
	if c.Order == Random {
		return rand.New(rand.NewPCG(c.OrderSeed, uint64(i))).Perm(c.Dim)
	}
	order := make([]int, c.Dim)
	for place := range order {
		order[place] = place
		if i%2 == 1 {
			order[place] = c.Dim - 1 - place
		}
	}
	return order
}

// outputScale is the factor that reduces the initial weights of output layers. Training then
// starts near the identity and a standard normal base, while every hidden layer has a gradient
// from the first step.
const outputScale = 0.01

// Init draws the flow's weights.
func Init[T tensor.Float](params []T, f *Flow, rng *rand.Rand) {
	for _, l := range f.layers {
		nn.InitMLP(params, l.first, rng)
		initOutput(params, l.first)
		initSlopes(params, l.first, f.cfg.Bins)
		for _, c := range l.rest {
			initInput(params, &c, rng)
			nn.InitMLP(params, c.rest, rng)
			initOutput(params, c.rest)
			initSlopes(params, c.rest, f.cfg.Bins)
		}
	}
	if f.base != nil {
		nn.InitMLP(params, f.base, rng)
		initOutput(params, f.base)
	}
}

// initOutput reduces the weights of a network's last layer and sets its biases to 0.
func initOutput[T tensor.Float](params []T, m *nn.MLP) {
	out := m.Layers[len(m.Layers)-1]
	kernel.Scale(tensor.Of(params, out.W), outputScale)
	clear(tensor.Of(params, out.B))
}

// initSlopes sets every knot's slope to 1.
func initSlopes[T tensor.Float](params []T, m *nn.MLP, bins int) {
	slopes := tensor.Of(params, m.Layers[len(m.Layers)-1].B)[2*bins:]
	for i := range slopes {
		slopes[i] = T(spline.UnitSlope)
	}
}
