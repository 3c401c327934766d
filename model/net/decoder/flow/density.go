package flow

import (
	"fmt"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
	"macroscope/model/net/decoder/spline"
)

// Workspace keeps the results of a LogProb that Backward needs. A batch has B sets with S samples
// each, N = B·S samples in total. Workspace is not safe for concurrent use.
type Workspace[T tensor.Float] struct {
	sets, n int // capacity in sets and in samples
	scratch *kernel.Scratch
	x       [][]T // one slice (N) per coordinate, transformed in place
	logdet  []T   // log-derivatives of one spline (N)
	layers  []layerWorkspace[T]
	base    base[T]
	grad    gradients[T]
}

type layerWorkspace[T tensor.Float] struct {
	first *nn.MLPWorkspace[T]
	table *spline.Table[T]
	rest  []*conditionerWorkspace[T]
}

// gradients holds the gradients that the backward pass of a layer computes. All layers share the
// memory. h, hz and `in` are the gradients of conditionerWorkspace's fields h, hz and `in`.
type gradients[T tensor.Float] struct {
	x   [][]T // one slice (N) per coordinate
	raw []T   // gradient of raw spline parameters: (B, Params) for the first coordinate, otherwise (N, Params)
	h   []T   // (N, H)
	hz  []T   // (B, H)
	in  []T   // (N, inputs)
	z   []T   // (B, ZDim)
}

// NewWorkspace makes a workspace for up to maxSets sets and maxSets·maxSamples samples in
// total.
func NewWorkspace[T tensor.Float](f *Flow, maxSets, maxSamples int) *Workspace[T] {
	c, n := f.cfg, maxSets*maxSamples
	params := c.params()
	ws := &Workspace[T]{
		sets: maxSets, n: n, scratch: new(kernel.Scratch), logdet: make([]T, n), base: newBase[T](f, maxSets),
		grad: gradients[T]{raw: make([]T, maxSets*params), z: make([]T, maxSets*c.ZDim)},
	}
	for range c.Dim {
		ws.x, ws.grad.x = append(ws.x, make([]T, n)), append(ws.grad.x, make([]T, n))
	}
	if c.Dim > 1 {
		ws.grad.raw = make([]T, max(n, maxSets)*params)
		ws.grad.h, ws.grad.hz = make([]T, n*c.Hidden[0]), make([]T, maxSets*c.Hidden[0])
		ws.grad.in = make([]T, n*c.Circles.Width(c.Dim))
	}
	for _, l := range f.layers {
		lw := layerWorkspace[T]{
			first: nn.NewMLPWorkspace[T](l.first, maxSets),
			table: spline.NewTable[T](c.spline(l.order[0]), maxSets, n),
		}
		for i := range l.rest {
			lw.rest = append(lw.rest, newConditionerWorkspace[T](&l.rest[i], maxSets, n))
		}
		ws.layers = append(ws.layers, lw)
	}
	return ws
}

// LogProb writes log p(x | z) to dst (B·S) for x (B·S, Dim). Samples b·S to
// (b+1)·S-1 belong to row b of z (B, ZDim).
func LogProb[T tensor.Float](f *Flow, ws *Workspace[T], params, dst, x, z []T, sets, samples int) {
	n, dim := ws.check(f, len(x), len(z), sets, samples), f.cfg.Dim
	if len(dst) < n {
		panic(fmt.Sprintf("flow: log-densities of %d samples into %d values", n, len(dst)))
	}
	for i, xi := range ws.x {
		for r := range xi[:n] {
			xi[r] = x[r*dim+i]
		}
	}
	dst = dst[:n]
	clear(dst)
	for i, l := range f.layers {
		lw := &ws.layers[i]
		ws.turn(f, f.cfg.turn(i), n)
		// ws.x is transformed in place. A coordinate's conditioner reads the preceding
		// coordinates before their transformation, so the last coordinate is transformed first.
		for place := dim - 1; place >= 0; place-- {
			xi := ws.x[l.order[place]][:n]
			if place > 0 {
				cw := lw.rest[place-1]
				cw.gather(&l.rest[place-1], ws.x, f.cfg.Circles, n)
				raw := conditionForward(&l.rest[place-1], cw, ws.scratch, params, z, sets, samples)
				cw.rows.Forward(xi, ws.logdet, xi, raw)
			} else {
				lw.table.Build(nn.Forward(l.first, lw.first, params, z, sets), sets)
				lw.table.Forward(xi, ws.logdet, xi, samples)
			}
			kernel.Axpy(dst, 1, ws.logdet[:n])
		}
	}
	ws.base.forward(f, params, z, sets)
	for i, y := range ws.x {
		ws.base.logDensity(dst, y, i, sets, samples)
	}
}

// Backward must be called after LogProb with the same z. weight (B·S) is the gradient of a loss
// with respect to the log-densities. Backward adds the gradients of the parameters to grads and
// the gradient of z to dz (B, ZDim).
func Backward[T tensor.Float](f *Flow, ws *Workspace[T], params, grads, dz, weight, z []T, sets, samples int) {
	n, dim := ws.check(f, sets*samples*f.cfg.Dim, min(len(z), len(dz)), sets, samples), f.cfg.Dim
	g := &ws.grad
	weight = weight[:n]
	zGrad := g.z[:sets*f.cfg.ZDim]
	for i, y := range ws.x {
		ws.base.backward(g.x[i], weight, y, i, sets, samples)
	}
	if ws.base.paramGrad(f, params, grads, zGrad, z, sets) {
		kernel.Axpy(dz, 1, zGrad)
	}
	for i := len(f.layers) - 1; i >= 0; i-- {
		l, lw := &f.layers[i], &ws.layers[i]
		for place := range dim {
			dx := g.x[l.order[place]][:n]
			if place == 0 {
				raw := g.raw[:sets*f.cfg.spline(l.order[0]).Params()]
				lw.table.Backward(dx, dx, weight)
				lw.table.ParamGrad(raw)
				nn.Backward(l.first, lw.first, params, grads, z, zGrad, raw, sets)
				kernel.Axpy(dz, 1, zGrad)
				continue
			}
			cw := lw.rest[place-1]
			cw.rows.Backward(dx, g.raw, dx, weight)
			conditionBackward(&l.rest[place-1], cw, g, ws.scratch, params, grads, dz, g.raw, z, sets, samples)
			cw.scatter(&l.rest[place-1], g.x, g.in, f.cfg.Circles, n)
		}
	}
}

// turn turns the coordinates that lie on circles.
func (ws *Workspace[T]) turn(f *Flow, by float64, n int) {
	for k, x := range ws.x {
		if by == 0 || !f.cfg.Circles.Has(k) {
			continue
		}
		for r, v := range x[:n] {
			x[r] = circle.Wrap(v + T(by))
		}
	}
}

// check panics if the lengths of the slices are wrong, and returns the number of samples.
func (ws *Workspace[T]) check(f *Flow, x, z, sets, samples int) int {
	n := sets * samples
	if sets > ws.sets || n > ws.n || x < n*f.cfg.Dim || z < sets*f.cfg.ZDim {
		panic(fmt.Sprintf("flow: %d sets of %d samples from %d coordinates and %d latent values, in a workspace for %d sets and %d samples",
			sets, samples, x, z, ws.sets, ws.n))
	}
	return n
}
