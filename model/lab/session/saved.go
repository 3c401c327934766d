package session

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"macroscope/model/lab"
	"macroscope/model/lab/session/door"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/saved"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// restore restores a session from the result of Saved. `was` is the session's link at that time. The link `is` has what the
// user changed later, if it is not "". After an error the session is either unchanged, or as at a first visit.
func (s *Session) restore(b []byte, was, is string) *wire.Notice {
	files, err := saved.Split(b)
	var r *saved.Session
	var other *system.System
	if err == nil {
		r, other, err = door.Visit(&s.lab, files)
	}
	if other != nil {
		s.become(other)
	}
	if err == nil && s.run.ToolNumber(r.Tool) < 0 {
		err = errors.New("its pointer's tool is unknown")
	}
	var change func()
	if err == nil && is != "" {
		change = s.later(r, was, is)
	}
	if err == nil {
		err = s.takeSaved(r)
	}
	if err == nil && change != nil {
		change()
	}
	if err != nil {
		return effect.Failure(fmt.Errorf("the session that this browser kept could not be opened, so the lab starts anew: %w", err))
	}
	switch {
	case r.Data == "":
		return nil
	case files.Data.Bytes == nil:
		return goesOnWithout(r.Data, errors.New("this browser has not kept it; open it again"))
	}
	s.coming.saved = r
	d := &ownfile.File{Name: r.Data, Bytes: files.Data.Bytes, Observable: r.Observable, Trajectory: r.Trajectory}
	return s.readFile(d, r.Trajectory, ownfile.Restored, r.Begin())
}

// later changes the frame of a saved session if the frames in two of its links differ. The result repeats all other changes from
// the first link to the second. It is nil if a link cannot be read.
func (s *Session) later(r *saved.Session, was, is string) func() {
	var tables [2]setting.Table
	var frames [2]int
	for i, link := range []string{was, is} {
		live := s.lab.System.Live()
		l, err := s.opens.usual.Parse(&s.lab, live, link)
		if err != nil {
			return nil
		}
		tables[i], frames[i] = slices.Concat(live.Settings(), l.Table(&s.lab)), l.Frame
	}
	if frames[0] != frames[1] {
		r.Frame, r.Playing = max(0, frames[1]), frames[1] < 0
	}
	return func() {
		anew := false // whether the run begins anew
		for i, f := range tables[1] {
			if f.Text() != tables[0][i].Text() && !slices.Contains([]string{"frame", "model", "stage", "step"}, f.Name) {
				_ = s.setValue(f.Name, f.Text()) // the link that had the value was the session's own
				anew = anew || s.run.Live().Settings().Find(f.Name) != nil
			}
		}
		if anew && !r.Edited {
			_ = s.after(s.run.Generate(r.Begin()))
		}
		link := s.lab.Link()
		before, _ := setting.ParseLink(was, link)
		now, _ := setting.ParseLink(is, link)
		if positions, _ := s.run.Brought(is, link); positions != nil && now.Get(lab.Particles) != before.Get(lab.Particles) {
			_ = s.after(s.run.Place(positions, cmp.Or(r.Note, run.FromLink), r.Begin()))
		}
		if now.Get(lab.Turned) != before.Get(lab.Turned) {
			_ = s.after(s.run.Turn(is, link, r.Begin()))
		}
	}
}

// takeSaved replaces the session with the saved session r. Shipped files are then fetched, and
// a training continues when its data have arrived.
func (s *Session) takeSaved(r *saved.Session) error {
	l, err := s.parse(r.Fragment)
	if err != nil {
		return err
	}
	model := l.Model
	l.Model = lab.Shipped // the training is resumed below and must not be repeated
	l.Frame = r.Begin()
	s.leave()
	s.file.Drop()
	s.models.Clear(r.Runs)
	s.news, s.undo = nil, nil
	s.models.Shelf.KeepAs = r.KeepAs
	_ = s.after(s.run.SetTool(r.Tool)) // there is no error, because the tool exists
	s.openSettings(l)
	s.set.Model = model
	if err := s.after(s.run.Turn(r.Fragment, s.lab.Link(), l.Frame)); err != nil {
		return err
	}
	if r.Edited {
		if err := s.after(s.run.Place(r.Positions, r.Note, l.Frame)); err != nil {
			return err
		}
	}
	if err := s.after(s.models.ExpectSaved(s.on(), r.A, cmp.Or(r.B, r.Before))); err != nil {
		return err
	}
	if r.Sweep != nil {
		s.helpers.release()
		if err := s.sweeps.Restore(r.Sweep, r.Points, forSweeps(s.given())); err != nil {
			s.settle(effect.News(&wire.Notice{Text: fmt.Sprintf("The lab goes on without the sweep that it had: %v.", err)}, nil))
		}
	}
	if r.Training != nil {
		if err := s.resumeSaved(r); err != nil {
			s.forgetHalted() // the training's result stays among the runs; a notice says so
			s.announce(effect.Sentence(err.Error()))
		}
		return nil
	}
	if a := s.models.Shelf.Kept.Find(s.models.A().Called()); a != nil && a.Resumes() && a.Recipe == s.given().Recipe() {
		return s.train.Halt(a)
	}
	return nil
}

// resumeSaved continues the training of a saved session: at once, or when its data have
// arrived.
func (s *Session) resumeSaved(r *saved.Session) error {
	m, err := s.models.Shelf.Open(r.Training)
	if err != nil || !s.train.Restore(r, m) {
		return err
	}
	return s.resume()
}
