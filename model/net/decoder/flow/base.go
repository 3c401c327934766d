package flow

import (
	"math"

	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
)

// maxLogSigma is the largest |log σ| of a conditional base.
const maxLogSigma = 5

// base holds N(μ, σ²) for every set and open coordinate; μ and σ are (B, open). On a circle the base density
// is uniform instead.
type base[T tensor.Float] struct {
	circles  circle.Set
	open     int                 // number of open coordinates
	net      *nn.MLPWorkspace[T] // nil for N(0, 1)
	mu       []T
	logSigma []T
	invSigma []T
	dout     []T // gradient of [μ | log σ] before log σ is clamped (B, 2 open)
	out      []T // [μ | log σ] before log σ is clamped (B, 2 open), in the network's workspace
}

func newBase[T tensor.Float](f *Flow, sets int) base[T] {
	n := sets * f.cfg.open()
	b := base[T]{circles: f.cfg.Circles, open: f.cfg.open(), mu: make([]T, n), logSigma: make([]T, n), invSigma: make([]T, n)}
	if f.base == nil {
		for i := range b.invSigma {
			b.invSigma[i] = 1
		}
		return b
	}
	b.net, b.dout = nn.NewMLPWorkspace[T](f.base, sets), make([]T, 2*n)
	return b
}

// place returns the index of an open coordinate among the open ones.
func (b *base[T]) place(coordinate int) int { return 2*coordinate - b.circles.Width(coordinate) }

// forward evaluates μ and σ of every set.
func (b *base[T]) forward(f *Flow, params, z []T, sets int) {
	if f.base == nil {
		return
	}
	d := b.open
	b.out = nn.Forward(f.base, b.net, params, z, sets)
	for s := range sets {
		for i := range d {
			logSigma := min(max(b.out[s*2*d+d+i], -maxLogSigma), maxLogSigma)
			b.mu[s*d+i] = b.out[s*2*d+i]
			b.logSigma[s*d+i] = logSigma
			b.invSigma[s*d+i] = T(math.Exp(-float64(logSigma)))
		}
	}
}

// logDensity adds the base's log-density of one coordinate of every sample to dst (B·S).
func (b *base[T]) logDensity(dst, y []T, coordinate, sets, samples int) {
	if b.circles.Has(coordinate) {
		for r := range dst[:sets*samples] {
			dst[r] -= math.Ln2 // of the circumference
		}
		return
	}
	const halfLogTwoPi = 0.9189385332046727
	for s := range sets {
		at := s*b.open + b.place(coordinate)
		mu, inv, norm := b.mu[at], b.invSigma[at], -halfLogTwoPi-b.logSigma[at]
		to := dst[s*samples : (s+1)*samples]
		for r, v := range y[s*samples : (s+1)*samples] {
			u := (v - mu) * inv
			to[r] += norm - 0.5*u*u
		}
	}
}

// backward must be called after logDensity. weight (B·S) is the gradient of a loss with respect
// to the log-densities. backward writes the gradient of y to dy and keeps the gradients of μ
// and log σ.
func (b *base[T]) backward(dy, weight, y []T, coordinate, sets, samples int) {
	if b.circles.Has(coordinate) {
		clear(dy[:sets*samples])
		return
	}
	for s := range sets {
		at := s*b.open + b.place(coordinate)
		mu, inv := b.mu[at], b.invSigma[at]
		var dmu, dlogSigma T
		w, d := weight[s*samples:(s+1)*samples], dy[s*samples:(s+1)*samples]
		for r, v := range y[s*samples : (s+1)*samples] {
			u := (v - mu) * inv
			g := w[r] * u * inv
			d[r] = -g
			dmu += g
			dlogSigma += w[r] * (u*u - 1)
		}
		if b.net == nil {
			continue
		}
		out := s*2*b.open + b.place(coordinate)
		if raw := b.out[out+b.open]; raw < -maxLogSigma || raw > maxLogSigma {
			dlogSigma = 0
		}
		b.dout[out], b.dout[out+b.open] = dmu, dlogSigma
	}
}

// paramGrad completes the backward pass. The method `backward` must have been called for every
// coordinate. paramGrad adds the gradients of the parameters to grads and writes the gradient of ẑ
// to dz (B, ZDim). If the base does not depend on ẑ, it returns false and changes nothing.
func (b *base[T]) paramGrad(f *Flow, params, grads, dz, z []T, sets int) bool {
	if f.base == nil {
		return false
	}
	nn.Backward(f.base, b.net, params, grads, z, dz, b.dout[:sets*2*b.open], sets)
	return true
}
