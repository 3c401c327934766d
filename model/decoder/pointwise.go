package decoder

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"macroscope/model/encoder"
	"macroscope/model/kernel"
	"macroscope/model/nn"
	"macroscope/model/tensor"
)

// pointwiseNet is one MLP for each set of a frame, ẑ to all coordinates of the
// set.
type pointwiseNet struct {
	dim, zdim int
	sizes     []int
	mlps      []*nn.MLP
}

func newPointwiseNet(c Config, l *tensor.Layout) *pointwiseNet {
	n := &pointwiseNet{dim: c.Dim, zdim: c.ZDim, sizes: c.Sizes}
	for s, size := range c.Sizes {
		name := "decoder"
		if len(c.Sizes) > 1 {
			name = fmt.Sprintf("decoder.%d", s)
		}
		widths := append(append([]int{c.ZDim}, c.Hidden...), size*c.Dim)
		n.mlps = append(n.mlps, nn.NewMLP(l, name, widths, kernel.ReLU, kernel.Identity))
	}
	return n
}

func initPointwise[T tensor.Float](params []T, n *pointwiseNet, r *rand.Rand) {
	for _, m := range n.mlps {
		nn.InitMLP(params, m, r)
	}
}

// pointwise implements Decoder: the loss is the mean squared error of every
// coordinate, and nothing is drawn.
type pointwise[T tensor.Float] struct {
	net    *pointwiseNet
	ws     []*nn.MLPWorkspace[T] // of each kind of set
	dx     []T                   // of one kind (frames, size·Dim)
	of, dz []T                   // of one kind (frames, ZDim)
}

func newPointwise[T tensor.Float](n *pointwiseNet, maxSets int) *pointwise[T] {
	kinds := len(n.sizes)
	frames := (maxSets + kinds - 1) / kinds
	d := &pointwise[T]{
		net: n, dx: make([]T, frames*slices.Max(n.sizes)*n.dim), of: make([]T, frames*n.zdim), dz: make([]T, frames*n.zdim),
	}
	for _, m := range n.mlps {
		d.ws = append(d.ws, nn.NewMLPWorkspace[T](m, frames))
	}
	return d
}

// Size implements Decoder.
func (d *pointwise[T]) Size(int) int { return 0 }

// Draw implements Decoder.
func (d *pointwise[T]) Draw([]T, encoder.Batch[T], *rand.Rand) {}

// Loss implements Decoder.
func (d *pointwise[T]) Loss(params, grads, dz, z, _ []T, in encoder.Batch[T]) float64 {
	n, kinds := d.net, len(d.net.sizes)
	frames := len(in.Ends) / kinds
	sum, scale := 0.0, 2/T(len(in.Points))
	for k, m := range n.mlps {
		size := n.sizes[k] * n.dim
		for f := range frames {
			copy(d.of[f*n.zdim:(f+1)*n.zdim], z[(f*kinds+k)*n.zdim:])
		}
		of := d.of[:frames*n.zdim]
		y := nn.Forward(m, d.ws[k], params, of, frames)
		for f := range frames {
			end := in.Ends[f*kinds+k] * n.dim
			set := in.Points[end-size : end]
			for i, v := range y[f*size : (f+1)*size] {
				e := v - set[i]
				sum += float64(e) * float64(e)
				d.dx[f*size+i] = e * scale
			}
		}
		nn.Backward(m, d.ws[k], params, grads, of, d.dz[:len(of)], d.dx[:frames*size], frames)
		for f := range frames {
			copy(dz[(f*kinds+k)*n.zdim:(f*kinds+k+1)*n.zdim], d.dz[f*n.zdim:])
		}
	}
	return sum / float64(len(in.Points))
}
