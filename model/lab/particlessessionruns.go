package lab

import (
	"bytes"
	"errors"
	"fmt"

	"macroscope/model/ckpt"
	"macroscope/model/wire"
)

// detail says what a model is.
func (m *ParticlesModel) detail() string {
	c := &m.Config
	text := fmt.Sprintf("ε = %g, ẑ of %d, %d parameters", c.Eps, c.Encoder.ZDim, m.weights())
	if c.Macro != Energy {
		text += ", of " + c.Macro
	}
	return text
}

// weights counts those of its networks.
func (m *ParticlesModel) weights() int { return len(m.Params) + len(m.LawParams) }

// clone returns a copy that training does not change.
func (m *ParticlesModel) clone() *ParticlesModel {
	c := NewParticlesModel(m.Config)
	copy(c.Params, m.Params)
	copy(c.LawParams, m.LawParams)
	c.Scale = m.Scale.clone()
	return c
}

// keepShown keeps model A, or a training as it is now, under the name that the
// visitor gave.
func (s *ParticlesSession) keepShown() error {
	if s.a == nil {
		return errors.New("there is no model to keep yet")
	}
	r := run[*ParticlesModel]{name: s.kept.free(s.keepAs), origin: s.a.origin, model: s.a.model.clone()}
	if err := s.kept.keep(r); err != nil {
		return err
	}
	s.keepAs = ""
	return nil
}

// choose puts the run of a name on show as A or, if compare says so, beside it
// as B; no name ends the comparison.
func (s *ParticlesSession) choose(name string, compare bool) error {
	if name == "" && compare {
		s.b = nil
		s.changed()
		return nil
	}
	var r *run[*ParticlesModel]
	if i := s.kept.find(name); i >= 0 {
		r = &s.kept[i]
	} else if r = s.trainingRun(); r == nil || name != trainingRun {
		return fmt.Errorf("there is no run called %s", quote(name))
	}
	m, err := s.newShown(r)
	if err != nil {
		return err
	}
	if m.live = name == trainingRun; m.live {
		m.usable = s.training.Usable()
	}
	if !compare {
		s.setA(m)
		return nil
	}
	s.b = m
	s.changed()
	return nil
}

// newShown returns a model that follows the present run.
func (s *ParticlesSession) newShown(r *run[*ParticlesModel]) (*shownModel, error) {
	if d := r.model.Config.Encoder.Dim; d != 2 {
		return nil, fmt.Errorf("the model is of particles with %d coordinates, and the page shows those in the plane", d)
	}
	m := newShownModel(r.model, r.name, r.origin)
	m.begin(s)
	return m, nil
}

// setA puts a model on show.
func (s *ParticlesSession) setA(m *shownModel) {
	s.a = m
	s.orders.forget()
	s.measureData()
	s.changed()
}

// drop forgets a run.
func (s *ParticlesSession) drop(name string) error {
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
func (s *ParticlesSession) trainingRun() *run[*ParticlesModel] {
	if s.training == nil {
		return nil
	}
	return &run[*ParticlesModel]{name: trainingRun, origin: s.trainedFrom, model: s.training.Model()}
}

// openCheckpoint takes a dropped model, and the training that it may hold.
func (s *ParticlesSession) openCheckpoint(name string, b []byte) *wire.Notice {
	m, f, err := ReadParticles(bytes.NewReader(b))
	if err == nil && m.Config.Encoder.Dim != 2 {
		err = fmt.Errorf("it is of particles with %d coordinates, and the page shows those in the plane", m.Config.Encoder.Dim)
	}
	opened := run[*ParticlesModel]{name: s.kept.free(withoutEnding(name)), origin: "opened from " + quote(name), model: m}
	if err == nil {
		err = s.kept.keep(opened)
	}
	if err != nil {
		return failure(fmt.Errorf("%s was not opened: %w", quote(name), err))
	}
	s.settings.Eps, s.settings.ZDim, s.settings.Scratch = m.Config.Eps, m.Config.Encoder.ZDim, false
	if err := s.choose(opened.name, false); err != nil {
		return failure(err)
	}
	text := fmt.Sprintf("Opened the model %s: %s.", quote(name), m.detail())
	if holdsTraining(f) {
		s.paused = f
		text += " It holds a training, with which Train goes on."
	}
	return &wire.Notice{Text: text}
}

// holdsTraining says whether a checkpoint has a training that has not ended.
func holdsTraining(f *ckpt.File) bool {
	stage := StageDone
	return readFields(f.Metadata, "", []field{{stageKey, &stage}}) == nil && stage < StageDone
}
