//go:build goexperiment.simd && (wasm || arm64)

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// Matrix products with vectors of four floats, for arm64 and wasm. B is packed into panels as wide
// as a tile. In a panel, the values for one step of the inner dimension lie next to one another.
// Rows of A are read in place, but a transposed A is packed like B. The architectures differ only
// in the tile (wideTiles, narrowTiles, tileRows).

type vec = archsimd.Float32x4

const (
	wide, narrow = 12, 8 // columns of a wide and of a narrow panel
	stepBlock    = 256   // steps of the inner dimension packed at once
	rowBlock     = 96    // rows in a block, a multiple of tileRows. Each panel in turn is multiplied by all rows of a block
	fewRows      = 8     // with fewer rows than this, packing B costs more than it saves
	fewCols      = 2     // with at most this many columns, a panel would be mostly padding
)

func load(p unsafe.Pointer, at uintptr) vec {
	return archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(p, at)))
}

func store(p unsafe.Pointer, at uintptr, v vec) { v.StoreArray((*[4]float32)(unsafe.Add(p, at))) }

// strip is a column of tiles, one below the other. Each tile is tileRows high and as wide as the
// panel b. If `load` is set, the initial values of a tile are the contents of c. Otherwise the
// initial values of each row are the floats at `start`. Each of the k steps adds one product to
// every value. The strides are in bytes, and so are the offsets cAt, aAt, bAt and startAt.
type strip struct {
	c, a, b, start         unsafe.Pointer
	cAt, aAt, bAt, startAt uintptr
	ldc                    uintptr // stride from one row of c to the next
	aRow, aStep, aTile     uintptr // strides in the matrix A, between its rows (aRow), steps (aStep) and tiles (aTile)
	tiles, k               int
	load, relu             bool
}

// product is C = A·B + bias, with a ReLU if relu is set. If accumulate is set, it is C += A·B. A is
// (m, k), or (k, m) if aAcross is set; B is (k, n), or (n, k) if bAcross is set.
type product struct {
	c, a, b, bias    []float32
	m, n, k          int
	aAcross, bAcross bool
	accumulate       bool
	relu             bool

	starts, panels, edge, corner []float32 // parts of the Scratch
}

func gemmNN128(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool) {
	if n == 1 { // a single column lies in memory like a row
		gemmNT128(s, c, a, b, m, n, k, accumulate)
		return
	}
	g := product{c: c, a: a, b: b, m: m, n: n, k: k, accumulate: accumulate}
	g.run(s)
}

func gemmNT128(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool) {
	if m < fewRows || n <= fewCols {
		dots(c, a, b, nil, m, n, k, accumulate)
		return
	}
	g := product{c: c, a: a, b: b, m: m, n: n, k: k, bAcross: true, accumulate: accumulate}
	g.run(s)
}

func gemmTN128(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool) {
	if n <= fewCols && m > 0 && k > 0 {
		for j := range n {
			weightedRows(c[j:], a, b[j:], m, n, k, accumulate)
		}
		return
	}
	g := product{c: c, a: a, b: b, m: m, n: n, k: k, aAcross: true, accumulate: accumulate}
	g.run(s)
}

func affine128(s *Scratch, y, slope, x, w, bias []float32, rows, in, out int, act Activation) {
	c := y
	if act != SiLU {
		slope = nil
	} else if slope != nil {
		c = slope
	}
	fused := act == Identity || act == ReLU
	if rows < fewRows || out <= fewCols {
		dots(c, x, w, bias, rows, out, in, false)
		fused = act == Identity
	} else {
		g := product{c: c, a: x, b: w, bias: bias, m: rows, n: out, k: in, bAcross: true, relu: act == ReLU}
		g.run(s)
	}
	if !fused {
		activate128(y, slope, c[:rows*out], act)
	}
}

// panelWidth returns the width of the next panel: narrow if that leaves fewer columns of padding,
// otherwise wide. rest is the number of columns that are left.
func panelWidth(rest int) int {
	if rest <= narrow || rest > wide && rest <= 2*narrow {
		return narrow
	}
	return wide
}

