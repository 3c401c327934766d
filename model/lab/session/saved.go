package session

import (
	"cmp"
	"errors"
	"fmt"

	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/door"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/saved"
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
	if err == nil {
		if r.A == s.models.Shelf.AskedName(&r.Settings) {
			r.A = "" // it follows the settings
		}
		s.later(r.Sheet, was, is)
		err = s.takeSaved(r)
	}
	if err != nil {
		return effect.Failure(fmt.Errorf("the session that this browser kept could not be opened, so the lab starts anew: %w", err))
	}
	switch {
	case r.File.Name == "":
		return nil
	case files.Data.Bytes == nil:
		return goesOnWithout(r.File.Name, errors.New("this browser has not kept it; open it again"))
	}
	s.coming.saved = r
	d := &ownfile.File{Name: r.File.Name, Bytes: files.Data.Bytes, Observable: r.File.Observable, Trajectory: r.File.Trajectory}
	return s.readFile(d, r.File.Trajectory, ownfile.Restored, r.Frame)
}

// later changes the document of a saved session by what the user changed between two of its links. It changes nothing if a link
// is "" or cannot be read.
func (s *Session) later(d *doc.Sheet, was, is string) {
	before, err := doc.Read(&s.lab, was)
	after, wrong := doc.Read(&s.lab, is)
	if was != "" && is != "" && err == nil && wrong == nil {
		d.Follow(before, after)
		d.Run.Note = cmp.Or(d.Run.Note, run.FromLink)
	}
}

// takeSaved replaces the session with the saved session r. Shipped files are then fetched, and
// a training continues when its data have arrived.
func (s *Session) takeSaved(r *saved.Session) error {
	s.leave()
	s.file.Drop()
	s.models.Clear(r.Runs)
	s.news, s.undo = nil, nil
	if err := s.adopt(r.Sheet, true); err != nil {
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
