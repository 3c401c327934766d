package lab

import (
	"macroscope/model/target"
	"macroscope/sim/gauss"
	"macroscope/sim/rng"
)

// DemoPicture is one held-out set and the densities that belong to it, for a
// figure.
type DemoPicture struct {
	Particles            []float32
	X                    []float32 // grid
	Mixture, Target, Fit []float32 // densities on the grid
}

// Picture evaluates the model on the held-out set of an index, over a grid of
// the given number of points.
func (m *DemoModel) Picture(params []float32, seed uint64, index, points int) DemoPicture {
	src := rng.New(seed, "demo held-out sets", uint64(index))
	mix := gauss.Draw(src.Rand)
	p := DemoPicture{
		Particles: make([]float32, m.Config.Particles), X: make([]float32, points),
		Mixture: make([]float32, points), Target: make([]float32, points), Fit: make([]float32, points),
	}
	mix.Sample(p.Particles, src.Rand)
	for i := range p.X {
		p.X[i] = viewLo + (viewHi-viewLo)*float32(i)/float32(points-1)
		p.Mixture[i] = float32(mix.Density(float64(p.X[i])))
	}
	drawTarget(p.Target, p.Particles, m.Config.Eps)
	v := newDemoView(m, len(p.Particles), 1, points)
	v.density(p.Fit, params, p.X, v.encode(params, p.Particles))
	return p
}

// drawTarget writes q_X over the view's grid to dst, as its mean over a cell
// round each grid point, so that a kernel narrower than a cell can be seen.
func drawTarget(dst, particles []float32, eps float64) {
	const width = viewHi - viewLo
	half := width / float64(len(dst)-1) / 2
	target.Cells(dst, particles, eps, viewLo-half, viewHi+half)
}
