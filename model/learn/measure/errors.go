package measure

import "math"

// Errors are the errors of a variable's predictions, and of two that need no model. Each is an RMSE over all
// trajectories and the frames after Begin, in the units of the Prediction.
type Errors struct {
	Model float64 // of the mean of the members
	First float64 // of the value in frame Begin, repeated
	Mean  float64 // of the mean of the true trajectories in the same frame
}

// Errors returns the errors of variable k. They are NaN if no frame is after Begin.
func (p *Prediction) Errors(k int) (e Errors) {
	row, n := p.Frames*p.Variables, 0
	at := func(x []float32, trajectory, t int) float64 { return float64(x[trajectory*row+t*p.Variables+k]) }
	for t := p.Begin + 1; t < p.Frames; t++ {
		mean, there := 0.0, 0
		for i, length := range p.lengths() {
			if t < length {
				mean += at(p.Truth, i, t)
				there++
			}
		}
		mean /= float64(there)
		for i, length := range p.lengths() {
			if t >= length {
				continue
			}
			predicted := 0.0
			for j := range p.Members {
				predicted += at(p.Pred, i*p.Members+j, t) / float64(p.Members)
			}
			truth := at(p.Truth, i, t)
			e.Model += (predicted - truth) * (predicted - truth)
			e.First += (at(p.Truth, i, p.Begin) - truth) * (at(p.Truth, i, p.Begin) - truth)
			e.Mean += (mean - truth) * (mean - truth)
			n++
		}
	}
	for _, v := range []*float64{&e.Model, &e.First, &e.Mean} {
		*v = math.Sqrt(*v / float64(n))
	}
	return e
}
