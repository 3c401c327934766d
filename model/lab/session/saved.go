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
func (a *arrivals) restore(b []byte, was, is string) *wire.Notice {
	files, err := saved.Split(b)
	var r *saved.Session
	var other *system.System
	if err == nil {
		r, other, err = door.Visit(&a.w.lab, files)
	}
	if other != nil {
		a.become(other)
	}
	if err == nil && a.w.run.ToolNumber(r.Tool) < 0 {
		err = errors.New("its pointer's tool is unknown")
	}
	if err == nil {
		if r.A == a.w.models.Shelf.AskedName(&r.Settings) {
			r.A = "" // it follows the settings, which a later link may change
		}
		a.later(r.Sheet, was, is)
		err = a.takeSaved(r)
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
	a.coming.saved = r
	d := &ownfile.File{Name: r.File.Name, Bytes: files.Data.Bytes, Observable: r.File.Observable, Trajectory: r.File.Trajectory}
	return a.readFile(d, r.File.Trajectory, ownfile.Restored, r.Frame)
}

// later changes the document of a saved session by what the user changed between two of its links. It
// changes nothing if a link is "" or cannot be read.
func (a *arrivals) later(d *doc.Sheet, was, is string) {
	before, err := doc.Read(&a.w.lab, was)
	after, wrong := doc.Read(&a.w.lab, is)
	if was != "" && is != "" && err == nil && wrong == nil {
		d.Follow(before, after)
		d.Run.Note = cmp.Or(d.Run.Note, run.FromLink)
	}
}

// takeSaved replaces the session with the saved session r. Shipped files are then fetched, and
// a training continues when its data have arrived.
func (a *arrivals) takeSaved(r *saved.Session) error {
	a.w.leave()
	a.w.file.Drop()
	a.w.models.Clear(r.Runs)
	a.w.page.news.notice, a.w.page.news.undo = nil, nil
	if err := a.w.adopt(r.Sheet, true); err != nil {
		return err
	}
	if r.Sweep != nil {
		a.w.helpers.release()
		if err := a.w.sweeps.Restore(r.Sweep, r.Points, forSweeps(a.w.given())); err != nil {
			a.w.settle(effect.News(&wire.Notice{Text: fmt.Sprintf("The lab goes on without the sweep that it had: %v.", err)}, nil))
		}
	}
	if r.Training != nil {
		if err := a.w.resumeSaved(r); err != nil {
			a.w.forgetHalted() // the training's result stays among the runs; a notice says so
			a.w.announce(effect.Sentence(err.Error()))
		}
		return nil
	}
	if kept := a.w.models.Shelf.Kept.Find(a.w.picture.A().Called()); kept != nil && kept.Resumes() && kept.Recipe == a.w.given().Recipe() {
		return a.w.train.Halt(kept)
	}
	return nil
}

// resumeSaved continues the training of a saved session: at once, or when its data have
// arrived.
func (w *workspace) resumeSaved(r *saved.Session) error {
	m, err := w.models.Shelf.Open(r.Training)
	if err != nil || !w.train.Restore(r, m) {
		return err
	}
	return w.resume()
}
