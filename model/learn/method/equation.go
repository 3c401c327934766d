package method

import (
	"math"

	"macroscope/model/net/dynamics"
)

// frozenDrift is a drift that is 0 for the last variables, the frozen ones.
type frozenDrift struct {
	dynamics.Drift[float32]
	still int // the number of frozen variables
}

var _ dynamics.Drift[float32] = frozenDrift{}

// Forward implements dynamics.Drift.
func (d frozenDrift) Forward(dst, params, z []float32, rows int) {
	d.Drift.Forward(dst, params, z, rows)
	d.freeze(dst, rows)
}

// Backward implements dynamics.Drift.
func (d frozenDrift) Backward(dz, params, grads, z, dg []float32, rows int) {
	d.freeze(dg, rows)
	d.Drift.Backward(dz, params, grads, z, dg, rows)
}

// Another implements dynamics.Drift.
func (d frozenDrift) Another() dynamics.Drift[float32] {
	return frozenDrift{d.Drift.Another(), d.still}
}

func (d frozenDrift) freeze(g []float32, rows int) {
	n := d.Dim()
	for r := range rows {
		clear(g[(r+1)*n-d.still : (r+1)*n])
	}
}

// frozenDiffusion gives each frozen variable a noise σ that is independent of the other
// variables. In a rollout σ is 0.
type frozenDiffusion struct {
	dynamics.Diffusion[float32]
	still int // the number of frozen variables
	sigma float32
}

var _ dynamics.Diffusion[float32] = frozenDiffusion{}

// Unnoticed returns a σ for frozen variables. With this σ, a frozen variable adds nothing to the
// log-likelihood of steps of length dt (see dynamics.Likelihood).
func Unnoticed(dt float64) float32 { return float32(1 / math.Sqrt(2*math.Pi*dt)) }

// Forward implements dynamics.Diffusion.
func (d frozenDiffusion) Forward(dst, params, z []float32, rows int) {
	d.Diffusion.Forward(dst, params, z, rows)
	d.freeze(dst, rows, d.sigma)
}

// Backward implements dynamics.Diffusion.
func (d frozenDiffusion) Backward(dz, params, grads, z, ds []float32, rows int) {
	d.freeze(ds, rows, 0)
	d.Diffusion.Backward(dz, params, grads, z, ds, rows)
}

// freeze changes the last d.still rows of every Σ in s, which belong to the frozen variables. It
// sets the diagonal elements of these rows to the given value, and the other elements to 0. A
// diagonal Σ is stored as its n diagonal elements. A full Σ also stores the elements below the
// diagonal, row by row: i elements for row i.
func (d frozenDiffusion) freeze(s []float32, rows int, last float32) {
	n, width := d.Dim(), d.Width()
	left := 0
	if width > n {
		left = d.still * (2*n - d.still - 1) / 2
	}
	for r := range rows {
		row := s[r*width : (r+1)*width]
		for i := n - d.still; i < n; i++ {
			row[i] = last
		}
		clear(row[width-left:])
	}
}

// NewDrift returns a drift that can compute up to the given number of rows at once.
func (e *Equation) NewDrift(rows int) dynamics.Drift[float32] {
	drift := dynamics.NewDrift[float32](e.Drift, rows)
	if e.Still > 0 {
		return frozenDrift{drift, e.Still}
	}
	return drift
}

// NewDiffusion returns a diffusion that can compute up to the given number of rows at once.
// sigma is the noise of frozen variables.
func (e *Equation) NewDiffusion(rows int, sigma float32) dynamics.Diffusion[float32] {
	noise := dynamics.NewDiffusion[float32](e.Noise, rows)
	if e.Still > 0 {
		return frozenDiffusion{noise, e.Still, sigma}
	}
	return noise
}

// Gather copies the equation's variables from z (rows, V) to dst (rows, D).
func (e *Equation) Gather(dst, z []float32, rows, variables int) {
	for r := range rows {
		for j, k := range e.Of {
			dst[r*len(e.Of)+j] = z[r*variables+k]
		}
	}
}
