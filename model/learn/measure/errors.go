package measure

import (
	"math"

	"macroscope/model/learn/model"
)

// Errors are the errors of a variable's predictions, and of two that need no model. Each is an RMSE over all
// trajectories and the frames after Begin, in the units of the Prediction.
type Errors struct {
	Model float64 // of the mean of the members
	First float64 // of the value in frame Begin, repeated
	Mean  float64 // of the mean of the true trajectories in the same frame
}

// ErrorsIn returns the errors of variable k of a model in the variable's own unit.
func (p *Prediction) ErrorsIn(m *model.Model, k int) Errors {
	of, unit := p.Errors(k), 1.0
	if !p.Ensemble { // the variables are scaled
		unit = m.Scale.Value(k, 1) - m.Scale.Value(k, 0)
	}
	return Errors{of.Model * unit, of.First * unit, of.Mean * unit}
}

// Errors returns the errors of variable k. They are NaN if no frame is after Begin.
func (p *Prediction) Errors(k int) (e Errors) {
	p = p.Of(k)
	e.Model = p.RMSE()
	lengths, n := p.lengths(), 0
	for t := p.Begin + 1; t < p.Frames; t++ {
		mean, there := 0.0, 0
		for i, length := range lengths {
			if t < length {
				mean += float64(p.Truth[i*p.Frames+t])
				there++
			}
		}
		mean /= float64(there)
		for i, length := range lengths {
			if t < length {
				row := p.Truth[i*p.Frames:]
				first, truth := float64(row[p.Begin]), float64(row[t])
				e.First += (first - truth) * (first - truth)
				e.Mean += (mean - truth) * (mean - truth)
			}
		}
		n += there
	}
	e.First, e.Mean = math.Sqrt(e.First/float64(n)), math.Sqrt(e.Mean/float64(n))
	return e
}
