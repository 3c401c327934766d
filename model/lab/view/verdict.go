package view

import "math"

// A prediction is judged by the distance of the truth from it (from its band, for an
// ensemble), as a share of the variable's range over the training set. The shipped model of
// the particles errs by at most 0.6 to 2.1 % of the range in single runs of its own system
// with 50 to 1000 particles, and by 8 % or more in the page's other systems. The truth must
// also be outside an ensemble's 90 % band by the band's own width. For a Gaussian that is
// 4.9 standard deviations, with a probability of one in a million frames.
const (
	holdsWithin = 0.025
	failsBeyond = 0.05
)

// Verdict is the judgement of a prediction.
type Verdict struct {
	Judged       bool    // there is a predicted frame that the run has reached
	Holds, Fails bool    // neither may be set
	Off          float64 // the largest distance, as a share of the range; NaN or infinite if the prediction is not finite
	Frame        int     // frame of the largest distance
}

// Judge compares a prediction with the truth, in all frames up to last; truth(k) returns
// the variables (M) of frame k.
func (p *Prediction) Judge(last int, truth func(k int) []float64) (v Verdict) {
	m, s := p.model.Config.Variables, &p.model.Scale
	v.Holds = true
	for k := p.model.Config.Dynamics.Begin + 1; k <= min(last, p.Done); k++ {
		v.Judged = true
		for i, t := range truth(k) {
			at := m*k + i
			low, high := float64(p.Mean[at]), float64(p.Mean[at])
			if p.model.Config.Traits.Stochastic {
				low, high = float64(p.Low[at]), float64(p.High[at])
			}
			span := s.Value(i, 1) - s.Value(i, -1)
			off := math.Max(0, math.Max(low-t, t-high)) / span
			v.Holds = v.Holds && off <= holdsWithin
			v.Fails = v.Fails || !(off <= math.Max(failsBeyond, (high-low)/span))
			if !(off <= v.Off) {
				v.Off, v.Frame = off, k
			}
		}
	}
	v.Holds = v.Holds && v.Judged && !v.Fails
	return v
}
