package session

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/file/curves"
	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/export"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// saveBundle makes a bundle of the complete session.
func (s *Session) saveBundle() (name string, b []byte, err error) {
	parts, err := s.files()
	if err != nil {
		return "", nil, err
	}
	all := parts.Bundle()
	if all.Metrics = s.metrics(); parts.Sweep != nil {
		all.Swept = []byte(s.sweeps.File())
	}
	if a := s.models.A(); a != nil && a.Training {
		all.Model = parts.Training
	} else if a != nil {
		if all.Model, err = saved.Encoded(a.Model.Checkpoint()); err != nil {
			return "", nil, err
		}
	}
	if d := s.file.Kept(); d != nil {
		all.DataName = strings.ReplaceAll(path.Base(d.Name), `\`, "_")
	}
	if s.run.Playable() && s.lab.Timed() {
		var table bytes.Buffer
		s.exported().CSV(&table)
		all.Run = table.Bytes()
	}
	var out bytes.Buffer
	err = all.Encode(&out)
	return s.lab.Link() + bundle.Ending, out.Bytes(), err
}

// metrics returns a table of the displayed figures and of the measured results of every run.
func (s *Session) metrics() []byte {
	var b bytes.Buffer
	b.WriteString("run,figure,value\n")
	row := func(cells ...string) { b.WriteString(curves.Row(cells...)) }
	st := s.State()
	on := s.models.A().Called()
	for _, f := range s.Panel().Figures {
		for _, at := range st.Figures {
			if at.ID == f.ID && !at.None {
				row(on, strings.TrimSpace(f.Label+" "+f.Unit), at.Text)
			}
		}
	}
	for _, r := range s.models.Shelf.Kept.All() {
		if r.Reached != "" {
			row(r.Name, "reached", r.Reached)
		}
	}
	return b.Bytes()
}

// Save implements wire.Session. The argument selects the file: the whole session, the results of
// the sweep, the displayed model with its training, the curves of the run, or the run itself.
func (s *Session) Save(what string) (name string, b []byte, err error) {
	var out bytes.Buffer
	base, a := "macroscope-"+s.lab.Link(), s.models.A()
	switch {
	case what == wire.Bundle:
		return s.saveBundle()
	case what == lab.SweepFile && s.sweeps.File() != "":
		return base + "-sweep.json", []byte(s.sweeps.File()), nil
	case what == wire.Model && a == nil:
		return "", nil, s.models.Shelf.Missing()
	case what == wire.Model:
		of := a.Model
		if a.Tunable != nil && !runs.IsShipped(a.Name) { // a tunable model of the user is saved whole, not only for the displayed ε and ẑ dim
			of = a.Tunable
		}
		f := of.Checkpoint()
		if a.Training {
			f = s.train.Live().Checkpoint()
		}
		name = fmt.Sprintf("%s-eps%g-z%d.safetensors", base, a.Model.Config.Eps(), a.Model.Config.ZDim())
		switch {
		case of == a.Tunable:
			name = fmt.Sprintf("%s-%s.safetensors", base, of.Config.Spec.Method)
		case !a.Model.Config.Decoder.Density():
			name = fmt.Sprintf("%s-%s-z%d.safetensors", base, a.Model.Config.Spec.Method, a.Model.Config.ZDim())
		}
		err = ckpt.Encode(&out, f)
	case what != lab.CurvesFile && what != lab.RunFile:
		return "", nil, fmt.Errorf("the lab makes no file called %s", setting.Quote(what))
	case !s.run.Playable():
		return "", nil, s.run.NotPlayable()
	case !s.lab.Timed():
		s.settle(effect.Effect{Panel: s.models.Paint(s.on())})
		var f wire.Frame
		Fill(&f, s.view())
		name, err = exportSet(&out, base, what, &f)
	case what == lab.CurvesFile:
		name = base + "-curves.csv"
		s.exported().CSV(&out)
	default:
		name = base + "-run.npz"
		err = s.exported().NPZ(&out)
	}
	return name, out.Bytes(), err
}

// exportSet writes a displayed set of particles on a line, and returns the name of the file. If
// `what` is lab.RunFile, the file contains particles, ẑ and densities as NPZ, otherwise the
// densities as CSV.
func exportSet(out *bytes.Buffer, base, what string, f *wire.Frame) (name string, err error) {
	set := export.NewSet(f)
	if what == lab.RunFile {
		return base + "-set.npz", set.NPZ(out)
	}
	set.CSV(out)
	return base + "-curves.csv", nil
}

// exported returns the displayed run in the form that other programs read.
func (s *Session) exported() *export.Run {
	return &export.Run{Live: s.run.Live(), Of: &s.lab.System.Traits, Models: s.models.Shown(), Predicts: s.file.Predicts}
}

// Saved implements wire.Session.
func (s *Session) Saved() ([]wire.Part, error) {
	positions, _ := s.run.Live().Save()
	_, _, halted := s.train.Halted()
	if s.models.A() == nil && s.train.Live() == nil && !halted && s.sweeps.File() == "" && positions == nil && s.file.Kept() == nil {
		return nil, nil
	}
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	return files.Parts(), nil
}

// files returns the files of the session: the user's view, the present training, the runs, the
// sweep and the data.
func (s *Session) files() (*saved.Files, error) {
	live := s.run.Live()
	positions, note := live.Save()
	v := saved.Visit{
		Lab: s.lab.Link(), Fragment: s.set.Fragment(live, s.opens.usual) + s.run.Turned(), Tool: s.run.Tool(), KeepAs: s.models.Shelf.KeepAs, Note: note,
		Edited: positions != nil, Playing: live.Player().Playing(), Frame: live.Player().Goal(),
	}
	v.A, v.B = s.models.Shelf.Wanted(s.on().Now)
	out := new(saved.Files)
	if d := s.file.Kept(); d != nil {
		v.Data, v.Trajectory, v.Observable, out.Data = d.Name, d.Trajectory, d.Observable, saved.File{Key: d.Key, Bytes: d.Bytes}
	}
	if _, restoring := s.file.Restoring(); restoring {
		v.Frame, v.Playing = max(0, s.file.Begin()), s.file.Begin() < 0
	}
	training, curves, items := s.train.Save(&v)
	out.Items = items
	var err error
	if out.Session, err = v.Encode(s.lab.System, positions, curves); err != nil {
		return nil, err
	}
	s.models.Shelf.Kept.Save(func(key string, file []byte) { out.Runs = append(out.Runs, saved.File{Key: key, Bytes: file}) })
	if out.Sweep, out.Points, err = s.sweeps.Saved(); err != nil {
		return nil, err
	}
	if training != nil {
		out.Training, err = saved.Encoded(training)
	}
	return out, err
}
