//go:build goexperiment.simd && amd64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// Widths of a panel in floats: 5, 4, 3, 2 and 1 vectors, see tiles512.tmpl.
const (
	wide512   = 5 * lanes512
	flat512   = 4 * lanes512
	triple512 = 3 * lanes512
	middle512 = 2 * lanes512
	narrow512 = lanes512
)

// vectors512 returns the number of vectors that hold n floats.
func vectors512(n int) int { return (n + lanes512 - 1) / lanes512 }

// width512 returns the width of the next panel when n columns of p are left. It leaves no single
// vector for the end, because one takes as long as two. Flat tiles compute no missing rows if p has
// few rows, and take the least time around the sums if k is small.
func (p *product) width512(n int) int {
	switch v := vectors512(n); {
	case n >= flat512 && (v == 4 && p.m <= 16 || v != 5 && min(p.m, p.k) <= 2):
		return flat512
	case v == 5 || v == 7 || v == 8 || v >= 10:
		return wide512
	case v%3 == 0:
		return triple512
	case v > 1:
		return middle512
	}
	return narrow512
}

// cost512 estimates the cycles that n columns of B take for each element of a row of A, in panels of
// up to 4 whole vectors. Wider panels need less, in proportion. A product and its transpose round
// differently, so other costs would change the last bits of some results.
func cost512(n int) float64 {
	panels := (n + flat512 - 1) / flat512
	if n%flat512 > triple512 {
		panels++
	}
	return 0.5 * float64(vectors512(n)+panels)
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

// product512 computes the product p, or its transpose Bᵀ·Aᵀ if cost512 finds that faster.
func product512(s *Scratch, p *product) {
	if p.m == 0 || p.n == 0 {
		return
	}
	straight, exchanged := float64(p.m)*cost512(p.n), float64(p.n)*cost512(p.m)
	if p.k > 0 {
		if p.a.inner == 1 {
			exchanged += 0.4 * float64(p.m) // the time to transpose A
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

// activate512 applies the activation to rows i0 to i1 of c.
func (p *product) activate512(i0, i1 int) {
	y, c, slope := p.y[i0*p.n:i1*p.n], p.c[i0*p.n:i1*p.n], []float32(nil)
	if p.slope {
		slope = c
	}
	activate512(y, slope, c, p.act)
}

// room512 returns the number of floats in the scratch of blocks512: the packed block of B, the
// bias, and the rows of one tile.
func room512(m, n, k int) int {
	columns := min(n, blockN) + wide512
	return columns*min(k, blockK) + columns + wide512*min(m, lanes512)
}

// blocks512 computes p block by block from packed blocks of B. One panel of a block fits in the
// first-level cache, and the whole block in the second-level cache. An activation with an
// exponential is applied to rows of C that are still in cache.
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
				w := p.width512(j1 - j)
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
					w := p.width512(j1 - j)
					t := panel{
						c: unsafe.Pointer(&p.c[i0*p.n+j]), stride: 4 * p.n,
						a: p.a.at(i0, k0), outer: 4 * p.a.outer, inner: 4 * p.a.inner,
						b: unsafe.Pointer(unsafe.SliceData(packed[(j-j0)*(k1-k0):])), back: -4 * w,
						bias: unsafe.Pointer(&bias[j-j0]),
						m:    i1 - i0, n: min(w, j1-j), k: k1 - k0,
						accumulate: p.accumulate || k0 > 0, relu: p.relu && last,
					}
					if direct && j+w <= j1 {
						t.b, t.back = p.b.at(j, k0), -4*p.b.inner
					}
					// Accumulation reads a panel's full width from each row of C. In the last
					// rows a full width would reach past the end of C, so they are computed
					// separately.
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
	case flat512:
		t.flat512()
	case triple512:
		t.triple512()
	case middle512:
		t.middle512()
	default:
		t.narrow512()
	}
	archsimd.ClearAVXUpperBits()
}

// relu512 returns max(0, v), and NaN for NaN.
func relu512(v f512) f512 {
	none := const512(&zeros) // loaded each time, because the tile needs the registers
	return none.IfElse(v.Less(none), v)
}
