package method

import (
	"fmt"
	"strings"

	"macroscope/model/compute/optim"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
)

// Equation is the dynamics of some variables of z.
type Equation struct {
	Drift *dynamics.Dynamics
	Noise *dynamics.Noise // nil if the system is not stochastic
	Of    []int           // indices in z of the equation's variables
	Macro int             // number of macroscopic variables; they come first
	Still int             // number of frozen variables; they come last
	Start int             // index of the equation's first parameter in the parameters of the dynamics
}

// Networks are the networks of a configuration. The layouts list their parameters.
type Networks struct {
	Encoder   encoder.Net
	Decoder   *decoder.Stage
	Equations []Equation // the equations for each length of ẑ, in the order of Config.Codes; every length has the same number of equations

	EncoderLayout, DecoderLayout, DynamicsLayout tensor.Layout
}

// Networks returns the networks of a configuration, whose sizes must be valid.
func (c *Config) Networks() *Networks {
	n := new(Networks)
	n.Encoder = c.Encoder.New(&n.EncoderLayout, c.Shape)
	n.Decoder = decoder.New(c.Decoder, c.input(), &n.DecoderLayout)
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
	for _, code := range c.Codes() {
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
	e := Equation{Of: of, Macro: macro, Still: c.Still(), Start: n.DynamicsLayout.Size()}
	drift := c.Dynamics.Drift
	drift.Dim = len(of)
	if !c.Traits.Stochastic {
		e.Drift = dynamics.New(drift, &n.DynamicsLayout, prefix)
	} else {
		e.Drift = dynamics.New(drift, &n.DynamicsLayout, prefix+".drift")
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

// Sizes returns how many parameters the encoder, the decoder and the dynamics
// have.
func (n *Networks) Sizes() (enc, dec, dynamics int) {
	return n.EncoderLayout.Size(), n.DecoderLayout.Size(), n.DynamicsLayout.Size()
}
