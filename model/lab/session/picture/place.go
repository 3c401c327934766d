package picture

import (
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
)

// Place displays runs as A and B, tunable ones at the ε and ẑ dim of the settings. A nil run leaves its place
// unchanged. `find` returns a run by its name, or nil.
func (p *Picture) Place(on On, a, b *runs.Run, find func(name string) *runs.Run) (effect.Effect, error) {
	was := p.a
	ea, err := p.put(on, &p.a, a, find)
	if err != nil {
		return effect.Effect{}, err
	}
	eb, err := p.put(on, &p.b, b, find)
	if p.a != was { // the last shuffle was of the particles of another model
		p.order.Forget()
		p.order.latest = false
	}
	return ea.And(eb), err
}

// put displays a run in a place, or leaves the place unchanged if r is nil. A tunable model is tuned to the settings.
func (p *Picture) put(on On, place **view.Shown, r *runs.Run, find func(string) *runs.Run) (e effect.Effect, err error) {
	v := *place
	switch {
	case r != nil && !v.Is(r.Name, r.Model):
		v, err = p.display(on, r)
	case v == nil || v.Tunable == nil:
		return e, nil
	default:
		eps, zdim := v.Tunable.Config.Tuning().Nearest(on.Set.Eps, on.Set.ZDim)
		switch c := &v.Model.Config; {
		case c.ZDim() != zdim:
			if r = find(v.Name); r == nil {
				return e, nil
			}
			v, err = p.display(on, r)
		case c.Eps() != eps:
			err = v.Tunable.Tune(v.Model, eps)
			v.Outdate()
		default:
			return e, nil
		}
	}
	if err == nil {
		*place = v
	}
	return effect.Changed(), err
}

// display makes the drawings of a run. A tunable model is displayed with the ε and ẑ dim in its
// range that are nearest to the settings.
func (p *Picture) display(on On, r *runs.Run) (*view.Shown, error) {
	model := r.Model
	if model.Config.Tunable() {
		var err error
		if model, err = model.At(model.Config.Tuning().Nearest(on.Set.Eps, on.Set.ZDim)); err != nil {
			return nil, err
		}
	}
	v := view.NewShown(model, r.Name, on.Set.Members)
	v.Origin = r.Origin
	if model != r.Model {
		v.Tunable = r.Model
	}
	if v.Training = r.Name == runs.Training; v.Training {
		v.Usable = on.Training.Usable()
	}
	if on.Playable {
		v.Begin(on.Run)
	}
	return v, nil
}

// After a change of the ensembles' size, Again() displays the same models with new ensembles.
// `find` returns a run by its name, or nil.
func (p *Picture) Again(on On, find func(name string) *runs.Run) (effect.Effect, error) {
	for _, shown := range []**view.Shown{&p.a, &p.b} {
		if r := find((*shown).Called()); r != nil {
			v, err := p.display(on, r)
			if err != nil {
				return effect.Effect{}, err
			}
			*shown = v
		}
	}
	return effect.Changed(), nil
}
