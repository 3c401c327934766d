package session

import (
	"fmt"
	"iter"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/models"
	"macroscope/model/lab/session/runs"
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
		if of, ok := s.models.Needs(&s.set.Settings, waits && s.train.NeedsCoded(s.given())); ok {
			if !yield(request{of.File, func(b []byte, err error) *wire.Notice { return s.fetchedModel(of, b, err) }}) {
				return
			}
		}
		if waits {
			if name := s.train.NeedsCodes(s.given()); name != "" && !yield(request{name, s.fetchedCodes}) {
				return
			}
		}
		if name := s.models.NeedsStates(&s.set.Settings); name != "" && !yield(request{name, func(b []byte, err error) *wire.Notice {
			e := s.models.States(b, err)
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
		if name != r.file {
			break // the file is no longer needed
		}
		s.settle(effect.Restated())
		return s.answer(r.then(b, err))
	}
	return nil
}

// fetchedModel handles the arrival of a shipped model, or the error of fetching it.
func (s *Session) fetchedModel(of lab.Model, b []byte, err error) *wire.Notice {
	var model *model.Model
	if err == nil {
		model, err = s.models.Decode(of, b)
	}
	if err != nil {
		return s.missed(of, err)
	}
	if s.train.Follows() && s.models.Replaces(of, &s.set.Settings) {
		s.leave()
	}
	e, arrived, err := s.models.Ship(s.on(), of, model)
	s.settle(e)
	return effect.Failure(s.welcome(arrived, err))
}

// welcome handles the arrival of the shipped model for the settings. A training that waits for
// this model begins.
func (s *Session) welcome(of *models.Arrived, err error) error {
	if of == nil || err != nil {
		return err
	}
	follows := s.train.Follows()
	if follows && of.Replaced {
		s.set.Model = lab.Shipped
	}
	starts := of.Fresh && !s.train.LacksCodes(s.given())
	if follows {
		starts = of.Fresh && s.models.A().Called() == s.models.AskedName(&s.set.Settings)
	}
	if starts && s.train.Unwait() {
		return s.start()
	}
	return nil
}

// missed handles a shipped model that is unavailable. A lab of single sets displays an untrained
// model if it has no other model.
func (s *Session) missed(of lab.Model, err error) *wire.Notice {
	if !s.models.Miss(of) {
		if s.models.Coded() == nil {
			s.train.Unwait()
		}
		return effect.Failure(fmt.Errorf("the shipped model of the method %s could not be opened; reload the page to try again: %w", of.Method, err))
	}
	s.train.Unwait()
	if s.train.Follows() && s.models.A() == nil && s.scratch() == nil {
		return effect.Failure(fmt.Errorf("the shipped model could not be opened, so the model shown is untrained; press Train: %w", err))
	}
	s.models.Lack()
	return effect.Failure(fmt.Errorf("the shipped model could not be opened; train one here, open one of your own, or reload the page: %w", err))
}

// fetchedCodes handles the arrival of the codes. A training that waits for them begins, or the
// halted training continues.
func (s *Session) fetchedCodes(b []byte, err error) *wire.Notice {
	if err := s.train.TakeCodes(b, err); err != nil {
		return effect.Failure(err)
	}
	if _, _, halted := s.train.Halted(); !halted {
		to := s.train.RunTo()
		err := s.start()
		s.train.SetRunTo(to)
		return effect.Failure(err)
	}
	return effect.Failure(s.resumeOnShow())
}

// resumeOnShow continues the halted training, and displays it if the saved session did.
func (s *Session) resumeOnShow() error {
	onShow := s.train.OnShow()
	if err := s.resume(); err != nil || s.train.Live() == nil || !onShow {
		return err
	}
	return s.after(s.models.Show(s.on(), runs.Training))
}

// resume continues the halted training: at once, or when its codes have arrived.
func (s *Session) resume() error {
	n, err := s.train.Resume(s.given())
	if n == nil || err != nil {
		return err
	}
	return s.put(n)
}
