package experiment

import (
	"math"

	"macroscope/model/sde"
)

// frozenDrift is a drift that leaves the last variable as it is.
type frozenDrift struct{ sde.Drift[float32] }

var _ sde.Drift[float32] = frozenDrift{}

// Forward implements sde.Drift.
func (d frozenDrift) Forward(dst, params, z []float32, rows int) {
	d.Drift.Forward(dst, params, z, rows)
	d.freeze(dst, rows)
}

// Backward implements sde.Drift.
func (d frozenDrift) Backward(dz, params, grads, z, dg []float32, rows int) {
	d.freeze(dg, rows)
	d.Drift.Backward(dz, params, grads, z, dg, rows)
}

func (d frozenDrift) freeze(g []float32, rows int) {
	n := d.Dim()
	for r := range rows {
		g[(r+1)*n-1] = 0
	}
}

// frozenDiffusion gives the last variable a noise of its own, of which the others
// know nothing: none in a rollout.
type frozenDiffusion struct {
	sde.Diffusion[float32]
	sigma float32
}

var _ sde.Diffusion[float32] = frozenDiffusion{}

// unnoticed is the σ of a frozen variable that adds nothing to the likelihood of
// steps of dt, see sde.Likelihood.
func unnoticed(dt float64) float32 { return float32(1 / math.Sqrt(2*math.Pi*dt)) }

// Forward implements sde.Diffusion.
func (d frozenDiffusion) Forward(dst, params, z []float32, rows int) {
	d.Diffusion.Forward(dst, params, z, rows)
	d.freeze(dst, rows, d.sigma)
}

// Backward implements sde.Diffusion.
func (d frozenDiffusion) Backward(dz, params, grads, z, ds []float32, rows int) {
	d.freeze(ds, rows, 0)
	d.Diffusion.Backward(dz, params, grads, z, ds, rows)
}

// freeze sets the last diagonal element of every Σ and clears what is left of it.
func (d frozenDiffusion) freeze(s []float32, rows int, last float32) {
	n, width := d.Dim(), d.Width()
	for r := range rows {
		row := s[r*width : (r+1)*width]
		row[n-1] = last
		if width > n {
			clear(row[width-(n-1):])
		}
	}
}

// newDrift makes room to evaluate the drift on up to rows rows.
func (e *equation) newDrift(rows int) sde.Drift[float32] {
	drift := sde.NewDrift[float32](e.drift, rows)
	if e.share {
		return frozenDrift{drift}
	}
	return drift
}

// newDiffusion is newDrift of the noise, with the σ of the frozen variable.
func (e *equation) newDiffusion(rows int, sigma float32) sde.Diffusion[float32] {
	noise := sde.NewDiffusion[float32](e.noise, rows)
	if e.share {
		return frozenDiffusion{noise, sigma}
	}
	return noise
}

// gather writes the equation's variables of rows z (rows, V) to dst (rows, D).
func (e *equation) gather(dst, z []float32, rows, variables int) {
	for r := range rows {
		for j, k := range e.of {
			dst[r*len(e.of)+j] = z[r*variables+k]
		}
	}
}