func (g *product) run(s *Scratch) {
	if g.m == 0 || g.n == 0 {
		return
	}
	width := 0
	for width < g.n {
		width += panelWidth(g.n - width)
	}
	block := min(g.k, stepBlock)
	// The rows below the last whole tile are packed as a separate tile. If A is transposed, all
	// rows are packed. The 4 is for floats that packing writes past the end.
	packed := tileRows
	if g.aAcross {
		packed = (g.m + tileRows - 1) / tileRows * tileRows
	}
	sizes := [...]int{width, width * block, packed*block + 4, rowBlock * wide}
	buf := s.take(sizes[0] + sizes[1] + sizes[2] + sizes[3])
	for i, part := range [...]*[]float32{&g.starts, &g.panels, &g.edge, &g.corner} {
		*part, buf = buf[:sizes[i]], buf[sizes[i]:]
	}
	clear(g.starts[copy(g.starts, g.bias):])

	for p := 0; p == 0 || p < g.k; p += stepBlock {
		steps := min(stepBlock, g.k-p)
		if steps > 0 {
			g.packB(p, steps)
			g.packA(p, steps)
		}
		for i := 0; i < g.m; i += rowBlock {
			g.rows(i, min(rowBlock, g.m-i), p, steps)
		}
	}
}

// The method `rows` computes a part of the product. The part has the rows i to i+count, and the
// steps p to p+steps of the inner dimension.
func (g *product) rows(i, count, p, steps int) {
	s := strip{
		c: unsafe.Pointer(unsafe.SliceData(g.c)), a: unsafe.Pointer(unsafe.SliceData(g.a)),
		b: unsafe.Pointer(unsafe.SliceData(g.panels)), start: unsafe.Pointer(unsafe.SliceData(g.starts)),
		k: steps, load: g.accumulate || p > 0, relu: g.relu && p+steps == g.k,
	}
	whole := count / tileRows
	left := count - whole*tileRows
	for j := 0; j < g.n; {
		w := panelWidth(g.n - j)
		s.bAt, s.startAt = uintptr(4*j*steps), uintptr(4*j)
		if whole > 0 {
			s.tiles = whole
			if g.aAcross {
				s.a = unsafe.Pointer(unsafe.SliceData(g.edge))
				s.aAt, s.aRow, s.aStep, s.aTile = uintptr(4*i*steps), 4, 4*tileRows, uintptr(4*tileRows*steps)
			} else {
				s.a = unsafe.Pointer(unsafe.SliceData(g.a))
				s.aAt, s.aRow, s.aStep, s.aTile = uintptr(4*(i*g.k+p)), uintptr(4*g.k), 4, uintptr(4*tileRows*g.k)
			}
			g.strip(&s, i, whole*tileRows, j, w)
		}
		if left > 0 {
			s.tiles, s.a = 1, unsafe.Pointer(unsafe.SliceData(g.edge))
			s.aAt, s.aRow, s.aStep = 0, 4, 4*tileRows
			if g.aAcross {
				s.aAt = uintptr(4 * (i + whole*tileRows) * steps)
			}
			g.strip(&s, i+whole*tileRows, left, j, w)
		}
		j += w
	}
}

// strip computes rows i to i+count of C, in the panel of w columns at column j. An incomplete
// tile is computed as a complete tile in g.corner, and copied from there.
func (g *product) strip(s *strip, i, count, j, w int) {
	if count == s.tiles*tileRows && w <= g.n-j {
		s.cAt, s.ldc = uintptr(4*(i*g.n+j)), uintptr(4*g.n)
		s.work(w)
		return
	}
	c := s.c
	s.c, s.cAt, s.ldc = unsafe.Pointer(unsafe.SliceData(g.corner)), 0, uintptr(4*w)
	cols := min(w, g.n-j)
	if s.load {
		for r := range count {
			copy(g.corner[r*w:r*w+cols], g.c[(i+r)*g.n+j:])
		}
	}
	s.work(w)
	for r := range count {
		copy(g.c[(i+r)*g.n+j:(i+r)*g.n+j+cols], g.corner[r*w:])
	}
	s.c = c
}

