//go:build goexperiment.simd && amd64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// Widths of a panel, which a tile crosses in 4, 3, 2 and 1 vectors. A tile keeps 6
// or 8 sums in registers: 2×4, 2×3, 4×2 or 6×1. The widest is the fastest since it
// broadcasts fewest elements of A, and with AVX-512 broadcasts compete with
// multiplications for the same port; 8×1 would need so many at once that the
// compiler keeps sums in memory. The loops over k call archsimd itself: a helper,
// though inlined, leaves a no-op behind, and they are short of slots.
const (
	wide512   = 4 * lanes512
	triple512 = 3 * lanes512
	middle512 = 2 * lanes512
	narrow512 = lanes512
)

// width512 chooses the width of the next panel where n columns are left.
func width512(n int) int {
	switch {
	case n >= wide512:
		return wide512
	case n > middle512 && n <= triple512:
		return triple512
	case n > narrow512:
		return middle512
	}
	return narrow512
}

// cost512 estimates the time, in cycles an element of a column of B, that one
// row of A takes to meet n columns.
func cost512(n int) float64 {
	cycles := 2.5 * float64(n/wide512)
	for n %= wide512; n > 0; n -= width512(n) {
		cycles += 0.5 + 0.5*float64(width512(n)/lanes512)
	}
	return cycles
}

func gemmNN512(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool) {
	product512(s, &product{c: c, m: m, n: n, k: k, a: rowMajor(a, k), b: columnsOf(b, n), accumulate: accumulate})
}

func gemmNT512(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool) {
	product512(s, &product{c: c, m: m, n: n, k: k, a: rowMajor(a, k), b: rowMajor(b, k), accumulate: accumulate})
}

func gemmTN512(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool) {
	product512(s, &product{c: c, m: m, n: n, k: k, a: columnsOf(a, m), b: columnsOf(b, n), accumulate: accumulate})
}

func affine512(s *Scratch, y, slope, x, w, bias []float32, rows, in, out int, act Activation) {
	p := product{c: y, m: rows, n: out, k: in, a: rowMajor(x, in), b: rowMajor(w, in), bias: bias}
	switch {
	case slope != nil && act == SiLU:
		p.c, p.y, p.act, p.slope = slope, y, act, true
	case act == ReLU:
		p.relu = true
	case act != Identity:
		p.y, p.act = y, act
	}
	product512(s, &p)
}

// product512 computes p, with the roles of A and B exchanged where that fills
// the lanes better.
func product512(s *Scratch, p *product) {
	if p.m == 0 || p.n == 0 {
		return
	}
	straight, exchanged := float64(p.m)*cost512(p.n), float64(p.n)*cost512(p.m)
	if p.k > 0 {
		if p.a.inner == 1 {
			exchanged += 0.4 * float64(p.m) // transposing A
		}
		exchanged += 3 * float64(p.m*p.n) / float64(p.k)
	}
	if p.k > 0 && exchanged >= straight {
		blocks512(s.take(room512(p.m, p.n, p.k)), p)
		return
	}
	buf := s.take(p.m*p.n + room512(p.n, p.m, p.k))
	t := product{c: buf[:p.m*p.n], m: p.n, n: p.m, k: p.k, a: p.b, b: p.a}
	if p.k > 0 {
		blocks512(buf[p.m*p.n:], &t)
	} else {
		clear(t.c)
	}
	p.takeTransposed(t.c)
	if p.y != nil {
		p.activate512(0, p.m)
	}
}

// activate512 applies the activation to rows i0 to i1.
func (p *product) activate512(i0, i1 int) {
	y, c, slope := p.y[i0*p.n:i1*p.n], p.c[i0*p.n:i1*p.n], []float32(nil)
	if p.slope {
		slope = c
	}
	activate512(y, slope, c, p.act)
}

// room512 is the scratch that blocks512 needs, in floats: the packed block of
// B, the bias, and a tile's worth of rows.
func room512(m, n, k int) int {
	columns := min(n, blockN) + wide512
	return columns*min(k, blockK) + columns + wide512*min(m, lanes512)
}

