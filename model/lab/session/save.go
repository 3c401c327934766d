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
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/export"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// saveBundle makes a bundle of the complete session.
func (v *View) saveBundle() (name string, b []byte, err error) {
	parts, err := v.files()
	if err != nil {
		return "", nil, err
	}
	all := parts.Bundle()
	if all.Metrics = v.metrics(); parts.Sweep != nil {
		all.Swept = []byte(v.sweeps.File())
	}
	if a := v.picture.A(); a != nil && a.Training {
		all.Model = parts.Training
	} else if a != nil {
		if all.Model, err = saved.Encoded(a.Model.Checkpoint()); err != nil {
			return "", nil, err
		}
	}
	if d := v.file.Kept(); d != nil {
		all.DataName = strings.ReplaceAll(path.Base(d.Name), `\`, "_")
	}
	if v.run.Playable() && v.lab.Timed() {
		var table bytes.Buffer
		v.exported().CSV(&table)
		all.Run = table.Bytes()
	}
	var out bytes.Buffer
	err = all.Encode(&out)
	return v.lab.Link() + bundle.Ending, out.Bytes(), err
}

// metrics returns a table of the displayed figures and of the measured results of every run.
func (v *View) metrics() []byte {
	var b bytes.Buffer
	b.WriteString("run,figure,value\n")
	row := func(cells ...string) { b.WriteString(curves.Row(cells...)) }
	st := State(v)
	on := v.picture.A().Called()
	for _, f := range v.opens.figures {
		for _, at := range st.Figures {
			if at.ID == f.ID && !at.None {
				row(on, strings.TrimSpace(f.Label+" "+f.Unit), at.Text)
			}
		}
	}
	for _, r := range v.models.Shelf.Kept.All() {
		if r.Reached != "" {
			row(r.Name, "reached", r.Reached)
		}
	}
	return b.Bytes()
}

// Save implements wire.Session.
func (s *Session) Save(what string) (name string, b []byte, err error) {
	s.w.settle(effect.Effect{Panel: s.w.picture.Paint(s.w.on())}) // the figures and densities must belong to the present frame
	return s.view().save(what)
}

// save makes a file for the user. The argument selects it: the whole session, the results of
// the sweep, the displayed model with its training, the curves of the run, or the run itself.
func (v *View) save(what string) (name string, b []byte, err error) {
	var out bytes.Buffer
	base, a := "macroscope-"+v.lab.Link(), v.picture.A()
	switch {
	case what == wire.Bundle:
		return v.saveBundle()
	case what == lab.SweepFile && v.sweeps.File() != "":
		return base + "-sweep.json", []byte(v.sweeps.File()), nil
	case what == wire.Model && a == nil:
		return "", nil, v.models.Shelf.Missing()
	case what == wire.Model:
		of := a.Model
		if a.Tunable != nil && !runs.IsShipped(a.Name) { // a tunable model of the user is saved whole, not only for the displayed ε and ẑ dim
			of = a.Tunable
		}
		f := of.Checkpoint()
		if a.Training {
			f = v.train.Live.Checkpoint()
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
	case !v.run.Playable():
		return "", nil, v.run.NotPlayable()
	case !v.lab.Timed():
		var f wire.Frame
		Fill(&f, v)
		name, err = exportSet(&out, base, what, &f)
	case what == lab.CurvesFile:
		name = base + "-curves.csv"
		v.exported().CSV(&out)
	default:
		name = base + "-run.npz"
		err = v.exported().NPZ(&out)
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
func (v *View) exported() *export.Run {
	return &export.Run{Live: v.run.Live(), Of: &v.lab.System.Traits, Models: v.picture.Shown(), Predicts: v.file.Predicts}
}

// Saved implements wire.Session.
func (s *Session) Saved() ([]wire.Part, error) {
	positions, _ := s.w.run.Live().Save()
	if s.w.picture.A() == nil && s.w.train.Live == nil && !s.w.train.Halted() && s.w.sweeps.File() == "" && positions == nil && s.w.file.Kept() == nil {
		return nil, nil
	}
	files, err := s.view().files()
	if err != nil {
		return nil, err
	}
	return files.Parts(), nil
}

// files returns the files of the session: the user's view, the present training, the runs, the
// sweep and the data.
func (v *View) files() (*saved.Files, error) {
	d, out := v.doc, new(saved.Files)
	d.File = doc.File{}
	if f := v.file.Kept(); f != nil {
		d.File, out.Data = doc.File{Name: f.Name, Observable: f.Observable, Trajectory: f.Trajectory}, saved.File{Key: f.Key, Bytes: f.Bytes}
	}
	if _, restoring := v.file.Restoring(); restoring {
		d.Frame = v.file.Begin()
	}
	of, training, curves, items := v.train.Save()
	d.Trained, out.Items = of, items
	var err error
	if out.Session, err = d.Encode(v.opens.usual, curves); err != nil {
		return nil, err
	}
	v.models.Shelf.Kept.Save(func(key string, file []byte) { out.Runs = append(out.Runs, saved.File{Key: key, Bytes: file}) })
	if out.Sweep, out.Points, err = v.sweeps.Saved(); err != nil {
		return nil, err
	}
	if training != nil {
		out.Training, err = saved.Encoded(training)
	}
	return out, err
}
