package lab

import (
	"bytes"
	"errors"
	"fmt"

	"macroscope/model/wire"
)

// detail says what a model is.
func (m *MixingModel) detail() string {
	laws := "one joint law"
	if !m.Config.Law.Joint {
		laws = "a law for each species"
	}
	return fmt.Sprintf("%s, %d weights and %d of its autoencoder", laws, len(m.LawParams), len(m.Params))
}

// weights counts those of its networks.
func (m *MixingModel) weights() int { return len(m.Params) + len(m.LawParams) }

// clone returns a copy that training does not change.
func (m *MixingModel) clone() *MixingModel {
	c := NewMixingModel(m.Config)
	copy(c.Params, m.Params)
	copy(c.LawParams, m.LawParams)
	c.Scale = m.Scale.clone()
	return c
}

// called returns the name of a model on show, "" for none.
func (v *mixingView) called() string {
	if v == nil {
		return ""
	}
	return v.name
}

// keepShown keeps the law in training as it is now or, without one, model A.
func (s *MixingSession) keepShown() error {
	r := run[*MixingModel]{name: s.kept.free(s.keepAs)}
	switch {
	case s.training != nil:
		r.origin, r.model, r.reached = s.trainedFrom, s.training.model.clone(), s.training.reached()
	case s.a != nil:
		r.origin, r.model = s.a.origin, s.a.model.clone()
	default:
		return s.noModel()
	}
	if err := s.kept.keep(r); err != nil {
		return err
	}
	s.keepAs = ""
	return nil
}

// choose puts the run of a name on show as A or, if compare says so, beside it
// as B; no name ends the comparison.
func (s *MixingSession) choose(name string, compare bool) error {
	if name == "" && compare {
		s.b = nil
		s.changed()
		return nil
	}
	var v *mixingView
	if i := s.kept.find(name); i >= 0 {
		v = newMixingView(s.kept[i].model, name, s.kept[i].origin)
	} else if name == trainingRun && s.training != nil {
		v = newMixingView(s.training.model, name, s.trainedFrom)
		v.live, v.usable = true, s.training.usable()
	} else {
		return fmt.Errorf("there is no run called %s", quote(name))
	}
	s.foretell(v)
	if compare && s.a != nil {
		s.b = v
	} else {
		s.a, s.none = v, ""
	}
	s.changed()
	return nil
}

// drop forgets a run.
func (s *MixingSession) drop(name string) error {
	if name == shippedRun {
		return errors.New("the shipped model stays, since others are trained on what its encoder made")
	}
	if err := s.kept.drop(name, s.a.called()); err != nil {
		return err
	}
	if s.b.called() == name {
		s.b = nil
	}
	s.changed()
	return nil
}

// trainingRun is the training as one of the runs, nil if there is none.
func (s *MixingSession) trainingRun() *run[*MixingModel] {
	if s.training == nil {
		return nil
	}
	return &run[*MixingModel]{name: trainingRun, origin: s.trainedFrom, reached: s.training.reached(), model: s.training.model}
}

// openCheckpoint takes a dropped model.
func (s *MixingSession) openCheckpoint(name string, b []byte) *wire.Notice {
	m, _, err := ReadMixing(bytes.NewReader(b))
	opened := run[*MixingModel]{name: s.kept.free(withoutEnding(name)), origin: "opened from " + quote(name), model: m}
	if err == nil {
		err = s.kept.keep(opened)
	}
	if err == nil {
		err = s.choose(opened.name, false)
	}
	if err != nil {
		return failure(fmt.Errorf("%s was not opened: %w", quote(name), err))
	}
	s.settings.Scratch = false
	return &wire.Notice{Text: fmt.Sprintf("Opened the model %s: %s.", quote(name), m.detail())}
}