// blocks512 computes p block by block: blocks of B are packed so that one
// panel stays in the first cache and all of them in the second, and an
// activation that needs an exponential follows while its rows are in cache.
func blocks512(buf []float32, p *product) {
	blocks := (p.k + blockK - 1) / blockK
	step := (p.k + blocks - 1) / blocks
	packed, buf := buf[:(min(p.n, blockN)+wide512)*step], buf[(min(p.n, blockN)+wide512)*step:]
	bias, spare := buf[:min(p.n, blockN)+wide512], buf[min(p.n, blockN)+wide512:]

	for j0 := 0; j0 < p.n; j0 += blockN {
		j1 := min(j0+blockN, p.n)
		for k0 := 0; k0 < p.k; k0 += step {
			k1 := min(k0+step, p.k)
			direct := p.b.outer == 1 && p.m <= 8
			for j := j0; j < j1; {
				w := width512(j1 - j)
				if !(direct && j+w <= j1) {
					p.pack(packed[(j-j0)*(k1-k0):], j, min(w, j1-j), w, k0, k1)
				}
				j += w
			}
			clear(bias)
			if k0 == 0 && p.bias != nil {
				copy(bias, p.bias[j0:j1])
			}
			last := k1 == p.k
			for i0 := 0; i0 < p.m; i0 += blockM {
				i1 := min(i0+blockM, p.m)
				for j := j0; j < j1; {
					w := width512(j1 - j)
					t := panel{
						c: unsafe.Pointer(&p.c[i0*p.n+j]), stride: 4 * p.n,
						a: p.a.at(i0, k0), outer: 4 * p.a.outer, inner: 4 * p.a.inner,
						b: unsafe.Pointer(unsafe.SliceData(packed[(j-j0)*(k1-k0):])), next: 4 * w,
						bias: unsafe.Pointer(&bias[j-j0]),
						m:    i1 - i0, n: min(w, j1-j), k: k1 - k0,
						accumulate: p.accumulate || k0 > 0, relu: p.relu && last,
					}
					if direct && j+w <= j1 {
						t.b, t.next = p.b.at(j, k0), 4*p.b.inner
					}
					// Adding reads C to the panel's full width. Rows whose end
					// lies closer to the end of C are worked out aside.
					if beyond := j + w - p.n; t.accumulate && beyond > 0 {
						t.m = max(0, min(t.m, p.m-(beyond+p.n-1)/p.n-i0))
					}
					t.run512(w)
					if done := i0 + t.m; done < i1 {
						t.c, t.stride = unsafe.Pointer(&spare[0]), 4*w
						t.a, t.m = p.a.at(done, k0), i1-done
						t.accumulate, t.relu = false, false
						t.run512(w)
						for i := range t.m {
							addRow(p.c[(done+i)*p.n+j:][:t.n], spare[i*w:], p.relu && last)
						}
					}
					j += w
				}
				if p.y != nil && last && j1 == p.n {
					p.activate512(i0, i1)
				}
			}
		}
	}
}

func (t *panel) run512(width int) {
	switch width {
	case wide512:
		t.wide512()
	case triple512:
		t.triple512()
	case middle512:
		t.middle512()
	default:
		t.narrow512()
	}
	archsimd.ClearAVXUpperBits()
}

