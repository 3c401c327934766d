package frames

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// sorted is a Reader that sorts the particles of a frame by their ids, if they have some.
type sorted struct {
	Reader
	order []numbered
	count []int
	frame Frame
	err   error
}

// numbered is the id of a particle, and its place in the frame.
type numbered struct {
	id int64
	at int
}

// Next implements Reader.
func (s *sorted) Next() (*Frame, error) {
	if s.err != nil {
		return nil, s.err
	}
	f, err := s.Reader.Next()
	if err == nil && f.IDs != nil {
		f, err = s.sort(f)
	}
	s.err = err
	return f, err
}

func (s *sorted) sort(f *Frame) (*Frame, error) {
	if !slices.IsSorted(f.IDs) {
		s.arrange(f.IDs)
		points, ids, species := s.frame.Points[:0], s.frame.IDs[:0], s.frame.Species[:0]
		dim := len(f.Points) / len(f.IDs)
		for _, n := range s.order {
			points, ids = append(points, f.Points[n.at*dim:(n.at+1)*dim]...), append(ids, n.id)
			if f.Species != nil {
				species = append(species, f.Species[n.at])
			}
		}
		s.frame = *f
		s.frame.Points, s.frame.IDs = points, ids
		if f = &s.frame; f.Species != nil {
			f.Species = species
		}
	}
	for i := 1; i < len(f.IDs); i++ {
		if f.IDs[i] == f.IDs[i-1] {
			return nil, fmt.Errorf("particle %d comes twice in %s; keep it once", f.IDs[i], s.Head().named(f))
		}
	}
	return f, nil
}

// arrange puts ids in their order, with their places.
func (s *sorted) arrange(ids []int64) {
	s.order = s.order[:0]
	low, high := slices.Min(ids), slices.Max(ids)
	if wide := uint64(high - low); wide < 4*uint64(len(ids)) { // nearly all numbers are there: count, which is faster
		s.count = slices.Grow(s.count[:0], int(wide)+2)[:wide+2]
		clear(s.count)
		for _, id := range ids {
			s.count[id-low+1]++
		}
		for k := range wide {
			s.count[k+1] += s.count[k]
		}
		s.order = slices.Grow(s.order, len(ids))[:len(ids)]
		for i, id := range ids {
			k := &s.count[id-low]
			s.order[*k] = numbered{id, i}
			*k++
		}
		return
	}
	for i, id := range ids {
		s.order = append(s.order, numbered{id, i})
	}
	slices.SortFunc(s.order, func(a, b numbered) int { return cmp.Compare(a.id, b.id) })
}

// slots gives the particles of a run their places in its frames. All frames must have the particles of the first,
// unless ragged is set. Then a particle keeps its place while it is there, and its place is NaN in a frame without it.
// A particle of the same species can take a place that was empty in the frame before, so that no particle seems to
// move to another. Particles without ids are told apart by their order within their species.
type slots struct {
	ragged bool
	names  []who     // the last particle at each place
	points []float64 // of the current frame (places, D)
	fewest int       // particles of the smallest frame with particles

	frames int
	kinds  bool // whether the file tells species
	at     map[who]int
	last   []int          // the last frame with a particle at each place
	free   map[string]int // of each species, the place from which one is searched for the next newcomer
}

// who names a particle.
type who struct {
	id      int64
	species string
}

// put adds the next frame.
func (p *slots) put(f *Frame, h *Head) error {
	dim := len(h.Axes)
	n := len(f.Points) / dim
	if p.frames == 0 {
		p.kinds, p.at, p.free = f.Species != nil, make(map[who]int), make(map[string]int)
	}
	if n > 0 && (p.fewest == 0 || n < p.fewest) {
		p.fewest = n
	}
	if p.frames++; p.ragged {
		return p.spread(f, n, dim)
	}
	p.points = f.Points
	if p.frames == 1 {
		for i := range n {
			p.names = append(p.names, named(f, i))
		}
	}
	if f.IDs == nil && n != len(p.names) {
		return fmt.Errorf("%s has %d particles and the first frame has %d; give every frame all particles", h.named(f), n, len(p.names))
	}
	for i := range max(n, len(p.names)) {
		var now who
		if i < n {
			now = named(f, i)
		}
		switch {
		case i >= n || i < len(p.names) && now.id > p.names[i].id:
			return fmt.Errorf("particle %d of the first frame is missing in %s; give every frame all particles", p.names[i].id, h.named(f))
		case i >= len(p.names) || now.id < p.names[i].id:
			return fmt.Errorf("particle %d of %s was not there in the first frame; give every frame all particles", now.id, h.named(f))
		case now.species != p.names[i].species:
			return fmt.Errorf("particle %d becomes %s in %s after %s; keep the types", now.id, now.species, h.named(f), p.names[i].species)
		}
	}
	return nil
}

// named names particle i of a frame: by its place, if the file tells no ids.
func named(f *Frame, i int) (w who) {
	if w.id = int64(i); f.IDs != nil {
		w.id = f.IDs[i]
	}
	if f.Species != nil {
		w.species = f.Species[i]
	}
	return w
}

// spread puts the particles of a frame to their places.
func (p *slots) spread(f *Frame, n, dim int) error {
	for i := range p.points {
		p.points[i] = math.NaN()
	}
	clear(p.free)
	count := make(map[string]int) // of particles without ids
	for i := range n {
		w := named(f, i)
		if f.IDs == nil {
			w.id = int64(count[w.species])
			count[w.species]++
		}
		at := i // as in most frames
		if i >= len(p.names) || p.names[i] != w {
			var has bool
			if at, has = p.at[w]; !has {
				at = p.find(w)
			}
		}
		for len(p.points) < len(p.names)*dim {
			p.points = append(p.points, math.NaN())
		}
		p.last[at] = p.frames
		copy(p.points[at*dim:], f.Points[i*dim:(i+1)*dim])
	}
	if p.frames*len(p.points) > maxValues {
		return tooManyCoordinates()
	}
	if len(p.names) > MaxParticles {
		return fmt.Errorf("over %d particles need a place; keep fewer", MaxParticles)
	}
	return nil
}

// find gives a newcomer an empty place, or a new one.
func (p *slots) find(w who) int {
	at := p.free[w.species]
	for at < len(p.names) && (p.names[at].species != w.species || p.last[at] >= p.frames-1) {
		at++
	}
	if p.free[w.species] = at + 1; at == len(p.names) {
		p.names, p.last = append(p.names, w), append(p.last, 0)
	} else {
		delete(p.at, p.names[at])
		p.names[at] = w
	}
	p.at[w] = at
	return at
}

// species returns the species at each place; nil: the file tells none.
func (p *slots) species() (all []string) {
	if p.kinds {
		for _, w := range p.names {
			all = append(all, w.species)
		}
	}
	return all
}
