package own

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/system"
)

// linesArray is the name of an array of bytes with the lines that describe the system.
const linesArray = "system"

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
	texts, err := data.HasTexts(f.Bytes, f.Size, name)
	if err != nil {
		return nil, err
	}
	each := len(is) > 1 && slices.Equal(is[:2], []int{s.runs, s.Frames}) // whether there is something for each frame
	switch {
	case name == system.TypesArray:
		s.Species, err = species(f)
	case name == linesArray:
		text, flat, err := data.ReadText(f.Bytes, f.Size, linesArray, mostLines)
		if !flat {
			err = fmt.Errorf("the array %s has the shape %v; it must be the bytes of at most %d letters", linesArray, is, mostLines)
		}
		if err != nil {
			return nil, err
		}
		more, err := ParseLines(text, "the array "+linesArray)
		return append(lines, more...), err
	case system.Reserved(name) && name != system.MacroArray:
	case texts:
		s.others = append(s.others, fmt.Sprintf("%s %v of texts", name, is))
	case each && len(is) == 3 && is[2] > 1:
		for k := range is[2] {
			s.Observables = append(s.Observables, Observable{Name: fmt.Sprintf("%s %d", name, k+1)})
		}
	case each && (len(is) == 2 || len(is) == 3):
		s.Observables = append(s.Observables, Observable{Name: name})
	case slices.Equal(is, []int{s.runs}):
		s.others = append(s.others, fmt.Sprintf("%s %v", name, is))
		return lines, s.parameter(f, name)
	default:
		s.others = append(s.others, fmt.Sprintf("%s %v", name, is))
	}
	return lines, err
}

func (s *Spec) remark(format string, args ...any) {
	s.remarks = append(s.remarks, fmt.Sprintf(format, args...))
}

// Remarks returns what else Find has found, in parts of sentences.
func (s *Spec) Remarks() []string {
	all := slices.Clone(s.remarks)
	if s.Parameters != nil {
		var texts []string
		for _, p := range s.Parameters {
			texts = append(texts, p.String())
		}
		all = append(all, "inputs of the dynamics besides: "+strings.Join(texts, separator)+"; -params names fewer, or none")
	}
	return all
}

// mostLines bounds the letters of a description.
const mostLines = 1 << 16

// species names the species of the particles in a file by their numbers.
func species(f system.File) (all []Species, err error) {
	names, err := data.ReadNames(f.Bytes, f.Size, system.TypesArray, func([]int) error { return nil })
	if err != nil {
		return nil, err
	}
	if names != nil {
		return speciesOf(slices.Compact(slices.Sorted(slices.Values(names))))
	}
	types, err := data.ReadArray(f.Bytes, f.Size, system.TypesArray, func([]int) error { return nil })
	if err != nil {
		return nil, err
	}
	for _, v := range slices.Compact(slices.Sorted(slices.Values(types.Float64s()))) {
		names = append(names, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return speciesOf(names)
}

// speciesOf names species as the file does.
func speciesOf(names []string) (all []Species, err error) {
	if len(names) > mostSpecies {
		return nil, fmt.Errorf("there are %d different species; use %d species at most", len(names), mostSpecies)
	}
	for _, name := range names {
		all = append(all, Species{name, name})
	}
	return all, nil
}
