package method

import (
	"fmt"
	"math"
	"strings"

	"macroscope/model/compute/optim"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
)

// Equation is the dynamics of some variables of z.
type Equation struct {
	Drift *dynamics.DriftNet
	Noise *dynamics.Noise // nil if the system is not stochastic
	Of    []int           // indices in z of the equation's variables
	Macro int             // number of macroscopic variables; they come first
	Still int             // number of frozen variables; they come last
	Start int             // index of the equation's first parameter in the parameters of the dynamics
}

// Networks are the networks of a configuration. The layouts list their parameters.
type Networks struct {
	Encoder   encoder.Net
	Decoder   *decoder.Decoding
	Equations []Equation // the equations for each length of ẑ, in the order of Tuning.Codes; every length has the same number of equations

	EncoderLayout, DecoderLayout, DynamicsLayout tensor.Layout
}

// Networks returns the networks of a configuration, whose sizes must be valid.
func (c *Config) Networks() *Networks {
	n := new(Networks)
	in := c.Autoencoder().Input
	n.Encoder = encoder.New(c.Encoder, &n.EncoderLayout, in.Shape)
	n.Decoder = decoder.New(c.Decoder, in, &n.DecoderLayout)
	if c.HasDynamics() {
		n.addEquations(c)
	}
	return n
}

// addEquations adds the dynamics for every length of ẑ: one equation for all variables, or one for
// each set of a frame. The equation of a set has the set's macroscopic variables, its ẑ and the ẑ
// of the other sets.
func (n *Networks) addEquations(c *Config) {
	sets := c.Sets()
	for _, code := range c.Tuning().Codes() {
		name := "law"
		if c.Tunable() {
			name = fmt.Sprintf("law.%d", code.Length)
		}
		closures := func(set int) (of []int) {
			for i := range code.Length {
				of = append(of, c.Variables+set*c.ZDim()+code.First+i)
			}
			return of
		}
		if c.Dynamics.Joint {
			var all []int
			for i := range c.Variables {
				all = append(all, i)
			}
			for s := range sets {
				all = append(all, closures(s)...)
			}
			n.addEquation(c, name, all, c.Variables)
			continue
		}
		for s := range sets {
			of := []int{s}
			for k := range sets {
				of = append(of, closures((s+k)%sets)...)
			}
			n.addEquation(c, name+"."+strings.ToLower(c.Traits.Sets[s]), of, 1)
		}
	}
}

func (n *Networks) addEquation(c *Config, prefix string, of []int, macro int) {
	for k := c.Moving(); k < c.States(); k++ {
		of = append(of, k)
	}
	e := Equation{Of: of, Macro: macro, Still: c.Frozen().Len(), Start: n.DynamicsLayout.Size()}
	if !c.Traits.Stochastic {
		e.Drift = dynamics.NewDriftNet(c.Dynamics.Drift, len(of), &n.DynamicsLayout, prefix)
	} else {
		e.Drift = dynamics.NewDriftNet(c.Dynamics.Drift, len(of), &n.DynamicsLayout, prefix+".drift")
		e.Noise = dynamics.NewNoise(c.Dynamics.Noise, len(of), &n.DynamicsLayout, prefix+".noise")
	}
	n.Equations = append(n.Equations, e)
}

// Matrices lists the parameters that SOAP optimises in rotated coordinates in stage I or II. An
// Offset counts from the start of all parameters of the stage.
func (n *Networks) Matrices(stageOne bool) (ps []tensor.Param) {
	add := func(l *tensor.Layout, prefix string, offset int) {
		for _, p := range l.Params() {
			if optim.Rotatable(p) {
				p.Name, p.Offset = prefix+p.Name, offset+p.Offset
				ps = append(ps, p)
			}
		}
	}
	if !stageOne {
		add(&n.DynamicsLayout, "", 0)
		return ps
	}
	add(&n.EncoderLayout, "encoder.", 0)
	add(&n.DecoderLayout, "decoder.", n.EncoderLayout.Size())
	return ps
}

// WeightCounts returns how many parameters the encoder, the decoder and the dynamics
// have.
func (n *Networks) WeightCounts() (enc, dec, dynamics int) {
	return n.EncoderLayout.Size(), n.DecoderLayout.Size(), n.DynamicsLayout.Size()
}

