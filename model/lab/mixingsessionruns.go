package lab

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"macroscope/model/wire"
)

// keptMixing is a model of mixing that is kept under a name.
type keptMixing struct {
	name, origin string
	model        *MixingModel
	reached      string // what its law was measured to reach, "" if it was not

	encoded []byte // its file in a saved session, nil before the first
}

// detail says what a model is.
func (m *MixingModel) detail() string {
	laws := "one joint law"
	if !m.Config.Law.Joint {
		laws = "a law for each species"
	}
	return fmt.Sprintf("%s, %d weights and %d of its autoencoder", laws, len(m.LawParams), len(m.Params))
}

// clone returns a copy that training does not change.
func (m *MixingModel) clone() *MixingModel {
	c := NewMixingModel(m.Config)
	copy(c.Params, m.Params)
	copy(c.LawParams, m.LawParams)
	c.Scale = m.Scale.clone()
	return c
}

func (s *MixingSession) findRun(name string) int {
	return slices.IndexFunc(s.kept, func(r keptMixing) bool { return r.name == name })
}

// keep adds a model to the runs, in the place of one of the same name.
func (s *MixingSession) keep(r keptMixing) error {
	if i := s.findRun(r.name); i >= 0 {
		s.kept[i] = r
		return nil
	}
	if len(s.kept) >= maxRuns {
		return fmt.Errorf("there are %d runs and room for no more; delete one first", len(s.kept))
	}
	s.kept = append(s.kept, r)
	return nil
}

// freeName returns a name that no run has yet.
func (s *MixingSession) freeName(name string) string {
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

// keepShown keeps the law in training as it is now or, without one, model A.
func (s *MixingSession) keepShown() error {
	r := keptMixing{name: s.freeName(s.keepAs)}
	switch {
	case s.training != nil:
		r.origin, r.model, r.reached = s.trainedFrom, s.training.model.clone(), s.training.reached()
	case s.a != nil:
		r.origin, r.model = s.a.origin, s.a.model.clone()
	default:
		return s.noModel()
	}
	if err := s.keep(r); err != nil {
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
	if i := s.findRun(name); i >= 0 {
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
	i := s.findRun(name)
	switch {
	case name == trainingRun && s.training != nil:
		return errors.New("the training cannot be deleted; begin another, which takes its place")
	case i < 0:
		return fmt.Errorf("there is no run called %s", quote(name))
	case s.a != nil && s.a.name == name:
		return errors.New("this run is on show; show another first")
	case name == shippedRun:
		return errors.New("the shipped model stays, since others are trained on what its encoder made")
	}
	if s.b != nil && s.b.name == name {
		s.b = nil
	}
	s.kept = slices.Delete(s.kept, i, i+1)
	s.changed()
	return nil
}

// listRuns describes all runs, the training last.
func (s *MixingSession) listRuns() []wire.Run {
	var list []wire.Run
	add := func(name, detail, reached string) {
		if reached != "" {
			detail += ", " + reached
		}
		r := wire.Run{Name: name, Detail: detail}
		switch {
		case s.a != nil && s.a.name == name:
			r.Shown = "a"
		case s.b != nil && s.b.name == name:
			r.Shown = "b"
		}
		list = append(list, r)
	}
	for i := range s.kept {
		add(s.kept[i].name, s.kept[i].model.detail(), s.kept[i].reached)
	}
	if s.training != nil {
		add(trainingRun, s.training.model.detail(), s.training.reached())
	}
	return list
}

// openCheckpoint takes a dropped model.
func (s *MixingSession) openCheckpoint(name string, b []byte) *wire.Notice {
	m, _, err := ReadMixing(bytes.NewReader(b))
	run := keptMixing{name: s.freeName(withoutEnding(name)), origin: "opened from " + quote(name), model: m}
	if err == nil {
		err = s.keep(run)
	}
	if err == nil {
		err = s.choose(run.name, false)
	}
	if err != nil {
		return failure(fmt.Errorf("%s was not opened: %w", quote(name), err))
	}
	s.settings.Scratch = false
	return &wire.Notice{Text: fmt.Sprintf("Opened the model %s: %s.", quote(name), m.detail())}
}
