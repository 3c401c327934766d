package model

import (
	"slices"

	"macroscope/model/system"
)

// List is the order in which a file would hold the particles of a trajectory: sorted by their coordinates in
// the first frame. In later frames each particle keeps its place. The zero List holds no particles.
type List struct {
	dim    int
	ends   []int
	order  []int // (N): the particle at each place of the list
	before []float32
}

// Begin makes the list of a trajectory from its first frame. The particles have dim coordinates.
func (l *List) Begin(first *system.Frame, dim int) {
	l.dim, l.ends, l.order = dim, append(l.ends[:0], first.Ends...), l.order[:0]
	point := func(i int) []float32 { return first.Points[i*dim : (i+1)*dim] }
	begin := 0
	for _, end := range first.Ends {
		for i := begin; i < end; i++ {
			l.order = append(l.order, i)
		}
		slices.SortStableFunc(l.order[begin:end], func(a, b int) int { return slices.Compare(point(a), point(b)) })
		begin = end
	}
}

// Arrange puts the particles of a frame of the trajectory in the order of the list. It leaves a frame with sets of
// other sizes unchanged.
func (l *List) Arrange(f *system.Frame) {
	if !slices.Equal(f.Ends, l.ends) {
		return
	}
	d := l.dim
	l.before = append(l.before[:0], f.Points...)
	for place, i := range l.order {
		copy(f.Points[place*d:(place+1)*d], l.before[i*d:(i+1)*d])
	}
}

// Places returns the place of each particle of the first frame in the list (N).
func (l *List) Places() []int {
	places := make([]int, len(l.order))
	for place, i := range l.order {
		places[i] = place
	}
	return places
}
