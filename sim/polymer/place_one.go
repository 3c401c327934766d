//go:build goexperiment.simd && (amd64 || arm64 || wasm)

package polymer

import (
	"simd/archsimd"
	"unsafe"
)

// placeOne does the work of refPlace and refWords for one chain.
func placeOne(g *group) {
	if g.width > 1 {
		refPlace(g)
		return
	}
	refPositions(g)
	refWords(g)
	whole := g.beads / side
	for axis := range 3 {
		r, low, high := unsafe.Pointer(&g.r[axis][halo]), g.low[axis][:whole], g.high[axis][:whole]
		for b := range low {
			x, y := quad(r, 4*side*b), quad(r, 4*side*b+4*4)
			low[b], high[b] = leastOf(x.Min(y)), -leastOf(x.Neg().Min(y.Neg()))
		}
	}
	if whole < g.blocksOfBeads() {
		refBox(g, whole, 0)
	}
}

func leastOf(x archsimd.Float32x4) float32 {
	a, b, c, d := x.GetElem(0), x.GetElem(1), x.GetElem(2), x.GetElem(3)
	if b < a {
		a = b
	}
	if d < c {
		c = d
	}
	if c < a {
		a = c
	}
	return a
}

func quad(p unsafe.Pointer, at int) archsimd.Float32x4 {
	return archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(p, at)))
}
