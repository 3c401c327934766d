package session

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/training"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// The struct `opens` is a cache. It holds the lab's default settings and the lab's list of figures,
// so that they are made only once.
type opens struct {
	system  setting.Table
	usual   *lab.Sheet
	link    *lab.Sheet // settings of the last link, see linked
	learns  bool
	figures []wire.Figure
}

func newOpens(of *lab.Lab) opens {
	live := of.System.Live()
	return opens{live.Settings(), lab.NewSheet(of), lab.NewSheet(of), of.Learns(), lab.Figures(of, live)}
}

// Fragment implements wire.Session.
func (s *Session) Fragment() string { return s.view().fragment() }

// openSettings changes all of the lab's settings at once, for a link or a first visit. The
// system's settings must have been set. The run begins, and the shipped model is requested.
func (s *Session) openSettings(l lab.Settings) {
	s.set.Settings = l
	if s.lab.Describe == nil { // without its file, a system of the user's own has no run
		s.file.Drop()
	}
	s.train.Unwait()
	s.train.RunTo = training.Place{}
	s.models.Unask()
	s.models.Hide(&s.set.Settings, false)
	_ = s.after(s.models.Expect(s.on())) // only a tunable model outside its range could cause an error, and the nearest values are used
	e, _ := s.run.Generate(l.Frame)      // after an error the displayed run stays
	e.Frame = true
	s.settle(e)
}

// follow opens a link, unless the session already has the link's state.
func (s *Session) follow(name, fragment string) *wire.Notice {
	if name == wire.Door {
		fragment += s.lab.Opening
	}
	if "#"+s.Fragment() == "#"+strings.TrimPrefix(fragment, "#") {
		return nil
	}
	l, err := s.parse(fragment)
	positions, damaged := s.run.Brought(fragment, s.lab.Link())
	opened := s.open(l, positions)
	turned := s.after(s.run.Turn(fragment, s.lab.Link(), l.Frame))
	if other := cmp.Or(damaged, opened, turned); err == nil && other != nil {
		err = fmt.Errorf("the link was read in part: %w", other)
	}
	return effect.Failure(err)
}

// parse sets the system's settings from a fragment and returns the lab's settings. The settings
// can be used even after an error.
func (s *Session) parse(fragment string) (lab.Settings, error) {
	return s.opens.usual.Parse(&s.lab, s.run.Live(), fragment)
}

// open opens the settings and particles of a link; positions may be nil. The error says why the
// particles cannot be used, or why the training cannot be repeated.
func (s *Session) open(l lab.Settings, positions []float32) error {
	s.openSettings(l)
	var placed, err error
	if positions != nil {
		placed = s.after(s.run.Place(positions, run.FromLink, l.Frame))
	}
	if l.Model == lab.Trained {
		err = s.repeat(l)
	}
	return errors.Join(placed, err)
}

// repeat starts the training that a link describes. It runs this training up to the link's step.
func (s *Session) repeat(l lab.Settings) error {
	to := training.Place{Phase: max(1, l.Phase), Step: l.Step}
	onCodes := s.given().OnCodes()
	if !s.lab.Timed() {
		if err := s.scratch(); err != nil || l.Step == 0 {
			return err
		}
	} else if l.Phase == 0 && !onCodes {
		return nil
	}
	s.set.From = lab.FromScratch
	if onCodes {
		to.Phase = 2
	}
	if err := s.start(); err != nil {
		return err
	}
	if l.Step == 0 && to.Phase <= 1 {
		to = training.Place{}
	}
	s.train.RunTo = to
	return nil
}
