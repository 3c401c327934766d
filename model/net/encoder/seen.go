package encoder

import (
	"math"
	"slices"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/circle"
)

// New adds the parameters of an encoder to the layout. The settings must be valid. An encoder sees a
// coordinate on a circle as its cosine and its sine, so images of a particle have the same ẑ. If Shape.Near is
// above 0, it also sees the neighbourhood of every particle, see neighbours.
func New(k Kind, l *tensor.Layout, s Shape) Net {
	seen := s
	if seen.Dim = s.seen(); seen.Dim == s.Dim || k.Pictures() {
		return k.New(l, s)
	}
	seen.Circles, seen.Near = 0, 0
	return seeingNet{k.New(l, seen), s}
}

// seen returns how many numbers an encoder sees of a particle.
func (s *Shape) seen() int { return s.Circles.Width(s.Dim) + s.around() }

// around returns how many of them describe the particle's neighbourhood.
func (s *Shape) around() int {
	switch {
	case s.Near == 0:
		return 0
	case s.Sets > 1:
		return s.Dim + 2
	}
	return s.Dim + 1
}

// seeingNet passes to a net what it sees of the points of a shape.
type seeingNet struct {
	Net
	shape Shape
}

// unseeing returns the net to which n passes what it sees.
func unseeing(n Net) Net {
	if s, ok := n.(seeingNet); ok {
		return s.Net
	}
	return n
}

func (n seeingNet) Float32() Maker[float32] { return seeingMaker(n.Net.Float32(), n.shape) }
func (n seeingNet) Float64() Maker[float64] { return seeingMaker(n.Net.Float64(), n.shape) }

func seeingMaker[T tensor.Float](m Maker[T], s Shape) Maker[T] {
	return Maker[T]{
		Init: m.Init,
		Train: func(maxSets, maxPoints int) Encoder[T] {
			return &seeing[T]{of: m.Train(maxSets, maxPoints), shape: s, near: newNeighbours[T](s)}
		},
		Frozen: func(maxSets int) Encoder[T] {
			return &seeing[T]{of: m.Frozen(maxSets), shape: s, near: newNeighbours[T](s)}
		},
	}
}

// seeing implements Encoder. After the first batch it allocates nothing for batches of the same size.
type seeing[T tensor.Float] struct {
	of    Encoder[T]
	shape Shape
	near  *neighbours[T]
	seen  []T // what the encoder sees of the last batch
}

// Encode implements Encoder.
func (e *seeing[T]) Encode(params []T, in Batch[T]) []T {
	s := &e.shape
	particles, width, own := len(in.Points)/s.Dim, s.seen(), s.Circles.Width(s.Dim)
	e.seen = slices.Grow(e.seen[:0], particles*width)[:particles*width]
	for i := range particles {
		circle.See(s.Circles, e.seen[i*width:i*width+own], in.Points[i*s.Dim:(i+1)*s.Dim], s.Dim)
	}
	if s.Near > 0 {
		e.near.see(e.seen[own:], width, in)
	}
	return e.of.Encode(params, Batch[T]{e.seen, in.Ends})
}

// Backward implements Encoder.
func (e *seeing[T]) Backward(params, grads []T, in Batch[T], dz []T) {
	e.of.Backward(params, grads, Batch[T]{e.seen, in.Ends}, dz)
}

// neighbours describes the neighbourhood of a particle: the number of neighbours, first those of the particle's set,
// then those of other sets, and the mean over all neighbours of the difference of each coordinate. Neighbours are
// the particles of a frame within a radius. The mean of any function of single particles, such as ẑ without
// neighbourhoods, cannot tell whether neighbours move alike or are alike.
type neighbours[T tensor.Float] struct {
	shape  Shape
	places []int // coordinates that are positions
	radius T
}

func newNeighbours[T tensor.Float](s Shape) *neighbours[T] {
	n := &neighbours[T]{shape: s}
	for k := range s.Dim {
		if s.Places.Has(k) {
			n.places = append(n.places, k)
		}
	}
	n.radius = T(s.radius(len(n.places)))
	return n
}

// radius returns the radius in which Shape.Near neighbours are expected if the particles of a frame are spread
// evenly over circles, and over intervals with the standard deviation 1.
func (s *Shape) radius(places int) float64 {
	d, volume := float64(places), 1.0
	for k := range s.Dim {
		switch {
		case !s.Places.Has(k):
		case s.Circles.Has(k):
			volume *= circle.Round
		default:
			volume *= math.Sqrt(12)
		}
	}
	ball := math.Pow(math.Pi, d/2) / math.Gamma(d/2+1)
	return math.Pow(s.Near/float64(max(1, s.Particles))*volume/ball, 1/d)
}

// see writes the neighbourhood of each particle to dst, which has a row of `width` numbers for each. Positions
// are relative to the radius, and numbers of neighbours to the expected one.
func (n *neighbours[T]) see(dst []T, width int, in Batch[T]) {
	s := &n.shape
	begin := 0
	for i := s.Sets - 1; i < len(in.Ends); i += s.Sets {
		end := in.Ends[i]
		n.frame(dst[begin*width:], width, in.Points[begin*s.Dim:end*s.Dim], in.Ends[i-s.Sets+1:i+1], begin)
		begin = end
	}
}

// frame does the work of see for a frame whose first particle has the index `first` in ends.
func (n *neighbours[T]) frame(dst []T, width int, points []T, ends []int, first int) {
	s := &n.shape
	dim, counts, particles := s.Dim, s.around()-s.Dim, len(points)/s.Dim
	for i := range particles {
		clear(dst[i*width : i*width+counts+dim])
	}
	place, square := n.places[0], n.radius*n.radius
	begin, set := 0, 0 // where the set of particle i begins
	for i := range particles {
		for i+first >= ends[set] {
			begin = ends[set] - first
			set++
		}
		p := points[i*dim : (i+1)*dim]
		for j := range i {
			q := points[j*dim : (j+1)*dim]
			if d := n.apart(place, q[place], p[place]); d >= n.radius || d <= -n.radius || n.distance(p, q) >= square {
				continue
			}
			other := 0
			if j < begin {
				other = 1 // a set of several
			}
			of, to := dst[i*width:i*width+counts+dim], dst[j*width:j*width+counts+dim]
			of[other]++
			to[other]++
			for k, v := range q {
				d := n.apart(k, v, p[k])
				of[counts+k] += d
				to[counts+k] -= d
			}
		}
	}
	for i := range particles {
		row := dst[i*width : i*width+counts+dim]
		all := T(0)
		for k, v := range row[:counts] {
			all += v
			row[k] = v / T(s.Near)
		}
		for k := range dim {
			if all > 0 {
				row[counts+k] /= all
			}
			if s.Places.Has(k) {
				row[counts+k] /= n.radius
			}
		}
	}
}

// distance returns the squared distance of two particles.
func (n *neighbours[T]) distance(p, q []T) (sum T) {
	for _, k := range n.places {
		d := n.apart(k, q[k], p[k])
		sum += d * d
	}
	return sum
}

// apart returns v - w in coordinate k.
func (n *neighbours[T]) apart(k int, v, w T) T {
	d := v - w
	if n.shape.Circles.Has(k) {
		return circle.Wrap(d)
	}
	return d
}
