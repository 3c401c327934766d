package session

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/models"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/saved"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

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

// restore restores a session from the result of Saved. `was` is the session's link at that time. The link `is` has what the
// user changed later, if it is not "". After an error the session is either unchanged, or as at a first visit.
func (s *Session) restore(b []byte, was, is string) *wire.Notice {
	files, err := saved.Split(b)
	var r *saved.Session
	if err == nil {
		var of *system.System
		if of, err = s.otherSaved(files); of != nil {
			s.become(of)
		}
	}
	if err == nil {
		r, err = s.openFiles(files, s.models)
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

// openFiles reads the files of a saved session, with the models in `as`. The session must be of this lab.
func (s *Session) openFiles(files *saved.Files, as *models.Models) (*saved.Session, error) {
	r, err := files.Open(as.Shelf.Open)
	switch {
	case err != nil:
		return nil, err
	case r.Lab != s.lab.Link():
		return nil, fmt.Errorf("it is of the lab %s", setting.Quote(r.Lab))
	case s.run.ToolNumber(r.Tool) < 0:
		return nil, errors.New("its pointer's tool is unknown")
	}
	return r, nil
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
		if err := s.sweeps.Restore(r.Sweep, r.Points, forSweeps(s.train, s.given())); err != nil {
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
	if a := s.models.Shelf.Kept.Find(s.models.A().Called()); a != nil && a.Resumes() && a.Recipe == s.train.Recipe(s.given()) {
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
