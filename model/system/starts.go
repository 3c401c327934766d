package system

import (
	"fmt"
	"io"
	"slices"

	"macroscope/model/file/data"
	"macroscope/model/work"
)

// Starts is a Source with only the parts of trajectories that are needed to measure a model. It has
// the macroscopic variables of all frames. Points (begin+1, N, Dim) contains the frames up to the
// frame `begin`, at which predictions begin. This is usually frame 0. The result of Shape has the
// number of all frames. Several models are measured on the same Starts, because simulating takes
// far longer than predicting.
type Starts struct {
	memory
	begin int
}

// CollectStarts reads the first `count` trajectories of a source, for predictions that begin at
// frame `begin`.
func CollectStarts(pause work.Pause, src Source, begin, count, workers int) (*Starts, error) {
	s := &Starts{memory: memory{shape: src.Shape()}, begin: begin}
	if begin < 0 || begin >= s.shape.Frames {
		return nil, fmt.Errorf("predictions of %d frames cannot begin at frame %d", s.shape.Frames, begin)
	}
	s.shape.Trajectories = min(count, s.shape.Trajectories)
	s.of = make([]Trajectory, s.shape.Trajectories)
	err := Each(pause, src, s.shape.Trajectories, workers, func(i int, t *Trajectory) error {
		first := *t
		first.Points = t.Points[:(begin+1)*len(t.Points)/s.shape.Frames]
		s.of[i] = *first.Clone()
		return nil
	})
	return s, err
}

// With returns the same starts with other macroscopic variables, (T, M) for each trajectory.
func (s *Starts) With(macro [][]float64) *Starts {
	other := &Starts{memory{shape: s.shape, of: slices.Clone(s.of)}, s.begin}
	for i := range other.of {
		other.of[i].Macro = macro[i]
	}
	return other
}

// startsArray is the name of the array of points in a file of starts: frame 0 (E, N, Dim), or
// the frames up to the beginning of predictions (E, K, N, Dim). Species, if there are any, are
// in TypesArray, and macroscopic variables in MacroArray.
const startsArray = "starts"

// Write writes the starts as a NumPy archive, which ReadStarts reads.
func (s *Starts) Write(w io.Writer) error {
	var points []float32
	var species []int64
	var macro []float64
	for i := range s.of {
		t := &s.of[i]
		points, macro = append(points, t.Points...), append(macro, t.Macro...)
		for _, v := range t.Species {
			species = append(species, int64(v))
		}
	}
	c := s.shape
	shape := []int{c.Trajectories, s.begin + 1, c.Particles, c.Dim}
	if s.begin == 0 {
		shape = slices.Delete(shape, 1, 2)
	}
	arrays := map[string]*data.Array{
		startsArray: data.NewArray(shape, points),
		MacroArray:  data.NewArray([]int{c.Trajectories, c.Frames, len(macro) / (c.Trajectories * c.Frames)}, macro),
	}
	if len(species) > 0 {
		arrays[TypesArray] = data.NewArray([]int{c.Trajectories, c.Particles}, species)
	}
	return data.WriteNPZ(w, arrays)
}

// ReadStarts reads an archive that Write wrote. `size` is the size of the file in bytes.
func ReadStarts(r io.ReaderAt, size int64) (*Starts, error) {
	arrays, err := data.ReadNPZ(r, size)
	if err != nil {
		return nil, err
	}
	points, macro, species := arrays[startsArray], arrays[MacroArray], arrays[TypesArray]
	switch {
	case points == nil || macro == nil || len(points.Shape) != 3 && len(points.Shape) != 4 || len(macro.Shape) != 3:
		return nil, fmt.Errorf("the file holds no first frames starts (E, N, D) with variables macro (E, T, M); write it with simulate -test")
	case points.Len() == 0 || macro.Len() == 0 || points.Shape[0] != macro.Shape[0]:
		return nil, fmt.Errorf("the file holds %d first frames and variables of %d trajectories; write it again with simulate -test", points.Shape[0], macro.Shape[0])
	}
	begin, of := 0, points.Shape[len(points.Shape)-2:]
	if len(points.Shape) == 4 {
		begin = points.Shape[1] - 1
	}
	c := Shape{Trajectories: points.Shape[0], Frames: macro.Shape[1], Particles: of[0], Dim: of[1]}
	switch {
	case begin >= c.Frames:
		return nil, fmt.Errorf("the file holds %d first frames and variables of %d; write it again with simulate -test", begin+1, c.Frames)
	case species != nil && !slices.Equal(species.Shape, []int{c.Trajectories, c.Particles}):
		return nil, fmt.Errorf("the file holds types of shape %v for particles of shape %v; write it again with simulate -test", species.Shape, points.Shape)
	}
	s := &Starts{memory{shape: c, of: make([]Trajectory, c.Trajectories)}, begin}
	x, m := points.Float32s(), macro.Float64s()
	var kinds []int64
	if species != nil {
		if kinds, err = species.Int64s(); err != nil {
			return nil, err
		}
	}
	for i := range s.of {
		t := &s.of[i]
		n, row := (begin+1)*c.Particles*c.Dim, c.Frames*macro.Shape[2]
		t.Points, t.Macro = x[i*n:(i+1)*n:(i+1)*n], m[i*row:(i+1)*row:(i+1)*row]
		if kinds == nil {
			t.Species = Alike(c.Particles)
			continue
		}
		for _, k := range kinds[i*c.Particles : (i+1)*c.Particles] {
			if k < 1 || k > 2 {
				return nil, fmt.Errorf("the file holds a particle of the type %d; write it again with simulate -test", k)
			}
			t.Species = append(t.Species, uint8(k))
		}
	}
	return s, nil
}

// Begin returns the index of the last frame with points.
func (s *Starts) Begin() int { return s.begin }
