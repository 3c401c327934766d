package lab

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"macroscope/model/ckpt"
	"macroscope/model/wire"
)

const (
	maxRuns     = 12      // that are kept
	maxWeights  = 8 << 20 // in all of them
	maxRunName  = 40      // letters
	shippedRun  = "shipped"
	trainingRun = "in training"
)

// keptModel is a model that is kept under a name.
type keptModel struct {
	name   string
	origin string // where its weights are from, in words
	model  *ParticlesModel

	encoded []byte // its file in a saved session, nil before the first
}

// detail says what a model is.
func (m *ParticlesModel) detail() string {
	c := &m.Config
	text := fmt.Sprintf("ε = %g, ẑ of %d, %d parameters", c.Eps, c.Encoder.ZDim, len(m.Params)+len(m.LawParams))
	if c.Macro != Energy {
		text += ", of " + c.Macro
	}
	return text
}

// clone returns a copy that training does not change.
func (m *ParticlesModel) clone() *ParticlesModel {
	c := NewParticlesModel(m.Config)
	copy(c.Params, m.Params)
	copy(c.LawParams, m.LawParams)
	c.Scale = m.Scale.clone()
	return c
}

// keep adds a model, whose name no other has, to the runs.
func (s *ParticlesSession) keep(r keptModel) error {
	if len(s.kept) >= maxRuns {
		return fmt.Errorf("there are %d runs and room for no more; delete one first", len(s.kept))
	}
	weights := 0
	for _, o := range append(s.kept, r) {
		weights += len(o.model.Params) + len(o.model.LawParams)
	}
	if weights > maxWeights {
		return fmt.Errorf("the runs have %d million weights together and there is room for no more; delete one first", weights>>20)
	}
	s.kept = append(s.kept, r)
	return nil
}

func (s *ParticlesSession) findRun(name string) int {
	return slices.IndexFunc(s.kept, func(r keptModel) bool { return r.name == name })
}

// freeName returns a name that no run has yet.
func (s *ParticlesSession) freeName(name string) string {
	if r := []rune(name); len(r) > maxRunName {
		name = string(r[:maxRunName])
	}
	free := name
	for i := 2; s.findRun(free) >= 0 || free == trainingRun || free == ""; i++ {
		if free = fmt.Sprintf("%s %d", name, i); name == "" {
			free = fmt.Sprintf("run %d", i-1)
		}
	}
	return free
}

// keepShown keeps model A, or a training as it is now, under the name that the
// visitor gave.
func (s *ParticlesSession) keepShown() error {
	if s.a == nil {
		return errors.New("there is no model to keep yet")
	}
	r := keptModel{name: s.freeName(s.keepAs), origin: s.a.origin, model: s.a.model.clone()}
	if err := s.keep(r); err != nil {
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
	r, live := keptModel{}, false
	if i := s.findRun(name); i >= 0 {
		r = s.kept[i]
	} else if live = name == trainingRun && s.training != nil; live {
		r = keptModel{name: trainingRun, origin: s.trainedFrom, model: s.training.Model()}
	} else {
		return fmt.Errorf("there is no run called %s", quote(name))
	}
	m, err := s.newShown(r)
	if err != nil {
		return err
	}
	if m.live = live; live {
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
func (s *ParticlesSession) newShown(r keptModel) (*shownModel, error) {
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
	i := s.findRun(name)
	switch {
	case name == trainingRun && s.training != nil:
		return errors.New("the training cannot be deleted; begin another, which takes its place")
	case i < 0:
		return fmt.Errorf("there is no run called %s", quote(name))
	case s.a != nil && s.a.name == name:
		return errors.New("this run is on show; show another first")
	}
	if s.b != nil && s.b.name == name {
		s.b = nil
	}
	s.kept = slices.Delete(s.kept, i, i+1)
	s.changed()
	return nil
}

// listRuns describes all runs, the training last.
func (s *ParticlesSession) listRuns() []wire.Run {
	var list []wire.Run
	add := func(name, detail string) {
		r := wire.Run{Name: name, Detail: detail}
		switch {
		case s.a != nil && s.a.name == name:
			r.Shown = "a"
		case s.b != nil && s.b.name == name:
			r.Shown = "b"
		}
		list = append(list, r)
	}
	for _, r := range s.kept {
		add(r.name, r.model.detail())
	}
	if s.training != nil {
		add(trainingRun, s.training.Model().detail())
	}
	return list
}

// openCheckpoint takes a dropped model, and the training that it may hold.
func (s *ParticlesSession) openCheckpoint(name string, b []byte) *wire.Notice {
	m, f, err := ReadParticles(bytes.NewReader(b))
	if err == nil && m.Config.Encoder.Dim != 2 {
		err = fmt.Errorf("it is of particles with %d coordinates, and the page shows those in the plane", m.Config.Encoder.Dim)
	}
	run := keptModel{name: s.freeName(withoutEnding(name)), origin: "opened from " + quote(name), model: m}
	if err == nil {
		err = s.keep(run)
	}
	if err != nil {
		return failure(fmt.Errorf("%s was not opened: %w", quote(name), err))
	}
	s.settings.Eps, s.settings.ZDim, s.settings.Scratch = m.Config.Eps, m.Config.Encoder.ZDim, false
	if err := s.choose(run.name, false); err != nil {
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

// withoutEnding is a file's name less its ending.
func withoutEnding(name string) string {
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}
