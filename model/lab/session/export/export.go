// Package export writes the displayed run for other programs: a table of values per frame, and
// the trajectory in the command line's format.
package export

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/curves"
	"macroscope/model/file/data"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
	"macroscope/model/system"
)

// Run is a displayed run with its models.
type Run struct {
	Live     system.Live
	Of       *system.Traits
	Models   []*view.Shown           // at most two models. The first is model A
	Predicts func(*model.Model) bool // whether a model predicts the run's macroscopic variables
}

// IsCurves reports whether a file is a table that Run.CSV or Set.CSV has written. Such a table has
// no positions of particles.
func IsCurves(b []byte) bool {
	head, _, _ := bytes.Cut(b[:min(len(b), 1<<12)], []byte{'\n'})
	columns := strings.Split(strings.TrimSuffix(string(head), "\r"), ",")
	if len(columns) < 2 || slices.Contains(columns, "x") {
		return false
	}
	return columns[0] == "frame" && columns[1] == "time" ||
		columns[0] == position && slices.ContainsFunc(densities[:], func(c curve) bool { return c.name == columns[1] })
}

// measurer is a Live that measures further quantities of a frame, in addition to the
// macroscopic variables.
type measurer interface {
	Measures() []string      // names of the quantities; there may be none
	Measure(k int) []float64 // values in frame k, which must be known
}

// CSV writes a row of values for every frame so far.
func (s *Run) CSV(out *bytes.Buffer) {
	r := s.Live.Run()
	out.WriteString("frame,time")
	for _, v := range r.Variables {
		out.WriteString("," + curves.Column(v))
	}
	suffix := [...]string{"", "_b"}
	var columns []func(f int) float64
	add := func(name string, of func(f int) float64) {
		out.WriteString("," + name)
		columns = append(columns, of)
	}
	more, measures := s.Live.(measurer)
	if measures {
		for _, name := range more.Measures() {
			out.WriteString("," + name)
		}
		measures = len(more.Measures()) > 0
	}
	for i, m := range s.Models {
		s.csvOf(m, suffix[i], r.Variables, r.Known, add)
	}
	out.WriteByte('\n')
	number := func(v float64, bits int) { out.Write(curves.Append(out.AvailableBuffer(), v, bits)) }
	for f := range r.Known + 1 {
		out.WriteString(strconv.Itoa(f))
		number(float64(f)*r.Dt, 32)
		for _, v := range s.Live.Macro(f) {
			number(v, 64)
		}
		if measures {
			for _, v := range more.Measure(f) {
				number(v, 64)
			}
		}
		for _, of := range columns {
			number(of(f), 32)
		}
		out.WriteByte('\n')
	}
}

// series is a predicted quantity with the beginning of its name: the variables (M) of every frame (T, M).
type series struct {
	name string
	of   []float32
}

// csvOf adds a model's columns: the prediction, its error, and ẑ.
func (s *Run) csvOf(m *view.Shown, suffix string, variables []string, known int, add func(string, func(int) float64)) {
	p := m.Predicting()
	at := func(row []float32, i int) float64 {
		if i < len(row) {
			return float64(row[i])
		}
		return math.NaN()
	}
	n, band := len(variables), m.Model.Config.Motion().Ensemble
	if p != nil && s.Predicts(m.Model) {
		rows := []series{{curves.Predicted, p.Mean}}
		if band {
			rows = append(rows, series{curves.Low, p.Low}, series{curves.High, p.High})
		}
		for _, row := range rows {
			for k, v := range variables {
				add(row.name+curves.Column(v)+suffix, func(f int) float64 { return at(row.of, n*f+k) })
			}
		}
		if !band {
			errs := make([]float32, known+1)
			p.Errors(errs, func(k int) float64 { return s.Live.Macro(k)[0] })
			add("error"+suffix, func(f int) float64 { return at(errs, f) })
		}
	}
	for k := range m.Z {
		add(curves.Closures+m.Model.Config.ClosureName(k)+suffix, func(f int) float64 { // NaN between frames that are encoded; large sets are not encoded in every frame
			if f%m.Stride != 0 {
				return math.NaN()
			}
			return at(m.Past, f/m.Stride*len(m.Z)+k)
		})
	}
	if p != nil && !band {
		for k := range m.Z {
			add(curves.Predicted+curves.Closures+m.Model.Config.ClosureName(k)+suffix, func(f int) float64 { return float64(p.Closures(f)[k]) })
		}
	}
}

// packed is a Live that records frames in another form than the sets from which models learn
// (see system.System.Unpack).
type packed interface {
	// Packed fills dst with frame k as a single set. Frame k must be known.
	Packed(dst *system.Frame, k int)
}

// describer is a Live of a system that its file describes.
type describer interface {
	// Arrays returns the arrays beside the trajectories, from the species (N), numbered from 1, and the variables (T, M).
	Arrays(types []int64, macro []float64) []system.Array
}

// NPZ writes all known frames to a trajectory file that the command line can read.
func (s *Run) NPZ(out *bytes.Buffer) error {
	r := s.Live.Run()
	frames, n, d := r.Known+1, r.Particles, s.Of.Dim
	var f system.Frame
	frame := s.Live.Frame
	if p, ok := s.Live.(packed); ok {
		frame = p.Packed
	}
	x, types, macro := make([]float32, 0, frames*n*d), make([]int64, n), []float64(nil)
	for k := range frames {
		places := system.Places(s.Live, &f, k)
		frame(&f, k)
		at := len(x)
		x = x[:at+n*d]
		for i := at; len(places) < n && i < len(x); i++ {
			x[i] = float32(math.NaN()) // particles that are not there
		}
		for i, place := range places {
			copy(x[at+place*d:at+(place+1)*d], f.Points[i*d:(i+1)*d])
		}
		macro = append(macro, s.Live.Macro(k)...)
	}
	places := system.Places(s.Live, &f, 0)
	if sets := len(f.Ends); sets > 1 {
		begin := 0
		for set, end := range f.Ends {
			for _, place := range places[begin:end] {
				types[place] = int64(set + 1)
			}
			begin = end
		}
	}
	archive := data.NewArchive(out)
	arrays := []system.Array{
		{Name: system.TrajectoriesArray, Array: data.NewArray([]int{1, frames, n, d}, x)},
		{Name: system.TypesArray, Array: data.NewArray([]int{1, n}, types)},
		{Name: system.MacroArray, Array: data.NewArray([]int{1, frames, len(macro) / frames}, macro)},
	}
	if l, ok := s.Live.(describer); ok {
		arrays = append(arrays[:1], l.Arrays(types, macro)...)
	}
	for _, a := range arrays {
		if err := archive.Array(a.Name, a.Array); err != nil {
			return err
		}
	}
	if err := s.Of.Parameters.Write(archive, [][]float64{f.Params}); err != nil {
		return err
	}
	if err := s.Of.WriteForce(archive, s.Live.Run().Force); err != nil {
		return err
	}
	return archive.Close()
}
