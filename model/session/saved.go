package session

import (
	"errors"
	"fmt"

	"macroscope/model/fit"
	"macroscope/model/lab"
	"macroscope/model/runs"
	"macroscope/model/saved"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// store saves the session and goes on with it.
type store struct{ *Session }

// Saved implements wire.Session.
func (s *Session) Saved() []byte {
	t := &s.trainer
	positions, _ := s.live.Save()
	if s.display.a == nil && t.live == nil && t.halted == nil && positions == nil {
		return nil
	}
	files, err := store{s}.files()
	if err != nil {
		return nil // a model too large to save; the visitor can still download it
	}
	return files.Join()
}

// files saves what the visitor saw, the training under way and the runs.
func (s store) files() (*saved.Files, error) {
	t := &s.trainer
	positions, note := s.live.Save()
	v := saved.Visit{
		Lab: s.lab.Link(), Fragment: opening{s.Session}.fragment(s.settings), Tool: s.tool, KeepAs: s.keepAs, Note: note, Origin: t.origin,
		Edited: positions != nil, Playing: s.live.Player().Playing(), Frame: s.live.Player().Goal(), Status: int(t.status),
		A: s.display.a.Called(), B: s.display.b.Called(), Trains: t.trains.Recipe, Phase: t.runTo.phase, Step: t.runTo.step, FitEps: t.fitEps,
		OnCodes: t.live != nil && t.coded,
	}
	if d := s.own.data; d != nil {
		v.Trajectory, v.Observable = d.trajectory, d.observable
	}
	if s.live.Recorded() && positions == nil {
		v.Frame, v.Playing = 0, true
	}
	var curves *fit.Curves
	waits := t.halted
	if waits != nil && waits.inList {
		waits = nil // it is saved as one of the runs
	}
	if t.live != nil {
		curves, waits = t.live.Curves(), nil
	} else if waits != nil {
		curves = waits.curves
		v.Origin, v.Status, v.Trains, v.OnCodes = waits.Origin, int(waits.status), waits.Recipe, waits.Coded
		v.Phase, v.Step = waits.runTo.phase, waits.runTo.step
	}
	out := new(saved.Files)
	var err error
	if out.Session, err = v.Encode(s.traits.Name, positions, curves); err != nil {
		return nil, err
	}
	s.library.kept.Save(func(file []byte) { out.Runs = append(out.Runs, file) })
	switch {
	case t.live != nil:
		out.Training, err = saved.Encoded(t.live.Checkpoint())
	case waits != nil:
		out.Training, err = saved.Encoded(waits.file)
	}
	return out, err
}

// restore goes on from what Saved returned. On an error the session is as it
// was, or as a first visit's.
func (s store) restore(b []byte) error {
	files, err := saved.Split(b)
	var r *saved.Session
	if err == nil {
		r, err = s.open(files)
	}
	if err == nil {
		err = s.takeSaved(r)
	}
	if err != nil {
		return fmt.Errorf("the session that this browser kept could not be opened, so the lab starts anew: %w", err)
	}
	return nil
}

// open reads the files of a session, which must be of this lab.
func (s store) open(files *saved.Files) (*saved.Session, error) {
	r, err := files.Open(s.library.open)
	switch {
	case err != nil:
		return nil, err
	case r.Lab != s.lab.Link():
		return nil, fmt.Errorf("it is of the lab %s", setting.Quote(r.Lab))
	case commands{s.Session}.toolNumber(r.Tool) < 0:
		return nil, errors.New("its pointer's tool is unknown")
	}
	return r, nil
}

// takeSaved makes a saved session this one. What was shipped is fetched, and a
// training goes on once what it learns from is there.
func (s store) takeSaved(r *saved.Session) error {
	l, err := opening{s.Session}.parse(r.Fragment)
	if err != nil {
		return err
	}
	model := l.Model
	l.Model = lab.Shipped // its training is resumed, not begun
	if l.Frame = r.Frame; r.Playing {
		l.Frame = -1
	}
	t, d := &s.trainer, &s.display
	t.end()
	s.own.drop()
	s.library.kept.Replace(r.Runs)
	s.tell(nil, nil)
	d.a, d.b = nil, nil
	s.tool, s.keepAs = r.Tool, r.KeepAs
	opening{s.Session}.openSettings(l)
	s.settings.Model, t.fitEps = model, r.FitEps
	if r.Edited {
		if err := (opening{s.Session}).place(r.Positions, r.Note, l.Frame); err != nil {
			return err
		}
	}
	s.beside, s.ahead = r.B, r.A == runs.Shipped && !s.lab.IsSampler()
	for _, on := range []struct {
		name    string
		compare bool
	}{{r.A, false}, {r.B, true}} {
		if s.library.kept.Find(on.name) != nil {
			if err := d.choose(on.name, on.compare && d.a != nil); err != nil {
				return err
			}
		}
	}
	if r.Training != nil {
		return s.resumeSaved(r)
	}
	if a := s.library.kept.Find(d.a.Called()); a != nil && a.Resumes() && !s.lab.IsSampler() && a.Recipe == (plan{t}).recipe().Recipe {
		return t.halt(a)
	}
	return nil
}

// resumeSaved goes on with the training of a saved session, at once or as soon as
// what it learns from is there.
func (s store) resumeSaved(r *saved.Session) error {
	t, d := &s.trainer, &s.display
	m, err := s.library.open(r.Training)
	if err != nil {
		return err
	}
	t.halted = &halted{
		Run:  runs.Run{Name: runs.NameOf(&m.Config, ""), Origin: r.Origin, Model: m, Recipe: r.Trains, Coded: r.OnCodes, FitEps: r.FitEps},
		file: r.Training, curves: &r.Curves, onShow: r.A == runs.Training, status: wire.Status(r.Status), runTo: place{r.Phase, r.Step},
	}
	if m.Config.Recorded && !r.OnCodes || wire.Status(r.Status) == wire.Done && !s.lab.IsSampler() && !r.OnCodes {
		if wire.Status(r.Status) == wire.Done {
			t.halted = nil
		}
		return nil // until the file is opened again and Train is pressed; or there is no more to do
	}
	if err := t.resume(); err != nil || t.live == nil {
		return err
	}
	t.trains = recipe{r.Trains, s.own.data}
	if s.lab.IsSampler() && r.A != runs.Shipped && r.B != runs.Shipped {
		s.wantsShipped = false // it is not on show, and can be asked for
	}
	if d.a == nil || r.A == runs.Training {
		return d.choose(runs.Training, false)
	}
	return nil
}
