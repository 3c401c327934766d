package lab

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/wire"
)

// boundaryCommand is given by the picture: the boundary was dragged to x.
const boundaryCommand = "boundary"

// Apply implements wire.Session.
func (s *MixingSession) Apply(c wire.Command) *wire.Notice {
	defer func() { s.stateStale = true }()
	switch c.Kind {
	case wire.Set:
		return failure(s.set(c.Name, c.Value))
	case wire.Press:
		return failure(s.press(c.Name))
	case boundaryCommand:
		return failure(s.set("boundary", c.Value))
	case seekCommand:
		return failure(s.seek(c.Value))
	case wire.Link:
		settings, err := ParseMixingFragment(c.Value)
		if err == nil && settings == s.linked() {
			return nil
		}
		s.open(settings)
		return failure(err)
	case wire.File:
		return s.file(c.Name, c.Data)
	case wire.Restore:
		return failure(s.restore(c.Data))
	case wire.Train:
		return failure(s.train())
	case wire.Pause:
		s.stopTraining()
		return nil
	}
	return failure(fmt.Errorf("the lab has no command called %s", quote(c.Kind)))
}

// press follows a button.
func (s *MixingSession) press(id string) (err error) {
	if slices.Contains([]string{"play", "step", "restart"}, id) && s.relax.under() {
		return errors.New("the atoms are still relaxing")
	}
	switch id {
	case "play":
		if s.play.playing {
			s.play.pause()
		} else {
			err = s.play.play()
		}
		s.moved()
	case "step":
		s.play.next()
		s.moved()
	case "restart":
		playing := s.play.playing
		if err = s.play.seek(0); err == nil && playing {
			err = s.play.play()
		}
		s.moved()
	case "another":
		was := s.settings
		s.settings.Set = (s.settings.Set + 1) % maxSet
		return s.rebuild(was)
	case "encode":
		return s.reveal(1, showCode)
	case "decode":
		return s.reveal(2, showDensity)
	case "rollout":
		return s.reveal(3, showPrediction)
	case "shuffle":
		return s.shuffle()
	case "train":
		if s.status == wire.Training || s.eager {
			s.stopTraining()
			return nil
		}
		return s.train()
	case "keep":
		return s.keepShown()
	case "simulate":
		return s.closeData()
	default:
		return fmt.Errorf("there is no button called %s", quote(id))
	}
	s.changed()
	return plainMixing(err)
}

// reveal runs one stage of the model on the picture on show, which stays.
func (s *MixingSession) reveal(stage, bit int) error {
	if s.a == nil {
		return s.noModel()
	}
	if bit != showCode && s.shown&showCode == 0 {
		return errors.New("this stage works on ẑ, so encode first")
	}
	s.play.pause()
	s.shown |= bit
	s.lit, s.litTill = stage, s.now().Add(litFor)
	s.changed()
	return nil
}

// noModel says why there is nothing to predict with.
func (s *MixingSession) noModel() error {
	if s.none != "" {
		return errors.New("there is no model; open one, or reload the page")
	}
	return errors.New("the model is still on its way")
}

// set changes a control.
func (s *MixingSession) set(id, value string) error {
	was := s.settings
	switch id {
	case "preset":
		p, ok := findMixingPlay(value)
		if !ok {
			return fmt.Errorf("there is no system called %s", quote(value))
		}
		p.apply(&s.settings)
		return s.rebuild(was)
	case "tool":
		s.frameStale = true
		return assignChoice(&s.tool, "the pointer’s tool", value, mixingTools)
	case "at", "frame":
		return s.seek(value)
	case "name":
		s.keepAs = strings.TrimSpace(value)
		return nil
	case "trajectory":
		return s.setTrajectory(value)
	case "runA", "runB":
		err := s.choose(value, id == "runB")
		s.measureData()
		return err
	case "dropRun":
		return s.drop(value)
	}
	if err := s.settings.assign(id, value); err != nil {
		return err
	}
	switch id {
	case "boundary", "height", "dt", "frames", "seed", "set":
		return s.rebuild(was)
	case "temperature", "e11", "e22", "e12":
		return s.retune(was)
	case "members":
		for _, m := range s.models() {
			s.foretell(m)
		}
	case "all":
		s.shown = 0
		if s.settings.All {
			s.shown = showAll
		}
	}
	if s.settings != was {
		s.changed()
	}
	return nil
}

// rebuild begins a run under settings that have changed from was. If they cannot
// be simulated, all stays as it is.
func (s *MixingSession) rebuild(was MixingSettings) error {
	if s.settings == was && s.data == nil {
		return nil
	}
	err := s.settings.checkSystem()
	if err == nil {
		frame := 0
		if s.play.playing || s.play.now == s.play.horizon || s.relax.under() && s.begin < 0 {
			frame = -1
		}
		err = s.generate(frame)
	}
	if err != nil {
		s.settings = was
	}
	return plainMixing(err)
}

// retune lets the run go on under a temperature or a pair table that has changed
// from was; at frame 0 it begins anew.
func (s *MixingSession) retune(was MixingSettings) error {
	if s.settings == was {
		return nil
	}
	if s.relax.under() || s.data != nil || s.play.now == 0 && !s.play.between() {
		return s.rebuild(was)
	}
	if err := s.play.retune(s.settings.system()); err != nil {
		s.settings = was
		return plainMixing(err)
	}
	s.good, s.warning = s.settings, ""
	s.note = fmt.Sprintf("changed at frame %d", s.play.now)
	for _, m := range s.models() {
		m.forget(&s.play)
	}
	s.changed()
	return nil
}

func (s *MixingSession) seek(value string) error {
	k, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return fmt.Errorf("the frame cannot be %s: give a whole number from 0 to %d", quote(value), s.settings.Frames)
	}
	if s.relax.under() {
		return errors.New("the atoms are still relaxing")
	}
	if err := s.play.seek(k); err != nil {
		return plainMixing(err)
	}
	s.moved()
	return nil
}
