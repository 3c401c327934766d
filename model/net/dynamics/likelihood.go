package dynamics

import (
	"fmt"
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Likelihood measures how well dynamics predict each observed state from the state before it (the
// paper's stage II). The prediction is an Euler–Maruyama step. A step from z to z' is Gaussian with
// the mean z + g(z) dt and the covariance ΣΣᵀ dt, so its negative log-likelihood is
//
//	½|w|² + Σ_j log σ_j + ½ D log(2π dt),  Σ(z) w √dt = z' - z - g(z) dt,
//
// in nats, where σ is the diagonal of Σ. A Likelihood is not safe for concurrent use.
type Likelihood[T tensor.Float] struct {
	drift       Drift[T]
	diffusion   Diffusion[T]
	steps, rows int

	// Every slice has one entry per transition; there are rows·K transitions.
	z, w, dg []T // start, noise w, gradient with respect to g (D)
	dz       []T // contribution of one network to the gradient with respect to z (D)
	sigma    []T // Σ(z), later the gradient with respect to Σ(z) (Width)
}

// NewLikelihood makes a Likelihood for up to maxRows rows, each with the given number of
// transitions (K). The drift and the diffusion must be made for maxRows·K rows.
func NewLikelihood[T tensor.Float](drift Drift[T], diffusion Diffusion[T], steps, maxRows int) *Likelihood[T] {
	checkDim(drift, diffusion)
	if steps < 1 {
		panic(fmt.Sprintf("dynamics: a likelihood of %d steps", steps))
	}
	n := maxRows * steps
	room := func(width int) []T { return make([]T, n*width) }
	d := drift.Dim()
	return &Likelihood[T]{
		drift: drift, diffusion: diffusion, steps: steps, rows: maxRows,
		z: room(d), w: room(d), dg: room(d), dz: room(d), sigma: room(diffusion.Width()),
	}
}

// checkDim panics unless drift and diffusion have equally many variables.
func checkDim[T tensor.Float](drift Drift[T], diffusion Diffusion[T]) {
	if drift.Dim() != diffusion.Dim() {
		panic(fmt.Sprintf("dynamics: a drift of %d variables and a diffusion of %d", drift.Dim(), diffusion.Dim()))
	}
}

// Value returns the negative log-likelihood of z (rows, K+1, D), averaged over the rows·K
// transitions. States are dt apart. A pair of states is a row with K = 1.
func (l *Likelihood[T]) Value(params, z []T, rows int, dt float64) float64 {
	if rows < 1 || rows > l.rows {
		panic(fmt.Sprintf("dynamics: %d rows in a likelihood for %d", rows, l.rows))
	}
	d, width, length := l.drift.Dim(), l.diffusion.Width(), l.steps*l.drift.Dim()
	if len(z) < rows*(length+d) {
		panic(fmt.Sprintf("dynamics: %d values for %d rows of %d states of %d variables", len(z), rows, l.steps+1, d))
	}
	for r := range rows {
		copy(l.z[r*length:(r+1)*length], z[r*(length+d):])
	}
	n := rows * l.steps
	l.drift.Forward(l.w, params, l.z, n)
	l.diffusion.Forward(l.sigma, params, l.z, n)
	step, toUnit := T(dt), T(1/math.Sqrt(dt))
	square, logs := 0.0, 0.0
	for i := range n {
		w, sigma := l.w[i*d:i*d+d], l.sigma[i*width:i*width+width]
		before, after := l.z[i*d:i*d+d], z[(i+i/l.steps+1)*d:]
		for j, g := range w {
			w[j] = toUnit * (after[j] - before[j] - step*g)
		}
		solve(sigma, w)
		for j, v := range w {
			square += float64(v) * float64(v)
			logs += math.Log(float64(sigma[j]))
		}
	}
	return (square/2+logs)/float64(n) + float64(d)/2*math.Log(2*math.Pi*dt)
}

// Gradient returns the result of Value. It adds the gradient with respect to the parameters to
// grads and, unless dz is nil, writes the gradient with respect to z to dz (rows, K+1, D).
func (l *Likelihood[T]) Gradient(dz, params, grads, z []T, rows int, dt float64) float64 {
	value := l.Value(params, z, rows, dt)
	d, width, n := l.drift.Dim(), l.diffusion.Width(), rows*l.steps
	share, root := T(1/float64(n)), T(math.Sqrt(dt))
	if dz != nil {
		dz = dz[:rows*(l.steps+1)*d]
		clear(dz)
	}
	for i := range n {
		w, v, sigma := l.w[i*d:i*d+d], l.dg[i*d:i*d+d], l.sigma[i*width:i*width+width]
		copy(v, w)
		solveTransposed(sigma, v)
		kernel.Scale(v, share)
		// Let v = Σ⁻ᵀw. The gradient of |w|²/2 with respect to Σ is -v wᵀ. The gradient with
		// respect to z' - z - g(z) dt is v/√dt.
		for j, vj := range v {
			row := below(sigma, d, j)
			for k := range row {
				row[k] = -vj * w[k]
			}
			sigma[j] = share/sigma[j] - vj*w[j]
		}
		if dz != nil {
			from := (i + i/l.steps) * d
			kernel.Axpy(dz[from:from+d], -1/root, v)
			kernel.Axpy(dz[from+d:from+2*d], 1/root, v)
		}
		kernel.Scale(v, -root)
	}
	var back []T
	if dz != nil {
		back = l.dz
	}
	l.drift.Backward(back, params, grads, l.z, l.dg, n)
	l.passBack(dz, n)
	l.diffusion.Backward(back, params, grads, l.z, l.sigma, n)
	l.passBack(dz, n)
	return value
}

// passBack adds to dz the gradients in l.dz, one for the initial state of each of n transitions.
func (l *Likelihood[T]) passBack(dz []T, n int) {
	if dz == nil {
		return
	}
	length := l.steps * l.drift.Dim()
	for begin := 0; begin < n*l.drift.Dim(); begin += length {
		kernel.Axpy(dz[begin+begin/l.steps:], 1, l.dz[begin:begin+length])
	}
}
