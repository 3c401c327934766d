package picture

import (
	"errors"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
)

// Results of a model that can be revealed, one bit each.
const (
	Code = 1 << iota
	Density
	Prediction
	all = Code | Density | Prediction
)

// activeFor is how long the page highlights the stage that has run last.
const activeFor = 1500 * time.Millisecond

// Stages says which results of the displayed models are revealed.
type Stages struct {
	revealed   int // as bits
	asked      int // results to reveal when the requested frame arrives, as bits
	active     int // number of the stage that the page highlights, from 1; 0: none
	activeTill time.Time
}

// Reveals reports whether any of these results is revealed.
func (s *Stages) Reveals(bits int) bool { return s.revealed&bits != 0 }

// Encoded reports whether ẑ is revealed, or will be when the requested frame arrives.
func (s *Stages) Encoded() bool { return (s.revealed|s.asked)&Code != 0 }

// Active reports whether the page highlights the stage that has run last.
func (s *Stages) Active() bool { return s.active != 0 }

// Hide hides the revealed results, unless the user has chosen to run all stages. At another
// frame of the same run, the prediction stays visible.
func (s *Stages) Hide(set *lab.Settings, sameRun bool) {
	switch {
	case set.All:
		s.revealed = all
	case sameRun:
		s.revealed &= Prediction
	default:
		s.revealed = 0
	}
}

// Unask cancels the results that wait for a frame.
func (s *Stages) Unask() { s.asked = 0 }

// Reveal runs one stage of the model on the displayed picture, which must be at rest. There must be a model A. If a
// requested frame has not arrived yet, the stage runs when the frame arrives.
func (s *Stages) Reveal(on On, now time.Time, stage, bit int) (effect.Effect, error) {
	if bit != Code && !s.Encoded() {
		return effect.Effect{}, errors.New("this stage works on ẑ, so encode first")
	}
	if on.Coming {
		s.asked |= bit
	} else {
		s.revealed |= bit
	}
	s.active, s.activeTill = stage, now.Add(activeFor)
	return effect.Changed(), nil
}

// Tick ends the highlight of a stage after the time activeFor. When a requested frame has arrived,
// it reveals the results that waited for the frame.
func (s *Stages) Tick(on On, now time.Time) (e effect.Effect) {
	if s.asked != 0 && !on.Coming {
		s.revealed |= s.asked
		s.asked = 0
		e = effect.Changed()
	}
	if s.active != 0 && now.After(s.activeTill) {
		s.active = 0
		e.Frame = true
	}
	return e
}
