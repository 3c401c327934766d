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
func (s *Session) queue() iter.Seq[request] {
	return func(yield func(request) bool) {
		waits := s.train.Waits()
		for of := range s.models.Wants(s.on(), waits && s.given().OnCodes()) {
			if !yield(request{of.File, func(b []byte, err error) *wire.Notice { return s.fetchedModel(of, b, err) }}) {
				return
			}
		}
		if waits {
			if name := s.train.NeedsCodes(s.given()); name != "" && !yield(request{name, s.fetchedCodes}) {
				return
			}
		}
		if name := s.models.Portrait.Needs(&s.doc.Settings); name != "" && !yield(request{name, func(b []byte, err error) *wire.Notice {
			e := s.models.Portrait.Take(b, err)
			s.settle(e)
			return e.Notice
		}}) {
			return
		}
		if s.example != "" && !yield(request{s.example, s.fetchedExample}) {
			return
		}
		if name := s.extras.Wants(); name != "" {
			yield(request{name, func(b []byte, err error) *wire.Notice {
				s.settle(effect.Changed())
				return effect.Failure(s.extras.Fetched(b, err))
			}})
		}
	}
}

// Wants implements wire.Session.
func (s *Session) Wants() string {
	for r := range s.queue() {
		return r.file
	}
	return ""
}

// Fetched implements wire.Session.
func (s *Session) Fetched(name string, b []byte, err error) *wire.Notice {
	for r := range s.queue() {
		if name == r.file {
			s.settle(effect.Restated())
			return s.answer(r.then(b, err))
		}
	}
	return nil // the file is no longer needed
}

// fetchedModel handles the arrival of a shipped model, or the error of fetching it.
func (s *Session) fetchedModel(of lab.Model, b []byte, err error) *wire.Notice {
	var model *model.Model
	if err == nil {
		model, err = s.models.Shelf.Decode(of, b)
	}
	if err != nil {
		return s.missed(of, err)
	}
	e, ofSettings, err := s.models.Ship(s.on(), of, model)
	if s.settle(e); err == nil && ofSettings && !s.train.LacksCodes(s.given()) && s.train.Unwait() { // a training waited for this model
		err = s.start()
	}
	return effect.Failure(err)
}

// missed handles a shipped model that is unavailable.
func (s *Session) missed(of lab.Model, err error) *wire.Notice {
	if !s.models.Shelf.Miss(s.on().Now, of) {
		if s.models.Shelf.Coded() == nil {
			s.train.Unwait()
		}
		return effect.Failure(fmt.Errorf("the shipped model of the method %s could not be opened; reload the page to try again: %w", of.Method, err))
	}
	s.train.Unwait()
	return effect.Failure(fmt.Errorf("the shipped model could not be opened; train one here, open one of your own, or reload the page: %w", err))
}

// fetchedCodes handles the arrival of the codes. A training that waits for them begins, or the
// halted training continues.
func (s *Session) fetchedCodes(b []byte, err error) *wire.Notice {
	if err := s.train.TakeCodes(b, err); err != nil {
		return effect.Failure(err)
	}
	if _, _, halted := s.train.Halted(); !halted {
		to := s.train.RunTo
		err := s.start()
		s.train.RunTo = to
		return effect.Failure(err)
	}
	return effect.Failure(s.resume())
}

// resume continues the halted training: at once, or when its codes have arrived. It is displayed if the user wants it.
func (s *Session) resume() error {
	n, err := s.train.Resume(s.given())
	if n == nil || err != nil {
		return err
	}
	s.put(n)
	return s.after(s.models.Arrange(s.on()))
}
