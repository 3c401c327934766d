package nn

import (
	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// end evaluates the last two layers of a residual network, both affine:
//
//	y = V (h + W a + b) + c = V h + (V W) a + (V b + c)
//
// Here h is the last block's input and a the output of its first layer. If V has few rows, as
// for a spline's parameters, computing V W once per batch is cheaper than W a for every row.
type end[T tensor.Float] struct {
	w, g   []T // V W, and its gradient (Out, In)
	b, sum []T // V b + c, and its gradient (Out)
}

func newEnd[T tensor.Float](m *MLP) end[T] {
	out, in := m.Out(), m.Layers[len(m.Layers)-1].In
	return end[T]{make([]T, out*in), make([]T, out*in), make([]T, out), make([]T, out)}
}

// joins reports whether layer i is the second layer of the last block and is evaluated together
// with the output layer. Joint evaluation saves time for every row, but the product V W and its
// gradient cost time once per batch. It is therefore faster if the batch has enough rows.
func (m *MLP) joins(i, rows int) bool {
	if m.blocks == 0 || i != len(m.Layers)-2 {
		return false
	}
	in, out := m.Layers[i].In, m.Out()
	return 2*out <= in && rows >= 2*in
}

// forward computes y (rows, Out) from the matrices `a` and h (rows, In). Only rows 0 to biased-1
// get the biases, because the remaining rows are slopes (see LineWorkspace).
func (e *end[T]) forward(m *MLP, s *kernel.Scratch, params, y, a, h []T, rows, biased int) {
	last, out := m.Layers[len(m.Layers)-2], m.Layers[len(m.Layers)-1]
	v := tensor.Of(params, out.W)
	kernel.GemmNN(s, e.w, v, tensor.Of(params, last.W), out.Out, out.In, out.In, false)
	kernel.Affine(s, e.b, nil, tensor.Of(params, last.B), v, tensor.Of(params, out.B), 1, out.In, out.Out, kernel.Identity)
	kernel.Affine(s, y, nil, h, v, e.b, biased, out.In, out.Out, kernel.Identity)
	kernel.GemmNT(s, y[biased*out.Out:], h[biased*out.In:], v, rows-biased, out.Out, out.In, false)
	kernel.GemmNT(s, y, a, e.w, rows, out.Out, out.In, true)
}

// backward computes the gradients of forward, given the gradient dy of y. It adds the gradients
// of the parameters to grads, and writes the gradients of a and h to da and dh.
func (e *end[T]) backward(m *MLP, s *kernel.Scratch, params, grads, da, dh, dy, a, h []T, rows, biased int) {
	last, out := m.Layers[len(m.Layers)-2], m.Layers[len(m.Layers)-1]
	n, k := out.Out, out.In
	v := tensor.Of(params, out.W)
	clear(e.sum)
	kernel.ColSum(e.sum, dy, biased, n)
	kernel.GemmTN(s, e.g, dy, a, n, k, rows, false)
	dv := tensor.Of(grads, out.W)
	kernel.GemmTN(s, dv, dy, h, n, k, rows, true)
	kernel.GemmNT(s, dv, e.g, tensor.Of(params, last.W), n, k, k, true)
	kernel.GemmNN(s, dv, e.sum, tensor.Of(params, last.B), n, k, 1, true)
	kernel.Axpy(tensor.Of(grads, out.B), 1, e.sum)
	kernel.GemmTN(s, tensor.Of(grads, last.W), v, e.g, k, k, n, true)
	kernel.GemmNN(s, tensor.Of(grads, last.B), e.sum, v, 1, k, n, true)
	kernel.GemmNN(s, da, dy, e.w, rows, k, n, false)
	kernel.GemmNN(s, dh, dy, v, rows, k, n, false)
}
