package session

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"macroscope/model/ckpt"
	"macroscope/model/data"
	"macroscope/model/experiment"
	"macroscope/model/fit"
	"macroscope/model/lab"
	"macroscope/model/runs"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/view"
	"macroscope/model/wire"
)

// files takes files and makes them.
type files struct{ *Session }

// file takes a dropped file: a checkpoint, or trajectories.
func (s files) file(name string, b []byte) *wire.Notice {
	if isSafetensors(name, b) {
		return s.openCheckpoint(name, b)
	}
	return s.own.file(name, b)
}

func isSafetensors(name string, b []byte) bool {
	const ending = ".safetensors"
	return len(name) >= len(ending) && name[len(name)-len(ending):] == ending || len(b) > 8 && b[8] == '{'
}

// withoutEnding is a file's name less its ending.
func withoutEnding(name string) string {
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}

// elsewhere offers to open a checkpoint in the lab that it is of, and says whether
// that is another one.
func (s files) elsewhere(name string, f *ckpt.File) bool {
	spec, err := experiment.SpecOf(f)
	if err != nil || spec.System == s.traits.Name || len(experiment.MethodsFor(spec.System)) == 0 {
		return false
	}
	of := s.others.of(spec.System)
	s.asked.put(asked{Ask: wire.Ask{
		Title: "This is a model of another lab", Text: fmt.Sprintf("%s holds a model of the lab **%s**. Nothing that is here is lost: the model opens there, as one of the runs, and this lab stays as it is.", setting.Quote(name), of),
		Accept: "Open it there", Lab: of,
	}})
	return true
}

// openCheckpoint takes a dropped model, and the training that it may hold.
func (s files) openCheckpoint(name string, b []byte) *wire.Notice {
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err == nil && s.elsewhere(name, f) {
		return nil
	}
	var opened runs.Run
	if err == nil {
		opened.Model, err = s.library.open(f)
	}
	if err == nil {
		opened.Name, opened.Origin = s.library.kept.Free(withoutEnding(name)), "opened from "+setting.Quote(name)
		err = s.library.kept.Keep(opened)
	}
	if err != nil {
		return failure(fmt.Errorf("%s was not opened: %w", setting.Quote(name), err))
	}
	c := &opened.Model.Config
	s.settings.ZDim, s.settings.Method, s.settings.Model = c.ZDim(), c.Spec.Method, lab.Shipped
	if c.Decoder.Density() {
		s.settings.Eps = c.Eps()
	}
	s.wantsShipped = s.wantsShipped && !s.lab.IsSampler()
	s.trainer.fitEps = s.settings.Eps
	if s.lab.IsSampler() {
		s.trainer.end()
	}
	if err := s.display.choose(opened.Name, false); err != nil {
		return failure(err)
	}
	text := fmt.Sprintf("Opened the model %s: %s.", setting.Quote(name), opened.Model.Detail())
	if fit.Holds(f) && !s.lab.IsSampler() {
		s.trainer.paused, s.trainer.pausedBy = f, visit{}
		text += " It holds a training, with which Train goes on."
	}
	return &wire.Notice{Text: text}
}

// Save implements wire.Session: the model on show with the training that it is
// in, the curves of the run, or the run itself.
func (s *Session) Save(what string) (name string, b []byte, err error) {
	var out bytes.Buffer
	base := "macroscope-" + s.lab.Link()
	switch {
	case what == wire.Model && s.display.a == nil:
		return "", nil, s.display.missing()
	case what == wire.Model:
		a := s.display.a
		f := a.Model.Checkpoint()
		if a.Training {
			f = s.trainer.live.Checkpoint()
		}
		name = fmt.Sprintf("%s-eps%g-z%d.safetensors", base, a.Model.Config.Eps(), a.Model.Config.ZDim())
		if !a.Model.Config.Decoder.Density() {
			name = fmt.Sprintf("%s-%s-z%d.safetensors", base, a.Model.Config.Spec.Method, a.Model.Config.ZDim())
		}
		err = ckpt.Encode(&out, f)
	case (what != lab.CurvesFile && what != lab.RunFile) || s.lab.IsSampler():
		return "", nil, fmt.Errorf("the lab makes no file called %s", setting.Quote(what))
	case !s.run.playable():
		return "", nil, s.run.notPlayable()
	case what == lab.CurvesFile:
		name = base + "-curves.csv"
		files{s}.writeCSV(&out)
	default:
		name = base + "-run.npz"
		err = files{s}.writeRun(&out)
	}
	return name, out.Bytes(), err
}

// column makes a name fit for a table's head.
func column(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c == ' ' || c == ',' || c == '"' || c < 32 {
			b[i] = '_'
		}
	}
	return string(b)
}

