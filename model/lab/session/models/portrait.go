package models

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
)

// portrait is the latent portrait of model A.
type portrait struct {
	codes  *model.Codes // encoded trajectories; nil before they are loaded
	missed bool         // whether the trajectories could not be fetched
	of     portraitKey
	drawn  *view.Portrait // nil if there is no portrait
}

// portraitKey identifies the data from which a portrait was made.
type portraitKey struct {
	shown *view.Shown
	told  time.Time // when the model's weights last changed
	run   uint64
	whole bool // whether the model's prediction is complete
	axes  [2]string
	codes bool
}

// NeedsStates names the file of trajectories that the portrait needs, or returns "" if it needs
// none.
func (m *Models) NeedsStates(set *lab.Settings) string {
	if set.Portrait && m.lab.Algebra != nil && m.portrait.codes == nil && !m.portrait.missed {
		return m.lab.States
	}
	return ""
}

// States reads the file that NeedsStates named. err is the error of fetching it. Without the
// file the portrait shows no training trajectories.
func (m *Models) States(b []byte, err error) effect.Effect {
	if err == nil {
		m.portrait.codes, err = model.ReadCodes(b)
	}
	if err == nil {
		return effect.Changed()
	}
	m.portrait.missed = true
	return effect.Changed().And(effect.Failed(fmt.Errorf("the trajectories of the latent portrait could not be opened, so it is drawn without them: %w", err)))
}

// lookAtPortrait makes a new portrait of the displayed model, if the present portrait is out of
// date.
func (m *Models) lookAtPortrait(on On) {
	p, a := &m.portrait, m.show.a
	if !on.Set.Portrait || m.lab.Algebra == nil || a == nil || !a.Begun || !on.Playable || m.NeedsStates(on.Set) != "" {
		p.drawn, p.of = nil, portraitKey{}
		return
	}
	key := portraitKey{a, a.Told, on.Run.Live.Run().Generation, a.Predicted(), on.Set.Axes, p.codes != nil}
	was := p.of
	if was.whole = key.whole; key == p.of || key == was && p.drawn != nil {
		return
	}
	p.of = key
	codes := p.codes
	if a.Tunable != nil {
		codes = a.Tunable.CodesAt(codes, a.Model)
	}
	p.drawn = view.NewPortrait(a, on.Run, m.lab.Algebra, codes, on.Set.Axes)
}

// Hold moves z to the place to which the user has dragged it in the portrait. value consists of
// two numbers.
func (m *Models) Hold(value string) (effect.Effect, error) {
	at, err := two(value)
	if err != nil {
		return effect.Effect{}, err
	}
	if m.portrait.drawn == nil {
		return effect.Effect{}, errors.New("there is no latent portrait to hold z in; switch it on first")
	}
	m.portrait.drawn.Hold(at[0], at[1])
	return effect.Changed(), nil
}

// HoldNumber is called when the user has dragged a bar of model A's ẑ. It changes one number of ẑ.
// value consists of the number's place in ẑ, counted from 1, and the number's new value in the
// units of the row "z".
func (m *Models) HoldNumber(value string) (effect.Effect, error) {
	at, err := two(value)
	if err != nil {
		return effect.Effect{}, err
	}
	a, i := m.show.a, int(at[0])-1
	switch {
	case a == nil:
		return effect.Effect{}, m.Shelf.Missing()
	case float64(i+1) != at[0] || i < 0 || i >= len(a.Z):
		return effect.Effect{}, fmt.Errorf("ẑ has %s, and no number %s", setting.Count(len(a.Z), "number", "numbers"), strconv.FormatFloat(at[0], 'g', -1, 64))
	case a.Density == nil && a.Points == nil:
		return effect.Effect{}, errors.New("the model’s method decodes nothing from ẑ that could follow")
	case a.Cannot != nil:
		return effect.Effect{}, a.Cannot
	case !m.Reveals(Density):
		return effect.Effect{}, errors.New("nothing is decoded from ẑ yet; press Decode first")
	case m.portrait.drawn != nil:
		m.portrait.drawn.HoldNumber(i, at[1])
		return effect.Changed(), nil
	case m.held(a) == nil:
		m.show.number, m.show.numberOf = slices.Clone(a.Z), a
	}
	m.show.number[i] = float32(at[1])
	return effect.Changed(), nil
}

// The function `two` reads the two numbers in the value of a command. The command keeps z fixed.
func two(value string) (at [2]float64, err error) {
	fields := strings.Fields(value)
	if len(fields) == len(at) {
		for i, text := range fields {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(v) || math.Abs(v) > math.MaxFloat32 {
				break
			}
			if at[i] = v; i == len(at)-1 {
				return at, nil
			}
		}
	}
	return at, fmt.Errorf("z cannot be held at %s: give two numbers", setting.Quote(value))
}

// Free returns an error if the user does not hold z.
func (m *Models) Free() error {
	if m.held(m.show.a) == nil {
		return errors.New("z is that of the particles; drag a bar of ẑ, or z in the latent portrait, first")
	}
	return nil
}

// Release makes z follow the particles again, after a call of Hold or HoldNumber.
func (m *Models) Release() effect.Effect {
	if m.held(m.show.a) == nil {
		return effect.Effect{}
	}
	m.show.number = nil
	if m.portrait.drawn != nil {
		m.portrait.drawn.Release()
	}
	return effect.Changed()
}
