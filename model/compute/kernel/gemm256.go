//go:build goexperiment.simd && amd64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// Widths of a panel, which a tile crosses in 4, 3, 2 and 1 vectors. A tile keeps 6
// or 8 sums in registers: 2×4, 2×3, 4×2 or 6×1. The widest is the fastest since it
// broadcasts fewest elements of A, and with AVX-256 broadcasts compete with
// multiplications for the same port; 8×1 would need so many at once that the
// compiler keeps sums in memory. The loops over k call archsimd itself: a helper,
// though inlined, leaves a no-op behind, and they are short of slots.
const (
	wide256   = 4 * lanes256
	triple256 = 3 * lanes256
	middle256 = 2 * lanes256
	narrow256 = lanes256
)

// width256 chooses the width of the next panel where n columns are left.
func width256(n int) int {
	switch {
	case n >= wide256:
		return wide256
	case n > middle256 && n <= triple256:
		return triple256
	case n > narrow256:
		return middle256
	}
	return narrow256
}

// cost256 estimates the time, in cycles an element of a column of B, that one
// row of A takes to meet n columns.
func cost256(n int) float64 {
	cycles := 2.5 * float64(n/wide256)
	for n %= wide256; n > 0; n -= width256(n) {
		cycles += 0.5 + 0.5*float64(width256(n)/lanes256)
	}
	return cycles
}

func gemmNN256(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool) {
	product256(s, &product{c: c, m: m, n: n, k: k, a: rowMajor(a, k), b: columnsOf(b, n), accumulate: accumulate})
}

func gemmNT256(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool) {
	product256(s, &product{c: c, m: m, n: n, k: k, a: rowMajor(a, k), b: rowMajor(b, k), accumulate: accumulate})
}

func gemmTN256(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool) {
	product256(s, &product{c: c, m: m, n: n, k: k, a: columnsOf(a, m), b: columnsOf(b, n), accumulate: accumulate})
}

func affine256(s *Scratch, y, slope, x, w, bias []float32, rows, in, out int, act Activation) {
	p := product{c: y, m: rows, n: out, k: in, a: rowMajor(x, in), b: rowMajor(w, in), bias: bias}
	switch {
	case slope != nil && act == SiLU:
		p.c, p.y, p.act, p.slope = slope, y, act, true
	case act == ReLU:
		p.relu = true
	case act != Identity:
		p.y, p.act = y, act
	}
	product256(s, &p)
}

// product256 computes p, with the roles of A and B exchanged where that fills
// the lanes better.
func product256(s *Scratch, p *product) {
	if p.m == 0 || p.n == 0 {
		return
	}
	straight, exchanged := float64(p.m)*cost256(p.n), float64(p.n)*cost256(p.m)
	if p.k > 0 {
		if p.a.inner == 1 {
			exchanged += 0.4 * float64(p.m) // transposing A
		}
		exchanged += 3 * float64(p.m*p.n) / float64(p.k)
	}
	if p.k > 0 && exchanged >= straight {
		blocks256(s.take(room256(p.m, p.n, p.k)), p)
		return
	}
	buf := s.take(p.m*p.n + room256(p.n, p.m, p.k))
	t := product{c: buf[:p.m*p.n], m: p.n, n: p.m, k: p.k, a: p.b, b: p.a}
	if p.k > 0 {
		blocks256(buf[p.m*p.n:], &t)
	} else {
		clear(t.c)
	}
	p.takeTransposed(t.c)
	if p.y != nil {
		p.activate256(0, p.m)
	}
}

// activate256 applies the activation to rows i0 to i1.
func (p *product) activate256(i0, i1 int) {
	y, c, slope := p.y[i0*p.n:i1*p.n], p.c[i0*p.n:i1*p.n], []float32(nil)
	if p.slope {
		slope = c
	}
	activate256(y, slope, c, p.act)
}

