package view

import "math"

// A prediction is judged by its miss: the distance between the truth and the prediction (or
// its band, for an ensemble), as a share of the variable's range over the training set. The
// shipped model of the particles misses by at most 0.6 to 2.1 % of the range in single runs
// of its own system with 50 to 1000 particles, and by 8 % or more in the page's other
// systems. An ensemble fails only if the truth also misses its 90 % band by more than the
// band's width. For a Gaussian this is a distance of 4.9 standard deviations, which occurs
// once in a million frames.
const (
	holdsWithin = 0.025
	failsBeyond = 0.05
)

// A band must also contain its share of the truth. A lower share is tested against chance:
// a correct 90 % band would have so few of the independent frames inside in at most a share
// falseAlarm of all runs. With few independent frames the test could hardly refuse a band,
// so a band with a lower share does not hold then.
const (
	bandShare  = 0.9
	falseAlarm = 0.05
	enough     = 10 // independent frames
)

// Verdict is the judgement of a prediction.
type Verdict struct {
	Judged       bool    // a predicted frame is known
	Holds, Fails bool    // both are false for a miss in between
	Off          float64 // the largest miss, as a share of the range; NaN or infinite if the prediction is not finite
	Frame        int     // frame of the largest miss
	Near         bool    // no miss exceeds the bound for a prediction that holds

	// For an ensemble: the share of true values in the band; the number of independent
	// frames that are equivalent to the predicted ones; and whether chance is an unlikely
	// reason for so low a share.
	Inside      float64
	Independent int
	TooFew      bool
}

// Judge compares a prediction with the truth, in all frames up to last; truth(k) returns
// the variables (M) of frame k.
func (p *Prediction) Judge(last int, truth func(k int) []float64) (v Verdict) {
	m, s := p.model.Config.Variables, &p.model.Scale
	begin, stochastic := p.model.Config.Dynamics.Begin, p.model.Config.Traits.Stochastic
	last = min(last, p.Done)
	v.Judged = last > begin
	var offsets []float64 // from the middle of the band, in band widths (frames, M)
	inside := 0
	for k := begin + 1; k <= last; k++ {
		for i, t := range truth(k) {
			at := m*k + i
			low, high := float64(p.Mean[at]), float64(p.Mean[at])
			if stochastic {
				low, high = float64(p.Low[at]), float64(p.High[at])
				offsets = append(offsets, (t-(low+high)/2)/math.Max(high-low, 1e-30))
				if low <= t && t <= high {
					inside++
				}
			}
			span := s.Value(i, 1) - s.Value(i, -1)
			off := math.Max(0, math.Max(low-t, t-high)) / span
			v.Fails = v.Fails || !(off <= math.Max(failsBeyond, (high-low)/span))
			if !(off <= v.Off) {
				v.Off, v.Frame = off, k
			}
		}
	}
	v.Near = v.Judged && v.Off <= holdsWithin
	v.Holds = v.Near && !v.Fails
	if !stochastic || !v.Judged {
		return v
	}
	v.Inside = float64(inside) / float64(len(offsets))
	v.Independent = independent(offsets, m)
	if v.Inside < bandShare-0.005 { // in whole percents
		n := v.Independent
		v.TooFew = atMost(int(math.Round(v.Inside*float64(n))), n, bandShare) < falseAlarm
		v.Holds = v.Holds && !v.TooFew && n >= enough
	}
	return v
}

// independent returns the number of independent frames that are equivalent to offsets x (K,
// M) from the middle of a band: K over the longest integrated correlation time of a
// variable. The offsets from the middle of a correct band have mean 0, so their mean is not
// subtracted: a constant offset counts as one frame. The sum over lags ends at five
// correlation times (Sokal).
func independent(x []float64, m int) int {
	frames := len(x) / m
	longest := 1.0
	for i := range m {
		sum := func(lag int) (sum float64) {
			for k := range frames - lag {
				sum += x[m*k+i] * x[m*(k+lag)+i]
			}
			return sum
		}
		all, time := sum(0), 1.0
		for lag := 1; lag < frames && float64(lag) < 5*time; lag++ {
			time += 2 * sum(lag) / all
		}
		if time > longest {
			longest = time
		}
	}
	return max(1, int(math.Round(float64(frames)/longest)))
}

// atMost returns the probability of at most k successes in n independent trials of probability p.
func atMost(k, n int, p float64) float64 {
	more, term := 0.0, math.Pow(p, float64(n))
	for failures := range n - k {
		more += term
		term *= float64(n-failures) / float64(failures+1) * (1 - p) / p
	}
	return 1 - more
}
