package session

import (
	"fmt"
	"iter"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/learn/model"
	"macroscope/model/wire"
)

// request asks for a shipped file that a part of the session needs. `then` is called when the file
// arrives or cannot be fetched. When no part needs the file any more, the request is dropped.
type request struct {
	file string
	then func(b []byte, err error) *wire.Notice
}

// queue lists the files to fetch, in order: shipped models, codes for which a training waits,
// trajectories of the latent portrait, an example, files of the lab's extras.
func (j *jobs) queue() iter.Seq[request] {
	return func(yield func(request) bool) {
		waits := j.w.train.Waits()
		for of := range j.w.models.Wants(j.w.on(), waits && j.w.given().OnCodes()) {
			if !yield(request{of.File, func(b []byte, err error) *wire.Notice { return j.fetchedModel(of, b, err) }}) {
				return
			}
		}
		if waits {
			if name := j.w.train.NeedsCodes(j.w.given()); name != "" && !yield(request{name, j.fetchedCodes}) {
				return
			}
		}
		if name := j.w.picture.Portrait.Needs(&j.w.doc.Settings); name != "" && !yield(request{name, func(b []byte, err error) *wire.Notice {
			e := j.w.picture.Portrait.Take(b, err)
			j.w.settle(e)
			return e.Notice
		}}) {
			return
		}
		if j.arrivals.example != "" && !yield(request{j.arrivals.example, j.arrivals.fetchedExample}) {
			return
		}
		if name := j.extras.Wants(); name != "" {
			yield(request{name, func(b []byte, err error) *wire.Notice {
				j.w.settle(effect.Changed())
				return effect.Failure(j.extras.Fetched(b, err))
			}})
		}
	}
}

// Wants implements wire.Session.
func (s *Session) Wants() string {
	for r := range s.jobs.queue() {
		return r.file
	}
	return ""
}

// Fetched implements wire.Session.
func (s *Session) Fetched(name string, b []byte, err error) *wire.Notice {
	for r := range s.jobs.queue() {
		if name == r.file {
			s.w.settle(effect.Restated())
			return s.answer(r.then(b, err))
		}
	}
	return nil // the file is no longer needed
}

// fetchedModel handles the arrival of a shipped model, or the error of fetching it.
func (j *jobs) fetchedModel(of lab.Model, b []byte, err error) *wire.Notice {
	var model *model.Model
	if err == nil {
		model, err = j.w.models.Shelf.Decode(of, b)
	}
	if err != nil {
		return j.missed(of, err)
	}
	e, ofSettings, err := j.w.models.Ship(j.w.on(), of, model)
	if j.w.settle(e); err == nil && ofSettings && !j.w.train.LacksCodes(j.w.given()) && j.w.train.Unwait() { // a training waited for this model
		err = j.w.start()
	}
	return effect.Failure(err)
}

// missed handles a shipped model that is unavailable.
func (j *jobs) missed(of lab.Model, err error) *wire.Notice {
	if !j.w.models.Shelf.Miss(j.w.on().Now, of) {
		if j.w.models.Shelf.Coded() == nil {
			j.w.train.Unwait()
		}
		return effect.Failure(fmt.Errorf("the shipped model of the method %s could not be opened; reload the page to try again: %w", of.Method, err))
	}
	j.w.train.Unwait()
	return effect.Failure(fmt.Errorf("the shipped model could not be opened; train one here, open one of your own, or reload the page: %w", err))
}

// fetchedCodes handles the arrival of the codes. A training that waits for them begins, or the
// halted training continues.
func (j *jobs) fetchedCodes(b []byte, err error) *wire.Notice {
	if err := j.w.train.TakeCodes(b, err); err != nil {
		return effect.Failure(err)
	}
	if !j.w.train.Halted() {
		to := j.w.train.To
		err := j.w.start()
		j.w.train.To = to
		return effect.Failure(err)
	}
	return effect.Failure(j.w.resume())
}

// resume continues the halted training: at once, or when its codes have arrived. It is displayed if the user wants it.
func (w *workspace) resume() error {
	n, err := w.train.Resume(w.given())
	if n == nil || err != nil {
		return err
	}
	w.put(n)
	return w.after(w.models.Arrange(w.on()))
}
