package session

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"macroscope/model/lab/view"
	"macroscope/model/learn/experiment"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// holdCommand is given by the picture: a place in the latent portrait at which z is to
// be held.
const holdCommand = "hold"

// latent is the latent portrait of model A.
type latent struct {
	s      *Session
	codes  *experiment.Codes // of States, nil before they are there
	missed bool              // they could not be had

	of    latentKey
	drawn *view.Portrait // nil while there is none

}

// latentKey is what a portrait depends on.
type latentKey struct {
	shown *view.Shown
	told  time.Time // when its weights last changed
	run   uint64
	whole bool // its prediction is there
	axes  [2]string
	codes bool
}

// wants names the trajectories that are to be fetched for the portrait; "" is none.
func (l *latent) wants() string {
	if s := l.s; s.settings.Portrait && s.lab.Algebra != nil && l.codes == nil && !l.missed {
		return s.lab.States
	}
	return ""
}

// fetched takes these trajectories. Without them the portrait has no paths of training.
func (l *latent) fetched(b []byte, err error) *wire.Notice {
	if err == nil {
		l.codes, err = experiment.ReadCodes(b)
	}
	l.s.changed()
	if err == nil {
		return nil
	}
	l.missed = true
	return failure(fmt.Errorf("the trajectories of the latent portrait could not be opened, so it is drawn without them: %w", err))
}

// look brings the portrait up to date with the model on show.
func (l *latent) look() {
	s := l.s
	a := s.display.a
	if !s.settings.Portrait || s.lab.Algebra == nil || a == nil || !a.Begun || !s.run.playable() || l.wants() != "" {
		l.drawn, l.of = nil, latentKey{}
		return
	}
	key := latentKey{a, a.Told, s.run.generation, a.Predicted(), s.settings.Axes, l.codes != nil}
	was := l.of
	if was.whole = key.whole; key == l.of || key == was && l.drawn != nil {
		return
	}
	l.of = key
	l.drawn = view.NewPortrait(a, s.run.described(), s.lab.Algebra, l.codes, s.settings.Axes)
}

// hold follows the visitor, who drags z. What plays stops.
func (l *latent) hold(value string) error {
	fields := strings.Fields(value)
	var at [2]float64
	if len(fields) != len(at) {
		return fmt.Errorf("z cannot be held at %s: give two numbers", setting.Quote(value))
	}
	for i, text := range fields {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("z cannot be held at %s: give two numbers", setting.Quote(value))
		}
		at[i] = v
	}
	if l.drawn == nil {
		return errors.New("there is no latent portrait to hold z in; switch it on first")
	}
	l.s.live.Player().Pause()
	l.drawn.Hold(at[0], at[1])
	l.s.changed()
	return nil
}

// free says why z cannot be let go, nil if it can.
func (l *latent) free() error {
	if l.drawn.Held() == nil {
		return errors.New("z is that of the particles; drag it in the latent portrait first")
	}
	return nil
}

// release lets z be that of the particles.
func (l *latent) release() {
	if l.drawn.Held() != nil {
		l.drawn.Release()
		l.s.changed()
	}
}
