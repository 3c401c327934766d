package flow

import (
	"fmt"
	"math"
	"math/rand/v2"

	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
)

// Sample fills dst (B·S, Dim) with draws from p(x | z), S draws for every row of z (B, ZDim).
// It overwrites the workspace, so a Backward must not follow.
func Sample[T tensor.Float](f *Flow, ws *Workspace[T], params, dst, z []T, sets, samples int, rng *rand.Rand) {
	n, dim := ws.check(f, len(dst), len(z), sets, samples), f.cfg.Dim
	if len(dst) < n*dim {
		panic(fmt.Sprintf("flow: %d samples of dimension %d into %d values", n, dim, len(dst)))
	}
	ws.base.forward(f, params, z, sets)
	for r := range n {
		for i, x := range ws.x {
			if f.cfg.Circles.Has(i) {
				x[r] = T(circle.Round * (rng.Float64() - 0.5))
				continue
			}
			at := r/samples*ws.base.open + ws.base.place(i)
			x[r] = ws.base.mu[at] + T(rng.NormFloat64()*math.Exp(float64(ws.base.logSigma[at])))
		}
	}
	for i := len(f.layers) - 1; i >= 0; i-- {
		l, lw := &f.layers[i], &ws.layers[i]
		for place := range dim {
			xi := ws.x[l.order[place]][:n]
			if place == 0 {
				lw.table.Build(nn.Forward(l.first, lw.first, params, z, sets), sets)
				lw.table.Inverse(xi, nil, xi, samples)
				continue
			}
			cw := lw.rest[place-1]
			cw.gather(&l.rest[place-1], ws.x, f.cfg.Circles, n)
			cw.rows.Inverse(xi, nil, xi, conditionForward(&l.rest[place-1], cw, ws.scratch, params, z, sets, samples))
		}
		ws.turn(f, -f.cfg.turn(i), n)
	}
	for i, xi := range ws.x {
		for r, v := range xi[:n] {
			dst[r*dim+i] = v
		}
	}
}