// Weights returns the number of parameters of all networks.
func (n *Networks) Weights() int {
	enc, dec, dynamics := n.WeightCounts()
	return enc + dec + dynamics
}

// frozenDrift is a drift that is 0 for the last variables, the frozen ones.
type frozenDrift struct {
	dynamics.Drift[float32]
	still int // the number of frozen variables
}

var _ dynamics.Drift[float32] = frozenDrift{}

// Forward implements dynamics.Drift.
func (d frozenDrift) Forward(dst, params, z []float32, rows int) {
	d.Drift.Forward(dst, params, z, rows)
	d.freeze(dst, rows)
}

// Backward implements dynamics.Drift.
func (d frozenDrift) Backward(dz, params, grads, z, dg []float32, rows int) {
	d.freeze(dg, rows)
	d.Drift.Backward(dz, params, grads, z, dg, rows)
}

// Another implements dynamics.Drift.
func (d frozenDrift) Another() dynamics.Drift[float32] {
	return frozenDrift{d.Drift.Another(), d.still}
}

func (d frozenDrift) freeze(g []float32, rows int) {
	n := d.Dim()
	for r := range rows {
		clear(g[(r+1)*n-d.still : (r+1)*n])
	}
}

// frozenDiffusion gives each frozen variable a noise σ that is independent of the other
// variables. In a rollout σ is 0.
type frozenDiffusion struct {
	dynamics.Diffusion[float32]
	still int // the number of frozen variables
	sigma float32
}

var _ dynamics.Diffusion[float32] = frozenDiffusion{}

// Unnoticed returns a σ for frozen variables. With this σ, a frozen variable adds nothing to the
// log-likelihood of steps of length dt (see dynamics.Likelihood).
func Unnoticed(dt float64) float32 { return float32(1 / math.Sqrt(2*math.Pi*dt)) }

// Forward implements dynamics.Diffusion.
func (d frozenDiffusion) Forward(dst, params, z []float32, rows int) {
	d.Diffusion.Forward(dst, params, z, rows)
	d.freeze(dst, rows, d.sigma)
}

// Backward implements dynamics.Diffusion.
func (d frozenDiffusion) Backward(dz, params, grads, z, ds []float32, rows int) {
	d.freeze(ds, rows, 0)
	d.Diffusion.Backward(dz, params, grads, z, ds, rows)
}

// freeze changes the last d.still rows of every Σ in s, which belong to the frozen variables. It
// sets the diagonal elements of these rows to the given value, and the other elements to 0. A
// diagonal Σ is stored as its n diagonal elements. A full Σ also stores the elements below the
// diagonal, row by row: i elements for row i.
func (d frozenDiffusion) freeze(s []float32, rows int, last float32) {
	n, width := d.Dim(), d.Width()
	left := 0
	if width > n {
		left = d.still * (2*n - d.still - 1) / 2
	}
	for r := range rows {
		row := s[r*width : (r+1)*width]
		for i := n - d.still; i < n; i++ {
			row[i] = last
		}
		clear(row[width-left:])
	}
}

// NewDrift returns a drift that can compute up to the given number of rows at once.
func (e *Equation) NewDrift(rows int) dynamics.Drift[float32] {
	drift := dynamics.NewDrift[float32](e.Drift, rows)
	if e.Still > 0 {
		return frozenDrift{drift, e.Still}
	}
	return drift
}

// NewDiffusion returns a diffusion that can compute up to the given number of rows at once.
// sigma is the noise of frozen variables.
func (e *Equation) NewDiffusion(rows int, sigma float32) dynamics.Diffusion[float32] {
	noise := dynamics.NewDiffusion[float32](e.Noise, rows)
	if e.Still > 0 {
		return frozenDiffusion{noise, e.Still, sigma}
	}
	return noise
}

// Gather copies the equation's variables from z (rows, V) to dst (rows, D).
func (e *Equation) Gather(dst, z []float32, rows, variables int) {
	for r := range rows {
		for j, k := range e.Of {
			dst[r*len(e.Of)+j] = z[r*variables+k]
		}
	}
}
