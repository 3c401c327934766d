package experiment

import (
	"fmt"
	"strings"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/optim"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

// Model is an autoencoder and dynamics, with their parameters and the scales
// between data and the units of the networks.
type Model struct {
	Config Config
	System system.System

	Params         []float32 // parameters of the encoder, then parameters of the decoder
	DynamicsParams []float32
	Scale          Scale
	Decodes        bool      // whether the model has the decoder's weights; some files do not contain them
	Stretch        float64   // stretch of the bands of ensembles, see Bounds; 1 if not calibrated
	Stretches      []float64 // a tunable model's Stretch for each length of ẑ, in the order of Config.codes; nil if not calibrated
	Support        *Support  // nil until it has been computed
	Data           string    // digest of the user's trajectories that trained the model, see Digest; "" if there are none, or if it is unknown

	encoderLayout, decoderLayout, dynamicsLayout tensor.Layout

	encoder   encoder.Net
	decoder   *decoder.Stage
	equations []equation // the equations for each length of ẑ, in the order of Config.codes; every length has the same number of equations
	ranged    []int      // see Config.Ranged

	provenance   *Provenance // nil if none is known
	provenanceOf uint64      // the sum of the model that provenance describes
}

// equation is the dynamics of some variables of z.
type equation struct {
	drift *dynamics.Dynamics
	noise *dynamics.Noise // nil if the system is not stochastic
	of    []int           // indices in z of the equation's variables
	macro int             // number of macroscopic variables; they come first
	still int             // number of frozen variables; they come last
	start int             // index of the equation's first parameter in the parameters of the dynamics
}

// New builds the model of a valid configuration with the initial weights of its seed.
// Its scales leave data unchanged.
func New(c Config, sys system.System) *Model {
	m := outline(c, sys)
	m.Decodes = true
	m.draw()
	return m
}

// outline is like New, but without the weights.
func outline(c Config, sys system.System) *Model {
	m := &Model{Config: c, System: c.System(sys), Scale: NewScale(c.Dim(), c.States()), Stretch: 1, ranged: c.Ranged()}
	for i, r := range c.frozen() {
		m.Scale.Low[c.Moving()+i], m.Scale.High[c.Moving()+i] = r.Low, r.High
	}
	m.enterLayouts()
	return m
}

// enterLayouts adds the parameters of all parts to their layouts.
func (m *Model) enterLayouts() {
	c := &m.Config
	m.encoder = c.Encoder.New(&m.encoderLayout, c.Shape)
	m.decoder = decoder.New(c.Decoder, c.input(), &m.decoderLayout)
	if m.Config.HasDynamics() {
		m.addEquations()
	}
}

// draw allocates the weights and draws them.
func (m *Model) draw() {
	m.Params = make([]float32, m.encoderLayout.Size()+m.decoderLayout.Size())
	m.DynamicsParams = make([]float32, m.dynamicsLayout.Size())
	r := rng.New(m.Config.Seed, m.Config.Traits.Streams.Weights).Rand
	enc, dec := m.Split(m.Params)
	m.encoder.Float32().Init(enc, r)
	m.decoder.Float32().Init(dec, r)
	for _, e := range m.equations {
		dynamics.Init(m.DynamicsParams, e.drift, r)
		if e.noise != nil {
			dynamics.InitNoise(m.DynamicsParams, e.noise, r)
		}
	}
}

// addEquations adds the dynamics for every length of ẑ: one equation for all variables, or one for
// each set of a frame. The equation of a set has the set's macroscopic variables, its ẑ and the ẑ
// of the other sets.
func (m *Model) addEquations() {
	c := &m.Config
	sets := c.Sets()
	for _, code := range c.codes() {
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
			m.addEquation(name, all, c.Variables)
			continue
		}
		for s := range sets {
			of := []int{s}
			for k := range sets {
				of = append(of, closures((s+k)%sets)...)
			}
			m.addEquation(name+"."+strings.ToLower(c.Traits.Sets[s]), of, 1)
		}
	}
}

func (m *Model) addEquation(prefix string, of []int, macro int) {
	c := &m.Config
	for k := c.Moving(); k < c.States(); k++ {
		of = append(of, k)
	}
	e := equation{of: of, macro: macro, still: c.still(), start: m.dynamicsLayout.Size()}
	drift := c.Dynamics.Drift
	drift.Dim = len(of)
	if !c.Traits.Stochastic {
		e.drift = dynamics.New(drift, &m.dynamicsLayout, prefix)
	} else {
		e.drift = dynamics.New(drift, &m.dynamicsLayout, prefix+".drift")
		e.noise = dynamics.NewNoise(c.Dynamics.Noise, len(of), &m.dynamicsLayout, prefix+".noise")
	}
	m.equations = append(m.equations, e)
}