// wide512 works in tiles of 2 rows by 4 vectors, all of which are full: a mask
// would take a register from the tile. Like the other tiles it leaves its
// pointers past the end, unused, which checkptr would not have.
//
//go:nocheckptr
func (t *panel) wide512() {
	inner, next := t.inner, t.next
	for i := 0; i < t.m; i += 2 {
		two := i+1 < t.m
		second := 0 // an odd last row is worked out twice and written once
		if two {
			second = t.outer
		}
		c00, c01 := load512(t.bias), load512(unsafe.Add(t.bias, bytes512))
		c02, c03 := load512(unsafe.Add(t.bias, 2*bytes512)), load512(unsafe.Add(t.bias, 3*bytes512))
		c10, c11, c12, c13 := c00, c01, c02, c03
		a, b := unsafe.Add(t.a, i*t.outer), t.b
		for p := t.k; p > 0; p-- {
			x0 := archsimd.BroadcastFloat32x16(*(*float32)(a))
			x1 := archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(a, second)))
			b0 := archsimd.LoadFloat32x16Array((*array512)(b))
			c00 = b0.MulAdd(x0, c00)
			c10 = b0.MulAdd(x1, c10)
			b1 := archsimd.LoadFloat32x16Array((*array512)(unsafe.Add(b, bytes512)))
			c01 = b1.MulAdd(x0, c01)
			c11 = b1.MulAdd(x1, c11)
			b2 := archsimd.LoadFloat32x16Array((*array512)(unsafe.Add(b, 2*bytes512)))
			c02 = b2.MulAdd(x0, c02)
			c12 = b2.MulAdd(x1, c12)
			b3 := archsimd.LoadFloat32x16Array((*array512)(unsafe.Add(b, 3*bytes512)))
			c03 = b3.MulAdd(x0, c03)
			c13 = b3.MulAdd(x1, c13)
			a, b = unsafe.Add(a, inner), unsafe.Add(b, next)
		}
		c := unsafe.Add(t.c, i*t.stride)
		d := c
		if two {
			d = unsafe.Add(c, t.stride)
		}
		if t.accumulate {
			c00, c01 = c00.Add(load512(c)), c01.Add(load512(unsafe.Add(c, bytes512)))
			c02, c03 = c02.Add(load512(unsafe.Add(c, 2*bytes512))), c03.Add(load512(unsafe.Add(c, 3*bytes512)))
			c10, c11 = c10.Add(load512(d)), c11.Add(load512(unsafe.Add(d, bytes512)))
			c12, c13 = c12.Add(load512(unsafe.Add(d, 2*bytes512))), c13.Add(load512(unsafe.Add(d, 3*bytes512)))
		}
		if t.relu {
			c00, c01, c02, c03 = relu512(c00), relu512(c01), relu512(c02), relu512(c03)
			c10, c11, c12, c13 = relu512(c10), relu512(c11), relu512(c12), relu512(c13)
		}
		store512(c, c00)
		store512(unsafe.Add(c, bytes512), c01)
		store512(unsafe.Add(c, 2*bytes512), c02)
		store512(unsafe.Add(c, 3*bytes512), c03)
		if two {
			store512(d, c10)
			store512(unsafe.Add(d, bytes512), c11)
			store512(unsafe.Add(d, 2*bytes512), c12)
			store512(unsafe.Add(d, 3*bytes512), c13)
		}
	}
}

// triple512 works in tiles of 2 rows by 3 vectors.
//
//go:nocheckptr
func (t *panel) triple512() {
	inner, next := t.inner, t.next
	m := first512(t.n - middle512)
	for i := 0; i < t.m; i += 2 {
		two := i+1 < t.m
		second := 0 // an odd last row is worked out twice and written once
		if two {
			second = t.outer
		}
		c00, c01, c02 := load512(t.bias), load512(unsafe.Add(t.bias, bytes512)), load512(unsafe.Add(t.bias, 2*bytes512))
		c10, c11, c12 := c00, c01, c02
		a, b := unsafe.Add(t.a, i*t.outer), t.b
		for p := t.k; p > 0; p-- {
			x0 := archsimd.BroadcastFloat32x16(*(*float32)(a))
			x1 := archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(a, second)))
			b0 := archsimd.LoadFloat32x16Array((*array512)(b))
			c00 = b0.MulAdd(x0, c00)
			c10 = b0.MulAdd(x1, c10)
			b1 := archsimd.LoadFloat32x16Array((*array512)(unsafe.Add(b, bytes512)))
			c01 = b1.MulAdd(x0, c01)
			c11 = b1.MulAdd(x1, c11)
			b2 := archsimd.LoadFloat32x16Array((*array512)(unsafe.Add(b, 2*bytes512)))
			c02 = b2.MulAdd(x0, c02)
			c12 = b2.MulAdd(x1, c12)
			a, b = unsafe.Add(a, inner), unsafe.Add(b, next)
		}
		c := unsafe.Add(t.c, i*t.stride)
		t.put512(c, c00)
		t.putRow512(unsafe.Add(c, bytes512), c01, c02, m)
		if two {
			c = unsafe.Add(c, t.stride)
			t.put512(c, c10)
			t.putRow512(unsafe.Add(c, bytes512), c11, c12, m)
		}
	}
}

