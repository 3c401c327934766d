package decoder

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
	"macroscope/model/net/encoder"
	"macroscope/model/net/metric"
	"macroscope/model/setting"
)

// Pointwise is an MLP from ẑ to points. If the encoder depends on the order of particles, each
// set of a frame has its own MLP. Otherwise one MLP maps ẑ of all sets to all points of a frame:
// only the size of the frame must then be fixed, not the size of each set.
type Pointwise struct {
	PerSet
	Hidden  []int // widths of the hidden layers, from ẑ to the points; nil: the encoder's widths in reverse
	Nearest bool  // whether points are compared by the Chamfer distance instead of one by one
}

var _ Kind = (*Pointwise)(nil)

// mirrored is an encoder with hidden layers that a decoder can use in reverse.
type mirrored interface{ Mirrored() []int }

// Name implements Kind.
func (k *Pointwise) Name() string {
	if k.Nearest {
		return "chamfer"
	}
	return "pointwise"
}

// Table implements Kind.
func (k *Pointwise) Table(*encoder.Shape) setting.Table {
	if k.Hidden == nil {
		return nil
	}
	return setting.Table{{Name: "decoder.hidden", Value: &k.Hidden, Low: 1, High: 1024, Least: 1, Most: 8}}
}

// Validate implements Kind.
func (k *Pointwise) Validate(in Input) error {
	switch _, ok := in.Encoder.(mirrored); {
	case k.Hidden == nil && !ok:
		return fmt.Errorf("a decoder of points without hidden layers; use 1 to 8")
	case slices.Max(k.sizes(in)) > maxPoints:
		return fmt.Errorf("a decoder with an output for each of %d particles; use %d at most", slices.Max(k.sizes(in)), maxPoints)
	}
	return nil
}

// span returns how many sets one MLP restores.
func (k *Pointwise) span(in Input) int {
	if in.Encoder.Ordered() {
		return 1
	}
	return in.Sets
}

// sizes lists how many points each MLP restores.
func (k *Pointwise) sizes(in Input) []int {
	if k.span(in) == 1 {
		return in.SetSizes()
	}
	return []int{in.Particles}
}

// maxPoints is the largest number of points that one MLP restores.
const maxPoints = 10_000

// Takes implements Kind.
func (k *Pointwise) Takes(in Input, ends []int) error {
	if len(ends)%in.Sets != 0 {
		return fmt.Errorf("there are %d sets, and this decoder takes frames of %d", len(ends), in.Sets)
	}
	if k.Nearest {
		return nil
	}
	span, begin := k.span(in), 0
	for i := span - 1; i < len(ends); i += span {
		size := in.Particles
		if span == 1 {
			size = in.SetSize(i % in.Sets)
		}
		if n := ends[i] - begin; n != size {
			return fmt.Errorf("there are %d particles, and this decoder, in which each has an output of its own, is trained on exactly %d", n, size)
		}
		begin = ends[i]
	}
	return nil
}

// New implements Kind.
func (k *Pointwise) New(l *tensor.Layout, in Input) Net {
	hidden := k.Hidden
	if hidden == nil {
		hidden = in.Encoder.(mirrored).Mirrored()
	}
	span := k.span(in)
	n := &pointwiseNet{nearest: k.Nearest, dim: in.Dim, circles: in.Circles, width: span * in.ZDim, span: span, sizes: k.sizes(in)}
	for s, size := range n.sizes {
		name := "decoder"
		if len(n.sizes) > 1 {
			name = fmt.Sprintf("decoder.%d", s)
		}
		widths := append(append([]int{n.width}, hidden...), size*in.Dim)
		n.mlps = append(n.mlps, nn.NewMLP(l, name, widths, kernel.ReLU, kernel.Identity))
	}
	return n
}

// pointwiseNet has an MLP for each group of a frame's sets. The MLP maps ẑ of the group to all
// coordinates of the group's points.
type pointwiseNet struct {
	nearest bool
	dim     int
	circles circle.Set
	width   int // length of a group's ẑ
	span    int // number of sets in a group
	sizes   []int
	mlps    []*nn.MLP
}

func (n *pointwiseNet) Float32() Maker[float32] { return pointwiseMaker[float32](n) }
func (n *pointwiseNet) Float64() Maker[float64] { return pointwiseMaker[float64](n) }

func pointwiseMaker[T tensor.Float](n *pointwiseNet) Maker[T] {
	return Maker[T]{
		Init: func(params []T, r *rand.Rand) {
			for _, mlp := range n.mlps {
				nn.InitMLP(params, mlp, r)
			}
		},
		Train: func(_ *Target, maxSets, maxParticles int) Decoder[T] {
			return newPointwise[T](n, maxSets, maxParticles)
		},
		Points: func() Points[T] { return newRestorer[T](n) },
	}
}

// pointwise implements Decoder for models in which an MLP restores the points. The method Draw has
// no effect. The loss is the mean squared error of the coordinates, or the Chamfer distance,
// averaged over the groups.
type pointwise[T tensor.Float] struct {
	net     *pointwiseNet
	chamfer *metric.Chamfer[T]
	ws      []*nn.MLPWorkspace[T] // one for each group
	dx      []T                   // gradient of one group's points (frames, size·Dim)
	of, dz  []T                   // ẑ of one group, and its gradient (frames, width)
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
	if n.nearest {
		d.chamfer = metric.NewChamfer[T](n.dim, max(maxParticles, slices.Max(n.sizes)), n.circles)
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
				if n.circles.Has(i % n.dim) {
					e = circle.Wrap(e)
				}
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

// points returns the points of a group of sets.
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
	ws   []*nn.MLPWorkspace[T] // one for each group
	x    []T                   // the restored points (Ends[last], Dim)
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