// measurer is a system that knows more of a frame than its macroscopic variables.
type measurer interface {
	Measures() []string      // names, for a table's head; there may be none now
	Measure(k int) []float64 // of frame k, which must be known
}

// writeCSV writes what there is of every frame so far, a row each.
func (s files) writeCSV(out *bytes.Buffer) {
	r := s.live.Run()
	out.WriteString("frame,time")
	for _, v := range r.Variables {
		out.WriteString("," + column(v))
	}
	suffix := [...]string{"", "_b"}
	var columns []func(f int) float64
	add := func(name string, of func(f int) float64) {
		out.WriteString("," + name)
		columns = append(columns, of)
	}
	more, measures := s.live.(measurer)
	if measures {
		for _, name := range more.Measures() {
			out.WriteString("," + name)
		}
		measures = len(more.Measures()) > 0
	}
	for i, m := range s.display.models() {
		s.csvOf(m, suffix[i], r.Variables, r.Known, add)
	}
	out.WriteByte('\n')
	number := func(v float64, bits int) {
		out.WriteByte(',')
		if !math.IsNaN(v) {
			out.WriteString(strconv.FormatFloat(v, 'g', -1, bits))
		}
	}
	for f := range r.Known + 1 {
		out.WriteString(strconv.Itoa(f))
		number(float64(f)*r.Dt, 32)
		for _, v := range s.live.Macro(f) {
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

// closureColumn names closure k of all sets: its set, if there are several, and
// its place among that set's from 1.
func closureColumn(m *experiment.Model, k int) string {
	if c := &m.Config; c.Sets() > 1 {
		return "_" + c.Traits.Sets[k/c.ZDim()] + strconv.Itoa(k%c.ZDim()+1)
	}
	return strconv.Itoa(k + 1)
}

// csvOf adds a model's columns: what it predicts, its error, and ẑ.
func (s files) csvOf(m *view.Shown, suffix string, variables []string, known int, add func(string, func(int) float64)) {
	p := m.Predicting()
	at := func(row []float32, i int) float64 {
		if i < len(row) {
			return float64(row[i])
		}
		return math.NaN()
	}
	n := len(variables)
	if p != nil && s.own.speaks(m.Model) {
		rows := []struct {
			name string
			of   []float32
		}{{"predicted", p.Mean}}
		if m.Model.Config.Traits.Stochastic {
			rows = append(rows, struct {
				name string
				of   []float32
			}{"low", p.Low}, struct {
				name string
				of   []float32
			}{"high", p.High})
		}
		for _, row := range rows {
			for k, v := range variables {
				add(row.name+"_"+column(v)+suffix, func(f int) float64 { return at(row.of, n*f+k) })
			}
		}
		if !m.Model.Config.Traits.Stochastic {
			errs := make([]float32, known+1)
			p.Errors(errs, func(k int) float64 { return s.live.Macro(k)[0] })
			add("error"+suffix, func(f int) float64 { return at(errs, f) })
		}
	}
	for k := range m.Z {
		add("z"+closureColumn(m.Model, k)+suffix, func(f int) float64 { // not every frame of a large set is encoded
			if f%m.Stride != 0 {
				return math.NaN()
			}
			return at(m.Past, f/m.Stride*len(m.Z)+k)
		})
	}
	if p != nil && !m.Model.Config.Traits.Stochastic {
		for k := range m.Z {
			add("predicted_z"+closureColumn(m.Model, k)+suffix, func(f int) float64 { return float64(p.Closures(f)[k]) })
		}
	}
}

// writeRun writes the frames so far as the command line reads trajectories.
func (s files) writeRun(out *bytes.Buffer) error {
	r := s.live.Run()
	frames, n, d := r.Known+1, r.Particles, s.traits.Dim
	var f system.Frame
	places := append([]int(nil), s.live.Shown(&f)...)
	x, types, macro := make([]float32, 0, frames*n*d), make([]int64, n), []float64(nil)
	for k := range frames {
		s.live.Frame(&f, k)
		at := len(x)
		x = x[:at+n*d]
		for i, place := range places {
			copy(x[at+place*d:at+(place+1)*d], f.Points[i*d:(i+1)*d])
		}
		macro = append(macro, s.live.Macro(k)...)
	}
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
	for _, a := range []struct {
		name  string
		array *data.Array
	}{
		{"trajectories", data.NewArray([]int{1, frames, n, d}, x)},
		{"types", data.NewArray([]int{1, n}, types)},
		{"macro", data.NewArray([]int{1, frames, len(macro) / frames}, macro)},
	} {
		if err := archive.Array(a.name, a.array); err != nil {
			return err
		}
	}
	return archive.Close()
}
