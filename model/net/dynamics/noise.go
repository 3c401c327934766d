package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/setting"
)

// NoiseForm names a kind of diffusion.
type NoiseForm string

// The kinds of diffusion, each a special case of the next.
const (
	NoiseConstant NoiseForm = "constant" // diagonal, the same everywhere
	NoiseDiagonal NoiseForm = "diagonal" // diagonal, a function of z
	NoiseFull     NoiseForm = "full"     // lower-triangular, a function of z
)

// NoiseConfig describes a diffusion. Its matrix Σ is computed from a vector o. The diagonal of Σ is
//
//	σ_j = sqrt(Floor + o_j²).
//
// The entries of a full Σ below the diagonal are further components of o. In a constant diffusion,
// the components of o are parameters. Otherwise o is the output of an MLP at z.
type NoiseConfig struct {
	Form   NoiseForm
	Hidden []int             // widths of the MLP's hidden layers; empty: the MLP is one linear layer
	Act    kernel.Activation // activation of the MLP's hidden layers
	Floor  float64           // smallest σ², in units of z² per unit of time
}

// DefaultNoise returns the diffusion of the paper's mixing experiment: diagonal, with a floor
// of 0.01 and an MLP 32-32 with tanh.
func DefaultNoise() NoiseConfig {
	return NoiseConfig{Form: NoiseDiagonal, Hidden: []int{32, 32}, Act: kernel.Tanh, Floor: 0.01}
}

// Table lists the settings. prefix precedes their names in checkpoints.
func (c *NoiseConfig) Table(prefix string) setting.Table {
	form := prefix + "form"
	mlp := setting.Table{{Name: prefix + "hidden", Value: &c.Hidden, Low: 1, High: 4096, Most: 16}, {Name: prefix + "act", Value: &c.Act}}
	return slices.Concat(setting.Table{
		{Name: form, Value: (*string)(&c.Form), Options: setting.Choices(string(NoiseConstant), string(NoiseDiagonal), string(NoiseFull))},
	}, mlp.Needing(c.Form != NoiseConstant, form+"="+string(NoiseDiagonal)+" or "+string(NoiseFull)), setting.Table{
		{Name: prefix + "floor", Value: &c.Floor, Low: setting.Tiny, High: 1e12},
	})
}

// Validate returns an error that says why the configuration is invalid. It ignores
// fields that the form does not use.
func (c NoiseConfig) Validate() error {
	if c.Form == NoiseConstant {
		c.Hidden, c.Act = nil, kernel.Identity
	}
	return c.Table("").Check()
}

// Noise holds a diffusion's configuration and the offsets of its parameters in a tensor.Layout. The
// layout usually also contains the drift's parameters.
type Noise struct {
	cfg        NoiseConfig
	dim, width int
	constant   tensor.Param // o (D), for NoiseConstant
	mlp        *nn.MLP      // network from z to o (Width), for the other forms
}

// NewNoise adds the parameters of a diffusion of dim variables to the layout under the prefix. The
// configuration must be valid.
func NewNoise(c NoiseConfig, dim int, l *tensor.Layout, prefix string) *Noise {
	n := &Noise{cfg: c, dim: dim, width: dim}
	if c.Form == NoiseConstant {
		n.constant = l.Add(prefix+".constant", dim)
		return n
	}
	if c.Form == NoiseFull {
		n.width = dim * (dim + 1) / 2
	}
	n.mlp = nn.NewMLP(l, prefix, slices.Concat([]int{dim}, c.Hidden, []int{n.width}), c.Act, kernel.Identity)
	return n
}

// Config returns the diffusion's configuration.
func (n *Noise) Config() NoiseConfig { return n.cfg }

// InitNoise draws the weights. A constant diffusion starts at twice the floor. At the floor, o
// = 0 and σ² has no slope, so nothing could be learned.
func InitNoise[T tensor.Float](params []T, n *Noise, rng *rand.Rand) {
	if n.mlp != nil {
		nn.InitMLP(params, n.mlp, rng)
		return
	}
	o := tensor.Of(params, n.constant)
	for j := range o {
		o[j] = T(math.Sqrt(n.cfg.Floor))
	}
}

// NewDiffusion makes a Diffusion for up to maxRows rows.
func NewDiffusion[T tensor.Float](n *Noise, maxRows int) Diffusion[T] {
	f := &factor[T]{n: n, rows: maxRows, slope: make([]T, maxRows*n.dim)}
	if n.mlp != nil {
		f.ws = nn.NewMLPWorkspace[T](n.mlp, maxRows)
	}
	return f
}

// factor is the diffusion of a Noise.
type factor[T tensor.Float] struct {
	n     *Noise
	rows  int
	ws    *nn.MLPWorkspace[T] // nil for NoiseConstant
	slope []T                 // dσ/do = o/σ for the diagonal (rows, D)
}

// Dim implements Diffusion.
func (f *factor[T]) Dim() int { return f.n.dim }

// Width implements Diffusion.
func (f *factor[T]) Width() int { return f.n.width }

// Forward implements Diffusion.
func (f *factor[T]) Forward(dst, params, z []T, rows int) {
	if rows > f.rows {
		panic(fmt.Sprintf("dynamics: %d rows in a diffusion for %d", rows, f.rows))
	}
	d, width, floor := f.n.dim, f.n.width, T(f.n.cfg.Floor)
	if f.ws != nil {
		copy(dst[:rows*width], nn.Forward(f.n.mlp, f.ws, params, z, rows))
	} else {
		for r := range rows {
			copy(dst[r*d:r*d+d], tensor.Of(params, f.n.constant))
		}
	}
	for r := range rows {
		slope, sigma := f.slope[r*d:r*d+d], dst[r*width:r*width+d]
		for j, o := range sigma {
			sigma[j] = T(math.Sqrt(float64(floor + o*o)))
			slope[j] = o / sigma[j]
		}
	}
}

// Backward implements Diffusion.
func (f *factor[T]) Backward(dz, params, grads, z, ds []T, rows int) {
	d, width := f.n.dim, f.n.width
	for r := range rows {
		kernel.Mul(ds[r*width:], ds[r*width:r*width+d], f.slope[r*d:r*d+d])
	}
	if f.ws != nil {
		nn.Backward(f.n.mlp, f.ws, params, grads, z, dz, ds, rows)
		return
	}
	kernel.ColSum(tensor.Of(grads, f.n.constant), ds, rows, d)
	if dz != nil {
		clear(dz[:rows*d])
	}
}