// room256 is the scratch that blocks256 needs, in floats: the packed block of
// B, the bias, and a tile's worth of rows.
func room256(m, n, k int) int {
	columns := min(n, blockN) + wide256
	return columns*min(k, blockK) + columns + wide256*min(m, lanes256)
}

// blocks256 computes p block by block: blocks of B are packed so that one
// panel stays in the first cache and all of them in the second, and an
// activation that needs an exponential follows while its rows are in cache.
func blocks256(buf []float32, p *product) {
	blocks := (p.k + blockK - 1) / blockK
	step := (p.k + blocks - 1) / blocks
	packed, buf := buf[:(min(p.n, blockN)+wide256)*step], buf[(min(p.n, blockN)+wide256)*step:]
	bias, spare := buf[:min(p.n, blockN)+wide256], buf[min(p.n, blockN)+wide256:]

	for j0 := 0; j0 < p.n; j0 += blockN {
		j1 := min(j0+blockN, p.n)
		for k0 := 0; k0 < p.k; k0 += step {
			k1 := min(k0+step, p.k)
			direct := p.b.outer == 1 && p.m <= 8
			for j := j0; j < j1; {
				w := width256(j1 - j)
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
					w := width256(j1 - j)
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
					t.run256(w)
					if done := i0 + t.m; done < i1 {
						t.c, t.stride = unsafe.Pointer(&spare[0]), 4*w
						t.a, t.m = p.a.at(done, k0), i1-done
						t.accumulate, t.relu = false, false
						t.run256(w)
						for i := range t.m {
							addRow(p.c[(done+i)*p.n+j:][:t.n], spare[i*w:], p.relu && last)
						}
					}
					j += w
				}
				if p.y != nil && last && j1 == p.n {
					p.activate256(i0, i1)
				}
			}
		}
	}
}

func (t *panel) run256(width int) {
	switch width {
	case wide256:
		t.wide256()
	case triple256:
		t.triple256()
	case middle256:
		t.middle256()
	default:
		t.narrow256()
	}
	archsimd.ClearAVXUpperBits()
}

// wide256 works in tiles of 2 rows by 4 vectors, all of which are full: a mask
// would take a register from the tile. Like the other tiles it leaves its
// pointers past the end, unused, which checkptr would not have.
//
//go:nocheckptr
func (t *panel) wide256() {
	inner, next := t.inner, t.next
	for i := 0; i < t.m; i += 2 {
		two := i+1 < t.m
		second := 0 // an odd last row is worked out twice and written once
		if two {
			second = t.outer
		}
		c00, c01 := load256(t.bias), load256(unsafe.Add(t.bias, bytes256))
		c02, c03 := load256(unsafe.Add(t.bias, 2*bytes256)), load256(unsafe.Add(t.bias, 3*bytes256))
		c10, c11, c12, c13 := c00, c01, c02, c03
		a, b := unsafe.Add(t.a, i*t.outer), t.b
		for p := t.k; p > 0; p-- {
			x0 := archsimd.BroadcastFloat32x8(*(*float32)(a))
			x1 := archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(a, second)))
			b0 := archsimd.LoadFloat32x8Array((*array256)(b))
			c00 = b0.MulAdd(x0, c00)
			c10 = b0.MulAdd(x1, c10)
			b1 := archsimd.LoadFloat32x8Array((*array256)(unsafe.Add(b, bytes256)))
			c01 = b1.MulAdd(x0, c01)
			c11 = b1.MulAdd(x1, c11)
			b2 := archsimd.LoadFloat32x8Array((*array256)(unsafe.Add(b, 2*bytes256)))
			c02 = b2.MulAdd(x0, c02)
			c12 = b2.MulAdd(x1, c12)
			b3 := archsimd.LoadFloat32x8Array((*array256)(unsafe.Add(b, 3*bytes256)))
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
			c00, c01 = c00.Add(load256(c)), c01.Add(load256(unsafe.Add(c, bytes256)))
			c02, c03 = c02.Add(load256(unsafe.Add(c, 2*bytes256))), c03.Add(load256(unsafe.Add(c, 3*bytes256)))
			c10, c11 = c10.Add(load256(d)), c11.Add(load256(unsafe.Add(d, bytes256)))
			c12, c13 = c12.Add(load256(unsafe.Add(d, 2*bytes256))), c13.Add(load256(unsafe.Add(d, 3*bytes256)))
		}
		if t.relu {
			c00, c01, c02, c03 = relu256(c00), relu256(c01), relu256(c02), relu256(c03)
			c10, c11, c12, c13 = relu256(c10), relu256(c11), relu256(c12), relu256(c13)
		}
		store256(c, c00)
		store256(unsafe.Add(c, bytes256), c01)
		store256(unsafe.Add(c, 2*bytes256), c02)
		store256(unsafe.Add(c, 3*bytes256), c03)
		if two {
			store256(d, c10)
			store256(unsafe.Add(d, bytes256), c11)
			store256(unsafe.Add(d, 2*bytes256), c12)
			store256(unsafe.Add(d, 3*bytes256), c13)
		}
	}
}

