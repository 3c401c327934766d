package model

import (
	"slices"

	"macroscope/model/net/encoder"
)

// At returns the ordinary model for one ε and one length of ẑ: a copy, or the model itself if
// it is not Tunable. The error says that ε or the length is outside the Range.
func (m *Model) At(eps float64, zdim int) (*Model, error) {
	c, err := m.Config.At(eps, zdim)
	if err != nil || !m.Config.Tunable() {
		return m, err
	}
	at := outline(c, m.System)
	at.Weights.Decodes = true
	at.Weights.allocate()
	return at, m.Tune(at, eps)
}

// Usual returns the ordinary model for the default ε and length.
func (m *Model) Usual() *Model {
	at, err := m.At(m.Config.Eps(), m.Config.Tuning().Usual())
	if err != nil {
		panic("model: " + err.Error()) // Validate has checked this
	}
	return at
}

// Tune changes the ε of the model `at`, which must be a result of At. Tune also copies the present
// weights and scales of m to `at`. m does not change.
func (m *Model) Tune(at *Model, eps float64) error {
	if at == m {
		return nil
	}
	code, err := m.Config.Tuning().Code(eps, at.Config.ZDim())
	if err != nil {
		return err
	}
	at.SetEps(eps)
	at.Data, at.Calibration.Stretch = m.Data, m.Calibration.stretch(code)
	enc, dec := m.Weights.Split(m.Weights.Params)
	encTo, decTo := at.Weights.Split(at.Weights.Params)
	place := m.Config.Tuning().Codes()[code]
	encoder.Combine(encTo, at.Weights.net.Encoder, enc, m.Weights.net.Encoder, place, m.Weights.net.Decoder.Orders(eps, place.Orders))
	m.Weights.net.Decoder.At(decTo, at.Weights.net.Decoder, dec, code)
	if n := len(at.Weights.net.Equations); n > 0 { // the equations of one code are consecutive
		copy(at.Weights.DynamicsParams, m.Weights.DynamicsParams[m.Weights.net.Equations[code*n].Start:])
	}
	copy(at.Scale.Mean, m.Scale.Mean)
	copy(at.Scale.Std, m.Scale.Std)
	for i, k := range m.statesOf(place) {
		at.Scale.Low[i], at.Scale.High[i] = m.Scale.Low[k], m.Scale.High[k]
	}
	at.Scale.Prepare()
	return nil
}

// statesOf lists the indices in z of the variables that the model of one code has.
func (m *Model) statesOf(code encoder.Code) (of []int) {
	c := &m.Config
	for i := range c.Variables {
		of = append(of, i)
	}
	for s := range c.Sets() {
		for i := range code.Length {
			of = append(of, c.Variables+s*c.ZDim()+code.First+i)
		}
	}
	for i := c.Moving(); i < c.States(); i++ {
		of = append(of, i)
	}
	return of
}

// CodesAt selects variables from c: the variables of the model `at`. This model is a result of the
// method At. CodesAt returns nil if c was made with scales other than the scales of m.
func (m *Model) CodesAt(c *Codes, at *Model) *Codes {
	if c == nil || c.Check(m) != nil {
		return nil
	}
	code, err := m.Config.Tuning().Code(at.Config.Eps(), at.Config.ZDim())
	if err != nil {
		return nil
	}
	of := m.statesOf(m.Config.Tuning().Codes()[code])
	own := &Codes{Trajectories: c.Trajectories, Frames: c.Frames, Lengths: c.Lengths, Variables: len(of), Validation: c.Validation, Low: at.Scale.Low, High: at.Scale.High}
	for row := range slices.Chunk(c.Z, c.Variables) {
		for _, k := range of {
			own.Z = append(own.Z, row[k])
		}
	}
	return own
}
