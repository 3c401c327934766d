package view

import (
	"math"
	"slices"
)

const (
	// smoothParticles is the largest number of particles that are used to choose a width. A larger
	// set is thinned first. The best width decreases with the number of particles. A factor from
	// Silverman's rule therefore reduces the width for the thinned set.
	smoothParticles = 256
	// The first width to try is smoothNarrowest times Silverman's width. Each further width is
	// smoothStep times the one before.
	smoothNarrowest, smoothStep, smoothWidths = 0.1, 1.25, 15
)

// smooth contains the result of Target.Smooth for the current set, and scratch memory.
type smooth struct {
	value float64 // the KL of the smooth copy in nats; NaN before it is measured

	thinned []float64 // the particles that are used to choose the width
	logq    []float32
}

// Smooth returns KL(q_X ‖ q_h) in nats, measured at the same points as Density.KL. q_X is the
// target. q_h is the density of the same particles with a kernel width h ≥ ε. This h maximises the
// likelihood of each particle under the kernels of the others (leave-one-out cross-validation). The
// result is a reference for the KL of a learned density: a density in which no single particle is
// visible can hardly have a lower KL. The reference is not a strict bound. A density may contain
// more information than the set, for instance that all sets have one shape.
func (t *Target) Smooth() float64 {
	k := &t.smooth
	if k.value == k.value {
		return k.value
	}
	t.draw()
	k.value = 0
	d := t.dim
	h := t.width()
	if !(h > 1) { // no kernel wider than σ fits better, so the target itself is smooth
		return 0
	}
	n := len(t.unit) / d
	k.logq = slices.Grow(k.logq[:0], 2*n)[:2*n]
	own, wide := k.logq[:n], k.logq[n:]
	t.logDensity(own, t.unit, t.unitP, 1)
	t.logDensity(wide, t.unit, t.unitP, h)
	k.value = math.Max(0, t.mean(own, wide))
	return k.value
}

// Blur returns the kernel width of the drawn target relative to the standard deviation of
// its particles. Both are root mean squares over the coordinates.
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

// width returns the kernel width h that Smooth uses, in units of σ.
func (t *Target) width() float64 {
	k, d := &t.smooth, t.dim
	all := len(t.unitP) / d
	stride := (all + smoothParticles - 1) / smoothParticles
	k.thinned = k.thinned[:0]
	for i := 0; i < all; i += stride {
		k.thinned = append(k.thinned, t.unitP[i*d:(i+1)*d]...)
	}
	n := len(k.thinned) / d
	if n < 3 {
		return 0
	}
	// Silverman's rule, with the mean of the coordinates' variances.
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
	h := smoothNarrowest * silverman
	for range smoothWidths {
		t.logDensity(k.logq, k.thinned, k.thinned, h)
		self := math.Pow(2*math.Pi*h*h, -float64(d)/2)
		sum := 0.0
		for _, l := range k.logq { // without the particle's own kernel
			sum += math.Log(math.Max(float64(n)*math.Exp(float64(l))-self, 1e-6*self) / float64(n-1))
		}
		if sum > most {
			best, most = h, sum
		}
		h *= smoothStep
	}
	return best * math.Pow(float64(n)/float64(all), exponent)
}
