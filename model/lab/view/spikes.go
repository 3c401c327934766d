package view

import (
	"math"
	"slices"

	"macroscope/model/net/target"
)

const (
	// spikeParticles is how many particles are compared to find a width. For a larger set
	// the width is reduced by Silverman's power of the number of particles.
	spikeParticles = 256
	// The widths that are tried, as multiples of Silverman's, form a geometric sequence
	// with ratio spikeStep.
	spikeNarrowest, spikeStep, spikeWidths = 0.1, 1.25, 15
)

// spikes is what Spikes keeps of the last set.
type spikes struct {
	set   []float32
	sigma [maxDim]float64
	value float64

	thinned []float64 // the particles that are compared
	logq    []float32
}

// Spikes returns the part of the KL of the drawn set that comes from spikes at single
// particles, in nats. It is KL(q_X ‖ q_h), estimated at the same points as Density.KL. q_h
// is the kernel density of the same set with the width h, at least ε, under which every
// particle is most likely given the others' kernels (leave-one-out cross-validation). A
// density that resolves no single particle has at least this KL. The result is kept until
// the set or ε changes.
func (t *Target) Spikes() float64 {
	k := &t.spikes
	if k.sigma == t.sigma && slices.Equal(k.set, t.set) {
		return k.value
	}
	k.set, k.sigma, k.value = append(k.set[:0], t.set...), t.sigma, 0
	d := t.dim
	h := t.width()
	if !(h > 1) { // not above 1 in units of σ: there are no spikes
		return 0
	}
	n := len(t.unit) / d
	k.logq = slices.Grow(k.logq[:0], 2*n)[:2*n]
	own, wide := k.logq[:n], k.logq[n:]
	target.LogDensity(own, t.unit, t.unitP, d, 1)
	target.LogDensity(wide, t.unit, t.unitP, d, h)
	for i := range own {
		k.value += float64(own[i]-wide[i]) / float64(n)
	}
	k.value = math.Max(0, k.value)
	return k.value
}

// Blur returns the width of the kernels relative to the standard deviation of the drawn
// particles; both are root mean squares over the coordinates.
func (t *Target) Blur() float64 {
	n, d, kernel, spread := len(t.set)/t.dim, t.dim, 0.0, 0.0
	for j := range d {
		mean, square := 0.0, 0.0
		for i := range n {
			x := float64(t.set[i*d+j])
			mean += x / float64(n)
			square += x * x / float64(n)
		}
		kernel += t.sigma[j] * t.sigma[j]
		spread += square - mean*mean
	}
	return math.Sqrt(kernel / spread)
}

// width returns h of Spikes, in units of σ.
func (t *Target) width() float64 {
	k, d := &t.spikes, t.dim
	all := len(t.unitP) / d
	stride := (all + spikeParticles - 1) / spikeParticles
	k.thinned = k.thinned[:0]
	for i := 0; i < all; i += stride {
		k.thinned = append(k.thinned, t.unitP[i*d:(i+1)*d]...)
	}
	n := len(k.thinned) / d
	if n < 3 {
		return 0
	}
	// Silverman's rule, with the mean variance of the coordinates.
	variance := 0.0
	for j := range d {
		mean, square := 0.0, 0.0
		for i := range n {
			mean += k.thinned[i*d+j] / float64(n)
		}
		for i := range n {
			square += (k.thinned[i*d+j] - mean) * (k.thinned[i*d+j] - mean)
		}
		variance += square / float64(n-1) / float64(d)
	}
	exponent := 1 / float64(d+4)
	silverman := math.Sqrt(variance) * math.Pow(4/float64(d+2), exponent) * math.Pow(float64(n), -exponent)
	best, most := 0.0, math.Inf(-1)
	k.logq = slices.Grow(k.logq[:0], n)[:n]
	h := spikeNarrowest * silverman
	for range spikeWidths {
		target.LogDensity(k.logq, k.thinned, k.thinned, d, h)
		self := math.Pow(2*math.Pi*h*h, -float64(d)/2)
		sum := 0.0
		for _, l := range k.logq { // without the particle's own kernel
			sum += math.Log(math.Max(float64(n)*math.Exp(float64(l))-self, 1e-6*self) / float64(n-1))
		}
		if sum > most {
			best, most = h, sum
		}
		h *= spikeStep
	}
	return best * math.Pow(float64(n)/float64(all), exponent)
}
