package picture

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/view"
	"macroscope/model/setting"
)

// The user can replace ẑ of the particles by other values: in the latent portrait, or by dragging a bar of ẑ.

// Hold moves z to the place to which the user has dragged it in the portrait. value consists of
// two numbers.
func (p *Picture) Hold(value string) (effect.Effect, error) {
	at, err := two(value)
	if err != nil {
		return effect.Effect{}, err
	}
	if p.Portrait.drawn == nil {
		return effect.Effect{}, errors.New("there is no latent portrait to hold z in; switch it on first")
	}
	p.Portrait.drawn.Hold(at[0], at[1])
	return effect.Changed(), nil
}

// HoldNumber is called when the user has dragged a bar of model A's ẑ. It changes one number of ẑ.
// There must be a model A. value consists of the number's place in ẑ, counted from 1, and the number's new value in the
// units of the row "z".
func (p *Picture) HoldNumber(value string) (effect.Effect, error) {
	at, err := two(value)
	if err != nil {
		return effect.Effect{}, err
	}
	a, i := p.a, int(at[0])-1
	switch {
	case float64(i+1) != at[0] || i < 0 || i >= len(a.Z):
		return effect.Effect{}, fmt.Errorf("ẑ has %s, and no number %s", setting.Count(len(a.Z), "number", "numbers"), strconv.FormatFloat(at[0], 'g', -1, 64))
	case a.Density == nil && a.Points == nil:
		return effect.Effect{}, errors.New("the model’s method decodes nothing from ẑ that could follow")
	case a.Cannot != nil:
		return effect.Effect{}, a.Cannot
	case !p.Reveals(Density):
		return effect.Effect{}, errors.New("nothing is decoded from ẑ yet; press Decode first")
	case p.Portrait.drawn != nil:
		p.Portrait.drawn.HoldNumber(i, at[1])
		return effect.Changed(), nil
	case p.held(a) == nil:
		p.number, p.numberOf = slices.Clone(a.Z), a
	}
	p.number[i] = float32(at[1])
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
func (p *Picture) Free() error {
	if p.held(p.a) == nil {
		return errors.New("z is that of the particles; drag a bar of ẑ, or z in the latent portrait, first")
	}
	return nil
}

// Release makes z follow the particles again, after a call of Hold or HoldNumber.
func (p *Picture) Release() effect.Effect {
	if p.held(p.a) == nil {
		return effect.Effect{}
	}
	p.number = nil
	if p.Portrait.drawn != nil {
		p.Portrait.drawn.Release()
	}
	return effect.Changed()
}

// held returns ẑ of a model as the user has set it in the picture, scaled like the row "z". It
// returns nil if ẑ describes the particles.
func (p *Picture) held(v *view.Shown) []float32 {
	switch {
	case v != p.a:
		return nil
	case p.Portrait.drawn != nil:
		return p.Portrait.drawn.Held()
	case v != p.numberOf:
		return nil
	}
	return p.number
}