// triple256 works in tiles of 2 rows by 3 vectors.
//
//go:nocheckptr
func (t *panel) triple256() {
	inner, next := t.inner, t.next
	m := first256(t.n - middle256)
	for i := 0; i < t.m; i += 2 {
		two := i+1 < t.m
		second := 0 // an odd last row is worked out twice and written once
		if two {
			second = t.outer
		}
		c00, c01, c02 := load256(t.bias), load256(unsafe.Add(t.bias, bytes256)), load256(unsafe.Add(t.bias, 2*bytes256))
		c10, c11, c12 := c00, c01, c02
		a, b := unsafe.Add(t.a, i*t.outer), t.b
		for p := t.k; p > 0; p-- {
			x0 := archsimd.BroadcastFloat32x8(*(*float32)(a))
			x1 := archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(a, second)))
			b0 := archsimd.LoadFloat32x8Array((*array256)(b))
			c00 = b0.MulAdd(x0, c00)
			c10 = b0.MulAdd(x1, c10)
			b1 := archsimd.LoadFloat32x8Array((*array256)(unsafe.Add(b, bytes256)))
			c01 = b1.MulAdd(x0, c01)
			c11 = b1.MulAdd(x1, c11)
			b2 := archsimd.LoadFloat32x8Array((*array256)(unsafe.Add(b, 2*bytes256)))
			c02 = b2.MulAdd(x0, c02)
			c12 = b2.MulAdd(x1, c12)
			a, b = unsafe.Add(a, inner), unsafe.Add(b, next)
		}
		c := unsafe.Add(t.c, i*t.stride)
		t.put256(c, c00)
		t.putRow256(unsafe.Add(c, bytes256), c01, c02, m)
		if two {
			c = unsafe.Add(c, t.stride)
			t.put256(c, c10)
			t.putRow256(unsafe.Add(c, bytes256), c11, c12, m)
		}
	}
}