// Split returns the encoder's and the decoder's part of an arena with the layout of Params.
func (m *Model) Split(arena []float32) (enc, dec []float32) {
	n := m.encoderLayout.Size()
	return arena[:n:n], arena[n:]
}

// Matrices lists the parameters that SOAP optimises in rotated coordinates in stage I or II. An
// Offset counts from the start of all parameters of the stage.
func (m *Model) Matrices(stageOne bool) (ps []tensor.Param) {
	add := func(l *tensor.Layout, prefix string, offset int) {
		for _, p := range l.Params() {
			if optim.Rotatable(p) {
				p.Name, p.Offset = prefix+p.Name, offset+p.Offset
				ps = append(ps, p)
			}
		}
	}
	if !stageOne {
		add(&m.dynamicsLayout, "", 0)
		return ps
	}
	add(&m.encoderLayout, "encoder.", 0)
	add(&m.decoderLayout, "decoder.", m.encoderLayout.Size())
	return ps
}

// Sizes returns how many parameters the encoder, the decoder and the dynamics
// have.
func (m *Model) Sizes() (enc, dec, dynamics int) {
	return m.encoderLayout.Size(), m.decoderLayout.Size(), m.dynamicsLayout.Size()
}

// Weights counts the parameters of the model.
func (m *Model) Weights() int { return len(m.Params) + len(m.DynamicsParams) }

// Density returns a Density for up to maxPoints points, or nil if the method learns no density.
// The Density's parameters are the second result of Split.
func (m *Model) Density(maxPoints int) decoder.Density[float32] {
	if d := m.decoder.Float32(); d.Density != nil {
		return d.Density(maxPoints)
	}
	return nil
}

// Points returns a decoder of points, or nil if the method has none or the decoder's weights
// are missing. The decoder's parameters are the second result of Split.
func (m *Model) Points() decoder.Points[float32] {
	if d := m.decoder.Float32(); d.Points != nil && m.Decodes {
		return d.Points()
	}
	return nil
}

// SetEps changes the kernel width for further training.
func (m *Model) SetEps(eps float64) {
	m.Config.Decoder.Eps = eps
	m.decoder.SetEps(eps)
}

// Clone returns a copy that training does not change.
func (m *Model) Clone() *Model {
	c := New(m.Config, m.System)
	c.Take(m)
	c.Decodes, c.Data, c.provenance, c.provenanceOf = m.Decodes, m.Data, m.provenance, m.provenanceOf
	return c
}

// Take copies the weights, the scales and the calibration of `from`. Both models must have an
// encoder and dynamics of the same sizes. The decoder's weights are copied only if both decoders
// have the same size, and if `from` has these weights.
func (m *Model) Take(from *Model) {
	enc, dec := m.Split(m.Params)
	encFrom, decFrom := from.Split(from.Params)
	copy(enc, encFrom)
	if len(dec) == len(decFrom) && from.Decodes {
		copy(dec, decFrom)
	}
	copy(m.DynamicsParams, from.DynamicsParams)
	m.Scale, m.Stretch, m.Stretches, m.Support = from.Scale.Clone(), from.Stretch, from.Stretches, from.Support
}

// Finite reports whether all weights are finite.
func (m *Model) Finite() bool {
	return kernel.AllFinite(m.Params) && kernel.AllFinite(m.DynamicsParams)
}

// Detail describes the model in words.
func (m *Model) Detail() string {
	c := &m.Config
	method, _ := FindMethod(c.Spec.Method)
	text := method.Title
	switch e, low, high := c.tuning(); {
	case e != nil:
		text += fmt.Sprintf(", ε from %g to %g, ẑ of %s", low, high, strings.ReplaceAll(strings.Trim(fmt.Sprint(e.Lengths), "[]"), " ", ", "))
	case c.Decoder.Density():
		text += fmt.Sprintf(", ε = %g, ẑ of %d", c.Eps(), c.ZDim())
	default:
		text += fmt.Sprintf(", ẑ of %d", c.ZDim())
	}
	if c.Sets() > 1 {
		text += " a set"
	}
	if c.HasDynamics() && !c.Dynamics.Joint {
		text += ", an equation for each set"
	}
	if f := c.Dynamics.Drift.Form; c.HasDynamics() && f != dynamics.FormMLP {
		text += ", " + f.Title()
	}
	if own := m.System.Variables(""); c.Observable != "" && len(own) > 0 && c.Observable != own[0] {
		text += ", of " + c.Observable
	}
	if f := c.OwnForce(); f != "" {
		text += ", of particles with " + system.InWords(f)
	}
	if r := c.Dynamics.Params; len(r) > 0 {
		text += ", given " + c.Traits.Parameters.InWords(r)
	}
	return text + fmt.Sprintf(", %d parameters", m.Weights())
}
