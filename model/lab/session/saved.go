package session

import (
	"errors"
	"fmt"

	"macroscope/model/lab"
	"macroscope/model/lab/session/intake"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/fit"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// store saves the session and goes on with it.
type store struct{ *Session }

// Saved implements wire.Session.
func (s *Session) Saved() ([]wire.Part, error) {
	t := &s.trainer
	positions, _ := s.live.Save()
	if s.display.a == nil && t.live == nil && t.halted == nil && s.sweeper.File() == "" && positions == nil && s.own.kept() == nil {
		return nil, nil
	}
	files, err := store{s}.files()
	if err != nil {
		return nil, err
	}
	return files.Parts(), nil
}

// files saves what the visitor saw, the training under way and the runs.
func (s store) files() (*saved.Files, error) {
	t := &s.trainer
	positions, note := s.live.Save()
	v := saved.Visit{
		Lab: s.lab.Link(), Fragment: opening{s.Session}.fragment(s.settings) + opening{s.Session}.turned(), Tool: s.tool, KeepAs: s.keepAs, Note: note, Origin: t.origin,
		Edited: positions != nil, Playing: s.live.Player().Playing(), Frame: s.live.Player().Goal(), Status: int(t.status),
		A: s.display.a.Called(), B: s.display.b.Called(), Trains: t.trains.Recipe, Phase: t.runTo.phase, Step: t.runTo.step, Until: t.runTo.of, Most: t.runTo.most, FitEps: t.fitEps,
		OnCodes: t.live != nil && t.coded,
	}
	out := new(saved.Files)
	if d := s.own.kept(); d != nil {
		v.Data, v.Trajectory, v.Observable, out.Data = d.Name, d.Trajectory, d.Observable, saved.File{Key: d.Key, Bytes: d.Bytes}
	}
	if r := s.own.reading; r != nil && r.restores {
		v.Frame, v.Playing = max(0, r.begin), r.begin < 0
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
		v.Phase, v.Step, v.Until, v.Most = waits.runTo.phase, waits.runTo.step, waits.runTo.of, waits.runTo.most
	}
	var err error
	if out.Session, err = v.Encode(s.traits.Name, positions, curves); err != nil {
		return nil, err
	}
	s.library.kept.Save(func(key string, file []byte) { out.Runs = append(out.Runs, saved.File{Key: key, Bytes: file}) })
	if out.Sweep, out.Points, err = s.sweeper.Saved(); err != nil {
		return nil, err
	}
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
func (s store) restore(b []byte) *wire.Notice {
	files, err := saved.Split(b)
	var r *saved.Session
	if err == nil {
		r, err = s.open(files)
	}
	if err == nil {
		err = s.takeSaved(r)
	}
	if err != nil {
		return failure(fmt.Errorf("the session that this browser kept could not be opened, so the lab starts anew: %w", err))
	}
	return s.reopen(r, files.Data.Bytes)
}

// reopen goes on with the visitor's own trajectories, of which the one that was on
// show is read anew.
func (s store) reopen(r *saved.Session, b []byte) *wire.Notice {
	if r.Data == "" {
		return nil
	}
	missed := func(err error) *wire.Notice {
		return &wire.Notice{Text: fmt.Sprintf("The lab goes on without your file %s: %v.", setting.Quote(r.Data), err)}
	}
	if b == nil {
		return missed(errors.New("this browser has not kept it; open it again"))
	}
	d := &intake.File{Name: r.Data, Bytes: b, Observable: r.Observable, Trajectory: r.Trajectory}
	at := &reading{of: s.own.of(d, r.Trajectory), dropped: true, restores: true, begin: r.Begin()}
	at.done = func(t *system.Trajectory, err error) *wire.Notice {
		if err != nil {
			return missed(err)
		}
		s.own.restored(d, r, t)
		if !s.trainer.eager {
			return nil
		}
		s.trainer.eager = false
		return failure(s.trainer.train())
	}
	return s.own.read(at)
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
	l.Frame = r.Begin()
	t, d := &s.trainer, &s.display
	t.end()
	s.own.drop()
	s.library.kept.Replace(r.Runs)
	s.tell(nil, nil)
	d.a, d.b = nil, nil
	s.tool, s.keepAs = r.Tool, r.KeepAs
	opening{s.Session}.openSettings(l)
	s.settings.Model, t.fitEps = model, r.FitEps
	if err := (opening{s.Session}).turn(r.Fragment, l.Frame); err != nil {
		return err
	}
	if r.Edited {
		if err := (opening{s.Session}).place(r.Positions, r.Note, l.Frame); err != nil {
			return err
		}
	}
	s.beside, s.ahead = r.B, runs.IsShipped(r.A) && !s.lab.IsSampler()
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
	if r.Sweep != nil {
		if err := s.sweeper.Restore(r.Sweep, r.Points, sweeps{s.Session}.given()); err != nil {
			s.tell(&wire.Notice{Text: fmt.Sprintf("The lab goes on without the sweep that it had: %v.", err)}, nil)
		}
	}
	if r.Training != nil {
		if err := s.resumeSaved(r); err != nil {
			t.forgetHalted() // what it has come to stays among the runs, which is said
			n := &wire.Notice{Text: upperFirst(err.Error()) + "."}
			if s.news != nil {
				n.Text, n.Action, n.Press = n.Text+" "+s.news.Text, s.news.Action, s.news.Press
			}
			s.tell(n, s.undo)
		}
		return nil
	}
	if a := s.library.kept.Find(d.a.Called()); a != nil && a.Resumes() && !s.lab.IsSampler() && a.Recipe == t.recipe().Recipe {
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
		file: r.Training, curves: &r.Curves, onShow: r.A == runs.Training, status: wire.Status(r.Status), runTo: place{r.Phase, r.Step, r.Until, r.Most},
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
	if s.lab.IsSampler() && !runs.IsShipped(r.A) && !runs.IsShipped(r.B) {
		s.wantsShipped = false // it is not on show, and can be asked for
	}
	if d.a == nil || r.A == runs.Training {
		return d.choose(runs.Training, false)
	}
	return nil
}
