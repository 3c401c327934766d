package own

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/file/frames"
	"macroscope/model/system"
)

// Find returns what files say of their system, and the lines in the array system of a NumPy archive or with the files, which are not
// applied, as others are not; but the axes in other lines can name columns of text files. Noise is not set. In a NumPy
// archive, every array (E, T) or (E, T, M) beside the trajectories is an observable, or M of them, and every array (E) a
// parameter. Beside text files, a table has the observables.
func Find(f system.File, more []Line) (s Spec, lines []Line, err error) {
	beside, err := linesOf(f)
	if err != nil {
		return s, nil, err
	}
	text, err := f.Text()
	switch {
	case err != nil:
		return s, nil, err
	case text:
		return s, beside, s.findTexts(f, axesIn(slices.Concat(beside, more)))
	}
	in := &archive{Spec: &s, values: make(map[string][]float64)}
	if err = in.find(f); err != nil {
		return s, nil, err
	}
	lines = append(in.lines, beside...)
	for _, name := range f.More {
		if err := in.more(f, name); err != nil {
			return s, nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return s, lines, in.parameters()
}

// archive is what NumPy archives say of a system so far.
type archive struct {
	*Spec
	lines  []Line               // the lines in the array system of the first archive
	values map[string][]float64 // values of the parameters, by array; one for each run
}

// linesOf reads the lines that come with files.
func linesOf(f system.File) ([]Line, error) {
	if f.Lines == nil {
		return nil, nil
	}
	in, err := f.Lines()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return ReadLines(in, f.LinesName)
}

// find finds out what the first archive holds.
func (s *archive) find(f system.File) error {
	f.More = nil
	names, err := data.Names(f.Bytes, f.Size)
	if err != nil {
		return err
	}
	if names == nil {
		s.others = []string{"one array, as every .npy has, and an .npz has several"}
	}
	shape, err := system.ReadShape(f)
	if err != nil {
		return err
	}
	s.runs, s.Frames, s.Species, s.Axes = shape.Trajectories, shape.Frames, one(), axes(shape.Dim)
	sides, err := system.ReadBox(f, names, shape.Dim)
	if err != nil {
		return err
	}
	for i, side := range sides {
		s.Axes[i].Period = side
	}
	for _, name := range names {
		if err := s.take(f, name, shape); err != nil {
			return err
		}
	}
	return nil
}

// The method more adds what another archive holds: its runs, its species and the values of its parameters. It must have
// the same observables; the lines in it do not count.
func (s *archive) more(f system.File, name string) error {
	file, in, err := f.OpenNumPy(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if text, err := file.Text(); err != nil || text {
		return cmp.Or(err, errors.New("it is text among NumPy files; give a folder with files of one kind"))
	}
	of := archive{Spec: new(Spec), values: s.values}
	if err := of.find(file); err != nil {
		return err
	}
	for _, kind := range of.Species {
		if !slices.Contains(s.speciesNames(), kind.Name) {
			s.Species = append(s.Species, kind)
		}
	}
	if len(s.Species) > mostSpecies {
		return tooManySpecies(len(s.Species))
	}
	if !slices.Equal(of.variables(), s.variables()) {
		return fmt.Errorf("its observables are %s, and those of the first file %s; give files of one kind", listed(of.variables()), listed(s.variables()))
	}
	s.runs += of.runs
	return nil
}

// findTexts finds out what text files and the table beside them hold.
func (s *Spec) findTexts(f system.File, named []string) error {
	survey, err := f.Survey(frames.Wanted{Ragged: true}, named)
	if err != nil {
		return err
	}
	s.text, s.runs, s.Frames, s.Species = true, len(survey.Runs), survey.Frames, one()
	for i, name := range survey.Axes {
		a := Axis{Period: survey.Sides[i]}
		a.Name, a.Unit = frames.Divide(strings.NewReplacer("(", "[", ")", "]").Replace(name))
		switch {
		case slices.Contains([]string{"vx", "vy", "vz"}, strings.ToLower(a.Name)):
			a.Kind = Velocity
		case slices.ContainsFunc(survey.Axes, frames.Place) && !frames.Place(name):
			a.Kind = Mark
		}
		if s.Axes = append(s.Axes, a); a.Period == 0 && slices.Contains(survey.Repeats, name) {
			s.remark("the box repeats in %s, and its side changes, so %s does not count as periodic", name, name)
		}
	}
	if names := survey.Species; names != nil {
		if !survey.Named() {
			for i, name := range names {
				v, _ := strconv.ParseInt(name, 10, 64) // Named has parsed it
				names[i] = strconv.FormatInt(v, 10)
			}
		}
		if s.Species, err = speciesOf(names); err != nil {
			return err
		}
	}
	for _, name := range survey.Unused {
		s.others = append(s.others, "a column "+name)
	}
	table, err := f.Observed()
	if err != nil || table == nil {
		return err
	}
	for i, name := range table.Names {
		s.Observables = append(s.Observables, Observable{Name: name, Unit: table.Units[i]})
	}
	return nil
}

// axesIn returns the names of the axes that lines give, or nil.
func axesIn(lines []Line) (names []string) {
	for _, l := range lines {
		if l.Name != "axes" {
			continue
		}
		names = nil
		for part := range strings.SplitSeq(l.Value, ",") {
			if a, err := parseAxis(strings.TrimSpace(part)); err == nil { // Apply returns the error
				names = append(names, a.Name)
			}
		}
	}
	return names
}

// take finds out what an array of an archive is.
func (s *archive) take(f system.File, name string, shape system.Shape) error {
	is, err := data.ShapeOf(f.Bytes, f.Size, name)
	if err != nil {
		return err
	}
	texts, err := data.HasTexts(f.Bytes, f.Size, name)
	if err != nil {
		return err
	}
	of := shape.PerRun(is)
	each := len(of) > 1 && slices.Equal(of[:2], []int{s.runs, s.Frames}) // whether there is something for each frame
	switch {
	case name == system.TypesArray:
		s.Species, err = species(f)
	case name == system.LinesArray:
		if texts {
			all, err := data.ReadNames(f.Bytes, f.Size, system.LinesArray, func([]int) error { return nil })
			if err != nil {
				return err
			}
			s.lines, err = ParseLines(strings.Join(all, "\n"), "the array "+system.LinesArray)
			return err
		}
		text, flat, err := data.ReadText(f.Bytes, f.Size, system.LinesArray, mostLines)
		if !flat {
			err = fmt.Errorf("the array %s has the shape %v; it must be the bytes of at most %d letters", system.LinesArray, is, mostLines)
		}
		if err != nil {
			return err
		}
		s.lines, err = ParseLines(text, "the array "+system.LinesArray)
		return err
	case system.Reserved(name) && name != system.MacroArray:
	case texts:
		s.others = append(s.others, fmt.Sprintf("%s %v of texts", name, is))
	case each && len(of) == 3 && of[2] > 1:
		for k := range of[2] {
			s.Observables = append(s.Observables, Observable{Name: fmt.Sprintf("%s %d", name, k+1)})
		}
	case each && (len(of) == 2 || len(of) == 3):
		s.Observables = append(s.Observables, Observable{Name: name})
	default:
		s.others = append(s.others, fmt.Sprintf("%s %v", name, is))
		if slices.Equal(is, []int{s.runs}) || len(is) == 0 && s.runs == 1 {
			s.values[name], err = appendNumbers(s.values[name], f, name)
		}
	}
	return err
}

func (s *Spec) remark(format string, args ...any) {
	s.remarks = append(s.remarks, fmt.Sprintf(format, args...))
}

// Named reports whether the files name the coordinates.
func (s *Spec) Named() bool { return s.text }

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
		names = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(names))), func(name string) bool { return name == "" })
		return speciesOf(names)
	}
	types, err := data.ReadArray(f.Bytes, f.Size, system.TypesArray, func([]int) error { return nil })
	if err != nil {
		return nil, err
	}
	for _, v := range slices.Compact(slices.Sorted(slices.Values(types.Float64s()))) {
		if v != v { // of a particle that is not there
			continue
		}
		names = append(names, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return speciesOf(names)
}

// speciesOf names species as the file does.
func speciesOf(names []string) (all []Species, err error) {
	switch {
	case len(names) == 0:
		return one(), nil
	case len(names) > mostSpecies:
		return nil, tooManySpecies(len(names))
	}
	for _, name := range names {
		all = append(all, Species{name, name})
	}
	return all, nil
}

func tooManySpecies(n int) error {
	return fmt.Errorf("there are %d different species; use %d species at most", n, mostSpecies)
}
