package lab

import (
	"math"

	"macroscope/model/sde"
)

// heldDrift is a drift that leaves the last variable as it is.
type heldDrift struct{ sde.Drift[float32] }

var _ sde.Drift[float32] = heldDrift{}

// Forward implements sde.Drift.
func (d heldDrift) Forward(dst, params, z []float32, rows int) {
	d.Drift.Forward(dst, params, z, rows)
	d.hold(dst, rows)
}

// Backward implements sde.Drift.
func (d heldDrift) Backward(dz, params, grads, z, dg []float32, rows int) {
	d.hold(dg, rows)
	d.Drift.Backward(dz, params, grads, z, dg, rows)
}

func (d heldDrift) hold(g []float32, rows int) {
	n := d.Dim()
	for r := range rows {
		g[(r+1)*n-1] = 0
	}
}

// heldDiffusion gives the last variable a noise of its own, of which the others
// know nothing: none in a rollout.
type heldDiffusion struct {
	sde.Diffusion[float32]
	sigma float32
}

var _ sde.Diffusion[float32] = heldDiffusion{}

// unnoticed is the σ of a variable that never changes which adds nothing to the
// likelihood of steps of dt, see sde.Likelihood.
func unnoticed(dt float64) float32 { return float32(1 / math.Sqrt(2*math.Pi*dt)) }

// Forward implements sde.Diffusion.
func (d heldDiffusion) Forward(dst, params, z []float32, rows int) {
	d.Diffusion.Forward(dst, params, z, rows)
	d.hold(dst, rows, d.sigma)
}

// Backward implements sde.Diffusion.
func (d heldDiffusion) Backward(dz, params, grads, z, ds []float32, rows int) {
	d.hold(ds, rows, 0)
	d.Diffusion.Backward(dz, params, grads, z, ds, rows)
}

// hold sets the last diagonal element of every Σ and clears what is left of it.
func (d heldDiffusion) hold(s []float32, rows int, last float32) {
	n, width := d.Dim(), d.Width()
	for r := range rows {
		row := s[r*width : (r+1)*width]
		row[n-1] = last
		if width > n {
			clear(row[width-(n-1):])
		}
	}
}

// parts makes room to evaluate the law on up to rows rows, for rollouts or,
// with the σ of unnoticed, for a likelihood.
func (l *mixingLaw) parts(rows int, sigma float32) (sde.Drift[float32], sde.Diffusion[float32]) {
	drift, noise := sde.NewDrift[float32](l.drift, rows), sde.NewDiffusion[float32](l.noise, rows)
	if l.share {
		return heldDrift{drift}, heldDiffusion{noise, sigma}
	}
	return drift, noise
}
