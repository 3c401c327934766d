package attention

import (
	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// folded is a matrix (rows, width) that multiplies the particles of a set. In the first block, the
// affine map `in` computes the particles from their coordinates. In this block, the matrix is
// multiplied by the weights of `in`. The product (rows, rank) then multiplies the coordinates. The
// field rank is the number of coordinates in the first block. It is the width in other blocks.
type folded[T tensor.Float] struct {
	in            *nn.Linear // nil except in the first block
	s             *kernel.Scratch
	rank          int
	whole, dwhole []T // (rows, width): the matrix and its gradient
	thin, dthin   []T // (rows, rank): the product of the matrix and the weights of `in`, and the gradient of the product. If `in` is nil, thin is `whole` and dthin is `dwhole`
}

func newFolded[T tensor.Float](in *nn.Linear, s *kernel.Scratch, rows, width int, learns bool) folded[T] {
	f := folded[T]{in: in, s: s, rank: width, whole: make([]T, rows*width)}
	if learns {
		f.dwhole = make([]T, rows*width)
	}
	f.thin, f.dthin = f.whole, f.dwhole
	if in != nil {
		f.rank, f.thin = in.In, make([]T, rows*in.In)
		if learns {
			f.dthin = make([]T, rows*in.In)
		}
	}
	return f
}

// part returns rows i·rows to (i+1)·rows. The gradients of all parts use the memory of the
// first part.
func (f folded[T]) part(i, rows int) folded[T] {
	width := f.rank
	if f.in != nil {
		width = f.in.Out
	}
	f.whole, f.thin = f.whole[i*rows*width:][:rows*width], f.thin[i*rows*f.rank:][:rows*f.rank]
	return f
}

// fold updates `thin` after a change of `whole`.
func (f folded[T]) fold(params []T) {
	if f.in != nil {
		kernel.GemmNN(f.s, f.thin, f.whole, tensor.Of(params, f.in.W), len(f.thin)/f.rank, f.rank, f.in.Out, false)
	}
}

// unfold computes dwhole from dthin, and adds the gradient of the weights of `in` to grads.
func (f folded[T]) unfold(params, grads []T) {
	if f.in != nil {
		rows := len(f.thin) / f.rank
		kernel.GemmNT(f.s, f.dwhole, f.dthin, tensor.Of(params, f.in.W), rows, f.in.Out, f.rank, false)
		kernel.GemmTN(f.s, tensor.Of(grads, f.in.W), f.whole, f.dthin, f.in.Out, f.rank, rows, true)
	}
}
