package own

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/system"
)

// Find returns what a NumPy archive says of its system. Every array (E, T) or (E, T, M) beside the trajectories
// is an observable, or M of them. Noise is not set.
func Find(f system.File) (s Spec, err error) {
	text, err := f.Text()
	if err != nil {
		return s, err
	}
	names, err := data.Names(f.Bytes, f.Size)
	if err != nil && !text {
		return s, err
	}
	if text || names == nil {
		return s, fmt.Errorf("a system of your own needs a NumPy archive, with the array %s and an array (runs, frames) for each observable; save one with numpy.savez, or name one of the systems with -experiment", system.TrajectoriesArray)
	}
	shape, err := system.ReadShape(f)
	if err != nil {
		return s, err
	}
	s.Frames, s.Species, s.Axes = shape.Frames, []string{"1"}, axes(shape.Dim)
	sides, err := system.ReadBox(f, names, shape.Dim)
	if err != nil {
		return s, err
	}
	for i, side := range sides {
		s.Axes[i].Period = side
	}
	var others []string
	for _, name := range names {
		switch is, err := data.ShapeOf(f.Bytes, f.Size, name); {
		case err != nil:
			return s, err
		case name == system.TypesArray:
			if s.Species, err = species(f); err != nil {
				return s, err
			}
		case system.Reserved(name) && name != system.MacroArray:
		case len(is) == 3 && is[2] > 1 && slices.Equal(is[:2], []int{shape.Trajectories, shape.Frames}):
			for k := range is[2] {
				s.Observables = append(s.Observables, Observable{Name: fmt.Sprintf("%s %d", name, k+1)})
			}
		case len(is) == 3 && is[2] == 1 && slices.Equal(is[:2], []int{shape.Trajectories, shape.Frames}), slices.Equal(is, []int{shape.Trajectories, shape.Frames}):
			s.Observables = append(s.Observables, Observable{Name: name})
		default:
			others = append(others, fmt.Sprintf("%s %v", name, is))
		}
	}
	if s.Observables == nil {
		also := ""
		if others != nil {
			also = "; it has " + strings.Join(others, separator)
		}
		return s, fmt.Errorf("the file has no observable to predict: an array of the shape [%d %d], a number for each frame of each run%s", shape.Trajectories, shape.Frames, also)
	}
	return s, s.check()
}

// species names the species of the particles in a file by their numbers.
func species(f system.File) (names []string, err error) {
	types, err := data.ReadArray(f.Bytes, f.Size, system.TypesArray, func([]int) error { return nil })
	if err != nil {
		return nil, err
	}
	numbers := slices.Compact(slices.Sorted(slices.Values(types.Float64s())))
	if len(numbers) > mostSpecies {
		return nil, fmt.Errorf("the array %s has %d different numbers; use %d species at most", system.TypesArray, len(numbers), mostSpecies)
	}
	for _, v := range numbers {
		names = append(names, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return names, nil
}
