package model

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/learn/method"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

// Model is an autoencoder and dynamics, with their parameters and the scales
// between data and the units of the networks.
type Model struct {
	Config method.Config
	System *system.System

	Params         []float32 // parameters of the encoder, then parameters of the decoder
	DynamicsParams []float32
	Scale          Scale
	Decodes        bool      // whether the model has the decoder's weights; some files do not contain them
	Stretch        float64   // stretch of the bands of ensembles, see measure.Bounds; 1 if not calibrated
	Stretches      []float64 // a tunable model's Stretch for each length of ẑ, in the order of Config.Codes; nil if not calibrated
	Support        *Support  // nil until it has been computed
	Data           string    // digest of the user's trajectories that trained the model, see DigestOf; "" if there are none, or if it is unknown

	net    *method.Networks
	ranged []int // see method.Config.Ranged

	provenance   *Provenance // nil if none is known
	provenanceOf uint64      // the sum of the model that provenance describes
}

// New builds the model of a valid configuration with the initial weights of its seed.
// Its scales leave data unchanged.
func New(c method.Config, sys *system.System) *Model {
	m := outline(c, sys)
	m.Decodes = true
	m.draw()
	return m
}

// outline is like New, but without the weights.
func outline(c method.Config, sys *system.System) *Model {
	m := &Model{Config: c, System: c.System(sys), Scale: NewScale(c.Dim(), c.States()), Stretch: 1, ranged: c.Ranged()}
	for i, r := range c.Frozen().Ranges() {
		m.Scale.Low[c.Moving()+i], m.Scale.High[c.Moving()+i] = r.Low, r.High
	}
	m.net = c.Networks()
	return m
}

// draw allocates the weights and draws them.
func (m *Model) draw() {
	m.Params = make([]float32, m.net.EncoderLayout.Size()+m.net.DecoderLayout.Size())
	m.DynamicsParams = make([]float32, m.net.DynamicsLayout.Size())
	r := rng.New(m.Config.Seed, m.Config.Traits.Streams.Weights).Rand
	enc, dec := m.Split(m.Params)
	m.net.Encoder.Float32().Init(enc, r)
	m.net.Decoder.Float32().Init(dec, r)
	m.drawDynamics(r)
}

func (m *Model) drawDynamics(r *rand.Rand) {
	for _, e := range m.net.Equations {
		dynamics.Init(m.DynamicsParams, e.Drift, r)
		if e.Noise != nil {
			dynamics.InitNoise(m.DynamicsParams, e.Noise, r)
		}
	}
}

// Redraw draws new weights of the dynamics for another try. Tries are numbered from 0; New draws the weights of
// try 0.
func (m *Model) Redraw(try int) {
	clear(m.DynamicsParams)
	m.drawDynamics(rng.New(m.Config.Seed, m.Config.Traits.Streams.Weights, uint64(try)).Rand)
}

// Split returns the encoder's and the decoder's part of an arena with the layout of Params.
func (m *Model) Split(arena []float32) (enc, dec []float32) {
	n := m.net.EncoderLayout.Size()
	return arena[:n:n], arena[n:]
}

// Matrices lists the parameters that SOAP optimises, see method.Networks.Matrices.
func (m *Model) Matrices(stageOne bool) []tensor.Param { return m.net.Matrices(stageOne) }

// WeightCounts returns how many parameters the encoder, the decoder and the dynamics have.
func (m *Model) WeightCounts() (enc, dec, dynamics int) { return m.net.WeightCounts() }

// Weights counts the parameters of the model.
func (m *Model) Weights() int { return len(m.Params) + len(m.DynamicsParams) }

// NewEncoder returns the model's encoder for training. The arguments are the largest number of
// frames in a call, and the largest total number of points in these frames.
func (m *Model) NewEncoder(frames, points int) encoder.Encoder[float32] {
	return m.net.Encoder.Float32().Train(frames*m.Config.Sets(), points)
}

// NewDecoder returns the model's decoder for training, for up to the given number of frames in one
// call.
func (m *Model) NewDecoder(frames int) decoder.Decoder[float32] {
	return m.net.Decoder.Float32().Train(nil, frames*m.Config.Sets(), m.Config.MaxParticles())
}

// Density returns a Density for up to maxPoints points, or nil if the method learns no density.
// The Density's parameters are the second result of Split.
func (m *Model) Density(maxPoints int) decoder.Density[float32] {
	if d := m.net.Decoder.Float32(); d.Density != nil {
		return d.Density(maxPoints)
	}
	return nil
}

// Points returns a decoder of points, or nil if the method has none or the decoder's weights
// are missing. The decoder's parameters are the second result of Split.
func (m *Model) Points() decoder.Points[float32] {
	if d := m.net.Decoder.Float32(); d.Points != nil && m.Decodes {
		return d.Points()
	}
	return nil
}

// SetEps changes the kernel width for further training.
func (m *Model) SetEps(eps float64) {
	m.Config.Decoder.Eps = eps
	m.net.Decoder.SetEps(eps)
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
	of, _ := method.FindMethod(c.Spec.Method)
	text := of.Title
	switch low, high, zdims := c.Tuning().Range(); {
	case c.Tunable():
		text += fmt.Sprintf(", ε from %g to %g, ẑ of %s", low, high, strings.ReplaceAll(strings.Trim(fmt.Sprint(zdims), "[]"), " ", ", "))
	case c.Decoder.Density():
		text += fmt.Sprintf(", ε = %g, ẑ of %d", c.Eps(), c.ZDim())
	default:
		text += fmt.Sprintf(", ẑ of %d", c.ZDim())
	}
	if c.Sets() > 1 {
		text += " a set"
	}
	if !c.Dynamics.Joint {
		text += ", an equation for each set"
	}
	text += c.Dynamics.Drift.Form.Addition()
	if own := m.System.Variables(""); c.Data.Observable != "" && len(own) > 0 && c.Data.Observable != own[0] {
		text += ", of " + c.Data.Observable
	}
	if f := c.OwnForce(); f != "" {
		text += ", of particles with " + system.InWords(f)
	}
	if r := c.Dynamics.Params; len(r) > 0 {
		text += ", given " + c.Traits.Parameters.InWords(r)
	}
	return text + fmt.Sprintf(", %d parameters", m.Weights())
}
