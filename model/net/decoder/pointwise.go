package decoder

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/encoder"
	"macroscope/model/net/metric"
)

// pointwiseNet is an MLP for each group of a frame's sets, from their ẑ to all
// coordinates of so many points.
type pointwiseNet struct {
	kind  Kind
	dim   int
	width int // numbers of ẑ of a group
	span  int // sets of a group
	sizes []int
	mlps  []*nn.MLP
}

func newPointwiseNet(c Config, l *tensor.Layout) *pointwiseNet {
	n := &pointwiseNet{kind: c.Kind, dim: c.Dim, width: c.span() * c.ZDim, span: c.span(), sizes: c.Sizes}
	for s, size := range c.Sizes {
		name := "decoder"
		if len(c.Sizes) > 1 {
			name = fmt.Sprintf("decoder.%d", s)
		}
		widths := append(append([]int{n.width}, c.Hidden...), size*c.Dim)
		n.mlps = append(n.mlps, nn.NewMLP(l, name, widths, kernel.ReLU, kernel.Identity))
	}
	return n
}

func initPointwise[T tensor.Float](params []T, n *pointwiseNet, r *rand.Rand) {
	for _, m := range n.mlps {
		nn.InitMLP(params, m, r)
	}
}

// pointwise implements Decoder for points that an MLP restores; nothing is
// drawn. The loss is the mean squared error of every coordinate, or the Chamfer
// distance, averaged over the groups.
type pointwise[T tensor.Float] struct {
	net     *pointwiseNet
	chamfer *metric.Chamfer[T]
	ws      []*nn.MLPWorkspace[T] // of each kind of group
	dx      []T                   // of one kind (frames, size·Dim)
	of, dz  []T                   // of one kind (frames, width)
}

func newPointwise[T tensor.Float](n *pointwiseNet, maxSets, maxParticles int) *pointwise[T] {
	kinds := len(n.sizes)
	frames := (maxSets + kinds*n.span - 1) / (kinds * n.span)
	d := &pointwise[T]{
		net: n, dx: make([]T, frames*slices.Max(n.sizes)*n.dim), of: make([]T, frames*n.width), dz: make([]T, frames*n.width),
	}
	for _, m := range n.mlps {
		d.ws = append(d.ws, nn.NewMLPWorkspace[T](m, frames))
	}
	if n.kind == Chamfer {
		d.chamfer = metric.NewChamfer[T](n.dim, max(maxParticles, slices.Max(n.sizes)))
	}
	return d
}

// Size implements Decoder.
func (d *pointwise[T]) Size(int) int { return 0 }

// Draw implements Decoder.
func (d *pointwise[T]) Draw([]T, encoder.Batch[T], *rand.Rand) {}

// Loss implements Decoder.
func (d *pointwise[T]) Loss(params, grads, dz, z []T, truth Truth[T]) float64 {
	in := truth.Sets
	n, kinds, width := d.net, len(d.net.sizes), d.net.width
	groups := len(in.Ends) / n.span
	frames := groups / kinds
	sum, count, scale := 0.0, len(in.Points), 2/T(len(in.Points))
	if d.chamfer != nil {
		count = groups
	}
	for k, m := range n.mlps {
		size := n.sizes[k] * n.dim
		for f := range frames {
			copy(d.of[f*width:(f+1)*width], z[(f*kinds+k)*width:])
		}
		of, dx := d.of[:frames*width], d.dx[:frames*size]
		y := nn.Forward(m, d.ws[k], params, of, frames)
		for f := range frames {
			group := f*kinds + k
			set, dy, y := d.points(in, group), dx[f*size:(f+1)*size], y[f*size:(f+1)*size]
			if d.chamfer != nil {
				sum += d.chamfer.Gradient(dy, y, set)
				for i := range dy {
					dy[i] /= T(groups)
				}
				continue
			}
			for i, v := range y {
				e := v - set[i]
				sum += float64(e) * float64(e)
				dy[i] = e * scale
			}
		}
		nn.Backward(m, d.ws[k], params, grads, of, d.dz[:len(of)], dx, frames)
		for f := range frames {
			copy(dz[(f*kinds+k)*width:(f*kinds+k+1)*width], d.dz[f*width:])
		}
	}
	return sum / float64(count)
}

// points returns those of a group of sets.
func (d *pointwise[T]) points(in encoder.Batch[T], group int) []T {
	n, begin := d.net, 0
	if group > 0 {
		begin = in.Ends[group*n.span-1]
	}
	return in.Points[begin*n.dim : in.Ends[(group+1)*n.span-1]*n.dim]
}

// restorer implements Points.
type restorer[T tensor.Float] struct {
	net  *pointwiseNet
	ws   []*nn.MLPWorkspace[T] // of each kind of group
	x    []T                   // (Ends[last], Dim)
	ends []int
}

func newRestorer[T tensor.Float](n *pointwiseNet) *restorer[T] {
	r := &restorer[T]{net: n}
	points := 0
	for k, m := range n.mlps {
		points += n.sizes[k]
		r.ws, r.ends = append(r.ws, nn.NewMLPWorkspace[T](m, 1)), append(r.ends, points)
	}
	r.x = make([]T, points*n.dim)
	return r
}

// Ends implements Points.
func (r *restorer[T]) Ends() []int { return r.ends }

// Restore implements Points.
func (r *restorer[T]) Restore(params, z []T) []T {
	n, at := r.net, 0
	for k, m := range n.mlps {
		at += copy(r.x[at:], nn.Forward(m, r.ws[k], params, z[k*n.width:(k+1)*n.width], 1))
	}
	return r.x
}
