package dynamics

import (
	"math"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/setting"
)

// OnsagerConfig describes an OnsagerNet.
type OnsagerConfig struct {
	Hidden       int     // width of φ's hidden layer
	Features     int     // length of φ(z)
	Dissipative  int     // width of the hidden layer of the network for L
	Conservative int     // width of the hidden layer of the network for A
	Alpha        float64 // α in the bounds M ≥ αI and V ≥ α|z|²
}

// DefaultOnsager returns the configuration of an OnsagerNet with about as many weights as the
// paper's MLP.
func DefaultOnsager() OnsagerConfig {
	return OnsagerConfig{Hidden: 64, Features: 18, Dissipative: 24, Conservative: 24, Alpha: 0.01}
}

func (c *OnsagerConfig) table(prefix string) setting.Table {
	return setting.Table{
		{Name: prefix + "hidden", Value: &c.Hidden, Low: 1, High: 4096}, {Name: prefix + "features", Value: &c.Features, Low: 1, High: 4096},
		{Name: prefix + "dissipative", Value: &c.Dissipative, Low: 1, High: 4096}, {Name: prefix + "conservative", Value: &c.Conservative, Low: 1, High: 4096},
		{Name: prefix + "alpha", Value: &c.Alpha, Low: setting.Tiny, High: 10},
	}
}

// Onsager holds the offsets of an OnsagerNet's parameters in a tensor.Layout. The drift is
//
//	g(z) = -(M + W) ∇V(z)
//	V = ½|φ(z) + Γz|² + α|z|²,  φ(z) = W₁ srequ(W₀z + b₀) + b₁
//	M = αI + L Lᵀ,  W = A - Aᵀ
//
// with srequ(h) = relu(h)² - relu(h-½)². L and A are the outputs of two networks with one
// hidden layer and with tanh on both layers. M is positive and W antisymmetric, so dV/dt = -∇Vᵀ
// M ∇V ≤ -α|∇V|². Hence V falls along every solution, and no solution leaves the set where V is
// below its initial value.
type Onsager struct {
	dim          int
	alpha        float64
	inner, outer *nn.Linear   // the layers of φ
	gamma        tensor.Param // Γ (F, D)
	dissipative  *nn.MLP      // network for L (D, D)
	conservative *nn.MLP      // network for A (D, D)
}

// NewOnsager adds the parameters to the layout under the prefix. The configuration must be valid.
func NewOnsager(c OnsagerConfig, dim int, l *tensor.Layout, prefix string) *Onsager {
	return &Onsager{
		dim: dim, alpha: c.Alpha,
		inner:        nn.NewLinear(l, prefix+".potential.0", dim, c.Hidden, kernel.Identity),
		outer:        nn.NewLinear(l, prefix+".potential.1", c.Hidden, c.Features, kernel.Identity),
		gamma:        l.Add(prefix+".gamma", c.Features, dim),
		dissipative:  nn.NewMLP(l, prefix+".dissipative", []int{dim, c.Dissipative, dim * dim}, kernel.Tanh, kernel.Tanh),
		conservative: nn.NewMLP(l, prefix+".conservative", []int{dim, c.Conservative, dim * dim}, kernel.Tanh, kernel.Tanh),
	}
}

// InitOnsager draws the weights. Γ is initialised like a layer without biases.
func InitOnsager[T tensor.Float](params []T, o *Onsager, rng *rand.Rand) {
	nn.InitLinear(params, o.inner, rng)
	nn.InitLinear(params, o.outer, rng)
	nn.InitMLP(params, o.dissipative, rng)
	nn.InitMLP(params, o.conservative, rng)
	bound := 1 / math.Sqrt(float64(o.dim))
	gamma := tensor.Of(params, o.gamma)
	for i := range gamma {
		gamma[i] = T((2*rng.Float64() - 1) * bound)
	}
}
