package excerpt

import (
	"fmt"
	"io"
	"slices"

	"macroscope/model/file/data"
	"macroscope/model/system"
	"macroscope/model/work"
)

// Starts is a Source with only the parts of trajectories that are needed to measure a model. It has
// the macroscopic variables of all frames. Points (begin+1, N, Dim) contains the frames up to the
// frame `begin`, at which predictions begin. This is usually frame 0. The result of Shape has the
// number of all frames. Several models are measured on the same Starts, because simulating takes
// far longer than predicting.
type Starts struct {
	system.Recorded // the trajectories in memory
	of              []system.Trajectory
	begin           int
}

// newStarts returns the starts of these trajectories, of which all have the shape s.
func newStarts(s system.Shape, of []system.Trajectory, begin int) *Starts {
	return &Starts{system.NewMemory(s, of, system.Facts{}), of, begin}
}

// Collect reads the first `count` trajectories of a source, for predictions that begin at frame `begin`.
func Collect(pause work.Pause, src system.Source, begin, count, workers int) (*Starts, error) {
	s := src.Shape()
	if begin < 0 || begin >= s.Frames {
		return nil, fmt.Errorf("predictions of %d frames cannot begin at frame %d", s.Frames, begin)
	}
	s.Trajectories = min(count, s.Trajectories)
	of := make([]system.Trajectory, s.Trajectories)
	err := system.Each(pause, src, s.Trajectories, workers, func(i int, t *system.Trajectory) error {
		first := *t
		first.Points = t.Points[:(begin+1)*len(t.Points)/s.Frames]
		of[i] = *first.Clone()
		return nil
	})
	return newStarts(s, of, begin), err
}

// With returns the same starts with other macroscopic variables, (T, M) for each trajectory.
func (s *Starts) With(macro [][]float64) *Starts {
	of := slices.Clone(s.of)
	for i := range of {
		of[i].Macro = macro[i]
	}
	return newStarts(s.Shape(), of, s.begin)
}

// startsArray is the name of the array of points in a file of starts: frame 0 (E, N, Dim), or
// the frames up to the beginning of predictions (E, K, N, Dim). Species, if there are any, are
// in system.TypesArray, and macroscopic variables in system.MacroArray.
const startsArray = "starts"

// Write writes the starts as a NumPy archive, which Read reads.
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
	c := s.Shape()
	shape := []int{c.Trajectories, s.begin + 1, c.Particles, c.Dim}
	if s.begin == 0 {
		shape = slices.Delete(shape, 1, 2)
	}
	arrays := map[string]*data.Array{
		startsArray:       data.NewArray(shape, points),
		system.MacroArray: data.NewArray([]int{c.Trajectories, c.Frames, len(macro) / (c.Trajectories * c.Frames)}, macro),
	}
	if len(species) > 0 {
		arrays[system.TypesArray] = data.NewArray([]int{c.Trajectories, c.Particles}, species)
	}
	return data.WriteNPZ(w, arrays)
}

// Read reads an archive that Write wrote. `size` is the size of the file in bytes.
func Read(r io.ReaderAt, size int64) (*Starts, error) {
	arrays, err := data.ReadNPZ(r, size)
	if err != nil {
		return nil, err
	}
	points, macro, species := arrays[startsArray], arrays[system.MacroArray], arrays[system.TypesArray]
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
	c := system.Shape{Trajectories: points.Shape[0], Frames: macro.Shape[1], Particles: of[0], Dim: of[1]}
	switch {
	case begin >= c.Frames:
		return nil, fmt.Errorf("the file holds %d first frames and variables of %d; write it again with simulate -test", begin+1, c.Frames)
	case species != nil && !slices.Equal(species.Shape, []int{c.Trajectories, c.Particles}):
		return nil, fmt.Errorf("the file holds types of shape %v for particles of shape %v; write it again with simulate -test", species.Shape, points.Shape)
	}
	all := make([]system.Trajectory, c.Trajectories)
	x, m := points.Float32s(), macro.Float64s()
	var kinds []int64
	if species != nil {
		if kinds, err = species.Int64s(); err != nil {
			return nil, err
		}
	}
	for i := range all {
		t := &all[i]
		n, row := (begin+1)*c.Particles*c.Dim, c.Frames*macro.Shape[2]
		t.Points, t.Macro = x[i*n:(i+1)*n:(i+1)*n], m[i*row:(i+1)*row:(i+1)*row]
		if kinds == nil {
			t.Species = slices.Repeat([]uint8{1}, c.Particles)
			continue
		}
		for _, k := range kinds[i*c.Particles : (i+1)*c.Particles] {
			if k < 1 || k > 2 {
				return nil, fmt.Errorf("the file holds a particle of the type %d; write it again with simulate -test", k)
			}
			t.Species = append(t.Species, uint8(k))
		}
	}
	return newStarts(c, all, begin), nil
}

// Begin returns the index of the last frame with points.
func (s *Starts) Begin() int { return s.begin }
