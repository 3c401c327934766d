package optim

import (
	"fmt"
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// Soap returns the constants for Adam in rotated coordinates.
func Soap() Config { return Config{Beta1: 0.95, Beta2: 0.95, Epsilon: 1e-8} }

const (
	// MaxSide is the longest side of a rotated matrix. The work of a rotation grows with the
	// cube of the side.
	MaxSide = 256

	factorKeep   = 0.95 // weight of the previous factors at each step
	refreshEvery = 10   // steps between updates of the bases
	firstTimes   = 5    // iterations of the power method for the initial bases
	ridge        = 1e-6 // added to a factor, in units of its mean eigenvalue
)

// Rotatable reports whether a parameter is a matrix that can be rotated.
func Rotatable(p tensor.Param) bool {
	return len(p.Shape) == 2 && min(p.Shape[0], p.Shape[1]) > 1 && max(p.Shape[0], p.Shape[1]) <= MaxSide
}

// rotation lets Adam work on a matrix of weights in rotated coordinates. The axes of these
// coordinates are the eigenvectors Q_L of E[G·Gᵀ] and Q_R of E[Gᵀ·G]. Here G (R, C) is the
// gradient, and E the mean over past steps. In these coordinates the entries of G are least
// correlated. This is SOAP (Vyas et al., 2024), with the first moment also kept in rotated
// coordinates. Every few steps, an iteration of the power method adapts the eigenvectors to the
// current means.
type rotation[T tensor.Float] struct {
	of          tensor.Param
	left, right side[T]
}

// side holds a factor (N, N) and a basis (N, N). The factor is the mean of G·Gᵀ or Gᵀ·G over past
// steps. The basis has the factor's eigenvectors as columns.
type side[T tensor.Float] struct {
	n             int
	factor, basis []T
}

// rotations holds the rotations of all matrices, with scratch memory.
type rotations[T tensor.Float] struct {
	each    []rotation[T]
	scratch kernel.Scratch
	g, step []T // (R, C): the rotated gradient, and Adam's step for rotated weights
	work    []T // scratch memory, (R, C) or (N, N)
	rows    []T // (N, N): a transposed basis, for the Gram–Schmidt method
}

// sides returns the names and the side lengths of the four square matrices of a rotation.
func sides(p tensor.Param) (names [4]string, n [4]int) {
	r, c := p.Shape[0], p.Shape[1]
	return [4]string{p.Name + ".left", p.Name + ".left.basis", p.Name + ".right", p.Name + ".right.basis"}, [4]int{r, r, c, c}
}

// RotationLayout returns the layout of Adam.Rotations for the given matrices.
func RotationLayout(matrices []tensor.Param) *tensor.Layout {
	l := new(tensor.Layout)
	for _, p := range matrices {
		names, n := sides(p)
		for i, name := range names {
			l.Add(name, n[i], n[i])
		}
	}
	return l
}

func newRotations[T tensor.Float](matrices []tensor.Param, arena []T) *rotations[T] {
	s := new(rotations[T])
	longest, largest := 0, 0
	for _, p := range matrices {
		if !Rotatable(p) {
			panic(fmt.Sprintf("optim: %s of the shape %v is no matrix that can be rotated", p.Name, p.Shape))
		}
		next := func(n int) (x []T) {
			x, arena = arena[:n*n:n*n], arena[n*n:]
			return x
		}
		_, n := sides(p)
		s.each = append(s.each, rotation[T]{p, side[T]{n[0], next(n[0]), next(n[1])}, side[T]{n[2], next(n[2]), next(n[3])}})
		longest, largest = max(longest, n[0], n[2]), max(largest, n[0]*n[2])
	}
	s.g, s.step = make([]T, largest), make([]T, largest)
	s.work, s.rows = make([]T, max(largest, longest*longest)), make([]T, longest*longest)
	return s
}

// update changes the matrix w (R, C) by one step with its gradient g. The moments m and v are
// in the coordinates of the bases.
func (s *rotations[T]) update(r *rotation[T], w, g, m, v []T, h kernel.AdamStep) {
	rows, cols := r.left.n, r.right.n
	n := rows * cols
	keep := T(factorKeep)
	if h.Step == 1 {
		keep = 0
	}
	product := s.work[:rows*rows]
	kernel.GemmNT(&s.scratch, product, g, g, rows, rows, cols, false)
	r.left.follow(product, keep)
	product = s.work[:cols*cols]
	kernel.GemmTN(&s.scratch, product, g, g, cols, cols, rows, false)
	r.right.follow(product, keep)
	switch {
	case h.Step == 1:
		r.left.begin()
		r.right.begin()
		for range firstTimes {
			s.refresh(&r.left)
			s.refresh(&r.right)
		}
	case h.Step%refreshEvery == 0:
		s.back(m, m, r)
		s.refresh(&r.left)
		s.refresh(&r.right)
		s.rotate(m, m, r)
	}
	s.rotate(s.g[:n], g, r)
	decay := h.Rate * h.WeightDecay
	h.WeightDecay = 0
	clear(s.step[:n])
	kernel.Adam(s.step[:n], s.g[:n], m, v, h)
	s.back(s.step[:n], s.step[:n], r)
	if decay > 0 {
		kernel.Scale(w, T(1-decay))
	}
	kernel.Axpy(w, 1, s.step[:n])
}

// rotate writes Q_Lᵀ·x·Q_R to dst, which may be x.
func (s *rotations[T]) rotate(dst, x []T, r *rotation[T]) {
	rows, cols := r.left.n, r.right.n
	half := s.work[:rows*cols]
	kernel.GemmTN(&s.scratch, half, r.left.basis, x, rows, cols, rows, false)
	kernel.GemmNN(&s.scratch, dst, half, r.right.basis, rows, cols, cols, false)
}

// back is the inverse of rotate.
func (s *rotations[T]) back(dst, x []T, r *rotation[T]) {
	rows, cols := r.left.n, r.right.n
	half := s.work[:rows*cols]
	kernel.GemmNN(&s.scratch, half, r.left.basis, x, rows, cols, rows, false)
	kernel.GemmNT(&s.scratch, dst, half, r.right.basis, rows, cols, cols, false)
}

// follow updates the factor, an exponential moving average, with a new product (N, N). The weight
// of the previous factor is `keep`.
func (d *side[T]) follow(product []T, keep T) {
	kernel.Scale(d.factor, keep)
	kernel.Axpy(d.factor, 1-keep, product)
}

// begin sets the basis to the identity.
func (d *side[T]) begin() {
	clear(d.basis)
	for i := range d.n {
		d.basis[i*d.n+i] = 1
	}
}

// refresh moves the basis towards the factor's eigenvectors. It makes the columns of (factor +
// ridge)·basis orthonormal, with two passes of the Gram–Schmidt method per column.
func (s *rotations[T]) refresh(d *side[T]) {
	n := d.n
	trace := T(0)
	for i := range n {
		trace += d.factor[i*n+i]
	}
	if !(trace > 0) {
		return // no gradient yet
	}
	y, q := s.work[:n*n], s.rows[:n*n]
	copy(y, d.basis)
	kernel.Scale(y, trace*ridge/T(n))
	kernel.GemmNN(&s.scratch, y, d.factor, d.basis, n, n, n, true)
	kernel.Transpose(q, y, n)
	for j := range n {
		row := q[j*n : (j+1)*n]
		if !normalise(row) { // normalised first: squares of small entries would underflow
			return
		}
		for range 2 {
			for k := range j {
				before := q[k*n : (k+1)*n]
				kernel.Axpy(row, -kernel.Dot(row, before), before)
			}
		}
		if !normalise(row) {
			return
		}
	}
	kernel.Transpose(d.basis, q, n)
}

// normalise scales x to length 1, and reports whether x was nonzero.
func normalise[T tensor.Float](x []T) bool {
	largest := T(0)
	for _, v := range x {
		largest = max(largest, v, -v)
	}
	if !(largest > 0) {
		return false
	}
	kernel.Scale(x, 1/largest)
	kernel.Scale(x, T(1/math.Sqrt(float64(kernel.Dot(x, x)))))
	return true
}