// middle512 works in tiles of 4 rows by 2 vectors.
//
//go:nocheckptr
func (t *panel) middle512() {
	inner, next := t.inner, t.next
	m := first512(t.n - lanes512)
	for i := 0; i < t.m; i += 4 {
		rows := min(4, t.m-i)
		// Missing rows repeat the last.
		o1, o2, o3 := min(1, rows-1)*t.outer, min(2, rows-1)*t.outer, (rows-1)*t.outer
		c00, c01 := load512(t.bias), load512(unsafe.Add(t.bias, bytes512))
		c10, c11, c20, c21, c30, c31 := c00, c01, c00, c01, c00, c01
		a, b := unsafe.Add(t.a, i*t.outer), t.b
		for p := t.k; p > 0; p-- {
			b0 := archsimd.LoadFloat32x16Array((*array512)(b))
			b1 := archsimd.LoadFloat32x16Array((*array512)(unsafe.Add(b, bytes512)))
			x := archsimd.BroadcastFloat32x16(*(*float32)(a))
			c00 = b0.MulAdd(x, c00)
			c01 = b1.MulAdd(x, c01)
			x = archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(a, o1)))
			c10 = b0.MulAdd(x, c10)
			c11 = b1.MulAdd(x, c11)
			x = archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(a, o2)))
			c20 = b0.MulAdd(x, c20)
			c21 = b1.MulAdd(x, c21)
			x = archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(a, o3)))
			c30 = b0.MulAdd(x, c30)
			c31 = b1.MulAdd(x, c31)
			a, b = unsafe.Add(a, inner), unsafe.Add(b, next)
		}
		c := unsafe.Add(t.c, i*t.stride)
		t.putRow512(c, c00, c01, m)
		if rows > 1 {
			t.putRow512(unsafe.Add(c, t.stride), c10, c11, m)
		}
		if rows > 2 {
			t.putRow512(unsafe.Add(c, 2*t.stride), c20, c21, m)
		}
		if rows > 3 {
			t.putRow512(unsafe.Add(c, 3*t.stride), c30, c31, m)
		}
	}
}

// put512 writes a vector of a row of a tile.
//
//go:nocheckptr
func (t *panel) put512(c unsafe.Pointer, v f512) {
	if t.accumulate {
		v = v.Add(load512(c))
	}
	if t.relu {
		v = relu512(v)
	}
	store512(c, v)
}

// putRow512 writes the last two vectors of a row of a tile, of the second what m
// selects.
//
//go:nocheckptr
func (t *panel) putRow512(c unsafe.Pointer, v0, v1 f512, m m512) {
	if t.accumulate {
		v0, v1 = v0.Add(load512(c)), v1.Add(load512(unsafe.Add(c, bytes512)))
	}
	if t.relu {
		v0, v1 = relu512(v0), relu512(v1)
	}
	store512(c, v0)
	storeFirst512(unsafe.Add(c, bytes512), v1, m)
}

// narrow512 works in tiles of 6 rows by 1 vector.
//
//go:nocheckptr
func (t *panel) narrow512() {
	inner, next := t.inner, t.next
	m := first512(t.n)
	for i := 0; i < t.m; i += 6 {
		last := min(6, t.m-i) - 1
		// Missing rows repeat the last.
		o1, o2, o3 := min(1, last)*t.outer, min(2, last)*t.outer, min(3, last)*t.outer
		o4, o5 := min(4, last)*t.outer, last*t.outer
		c0 := load512(t.bias)
		c1, c2, c3, c4, c5 := c0, c0, c0, c0, c0
		a, b := unsafe.Add(t.a, i*t.outer), t.b
		for p := t.k; p > 0; p-- {
			b0 := archsimd.LoadFloat32x16Array((*array512)(b))
			c0 = archsimd.BroadcastFloat32x16(*(*float32)(a)).MulAdd(b0, c0)
			c1 = archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(a, o1))).MulAdd(b0, c1)
			c2 = archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(a, o2))).MulAdd(b0, c2)
			c3 = archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(a, o3))).MulAdd(b0, c3)
			c4 = archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(a, o4))).MulAdd(b0, c4)
			c5 = archsimd.BroadcastFloat32x16(*(*float32)(unsafe.Add(a, o5))).MulAdd(b0, c5)
			a, b = unsafe.Add(a, inner), unsafe.Add(b, next)
		}
		rows := [6]f512{c0, c1, c2, c3, c4, c5}
		c := unsafe.Add(t.c, i*t.stride)
		for r := range last + 1 {
			v := rows[r]
			if t.accumulate {
				v = v.Add(load512(c))
			}
			if t.relu {
				v = relu512(v)
			}
			storeFirst512(c, v, m)
			c = unsafe.Add(c, t.stride)
		}
	}
}

// relu512 is max(0, v), and NaN where v is.
func relu512(v f512) f512 {
	none := const512(&zeros) // a zero in a register would crowd the tile
	return none.IfElse(v.Less(none), v)
}
