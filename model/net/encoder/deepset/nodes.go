package deepset

import (
	"math"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// nodes interpolates φ for particles on a line. φ is then computed at the nodes, which are fewer
// than the particles. The interpolant of φ at a particle is the cubic polynomial through φ at the
// four nearest nodes, so the mean over a set is a weighted sum over the nodes.
type nodes[T tensor.Float] struct {
	x      []T // the G nodes (G)
	weight []T // weights of the nodes in the mean of each set (B, G)
}

// minNodes is the least number of nodes: a cubic polynomial needs four.
const minNodes = 4

func newNodes[T tensor.Float](count, maxSets int) *nodes[T] {
	return &nodes[T]{make([]T, count), make([]T, maxSets*count)}
}

// place spreads the nodes evenly over the range of the points, with one more node beyond either
// end. It also computes the weights of every set; set b ends before point ends[b].
func (n *nodes[T]) place(points []T, ends []int) {
	points = points[:ends[len(ends)-1]]
	low, high := T(0), T(0)
	if len(points) > 0 {
		low, high = points[0], points[0]
	}
	for _, x := range points {
		low, high = min(low, x), max(high, x)
	}
	count := len(n.x)
	step := (high - low) / T(count-minNodes+1)
	if !(step > 0) {
		step = 1
	}
	for i := range n.x {
		n.x[i] = low + T(i-1)*step
	}
	all := n.weight[:len(ends)*count]
	clear(all)
	begin := 0
	for b, end := range ends {
		share := 1 / T(end-begin)
		for _, x := range points[begin:end] {
			u := (x - low) / step
			i := min(max(int(math.Floor(float64(u))), 0), count-minNodes)
			t := u - T(i)
			w := all[b*count+i:][:minNodes]
			p, q := share*t*(t-1)/6, share*(t+1)*(t-2)/2
			w[0] -= p * (t - 2)
			w[1] += q * (t - 1)
			w[2] -= q * t
			w[3] += p * (t + 1)
		}
		begin = end
	}
}

// mean writes the mean of the features (G, H) over each of the sets (B, H).
func (n *nodes[T]) mean(s *kernel.Scratch, dst, features []T, sets, h int) {
	kernel.GemmNN(s, dst, n.weight[:sets*len(n.x)], features, sets, h, len(n.x), false)
}

// spread writes the gradient of the features (G, H), given the gradient d of the means (B, H).
func (n *nodes[T]) spread(s *kernel.Scratch, dst, d []T, sets, h int) {
	kernel.GemmTN(s, dst, n.weight[:sets*len(n.x)], d, len(n.x), h, sets, false)
}
