package session

import (
	"errors"

	"macroscope/model/lab"
)

// opening begins with the settings of a link or a first visit, and with the shipped
// model.
type opening struct{ *Session }

// openSettings takes all settings at once, as a link or a first visit does; those
// of the system are there already. The run begins, and the shipped model is
// wanted.
func (s opening) openSettings(l lab.Settings) {
	s.settings = l
	s.beside, s.ahead, s.instead = "", false, false
	s.own.drop()
	s.trainer.eager, s.trainer.runTo, s.trainer.fitEps = false, place{}, l.Eps
	s.display.asked = 0
	s.display.hide(false)
	m, ships := s.shippedModel()
	there := s.library.kept.Find(s.shippedRun()) != nil
	s.wantsShipped = ships && (s.lab.IsSampler() || !there || s.shippedFiles[s.shippedRun()] != m.File)
	s.instead = s.wantsShipped && there && !s.lab.IsSampler() && l.Model != lab.Trained
	s.run.begin = l.Frame
	s.failed(s.live.Generate())
	s.run.look()
}

// open is openSettings of a link, and of its particles, if it has any. What it
// returns is why they cannot be used, or a training of the link cannot be repeated.
func (s opening) open(l lab.Settings, positions []float32) error {
	if s.lab.IsSampler() {
		s.trainer.end()
		s.display.a, s.display.b = nil, nil
		s.library.kept.Take(s.shippedRun())
	}
	s.openSettings(l)
	var placed error
	if positions != nil {
		placed = s.place(positions, fromLink, l.Frame)
	}
	var err error
	if l.Model == lab.Trained {
		err = s.repeat(l)
	} else if s.library.kept.Find(s.shippedRun()) != nil {
		err = s.display.choose(s.shippedRun(), false)
	}
	return errors.Join(placed, err)
}

// repeat trains what a link says was trained, up to where it stood.
func (s opening) repeat(l lab.Settings) error {
	t := &s.trainer
	to := place{phase: max(1, l.Phase), step: l.Step}
	if s.lab.IsSampler() {
		if err := (follower{t}).scratch(); err != nil || l.Step == 0 {
			return err
		}
	} else if l.Phase == 0 && !t.plan().OnCodes() {
		return nil
	}
	s.settings.From = lab.FromScratch
	if t.plan().OnCodes() {
		to.phase = 2
	}
	if err := t.train(); err != nil {
		return err
	}
	if t.runTo = to; l.Step == 0 && to.phase <= 1 {
		t.runTo = place{}
	}
	return nil
}