func (s *strip) work(w int) {
	if w == wide {
		wideTiles(s)
	} else {
		narrowTiles(s)
	}
}

// packB packs steps p to p+steps of B into panels, padded with zeros.
func (g *product) packB(p, steps int) {
	for j := 0; j < g.n; {
		w := panelWidth(g.n - j)
		panel := g.panels[j*steps : (j+w)*steps]
		cols := min(w, g.n-j)
		if cols < w {
			clear(panel)
		}
		switch {
		case g.bAcross:
			for q := range cols {
				scatter(panel[q:], g.b[(j+q)*g.k+p:], w, steps)
			}
		case cols == w:
			gather(panel, g.b[p*g.n+j:], w, g.n, steps)
		default:
			for t := range steps {
				copy(panel[t*w:t*w+cols], g.b[(p+t)*g.n+j:])
			}
		}
		j += w
	}
}

// packA packs the rows of A that tiles cannot read in place.
func (g *product) packA(p, steps int) {
	if !g.aAcross {
		whole := g.m / tileRows * tileRows
		clear(g.edge)
		for r := whole; r < g.m; r++ {
			scatter(g.edge[r-whole:], g.a[r*g.k+p:], tileRows, steps)
		}
		return
	}
	for i := 0; i < g.m; i += tileRows {
		tile := g.edge[i*steps:]
		if i+4 > g.m {
			clear(tile[:tileRows*steps])
			for t := range steps {
				copy(tile[t*tileRows:(t+1)*tileRows], g.a[(p+t)*g.m+i:(p+t+1)*g.m])
			}
			continue
		}
		// Each step writes four floats to the tile. If the tile has only three rows, the fourth
		// float is overwritten by the next step.
		from, to := unsafe.Pointer(unsafe.SliceData(g.a)), unsafe.Pointer(unsafe.SliceData(tile))
		from = unsafe.Add(from, 4*(p*g.m+i))
		for range steps {
			store(to, 0, load(from, 0))
			from, to = unsafe.Add(from, 4*g.m), unsafe.Add(to, 4*tileRows)
		}
	}
}

// scatter copies the first `count` values of src to every w-th place of dst.
func scatter(dst, src []float32, w, count int) {
	_, _ = dst[(count-1)*w], src[count-1]
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	step := uintptr(4 * w)
	for ; count >= 4; count -= 4 {
		v0, v1 := *(*float32)(unsafe.Add(from, 0)), *(*float32)(unsafe.Add(from, 4))
		v2, v3 := *(*float32)(unsafe.Add(from, 8)), *(*float32)(unsafe.Add(from, 12))
		*(*float32)(to) = v0
		*(*float32)(unsafe.Add(to, step)) = v1
		*(*float32)(unsafe.Add(to, 2*step)) = v2
		*(*float32)(unsafe.Add(to, 3*step)) = v3
		from, to = unsafe.Add(from, 16), unsafe.Add(to, 4*step)
	}
	for ; count > 0; count-- {
		*(*float32)(to) = *(*float32)(from)
		from, to = unsafe.Add(from, 4), unsafe.Add(to, step)
	}
}

// gather copies the first w values of each of `count` rows of src to adjacent places in dst. The
// rows of src begin n values apart. w is a multiple of four.
func gather(dst, src []float32, w, n, count int) {
	_, _ = dst[count*w-1], src[(count-1)*n+w-1]
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	for range count {
		for at := uintptr(0); at < uintptr(4*w); at += 16 {
			store(to, at, load(from, at))
		}
		from, to = unsafe.Add(from, 4*n), unsafe.Add(to, 4*w)
	}
}

