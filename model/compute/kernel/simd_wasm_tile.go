//go:build goexperiment.simd && wasm

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// tileRows is the height of a tile. Three rows by twelve columns are nine
// accumulators; three vectors from B, a factor from A and its product leave
// two of the sixteen registers that the compiler has for wasm.
const tileRows = 3

// The loops below spell every operation out on a line of its own. Within a
// block the compiler orders what is ready by source line, so that a product is
// added as soon as it is there; inlined helpers lose that order, all products
// of a step come before its sums, and accumulators spill: 28 GFLOP/s instead
// of 36 in Chromium. Four steps a turn hide a turn's cost, which in wasm is a
// branch table. Additions of an offset that the compiler does not know keep
// nil checks out of the loops.

// wideTiles works a strip of tiles as wide as a wide panel.
func wideTiles(s *strip) {
	c, tile, panel := unsafe.Add(s.c, s.cAt), unsafe.Add(s.a, s.aAt), unsafe.Add(s.b, s.bAt)
	start, step := unsafe.Add(s.start, s.startAt), s.aStep
	for range s.tiles {
		c00, c01, c02 := load(start, 0), load(start, 16), load(start, 32)
		c10, c11, c12 := c00, c01, c02
		c20, c21, c22 := c00, c01, c02
		if s.load {
			d := c
			c00, c01, c02 = load(d, 0), load(d, 16), load(d, 32)
			d = unsafe.Add(d, s.ldc)
			c10, c11, c12 = load(d, 0), load(d, 16), load(d, 32)
			d = unsafe.Add(d, s.ldc)
			c20, c21, c22 = load(d, 0), load(d, 16), load(d, 32)
		}
		b, a0 := panel, tile
		a1 := unsafe.Add(a0, s.aRow)
		a2 := unsafe.Add(a1, s.aRow)
		p := s.k
		for ; p >= 4; p -= 4 {
			y0 := archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 := archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			y2 := archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 32)))
			x := archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = c00.Add(x.Mul(y0))
			c01 = c01.Add(x.Mul(y1))
			c02 = c02.Add(x.Mul(y2))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = c10.Add(x.Mul(y0))
			c11 = c11.Add(x.Mul(y1))
			c12 = c12.Add(x.Mul(y2))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = c20.Add(x.Mul(y0))
			c21 = c21.Add(x.Mul(y1))
			c22 = c22.Add(x.Mul(y2))
			a0, a1, a2, b = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(b, 48)

			y0 = archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 = archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			y2 = archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 32)))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = c00.Add(x.Mul(y0))
			c01 = c01.Add(x.Mul(y1))
			c02 = c02.Add(x.Mul(y2))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = c10.Add(x.Mul(y0))
			c11 = c11.Add(x.Mul(y1))
			c12 = c12.Add(x.Mul(y2))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = c20.Add(x.Mul(y0))
			c21 = c21.Add(x.Mul(y1))
			c22 = c22.Add(x.Mul(y2))
			a0, a1, a2, b = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(b, 48)

			y0 = archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 = archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			y2 = archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 32)))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = c00.Add(x.Mul(y0))
			c01 = c01.Add(x.Mul(y1))
			c02 = c02.Add(x.Mul(y2))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = c10.Add(x.Mul(y0))
			c11 = c11.Add(x.Mul(y1))
			c12 = c12.Add(x.Mul(y2))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = c20.Add(x.Mul(y0))
			c21 = c21.Add(x.Mul(y1))
			c22 = c22.Add(x.Mul(y2))
			a0, a1, a2, b = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(b, 48)

			y0 = archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 = archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			y2 = archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 32)))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = c00.Add(x.Mul(y0))
			c01 = c01.Add(x.Mul(y1))
			c02 = c02.Add(x.Mul(y2))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = c10.Add(x.Mul(y0))
			c11 = c11.Add(x.Mul(y1))
			c12 = c12.Add(x.Mul(y2))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = c20.Add(x.Mul(y0))
			c21 = c21.Add(x.Mul(y1))
			c22 = c22.Add(x.Mul(y2))
			a0, a1, a2, b = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(b, 48)
		}
		for ; p > 0; p-- {
			y0 := archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 := archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			y2 := archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 32)))
			x := archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = c00.Add(x.Mul(y0))
			c01 = c01.Add(x.Mul(y1))
			c02 = c02.Add(x.Mul(y2))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = c10.Add(x.Mul(y0))
			c11 = c11.Add(x.Mul(y1))
			c12 = c12.Add(x.Mul(y2))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = c20.Add(x.Mul(y0))
			c21 = c21.Add(x.Mul(y1))
			c22 = c22.Add(x.Mul(y2))
			a0, a1, a2, b = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(b, 48)
		}
		if s.relu {
			var zero vec
			c00, c01, c02 = c00.Max(zero), c01.Max(zero), c02.Max(zero)
			c10, c11, c12 = c10.Max(zero), c11.Max(zero), c12.Max(zero)
			c20, c21, c22 = c20.Max(zero), c21.Max(zero), c22.Max(zero)
		}
		d := c
		store(d, 0, c00)
		store(d, 16, c01)
		store(d, 32, c02)
		d = unsafe.Add(d, s.ldc)
		store(d, 0, c10)
		store(d, 16, c11)
		store(d, 32, c12)
		d = unsafe.Add(d, s.ldc)
		store(d, 0, c20)
		store(d, 16, c21)
		store(d, 32, c22)
		c, tile = unsafe.Add(c, 3*s.ldc), unsafe.Add(tile, s.aTile)
	}
}

