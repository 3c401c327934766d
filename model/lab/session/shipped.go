package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

// shippedModel returns the shipped model of the settings, if there is one.
func (s opening) shippedModel() (lab.Model, bool) {
	return s.lab.Nearest(s.settings.Asked())
}

// askedOf returns what is asked for of another method: its dynamics know the state
// alone.
func (s opening) askedOf(method string) lab.Model {
	return lab.Model{Method: method, Eps: s.settings.Eps, ZDim: s.settings.ZDim}
}

// shippedRun names the run that the shipped model of the settings is.
func (s opening) shippedRun() string { return runs.ShippedAs(s.settings.Method) }

// showShipped shows the shipped model of the settings, as soon as it is there. A
// training of single sets ends.
func (s opening) showShipped() error {
	m, ok := s.shippedModel()
	if !ok {
		return errors.New("no model of this method is shipped with this lab")
	}
	t, d := &s.trainer, &s.display
	if t.stop(); s.lab.IsSampler() && t.live != nil {
		was, shown := t.live.Model(), d.a != nil && d.a.Training
		t.end()
		switch r := s.library.kept.Of(was); {
		case shown && r != nil:
			_ = d.choose(r.Name, false) // which there is
		case shown:
			d.a, d.b = nil, nil
		}
	}
	if run := s.shippedRun(); s.shippedFiles[run] == m.File && s.library.kept.Find(run) != nil {
		return s.takeShipped()
	}
	s.wantsShipped, s.instead = true, true
	s.changed()
	if of := s.foreseen[m.File]; of != nil {
		return s.ship(m, of)
	}
	return nil
}

// back says why the button that brings the shipped model back would bring nothing else, nil
// if it does.
func (s opening) back() error {
	name := s.shippedRun()
	m, ok := s.shippedModel()
	same := ok && m.File == s.shippedFiles[name]
	if !s.lab.IsSampler() {
		same = name == runs.Shipped // of any ε and ẑ dim
	}
	if !same || s.instead || s.display.a.Called() != name {
		return nil
	}
	return errors.New("the model trained beforehand is on show already")
}

// takeShipped shows the shipped model in place of model A.
func (s opening) takeShipped() error {
	s.instead = false
	if s.lab.IsSampler() {
		s.trainer.end()
		s.settings.Model, s.trainer.fitEps = lab.Shipped, s.library.kept.Find(s.shippedRun()).Model.Config.Eps()
	}
	return s.display.choose(s.shippedRun(), false)
}

// nearest follows another method, ε, number of closure variables or other parameters.
// The nearest
// model comes on show, of the one that is and of those that are shipped; what is
// being trained stays, and follows ε if it is of single sets. Nothing begins to
// train.
func (s opening) nearest() error {
	t, a := &s.trainer, s.display.a
	trains := t.status == wire.Training
	if s.instead {
		s.wantsShipped, s.instead = false, false
	}
	switch {
	case a == nil:
		return nil // the nearest is on its way
	case trains && !s.lab.IsSampler():
		return nil
	case trains && a.Training && a.Model.Config.ZDim() == s.settings.ZDim && a.Model.Config.Spec.Method == s.settings.Method:
		follower{t}.aim()
		return nil
	}
	m, ok := s.shippedModel()
	c := &a.Model.Config
	is := lab.Model{Eps: c.Eps(), ZDim: c.ZDim(), Params: c.Dynamics.Params.Names()}
	switch {
	case !ok:
	case c.Spec.Method != s.settings.Method, a.Name == s.shippedRun() && m.File != s.shippedFiles[a.Name], c.Decoder.Density() && m.Nearer(is, s.settings.Asked()):
		return s.showShipped()
	}
	return nil
}

// Wants implements wire.Session.
func (s *Session) Wants() string {
	t := &s.trainer
	if m, ok := (opening{s}).wanted(); ok {
		return m.File
	}
	if t.eager && t.codes == nil && t.needsCodes() {
		return s.lab.Codes
	}
	if name := s.latent.wants(); name != "" {
		return name
	}
	return s.aside.parts.Wants()
}

// wanted returns the shipped model that is to be fetched next, if there is one: that
// of the settings, the one whose encoder made what dynamics are trained on, the one
// beside A, the one that depends on the order of particles.
func (s opening) wanted() (m lab.Model, ok bool) {
	if s.wantsShipped {
		return s.shippedModel()
	}
	if t := &s.trainer; t.eager && t.plan().OnCodes() && s.library.coded() == nil {
		return s.lab.Coded()
	}
	if method, ok := runs.ShippedMethod(s.beside); ok && s.library.kept.Find(s.beside) == nil {
		return s.lab.Nearest(s.askedOf(method))
	}
	if method, ok := runs.ShippedMethod(s.order.wants); ok {
		return s.lab.Nearest(s.askedOf(method))
	}
	return m, false
}

