package encoder

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/setting"
)

// Flat is the paper's baseline: each set of a frame has an MLP, which reads all coordinates of
// the set's particles in their order.
type Flat struct {
	Unordered
	Hidden []int // widths of the hidden layers
}

var _ Kind = (*Flat)(nil)

// maxInputs is the largest number of particles in a set.
const maxInputs = 10_000

// Name implements Kind.
func (*Flat) Name() string { return "autoencoder of coordinates in their order" }

// Table implements Kind. It lists the sizes of sets only if a frame has several sets.
func (k *Flat) Table(s *Shape) setting.Table {
	t := append(s.Table(""), setting.Field{Name: "hidden", Value: &k.Hidden, Low: 1, High: 1024, Least: 1, Most: 8})
	t[0].Absent = "2"
	if s.Sets > 1 {
		t = append(t, setting.Derived("sizes", func() string { return strings.Trim(fmt.Sprint(s.SetSizes()), "[]") }))
	}
	return t
}

// Validate implements Kind.
func (k *Flat) Validate(s Shape) error {
	if n := s.SetSize(0); n > maxInputs {
		return fmt.Errorf("a set has %d particles, and this encoder has an input for each; use 1 to %d", n, maxInputs)
	}
	return nil
}

// Ordered implements Kind.
func (*Flat) Ordered() bool { return true }

// Room implements Kind. The networks have a row for each frame.
func (*Flat) Room(_ Shape, frames, row int) int { return frames * row }

// Work implements Kind.
func (*Flat) Work(_ Shape, weights int) float64 { return float64(weights) }

// Takes implements Kind.
func (k *Flat) Takes(s Shape, ends []int) error {
	if len(ends)%s.Sets != 0 {
		return fmt.Errorf("there are %d sets, and this encoder takes frames of %d", len(ends), s.Sets)
	}
	if err := k.Unordered.Takes(s, ends); err != nil {
		return err
	}
	begin := 0
	for i, end := range ends {
		if n, takes := end-begin, s.SetSize(i%s.Sets); n != takes {
			return fmt.Errorf("the set has %d particles, and this encoder, in which each has an input of its own, takes exactly %d", n, takes)
		}
		begin = end
	}
	return nil
}

// Mirrored returns the widths of the hidden layers from last to first, for a decoder.
func (k *Flat) Mirrored() []int {
	hidden := slices.Clone(k.Hidden)
	slices.Reverse(hidden)
	return hidden
}

// New implements Kind.
func (k *Flat) New(l *tensor.Layout, s Shape) Net {
	n := &flatNet{dim: s.Dim, zdim: s.ZDim, sizes: s.SetSizes()}
	for i, size := range n.sizes {
		name := prefix
		if s.Sets > 1 {
			name = fmt.Sprintf("%s.%d", prefix, i)
		}
		widths := append(append([]int{size * s.Dim}, k.Hidden...), s.ZDim)
		n.mlps = append(n.mlps, nn.NewMLP(l, name, widths, kernel.ReLU, kernel.Identity))
	}
	return n
}

// flatNet has one MLP for each set of a frame.
type flatNet struct {
	dim, zdim int
	sizes     []int
	mlps      []*nn.MLP
}

func (n *flatNet) Float32() Maker[float32] { return flatMaker[float32](n) }
func (n *flatNet) Float64() Maker[float64] { return flatMaker[float64](n) }

func flatMaker[T tensor.Float](n *flatNet) Maker[T] {
	return Maker[T]{
		Init: func(params []T, r *rand.Rand) {
			for _, mlp := range n.mlps {
				nn.InitMLP(params, mlp, r)
			}
		},
		Train:  func(maxSets, _ int) Encoder[T] { return newFlat[T](n, maxSets) },
		Frozen: func(maxSets int) Encoder[T] { return Frozen(newFlat[T](n, maxSets)) },
	}
}

// flat implements Encoder. With S sets in a frame, set i of a batch is encoded by network i mod
// S.
type flat[T tensor.Float] struct {
	net  *flatNet
	ws   []*nn.MLPWorkspace[T] // one for each network
	x    [][]T                 // for each network: its sets (frames, size·Dim)
	dz   []T                   // gradient of one network's ẑ (frames, ZDim)
	z    []T                   // (sets, ZDim)
	room int                   // number of frames for which there is memory
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

// check returns the number of frames. It panics if a frame is incomplete, a set has a wrong size,
// or there are too many frames.
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

// gather copies the sets of network k to x[k] (frames, size·Dim).
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
