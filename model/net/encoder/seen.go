package encoder

import (
	"math"
	"slices"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/cells"
	"macroscope/model/net/circle"
)

// seen returns how many numbers an encoder sees of a particle.
func (s *Shape) seen() int { return s.Circles.Width(s.Dim) + s.around() }

// around returns how many of them describe the particle's neighbourhood.
func (s *Shape) around() int {
	if s.Near == 0 {
		return 0
	}
	return s.counts() + s.Dim + s.products()
}

// counts returns how many numbers of neighbours an encoder sees.
func (s *Shape) counts() int { return min(s.Sets, 2) }

// products returns how many products of differences it sees: a square for each coordinate that is no position, and the
// speed at which neighbours part, if there is a velocity for each position.
func (s *Shape) products() (n int) {
	n = s.Dim - s.Places.Count()
	if s.parts() {
		n++
	}
	return n
}

// parts reports whether there is a velocity for each position.
func (s *Shape) parts() bool { return s.Speeds != 0 && s.Speeds.Count() == s.Places.Count() }

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
	if s.Near > 0 && particles > 0 {
		e.near.see(e.seen[own:], width, in)
	}
	return e.of.Encode(params, Batch[T]{e.seen, in.Ends})
}

// Backward implements Encoder.
func (e *seeing[T]) Backward(params, grads []T, in Batch[T], dz []T) {
	e.of.Backward(params, grads, Batch[T]{e.seen, in.Ends}, dz)
}

// neighbours describes the neighbourhood of a particle: the number of neighbours, first those of the particle's set,
// then those of other sets, and means over all neighbours: the difference of each coordinate, its square if it is
// no position, and the speed at which the neighbours part. Neighbours are the particles of a frame within a radius. The
// mean of any function of single particles, such as ẑ without neighbourhoods, cannot tell whether neighbours are alike
// or move alike.
type neighbours[T tensor.Float] struct {
	shape  Shape
	places []int // coordinates that are positions
	speeds []int // coordinates that are velocities
	others []int // coordinates that are no positions
	around int   // how many numbers describe a neighbourhood
	cells  cells.Cells[T]
	radius T
}

func newNeighbours[T tensor.Float](s Shape) *neighbours[T] {
	n := &neighbours[T]{shape: s, around: s.around()}
	for k := range s.Dim {
		if s.Places.Has(k) {
			n.places = append(n.places, k)
		} else {
			n.others = append(n.others, k)
		}
		if s.parts() && s.Speeds.Has(k) {
			n.speeds = append(n.speeds, k)
		}
	}
	n.radius = T(s.radius(len(n.places)))
	n.cells = cells.New(n.places, s.Circles, slices.Repeat([]T{n.radius}, len(n.places)))
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
	dim, counts, around, particles := s.Dim, s.counts(), n.around, len(points)/s.Dim
	for i := range particles {
		clear(dst[i*width : i*width+around])
	}
	n.cells.Fit(points, dim)
	square := n.radius * n.radius
	begin, set := 0, 0 // where the set of particle i begins
	for i := range particles {
		for i+first >= ends[set] {
			begin = ends[set] - first
			set++
		}
		p := points[i*dim : (i+1)*dim]
		at := n.cells.Place(p)
		for _, cell := range n.cells.Around(at) {
			for j := n.cells.Last(cell); j >= 0; j = n.cells.Before(j) {
				n.meet(dst, width, points, i, j, begin, square)
			}
		}
		n.cells.Add(i, at)
	}
	for i := range particles {
		row := dst[i*width : i*width+around]
		all := T(0)
		for k, v := range row[:counts] {
			all += v
			row[k] = v / T(s.Near)
		}
		for k := counts; all > 0 && k < around; k++ {
			row[k] /= all
		}
		for _, k := range n.places {
			row[counts+k] /= n.radius
		}
	}
}

// meet adds two particles j < i to each other's sums if they are neighbours. The set of i begins at `begin`.
func (n *neighbours[T]) meet(dst []T, width int, points []T, i, j, begin int, square T) {
	dim, counts, around := n.shape.Dim, n.shape.counts(), n.around
	p, q := points[i*dim:(i+1)*dim], points[j*dim:(j+1)*dim]
	if n.distance(p, q) >= square {
		return
	}
	other := 0
	if j < begin {
		other = 1 // a set of several
	}
	of, to := dst[i*width:i*width+around], dst[j*width:j*width+around]
	of[other]++
	to[other]++
	for k, v := range q {
		d := n.apart(k, v, p[k])
		of[counts+k] += d
		to[counts+k] -= d
	}
	of, to = of[counts+dim:], to[counts+dim:]
	for k, other := range n.others {
		d := n.apart(other, q[other], p[other])
		of[k] += d * d
		to[k] += d * d
	}
	if n.speeds != nil {
		speed := n.speed(p, q)
		of[len(n.others)] += speed
		to[len(n.others)] += speed
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

// speed returns the speed at which two particles part.
func (n *neighbours[T]) speed(p, q []T) T {
	sum, square := T(0), T(0)
	for i, k := range n.places {
		d := n.apart(k, q[k], p[k])
		sum += d * (q[n.speeds[i]] - p[n.speeds[i]])
		square += d * d
	}
	if square == 0 {
		return 0
	}
	return sum / T(math.Sqrt(float64(square)))
}

// apart returns v - w in coordinate k.
func (n *neighbours[T]) apart(k int, v, w T) T {
	d := v - w
	if n.shape.Circles.Has(k) {
		return circle.Wrap(d)
	}
	return d
}