// narrowTiles works a strip of tiles as wide as a narrow panel.
func narrowTiles(s *strip) {
	c, tile, panel := unsafe.Add(s.c, s.cAt), unsafe.Add(s.a, s.aAt), unsafe.Add(s.b, s.bAt)
	start, step := unsafe.Add(s.start, s.startAt), s.aStep
	for range s.tiles {
		c00, c01 := load(start, 0), load(start, 16)
		c10, c11 := c00, c01
		c20, c21 := c00, c01
		if s.load {
			d := c
			c00, c01 = load(d, 0), load(d, 16)
			d = unsafe.Add(d, s.ldc)
			c10, c11 = load(d, 0), load(d, 16)
			d = unsafe.Add(d, s.ldc)
			c20, c21 = load(d, 0), load(d, 16)
		}
		b, a0 := panel, tile
		a1 := unsafe.Add(a0, s.aRow)
		a2 := unsafe.Add(a1, s.aRow)
		p := s.k
		for ; p >= 4; p -= 4 {
			y0 := archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 := archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			x := archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = c00.Add(x.Mul(y0))
			c01 = c01.Add(x.Mul(y1))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = c10.Add(x.Mul(y0))
			c11 = c11.Add(x.Mul(y1))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = c20.Add(x.Mul(y0))
			c21 = c21.Add(x.Mul(y1))
			a0, a1, a2, b = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(b, 32)

			y0 = archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 = archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = c00.Add(x.Mul(y0))
			c01 = c01.Add(x.Mul(y1))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = c10.Add(x.Mul(y0))
			c11 = c11.Add(x.Mul(y1))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = c20.Add(x.Mul(y0))
			c21 = c21.Add(x.Mul(y1))
			a0, a1, a2, b = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(b, 32)

			y0 = archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 = archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = c00.Add(x.Mul(y0))
			c01 = c01.Add(x.Mul(y1))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = c10.Add(x.Mul(y0))
			c11 = c11.Add(x.Mul(y1))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = c20.Add(x.Mul(y0))
			c21 = c21.Add(x.Mul(y1))
			a0, a1, a2, b = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(b, 32)

			y0 = archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 = archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = c00.Add(x.Mul(y0))
			c01 = c01.Add(x.Mul(y1))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = c10.Add(x.Mul(y0))
			c11 = c11.Add(x.Mul(y1))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = c20.Add(x.Mul(y0))
			c21 = c21.Add(x.Mul(y1))
			a0, a1, a2, b = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(b, 32)
		}
		for ; p > 0; p-- {
			y0 := archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 := archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			x := archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = c00.Add(x.Mul(y0))
			c01 = c01.Add(x.Mul(y1))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = c10.Add(x.Mul(y0))
			c11 = c11.Add(x.Mul(y1))
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = c20.Add(x.Mul(y0))
			c21 = c21.Add(x.Mul(y1))
			a0, a1, a2, b = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(b, 32)
		}
		if s.relu {
			var zero vec
			c00, c01 = c00.Max(zero), c01.Max(zero)
			c10, c11 = c10.Max(zero), c11.Max(zero)
			c20, c21 = c20.Max(zero), c21.Max(zero)
		}
		d := c
		store(d, 0, c00)
		store(d, 16, c01)
		d = unsafe.Add(d, s.ldc)
		store(d, 0, c10)
		store(d, 16, c11)
		d = unsafe.Add(d, s.ldc)
		store(d, 0, c20)
		store(d, 16, c21)
		c, tile = unsafe.Add(c, 3*s.ldc), unsafe.Add(tile, s.aTile)
	}
}
