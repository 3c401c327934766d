package encoder

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// flatNet is one MLP for each set of a frame, all coordinates of the set to ẑ.
type flatNet struct {
	dim, zdim int
	sizes     []int
	mlps      []*nn.MLP
}

func newFlatNet(c Config, l *tensor.Layout) *flatNet {
	n := &flatNet{dim: c.Dim, zdim: c.ZDim, sizes: c.Sizes}
	for s, size := range c.Sizes {
		name := prefix
		if len(c.Sizes) > 1 {
			name = fmt.Sprintf("%s.%d", prefix, s)
		}
		widths := append(append([]int{size * c.Dim}, c.Hidden...), c.ZDim)
		n.mlps = append(n.mlps, nn.NewMLP(l, name, widths, kernel.ReLU, kernel.Identity))
	}
	return n
}

func initFlat[T tensor.Float](params []T, n *flatNet, r *rand.Rand) {
	for _, m := range n.mlps {
		nn.InitMLP(params, m, r)
	}
}

// flat implements Encoder. Set i of a batch is of the kind i mod the number of
// sets of a frame.
type flat[T tensor.Float] struct {
	net  *flatNet
	ws   []*nn.MLPWorkspace[T] // of each kind
	x    [][]T                 // of each kind: its sets (frames, size·Dim)
	dz   []T                   // of one kind (frames, ZDim)
	z    []T                   // (sets, ZDim)
	room int                   // frames
}

func newFlat[T tensor.Float](n *flatNet, maxSets int) *flat[T] {
	kinds := len(n.sizes)
	frames := (maxSets + kinds - 1) / kinds
	e := &flat[T]{net: n, room: frames, dz: make([]T, frames*n.zdim), z: make([]T, frames*kinds*n.zdim)}
	for k, m := range n.mlps {
		e.ws = append(e.ws, nn.NewMLPWorkspace[T](m, frames))
		x := []T(nil)
		if kinds > 1 {
			x = make([]T, frames*n.sizes[k]*n.dim)
		}
		e.x = append(e.x, x)
	}
	return e
}

// check panics unless the batch is whole frames of the network's sizes.
func (e *flat[T]) check(in Batch[T]) (frames int) {
	n, kinds := e.net, len(e.net.sizes)
	if frames = len(in.Ends) / kinds; frames*kinds != len(in.Ends) || frames > e.room {
		panic(fmt.Sprintf("encoder: %d sets for frames of %d, with room for %d frames", len(in.Ends), kinds, e.room))
	}
	begin := 0
	for i, end := range in.Ends {
		if end-begin != n.sizes[i%kinds] {
			panic(fmt.Sprintf("encoder: set %d has %d particles, not %d", i, end-begin, n.sizes[i%kinds]))
		}
		begin = end
	}
	return frames
}

// Encode implements Encoder.
func (e *flat[T]) Encode(params []T, in Batch[T]) []T {
	n, kinds, frames := e.net, len(e.net.sizes), e.check(in)
	if kinds == 1 {
		return nn.Forward(n.mlps[0], e.ws[0], params, in.Points, frames)
	}
	for k, m := range n.mlps {
		e.gather(k, in, frames)
		z := nn.Forward(m, e.ws[k], params, e.x[k][:frames*n.sizes[k]*n.dim], frames)
		for f := range frames {
			copy(e.z[(f*kinds+k)*n.zdim:(f*kinds+k+1)*n.zdim], z[f*n.zdim:])
		}
	}
	return e.z[:frames*kinds*n.zdim]
}

// gather copies the sets of kind k to x[k] (frames, size·Dim).
func (e *flat[T]) gather(k int, in Batch[T], frames int) {
	n, kinds := e.net, len(e.net.sizes)
	size := n.sizes[k] * n.dim
	for f := range frames {
		end := in.Ends[f*kinds+k] * n.dim
		copy(e.x[k][f*size:(f+1)*size], in.Points[end-size:end])
	}
}

// Backward implements Encoder.
func (e *flat[T]) Backward(params, grads []T, in Batch[T], dz []T) {
	n, kinds, frames := e.net, len(e.net.sizes), e.check(in)
	for k, m := range n.mlps {
		x, of := in.Points, dz
		if kinds > 1 {
			x, of = e.x[k][:frames*n.sizes[k]*n.dim], e.dz[:frames*n.zdim]
			for f := range frames {
				copy(of[f*n.zdim:(f+1)*n.zdim], dz[(f*kinds+k)*n.zdim:])
			}
		}
		nn.Backward(m, e.ws[k], params, grads, x, nil, of, frames)
	}
}
