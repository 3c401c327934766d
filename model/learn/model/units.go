package model

// Unit returns the value of measure.Prediction.Unit: half the range of the first macroscopic
// variable in training, or 1.
func (m *Model) Unit() float64 {
	if m.Config.Traits.Ranged {
		return (m.Scale.High[0] - m.Scale.Low[0]) / 2
	}
	return 1
}

// TruthOf writes macroscopic variables (T, M) to dst in the units of a measure.Prediction.
func (m *Model) TruthOf(dst []float32, macro []float64) {
	n := m.Config.Variables
	for i, v := range macro {
		if !m.Config.Traits.Stochastic {
			v = m.Scale.State(i%n, v)
		}
		dst[i] = float32(v)
	}
}
