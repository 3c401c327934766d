package own

import (
	"fmt"
	"slices"
	"strconv"

	"macroscope/model/file/data"
	"macroscope/model/system"
)

// Find returns what a NumPy archive says of its system, and the lines in its array system, which are not
// applied. Every array (E, T) or (E, T, M) beside the trajectories is an observable, or M of them. Noise is not
// set.
func Find(f system.File) (s Spec, lines []Line, err error) {
	text, err := f.Text()
	if err != nil {
		return s, nil, err
	}
	names, err := data.Names(f.Bytes, f.Size)
	if err != nil && !text {
		return s, nil, err
	}
	if text || names == nil {
		return s, nil, fmt.Errorf("a system of your own needs a NumPy archive, with the array %s and an array (runs, frames) for each observable; save one with numpy.savez, or name one of the systems with -experiment", system.TrajectoriesArray)
	}
	shape, err := system.ReadShape(f)
	if err != nil {
		return s, nil, err
	}
	s.runs, s.Frames, s.Species, s.Axes = shape.Trajectories, shape.Frames, one(), axes(shape.Dim)
	sides, err := system.ReadBox(f, names, shape.Dim)
	if err != nil {
		return s, nil, err
	}
	for i, side := range sides {
		s.Axes[i].Period = side
	}
	for _, name := range names {
		if lines, err = s.take(f, name, lines); err != nil {
			return s, nil, err
		}
	}
	return s, lines, nil
}

// take finds out what an array of the archive is. It adds the lines in the array system to lines.
func (s *Spec) take(f system.File, name string, lines []Line) ([]Line, error) {
	is, err := data.ShapeOf(f.Bytes, f.Size, name)
	if err != nil {
		return nil, err
	}
	each := len(is) > 1 && slices.Equal(is[:2], []int{s.runs, s.Frames}) // whether there is something for each frame
	switch {
	case name == system.TypesArray:
		s.Species, err = species(f)
	case name == system.LinesArray:
		text, flat, err := data.ReadText(f.Bytes, f.Size, system.LinesArray, mostLines)
		if !flat {
			err = fmt.Errorf("the array %s has the shape %v; it must be the bytes of at most %d letters", system.LinesArray, is, mostLines)
		}
		if err != nil {
			return nil, err
		}
		more, err := ParseLines(text, "the array "+system.LinesArray)
		return append(lines, more...), err
	case system.Reserved(name) && name != system.MacroArray:
	case each && len(is) == 3 && is[2] > 1:
		for k := range is[2] {
			s.Observables = append(s.Observables, Observable{Name: fmt.Sprintf("%s %d", name, k+1)})
		}
	case each && (len(is) == 2 || len(is) == 3):
		s.Observables = append(s.Observables, Observable{Name: name})
	default:
		s.others = append(s.others, fmt.Sprintf("%s %v", name, is))
	}
	return lines, err
}

// mostLines bounds the letters of a description.
const mostLines = 1 << 16

// species names the species of the particles in a file by their numbers.
func species(f system.File) (all []Species, err error) {
	types, err := data.ReadArray(f.Bytes, f.Size, system.TypesArray, func([]int) error { return nil })
	if err != nil {
		return nil, err
	}
	numbers := slices.Compact(slices.Sorted(slices.Values(types.Float64s())))
	if len(numbers) > mostSpecies {
		return nil, fmt.Errorf("the array %s has %d different numbers; use %d species at most", system.TypesArray, len(numbers), mostSpecies)
	}
	for _, v := range numbers {
		number := strconv.FormatFloat(v, 'f', -1, 64)
		all = append(all, Species{number, number})
	}
	return all, nil
}
