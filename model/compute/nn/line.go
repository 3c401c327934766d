package nn

import (
	"cmp"
	"fmt"
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// LineWorkspace evaluates a network of residual blocks with ReLUs for inputs that lie on lines,
//
//	h = c + x w,
//
// one line per set, each with its own c. On a line the network is a piecewise linear function of
// the number x. It has few pieces: about as many as there are units that turn on or off somewhere
// on the line (Hanin and Rolnick, Deep ReLU Networks Have Surprisingly Few Activation Patterns,
// 2019).
//
// A piece consists of consecutive samples, in ascending order of x, between which no unit turns on
// or off. For these samples all activations are
//
//	V + (x - x₀) S
//
// with a slope S and a value V at x₀. Of the numbers between the first and the last sample of the
// piece, x₀ is the nearest to 0. A layer multiplies only V and S of each piece, not the activations
// of every sample.
//
// A ReLU splits the pieces in which one of its units turns on or off. In the units that are off, it
// sets V and S to 0. The gradients of a piece before the split are sums over its parts. A prime
// marks a quantity of a part:
//
//	dV = Σ dV'    dS = Σ dS' + (x₀' - x₀) dV'
//
// Results and gradients equal those of Forward and Backward except for rounding.
//
// A LineWorkspace grows to the largest number of pieces so far. It is not safe for concurrent use.
type LineWorkspace[T tensor.Float] struct {
	scratch *kernel.Scratch
	points  []point[T] // samples of each set in ascending order of x (N)
	cut     []bool     // whether a new piece starts at a point (N)
	begin   []int      // first point of every set
	bends   []bend[T]  // one per ReLU, two per block
	h       [2][]T     // V and S of a block's input, before and after a split
	pre     []T        // V and S of the output of the block's first layer
	ends    []T        // V and S of each piece's result
	y       []T        // result of each sample (N, Out)
	end     end[T]

	dends, dh []T    // gradients of ends and h
	da        [2][]T // gradients of the inputs of layers; layers use the two in turn
}

// point is a sample x and its index among the samples of one call.
type point[T tensor.Float] struct {
	x  T
	at int
}

// bend stores the results of a ReLU for the backward pass. P is the number of pieces after the
// split.
type bend[T tensor.Float] struct {
	begin []int // first point of each piece
	whole []int // for each piece, the index of the piece that contained its samples before the split
	mid   []T   // input of the ReLU in the middle of each piece (P, H): positive if the unit is on
	a     []T   // V and S after the ReLU (2P, H)
}

// NewLineWorkspace makes a workspace for up to maxSamples samples. The network must be made by
// NewResidual with ReLUs and without a first affine map (`direct`).
func NewLineWorkspace[T tensor.Float](m *MLP, maxSamples int) *LineWorkspace[T] {
	if m.blocks == 0 || m.first != 0 || m.act != kernel.ReLU {
		panic("nn: a line through a network that is not of residual blocks with ReLUs")
	}
	return &LineWorkspace[T]{
		scratch: new(kernel.Scratch), points: make([]point[T], maxSamples), cut: make([]bool, maxSamples),
		bends: make([]bend[T], 2*m.blocks), y: make([]T, maxSamples*m.Out()), end: newEnd[T](m),
	}
}

// LineForward evaluates the network on c + x w, given w (In), c (B, In) and x (B·S). Each row of c
// has S samples. The result (B·S, Out) lies in the workspace and is valid until the next call.
// LineBackward reads it there.
func LineForward[T tensor.Float](m *MLP, ws *LineWorkspace[T], params, x, w, c []T, sets, samples int) []T {
	ws.sort(x, sets, samples)
	width := m.In()
	h := grow(&ws.h[0], 2*sets*width)
	for b := range sets {
		v := h[b*width:][:width]
		copy(v, c[b*width:])
		kernel.Axpy(v, ws.origin(ws.begin, b), w[:width])
		copy(h[(sets+b)*width:][:width], w)
	}
	begin, z := ws.begin, h
	for i := range ws.bends {
		b, l := &ws.bends[i], m.Layers[i]
		ws.bend(b, begin, z, width)
		before := h
		h = grow(&ws.h[1], 2*len(b.begin)*width)
		ws.split(h, before, b, begin, width)
		ws.h[0], ws.h[1] = ws.h[1], ws.h[0]
		begin = b.begin
		switch {
		case i == len(ws.bends)-1:
			out := grow(&ws.ends, 2*len(begin)*m.Out())
			ws.end.forward(m, ws.scratch, params, out, b.a, h, 2*len(begin), len(begin))
		case m.enters(i):
			z = grow(&ws.pre, 2*len(begin)*width)
			ws.affine(l, params, z, b.a, len(begin), false)
		default:
			ws.affine(l, params, h, b.a, len(begin), true)
			z = h
		}
	}
	return ws.samples(begin, m.Out())
}

// sort sorts the samples of every set.
func (ws *LineWorkspace[T]) sort(x []T, sets, samples int) {
	n := sets * samples
	if n > cap(ws.points) {
		panic(fmt.Sprintf("nn: %d samples on lines in a workspace for %d", n, cap(ws.points)))
	}
	ws.points, ws.begin = ws.points[:n], ws.begin[:0]
	for i, v := range x[:n] {
		ws.points[i] = point[T]{v, i}
	}
	for at := 0; at < n; at += samples {
		slices.SortFunc(ws.points[at:at+samples], func(p, q point[T]) int { return cmp.Compare(p.x, q.x) })
		ws.begin = append(ws.begin, at)
	}
}

// affine computes a·Wᵀ for V and S of all pieces, plus the bias for V. It writes the result to
// y, or adds it if accumulate is set.
func (ws *LineWorkspace[T]) affine(l *Linear, params, y, a []T, pieces int, accumulate bool) {
	kernel.GemmNT(ws.scratch, y, a, tensor.Of(params, l.W), 2*pieces, l.Out, l.In, accumulate)
	bias := tensor.Of(params, l.B)
	for p := range pieces {
		kernel.Axpy(y[p*l.Out:], 1, bias)
	}
}

// The method `bend` applies a ReLU to z. The slice z contains V and S of every piece. The pieces
// start at the points in `begin`.
func (ws *LineWorkspace[T]) bend(b *bend[T], begin []int, z []T, width int) {
	ws.findTurns(begin, z, width)
	b.begin, b.whole = b.begin[:0], b.whole[:0]
	for p, at := range begin {
		for i := at; i < ws.after(begin, p); i++ {
			if i == at || ws.cut[i] {
				b.begin, b.whole = append(b.begin, i), append(b.whole, p)
			}
		}
	}
	n := len(b.begin) * width
	a, mid := grow(&b.a, 2*n), grow(&b.mid, n)
	ws.split(a, z, b, begin, width)
	copy(mid, a[:n])
	for p := range b.begin {
		first, last := ws.bounds(b.begin, p)
		if by := (last+first)/2 - ws.origin(b.begin, p); by != 0 {
			kernel.Axpy(mid[p*width:], by, a[n+p*width:][:width])
		}
	}
	b.mask(a)
}

// mask sets V and S, or their gradients, to 0 in the units that are off.
func (b *bend[T]) mask(z []T) {
	n := len(b.mid)
	kernel.ActivationGrad(z, z[:n], b.mid, nil, kernel.ReLU)
	kernel.ActivationGrad(z[n:], z[n:2*n], b.mid, nil, kernel.ReLU)
}

// findTurns cuts each piece at the points where a unit turns on or off.
func (ws *LineWorkspace[T]) findTurns(begin []int, z []T, width int) {
	clear(ws.cut[:len(ws.points)])
	for p, at := range begin {
		first, last := ws.bounds(begin, p)
		if first == last {
			continue
		}
		inside, origin := ws.points[at:ws.after(begin, p)], ws.origin(begin, p)
		left, right := first-origin, last-origin
		v, s := z[p*width:][:width], z[(len(begin)+p)*width:][:width]
		for j, value := range v {
			if (value+T(left*s[j]) > 0) == (value+T(right*s[j]) > 0) {
				continue
			}
			turn := origin - value/s[j]
			// A cut lies between two samples of the piece.
			k, _ := slices.BinarySearchFunc(inside[1:len(inside)-1], turn, func(p point[T], x T) int { return cmp.Compare(p.x, x) })
			ws.cut[at+1+k] = true
		}
	}
}

// The method `split` splits pieces as b describes. z holds V and S of the old pieces. V and S of
// the new pieces are written to dst.
func (ws *LineWorkspace[T]) split(dst, z []T, b *bend[T], begin []int, width int) {
	for p, whole := range b.whole {
		v, s := dst[p*width:][:width], z[(len(begin)+whole)*width:][:width]
		copy(v, z[whole*width:])
		if by := ws.shift(b, begin, p); by != 0 {
			kernel.Axpy(v, by, s)
		}
		copy(dst[(len(b.begin)+p)*width:], s)
	}
}

// join is the backward pass of the method split. It works in place. At first d holds the gradients
// of V and S after the split. At the end d holds the gradients of V and S before the split.
func (ws *LineWorkspace[T]) join(d []T, b *bend[T], begin []int, width int) {
	pieces := len(b.begin)
	for p := range pieces {
		if by := ws.shift(b, begin, p); by != 0 {
			kernel.Axpy(d[(pieces+p)*width:], by, d[p*width:][:width])
		}
	}
	for half := range 2 {
		for p, whole := range b.whole {
			from, to := d[(half*pieces+p)*width:][:width], d[(half*len(begin)+whole)*width:][:width]
			if p > 0 && b.whole[p-1] == whole {
				kernel.Axpy(to, 1, from)
			} else {
				copy(to, from)
			}
		}
	}
}

// After a split, the new piece p is a part of an old piece. The method `shift` returns x₀ of the
// new piece minus x₀ of the old piece.
func (ws *LineWorkspace[T]) shift(b *bend[T], begin []int, p int) T {
	return ws.origin(b.begin, p) - ws.origin(begin, b.whole[p])
}

// origin returns x₀ of piece p. It is as near to 0 as possible: with a larger x₀, the difference
// x - x₀ would lose digits of samples near 0.
func (ws *LineWorkspace[T]) origin(begin []int, p int) T {
	first, last := ws.bounds(begin, p)
	return min(max(first, 0), last)
}

// bounds returns the first and the last x of piece p.
func (ws *LineWorkspace[T]) bounds(begin []int, p int) (first, last T) {
	return ws.points[begin[p]].x, ws.points[ws.after(begin, p)-1].x
}

// The method `after` returns the index of the first point that follows piece p.
func (ws *LineWorkspace[T]) after(begin []int, p int) int {
	if p+1 < len(begin) {
		return begin[p+1]
	}
	return len(ws.points)
}

// samples returns the results of all samples, computed from the results of pieces.
func (ws *LineWorkspace[T]) samples(begin []int, out int) []T {
	for p, at := range begin {
		v, s := ws.ends[p*out:][:out], ws.ends[(len(begin)+p)*out:][:out]
		origin := ws.origin(begin, p)
		for _, point := range ws.points[at:ws.after(begin, p)] {
			to := ws.y[point.at*out:][:out]
			copy(to, v)
			if by := point.x - origin; by != 0 {
				kernel.Axpy(to, by, s)
			}
		}
	}
	return ws.y[:len(ws.points)*out]
}

// LineBackward computes the gradients of LineForward, given the gradient dy (B·S, Out) of the
// result. It writes the gradient of x (B·S) to dx. It adds the gradient of the parameters to grads,
// the gradient of w (In) to dw, and the gradient of c (B, In) to dc.
func LineBackward[T tensor.Float](m *MLP, ws *LineWorkspace[T], params, grads, dx, dw, dc, dy []T) {
	width, sets := m.In(), len(ws.begin)
	last := &ws.bends[len(ws.bends)-1]
	pieces := len(last.begin)
	dends := ws.samplesGrad(dx, dy, last.begin, m.Out())
	da, dh := grow(&ws.da[0], 2*pieces*width), grow(&ws.dh, 2*pieces*width)
	ws.end.backward(m, ws.scratch, params, grads, da, dh, dends, last.a, ws.h[0], 2*pieces, pieces)
	for i := len(ws.bends) - 1; i >= 0; i-- {
		b, begin := &ws.bends[i], ws.begin
		if i > 0 {
			begin = ws.bends[i-1].begin
		}
		b.mask(da)
		d := da
		if m.enters(i) {
			kernel.Axpy(dh, 1, da[:2*len(b.mid)])
			d = dh
		} else {
			ws.join(da, b, begin, width)
		}
		ws.join(dh, b, begin, width)
		if i == 0 {
			break
		}
		n := 2 * len(begin)
		dh = dh[:n*width]
		l, a := m.Layers[i-1], ws.bends[i-1].a
		kernel.GemmTN(ws.scratch, tensor.Of(grads, l.W), d, a, width, width, n, true)
		kernel.ColSum(tensor.Of(grads, l.B), d, len(begin), width)
		da = grow(&ws.da[1], n*width)
		kernel.GemmNN(ws.scratch, da, d, tensor.Of(params, l.W), n, width, width, false)
		ws.da[0], ws.da[1] = ws.da[1], ws.da[0]
	}
	for b := range sets {
		v := dh[b*width:][:width]
		kernel.Axpy(dc[b*width:], 1, v)
		kernel.Axpy(dw, ws.origin(ws.begin, b), v)
		kernel.Axpy(dw, 1, dh[(sets+b)*width:][:width])
	}
}

// samplesGrad writes the gradient of x to dx. It returns the gradient of `ends`. The array `ends`
// contains V and S of each piece's result.
func (ws *LineWorkspace[T]) samplesGrad(dx, dy []T, begin []int, out int) []T {
	dends := grow(&ws.dends, 2*len(begin)*out)
	clear(dends)
	for p, at := range begin {
		half := len(begin) * out
		dv, ds, s := dends[p*out:][:out], dends[half+p*out:][:out], ws.ends[half+p*out:][:out]
		origin := ws.origin(begin, p)
		for _, point := range ws.points[at:ws.after(begin, p)] {
			d := dy[point.at*out:][:out]
			kernel.Axpy(dv, 1, d)
			if by := point.x - origin; by != 0 {
				kernel.Axpy(ds, by, d)
			}
			dx[point.at] = kernel.Dot(s, d)
		}
	}
	return dends
}

// grow sets the length of s to n. The contents are arbitrary.
func grow[T tensor.Float](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n+n/4)
	}
	*s = (*s)[:n]
	return *s
}