// middle256 works in tiles of 4 rows by 2 vectors.
//
//go:nocheckptr
func (t *panel) middle256() {
	inner, next := t.inner, t.next
	m := first256(t.n - lanes256)
	for i := 0; i < t.m; i += 4 {
		rows := min(4, t.m-i)
		// Missing rows repeat the last.
		o1, o2, o3 := min(1, rows-1)*t.outer, min(2, rows-1)*t.outer, (rows-1)*t.outer
		c00, c01 := load256(t.bias), load256(unsafe.Add(t.bias, bytes256))
		c10, c11, c20, c21, c30, c31 := c00, c01, c00, c01, c00, c01
		a, b := unsafe.Add(t.a, i*t.outer), t.b
		for p := t.k; p > 0; p-- {
			b0 := archsimd.LoadFloat32x8Array((*array256)(b))
			b1 := archsimd.LoadFloat32x8Array((*array256)(unsafe.Add(b, bytes256)))
			x := archsimd.BroadcastFloat32x8(*(*float32)(a))
			c00 = b0.MulAdd(x, c00)
			c01 = b1.MulAdd(x, c01)
			x = archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(a, o1)))
			c10 = b0.MulAdd(x, c10)
			c11 = b1.MulAdd(x, c11)
			x = archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(a, o2)))
			c20 = b0.MulAdd(x, c20)
			c21 = b1.MulAdd(x, c21)
			x = archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(a, o3)))
			c30 = b0.MulAdd(x, c30)
			c31 = b1.MulAdd(x, c31)
			a, b = unsafe.Add(a, inner), unsafe.Add(b, next)
		}
		c := unsafe.Add(t.c, i*t.stride)
		t.putRow256(c, c00, c01, m)
		if rows > 1 {
			t.putRow256(unsafe.Add(c, t.stride), c10, c11, m)
		}
		if rows > 2 {
			t.putRow256(unsafe.Add(c, 2*t.stride), c20, c21, m)
		}
		if rows > 3 {
			t.putRow256(unsafe.Add(c, 3*t.stride), c30, c31, m)
		}
	}
}

// put256 writes a vector of a row of a tile.
//
//go:nocheckptr
func (t *panel) put256(c unsafe.Pointer, v f256) {
	if t.accumulate {
		v = v.Add(load256(c))
	}
	if t.relu {
		v = relu256(v)
	}
	store256(c, v)
}

// putRow256 writes the last two vectors of a row of a tile, of the second what m
// selects.
//
//go:nocheckptr
func (t *panel) putRow256(c unsafe.Pointer, v0, v1 f256, m m256) {
	if t.accumulate {
		v0, v1 = v0.Add(load256(c)), v1.Add(load256(unsafe.Add(c, bytes256)))
	}
	if t.relu {
		v0, v1 = relu256(v0), relu256(v1)
	}
	store256(c, v0)
	storeFirst256(unsafe.Add(c, bytes256), v1, m)
}

// narrow256 works in tiles of 6 rows by 1 vector.
//
//go:nocheckptr
func (t *panel) narrow256() {
	inner, next := t.inner, t.next
	m := first256(t.n)
	for i := 0; i < t.m; i += 6 {
		last := min(6, t.m-i) - 1
		// Missing rows repeat the last.
		o1, o2, o3 := min(1, last)*t.outer, min(2, last)*t.outer, min(3, last)*t.outer
		o4, o5 := min(4, last)*t.outer, last*t.outer
		c0 := load256(t.bias)
		c1, c2, c3, c4, c5 := c0, c0, c0, c0, c0
		a, b := unsafe.Add(t.a, i*t.outer), t.b
		for p := t.k; p > 0; p-- {
			b0 := archsimd.LoadFloat32x8Array((*array256)(b))
			c0 = archsimd.BroadcastFloat32x8(*(*float32)(a)).MulAdd(b0, c0)
			c1 = archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(a, o1))).MulAdd(b0, c1)
			c2 = archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(a, o2))).MulAdd(b0, c2)
			c3 = archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(a, o3))).MulAdd(b0, c3)
			c4 = archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(a, o4))).MulAdd(b0, c4)
			c5 = archsimd.BroadcastFloat32x8(*(*float32)(unsafe.Add(a, o5))).MulAdd(b0, c5)
			a, b = unsafe.Add(a, inner), unsafe.Add(b, next)
		}
		rows := [6]f256{c0, c1, c2, c3, c4, c5}
		c := unsafe.Add(t.c, i*t.stride)
		for r := range last + 1 {
			v := rows[r]
			if t.accumulate {
				v = v.Add(load256(c))
			}
			if t.relu {
				v = relu256(v)
			}
			storeFirst256(c, v, m)
			c = unsafe.Add(c, t.stride)
		}
	}
}

// relu256 is max(0, v), and NaN where v is.
func relu256(v f256) f256 {
	none := const256(&zeros) // a zero in a register would crowd the tile
	return none.IfElse(v.Less(none), v)
}
