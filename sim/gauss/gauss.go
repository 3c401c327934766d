// Package gauss makes the particle sets of the paper's one-dimensional demo
// (section 4.1). Each set is drawn from its own Gaussian mixture.
//
// A mixture has four components of equal weight, with means uniform in
// [-1, -½], [-½, 0], [0, ½], [½, 1] and standard deviations uniform in
// [0.1, 0.2].
package gauss

import (
	"math"
	"math/rand/v2"
)

// Components is the number of components of a mixture.
const Components = 4

// Mixture is an equal-weight mixture of Gaussians on the line.
type Mixture struct {
	Mean, Std [Components]float64
}

// Draw draws a mixture of the paper's family.
func Draw(rng *rand.Rand) Mixture {
	var m Mixture
	for k := range Components {
		m.Mean[k] = -1 + 0.5*float64(k) + 0.5*rng.Float64()
		m.Std[k] = 0.1 + 0.1*rng.Float64()
	}
	return m
}

// Density returns the mixture's probability density at x.
func (m Mixture) Density(x float64) float64 {
	var p float64
	for k, mu := range m.Mean {
		u := (x - mu) / m.Std[k]
		p += math.Exp(-u*u/2) / m.Std[k]
	}
	return p / (Components * math.Sqrt(2*math.Pi))
}

// Blend returns the mixture at t ∈ [0, 1] between m (t = 0) and `to` (t = 1). Means and
// standard deviations are interpolated linearly.
func (m Mixture) Blend(to Mixture, t float64) Mixture {
	for k := range Components {
		m.Mean[k] += t * (to.Mean[k] - m.Mean[k])
		m.Std[k] += t * (to.Std[k] - m.Std[k])
	}
	return m
}

// Sample fills dst with independent draws from m.
func (m Mixture) Sample(dst []float32, rng *rand.Rand) {
	for i := range dst {
		k := rng.IntN(Components)
		dst[i] = float32(m.Mean[k] + m.Std[k]*rng.NormFloat64())
	}
}