// Fetched implements wire.Session.
func (s *Session) Fetched(name string, b []byte, err error) *wire.Notice {
	if name == "" || name != s.Wants() {
		return nil // the visitor has gone on to something else
	}
	s.stateStale = true
	m, ok := opening{s}.wanted()
	switch t := &s.trainer; {
	case ok:
	case t.eager && t.codes == nil && t.needsCodes():
		return s.toldWith(t.fetchedCodes(b, err))
	case s.latent.wants() != "":
		return s.toldWith(s.latent.fetched(b, err))
	default:
		s.changed()
		return s.toldWith(failure(s.aside.parts.Fetched(b, err)))
	}
	return s.toldWith(opening{s}.fetchedShipped(m, b, err))
}

// fetchedShipped keeps a model that comes with the lab, and shows it if it is to be
// on show.
func (s opening) fetchedShipped(m lab.Model, b []byte, err error) *wire.Notice {
	var of *experiment.Model
	if err == nil {
		of, err = s.opened(m, b)
	}
	if err != nil {
		return s.missedShipped(m, err)
	}
	return failure(s.ship(m, of))
}

// opened returns the model of a file that comes with the lab.
func (s opening) opened(m lab.Model, b []byte) (*experiment.Model, error) {
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	of, err := s.library.open(f)
	if err == nil && of.Config.Spec.Method != m.Method {
		err = fmt.Errorf("its method is not %s", m.Method)
	}
	return of, err
}

// ship keeps a model that comes with the lab, and shows it if it is to be on show.
func (s opening) ship(m lab.Model, of *experiment.Model) (err error) {
	s.foreseen.keep(m.File, of)
	r := runs.Run{Origin: "shipped with the lab", Model: of}
	s.library.kept.Ship(m.Method, r)
	run := runs.ShippedAs(m.Method)
	s.shippedFiles[run] = m.File
	s.order.arrived(run)
	if !s.wantsShipped || run != s.shippedRun() {
		return s.fetchedOther(run)
	}
	s.wantsShipped = false
	s.noShipped = ""
	switch a := s.display.a; {
	case s.instead:
		err = s.takeShipped()
	case a == nil || s.ahead:
		if err = s.display.choose(run, false); err == nil && a != nil {
			err = s.display.choose(a.Name, true)
		}
	case s.beside == run:
		err = s.display.choose(run, true)
	}
	if s.ahead = false; s.library.kept.Find(s.beside) != nil || !runs.IsShipped(s.beside) {
		s.beside = ""
	}
	t := &s.trainer
	switch {
	case err != nil:
	case s.lab.IsSampler() && s.display.a.Name == run:
		t.fitEps = r.Model.Config.Eps()
		t.shippedKL, _ = r.Model.KL(context.Background(), t.fitEps, fit.KLSets, fit.KLSamples, s.run.seed())
		if t.eager {
			t.eager = false
			err = follower{t}.follow()
		}
	case t.eager && t.codes != nil:
		t.eager = false
		err = t.train()
	}
	return err
}

// fetchedOther follows a shipped model that is not that of the settings.
func (s opening) fetchedOther(run string) error {
	s.changed()
	if s.beside == run {
		s.beside = ""
		return s.display.choose(run, true)
	}
	return nil
}

// missedShipped goes on without a model that comes with the lab: a sampler's
// begins untrained.
func (s opening) missedShipped(m lab.Model, err error) *wire.Notice {
	if !s.wantsShipped {
		s.beside = ""
		s.order.missed(runs.ShippedAs(m.Method))
		s.trainer.eager = s.trainer.eager && s.library.coded() != nil
		return failure(fmt.Errorf("the shipped model of the method %s could not be opened; reload the page to try again: %w", m.Method, err))
	}
	s.wantsShipped, s.trainer.eager, s.instead = false, false, false
	if s.lab.IsSampler() && s.display.a == nil {
		if begun := (follower{&s.trainer}).scratch(); begun == nil {
			return failure(fmt.Errorf("the shipped model could not be opened, so the one on show is untrained; press Train: %w", err))
		}
	}
	if s.display.a == nil {
		s.noShipped = "There is no model to predict with; open one, train one, or reload the page."
	}
	return failure(fmt.Errorf("the shipped model could not be opened; train one here, open one of your own, or reload the page: %w", err))
}
