package view

import "math"

// A prediction is judged by its miss. The miss is the distance of the truth from the prediction, or
// from the band of an ensemble. It is a share of the variable's range in the training set. The
// shipped particles model was trained on one of the page's systems. In runs of this system with 50
// to 1000 particles, the largest miss is 0.6 to 2.1 %. In the other systems the largest miss is 8 %
// or more. An ensemble fails only if the truth also misses the 90 % band by more than the band's
// width. For a Gaussian, the truth is then 4.9 standard deviations from the mean. This happens once
// in a million frames.
const (
	HoldsWithin = 0.025
	FailsBeyond = 0.05
)

// A band must also contain bandShare of the true values. If it contains fewer, a test decides
// whether chance explains this. The test computes how likely a correct 90 % band is to contain so
// few values, and rejects the band if this probability is below falseAlarm. With fewer than
// `enough` independent frames the test would hardly ever reject a band. A prediction then does not
// hold if its band contains less than bandShare of the values.
const (
	bandShare  = 0.9
	falseAlarm = 0.05
	enough     = 10 // smallest number of independent frames for the test
)

// Verdict is the judgement of a prediction by its misses (see HoldsWithin).
type Verdict struct {
	Judged       bool    // whether the truth of at least one predicted frame is known
	Holds, Fails bool    // both are false if the prediction is neither good enough nor bad enough
	Off          float64 // largest miss, as a share of the range; NaN or infinite if the prediction is not finite
	Frame        int     // frame of the largest miss
	Near         bool    // whether Judged is true and no miss exceeds HoldsWithin

	// Inside is the share of true values inside an ensemble's band. Independent is the effective
	// number of independent frames. TooFew is set if chance cannot explain the low value of Inside.
	Inside      float64
	Independent int
	TooFew      bool
}

// Judge compares a prediction with the truth in all predicted frames up to frame `last`. truth(k)
// returns the true variables (M) of frame k.
func (p *Prediction) Judge(last int, truth func(k int) []float64) (v Verdict) {
	m, s := p.model.Config.Variables, &p.model.Scale
	begin, stochastic := p.model.Config.Dynamics.Begin, p.model.Config.Traits.Stochastic
	last = min(last, p.Done)
	v.Judged = last > begin
	var offsets []float64 // distance of the truth from the middle of the band, in band widths (frames, M)
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
			v.Fails = v.Fails || !(off <= math.Max(FailsBeyond, (high-low)/span))
			if !(off <= v.Off) {
				v.Off, v.Frame = off, k
			}
		}
	}
	v.Near = v.Judged && v.Off <= HoldsWithin
	v.Holds = v.Near && !v.Fails
	if !stochastic || !v.Judged {
		return v
	}
	v.Inside = float64(inside) / float64(len(offsets))
	v.Independent = independent(offsets, m)
	if v.Inside < bandShare-0.005 { // lower even after rounding to whole percent
		n := v.Independent
		v.TooFew = atMost(int(math.Round(v.Inside*float64(n))), n, bandShare) < falseAlarm
		v.Holds = v.Holds && !v.TooFew && n >= enough
	}
	return v
}

// independent returns the effective number of independent frames among K frames: K divided by the
// longest integrated correlation time of a variable. x (K, M) is the distance of the truth from the
// middle of the band. For a correct band the mean of x is 0, so the mean is not subtracted. A
// constant x is then fully correlated and counts as one frame. The sum over lags ends at five
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