// dots computes C = A·Bᵀ + bias, or C += A·Bᵀ, without packing.
func dots(c, a, b, bias []float32, m, n, k int, accumulate bool) {
	put := func(i, j int, v float32) {
		if accumulate {
			v += c[i*n+j]
		}
		if bias != nil {
			v += bias[j]
		}
		c[i*n+j] = v
	}
	if n <= fewCols {
		for j := range n {
			i := 0
			for ; i+4 <= m; i += 4 {
				for r, v := range dot4(b[j*k:(j+1)*k], a[i*k:(i+4)*k]) {
					put(i+r, j, v)
				}
			}
			for ; i < m; i++ {
				put(i, j, dot128(a[i*k:(i+1)*k], b[j*k:]))
			}
		}
		return
	}
	for i := range m {
		j := 0
		for ; j+4 <= n; j += 4 {
			for r, v := range dot4(a[i*k:(i+1)*k], b[j*k:(j+4)*k]) {
				put(i, j+r, v)
			}
		}
		for ; j < n; j++ {
			put(i, j, dot128(a[i*k:(i+1)*k], b[j*k:]))
		}
	}
}

// weightedRows computes one column of C = Aᵀ·B for A (k, m): c[i·n] = Σ_p a[p·m+i]·b[p·n]. If
// accumulate is set, it adds the sums to c.
func weightedRows(c, a, b []float32, m, n, k int, accumulate bool) {
	p, q := unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))
	var sums [16]float32
	for i := 0; i < m; {
		width := 1
		switch {
		case i+16 <= m:
			width = 16
			var s0, s1, s2, s3 vec
			row, weight := unsafe.Add(p, 4*i), q
			for range k {
				w := archsimd.BroadcastFloat32x4(*(*float32)(weight))
				s0 = w.MulAdd(load(row, 0), s0)
				s1 = w.MulAdd(load(row, 16), s1)
				s2 = w.MulAdd(load(row, 32), s2)
				s3 = w.MulAdd(load(row, 48), s3)
				row, weight = unsafe.Add(row, 4*m), unsafe.Add(weight, 4*n)
			}
			to := unsafe.Pointer(&sums)
			store(to, 0, s0)
			store(to, 16, s1)
			store(to, 32, s2)
			store(to, 48, s3)
		case i+4 <= m:
			width = 4
			var s vec
			row, weight := unsafe.Add(p, 4*i), q
			for range k {
				s = archsimd.BroadcastFloat32x4(*(*float32)(weight)).MulAdd(load(row, 0), s)
				row, weight = unsafe.Add(row, 4*m), unsafe.Add(weight, 4*n)
			}
			store(unsafe.Pointer(&sums), 0, s)
		default:
			sums[0] = 0
			for t := range k {
				sums[0] += a[t*m+i] * b[t*n]
			}
		}
		for r, v := range sums[:width] {
			if accumulate {
				v += c[(i+r)*n]
			}
			c[(i+r)*n] = v
		}
		i += width
	}
}

// dot4 returns the scalar products of x with the four rows of y, each as long as x.
func dot4(x, y []float32) [4]float32 {
	k := len(x)
	if k == 0 {
		return [4]float32{}
	}
	_ = y[4*k-1]
	var s0, s1, s2, s3 vec
	p, row := unsafe.Pointer(unsafe.SliceData(x)), uintptr(4*k)
	q := unsafe.Pointer(unsafe.SliceData(y))
	at := uintptr(0)
	for ; at+16 <= row; at += 16 {
		v := load(p, at)
		s0 = v.MulAdd(load(q, at), s0)
		s1 = v.MulAdd(load(q, row+at), s1)
		s2 = v.MulAdd(load(q, 2*row+at), s2)
		s3 = v.MulAdd(load(q, 3*row+at), s3)
	}
	sums := [4]float32{total(s0), total(s1), total(s2), total(s3)}
	for t := int(at / 4); t < k; t++ {
		for r := range sums {
			sums[r] += x[t] * y[r*k+t]
		}
	}
	return sums
}

// total returns the sum of v's elements.
func total(v vec) float32 {
	return (v.GetElem(0) + v.GetElem(1)) + (v.GetElem(2) + v.GetElem(3))
}
