//go:build goexperiment.simd && arm64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// tileRows is the height of a tile. Four rows by twelve columns are twelve
// accumulators, which with their operands fit the registers at ease and are
// independent enough to hide the latency of a fused multiply-add.
const tileRows = 4

// wideTiles works a strip of tiles as wide as a wide panel.
func wideTiles(s *strip) {
	c, tile, panel := unsafe.Add(s.c, s.cAt), unsafe.Add(s.a, s.aAt), unsafe.Add(s.b, s.bAt)
	start, step := unsafe.Add(s.start, s.startAt), s.aStep
	for range s.tiles {
		c00, c01, c02 := load(start, 0), load(start, 16), load(start, 32)
		c10, c11, c12 := c00, c01, c02
		c20, c21, c22 := c00, c01, c02
		c30, c31, c32 := c00, c01, c02
		if s.load {
			d := c
			c00, c01, c02 = load(d, 0), load(d, 16), load(d, 32)
			d = unsafe.Add(d, s.ldc)
			c10, c11, c12 = load(d, 0), load(d, 16), load(d, 32)
			d = unsafe.Add(d, s.ldc)
			c20, c21, c22 = load(d, 0), load(d, 16), load(d, 32)
			d = unsafe.Add(d, s.ldc)
			c30, c31, c32 = load(d, 0), load(d, 16), load(d, 32)
		}
		b, a0 := panel, tile
		a1 := unsafe.Add(a0, s.aRow)
		a2 := unsafe.Add(a1, s.aRow)
		a3 := unsafe.Add(a2, s.aRow)
		for range s.k {
			y0 := archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 := archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			y2 := archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 32)))
			x := archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = x.MulAdd(y0, c00)
			c01 = x.MulAdd(y1, c01)
			c02 = x.MulAdd(y2, c02)
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = x.MulAdd(y0, c10)
			c11 = x.MulAdd(y1, c11)
			c12 = x.MulAdd(y2, c12)
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = x.MulAdd(y0, c20)
			c21 = x.MulAdd(y1, c21)
			c22 = x.MulAdd(y2, c22)
			x = archsimd.BroadcastFloat32x4(*(*float32)(a3))
			c30 = x.MulAdd(y0, c30)
			c31 = x.MulAdd(y1, c31)
			c32 = x.MulAdd(y2, c32)
			a0, a1, a2, a3 = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(a3, step)
			b = unsafe.Add(b, 48)
		}
		if s.relu {
			var zero vec
			c00, c01, c02 = c00.Max(zero), c01.Max(zero), c02.Max(zero)
			c10, c11, c12 = c10.Max(zero), c11.Max(zero), c12.Max(zero)
			c20, c21, c22 = c20.Max(zero), c21.Max(zero), c22.Max(zero)
			c30, c31, c32 = c30.Max(zero), c31.Max(zero), c32.Max(zero)
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
		d = unsafe.Add(d, s.ldc)
		store(d, 0, c30)
		store(d, 16, c31)
		store(d, 32, c32)
		c, tile = unsafe.Add(c, 4*s.ldc), unsafe.Add(tile, s.aTile)
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
		c30, c31 := c00, c01
		if s.load {
			d := c
			c00, c01 = load(d, 0), load(d, 16)
			d = unsafe.Add(d, s.ldc)
			c10, c11 = load(d, 0), load(d, 16)
			d = unsafe.Add(d, s.ldc)
			c20, c21 = load(d, 0), load(d, 16)
			d = unsafe.Add(d, s.ldc)
			c30, c31 = load(d, 0), load(d, 16)
		}
		b, a0 := panel, tile
		a1 := unsafe.Add(a0, s.aRow)
		a2 := unsafe.Add(a1, s.aRow)
		a3 := unsafe.Add(a2, s.aRow)
		for range s.k {
			y0 := archsimd.LoadFloat32x4Array((*[4]float32)(b))
			y1 := archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(b, 16)))
			x := archsimd.BroadcastFloat32x4(*(*float32)(a0))
			c00 = x.MulAdd(y0, c00)
			c01 = x.MulAdd(y1, c01)
			x = archsimd.BroadcastFloat32x4(*(*float32)(a1))
			c10 = x.MulAdd(y0, c10)
			c11 = x.MulAdd(y1, c11)
			x = archsimd.BroadcastFloat32x4(*(*float32)(a2))
			c20 = x.MulAdd(y0, c20)
			c21 = x.MulAdd(y1, c21)
			x = archsimd.BroadcastFloat32x4(*(*float32)(a3))
			c30 = x.MulAdd(y0, c30)
			c31 = x.MulAdd(y1, c31)
			a0, a1, a2, a3 = unsafe.Add(a0, step), unsafe.Add(a1, step), unsafe.Add(a2, step), unsafe.Add(a3, step)
			b = unsafe.Add(b, 32)
		}
		if s.relu {
			var zero vec
			c00, c01 = c00.Max(zero), c01.Max(zero)
			c10, c11 = c10.Max(zero), c11.Max(zero)
			c20, c21 = c20.Max(zero), c21.Max(zero)
			c30, c31 = c30.Max(zero), c31.Max(zero)
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
		d = unsafe.Add(d, s.ldc)
		store(d, 0, c30)
		store(d, 16, c31)
		c, tile = unsafe.Add(c, 4*s.ldc), unsafe.Add(tile, s.aTile)
	}
}
