package model

import (
	"fmt"
	"strings"

	"macroscope/model/learn/method"
	"macroscope/model/net/decoder"
	"macroscope/model/net/encoder"
	"macroscope/model/system"
)

// Model is an autoencoder and dynamics, with their parameters and the scales
// between data and the units of the networks.
type Model struct {
	Config method.Config
	System *system.System

	Weights     Weights
	Scale       Scale
	Calibration Calibration
	Data        Digest // digest of the user's trajectories that trained the model; "" if there are none, or if they are unknown

	ranged    []int // see method.Config.Ranged
	described described
}

// New builds the model of a valid configuration with the initial weights of its seed.
// Its scales leave data unchanged.
func New(c method.Config, sys *system.System) *Model {
	m := outline(c, sys)
	m.Weights.Decodes = true
	m.Weights.draw(&m.Config)
	return m
}

// outline is like New, but without the weights.
func outline(c method.Config, sys *system.System) *Model {
	m := &Model{Config: c, System: c.System(sys), Scale: NewScale(c.Dim(), c.States()), Calibration: Calibration{Stretch: 1}, ranged: c.Ranged()}
	for i, r := range c.Frozen().Ranges() {
		m.Scale.Low[c.Moving()+i], m.Scale.High[c.Moving()+i] = r.Low, r.High
	}
	m.Weights.net = c.Networks()
	return m
}

// NewEncoder returns the model's encoder for training. The arguments are the largest number of
// frames in a call, and the largest total number of points in these frames.
func (m *Model) NewEncoder(frames, points int) encoder.Encoder[float32] {
	return m.Weights.net.Encoder.Float32().Train(frames*m.Config.Sets(), points)
}

// NewDecoder returns the model's decoder for training, for up to the given number of frames in one
// call.
func (m *Model) NewDecoder(frames int) decoder.Decoder[float32] {
	return m.Weights.net.Decoder.Float32().Train(nil, frames*m.Config.Sets(), m.Config.MaxParticles())
}

// Density returns a Density for up to maxPoints points, or nil if the method learns no density.
// The Density's parameters are the second result of Weights.Split.
func (m *Model) Density(maxPoints int) decoder.Density[float32] {
	if d := m.Weights.net.Decoder.Float32(); d.Density != nil {
		return d.Density(maxPoints)
	}
	return nil
}

// Points returns a decoder of points, or nil if the method has none or the decoder's weights
// are missing. The decoder's parameters are the second result of Weights.Split.
func (m *Model) Points() decoder.Points[float32] {
	if d := m.Weights.net.Decoder.Float32(); d.Points != nil && m.Weights.Decodes {
		return d.Points()
	}
	return nil
}

// SetEps changes the kernel width for further training.
func (m *Model) SetEps(eps float64) {
	m.Config.Decoder.Eps = eps
	m.Weights.net.Decoder.SetEps(eps)
}

// Clone returns a copy that training does not change.
func (m *Model) Clone() *Model {
	c := New(m.Config, m.System)
	c.Take(m)
	c.Weights.Decodes, c.Data, c.described = m.Weights.Decodes, m.Data, m.described
	return c
}

// Take copies the weights, the scales and the calibration of `from`. Both models must have an
// encoder and dynamics of the same sizes. The decoder's weights are copied only if both decoders
// have the same size, and if `from` has these weights.
func (m *Model) Take(from *Model) {
	m.Weights.take(&from.Weights)
	m.Scale, m.Calibration = from.Scale.Clone(), from.Calibration
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
	return text + fmt.Sprintf(", %d parameters", m.Weights.Len())
}
