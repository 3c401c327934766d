package models

import (
	"iter"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
)

// NoModel is the message that the lab has no model.
const NoModel = "There is no model to predict with; open one, train one, or reload the page."

// Loading returns the shipped model for the settings if it will replace A when it arrives. ok is false if there is
// none.
func (m *Models) Loading(on On) (of lab.Model, ok bool) {
	if m.show.a == nil || !m.Shelf.Coming(on.Now) {
		return of, false
	}
	return m.Shelf.Asked(on.Set)
}

// FollowSettings makes A the shipped model for the settings.
func (m *Models) FollowSettings(on On) (effect.Effect, error) {
	m.Shelf.Follow(on.Now)
	return m.Arrange(on)
}

// Expect makes A the shipped model for the settings, after a link or on a first visit. A model B stays if it is there.
func (m *Models) Expect(on On) (effect.Effect, error) {
	m.Shelf.Compare(m.show.b.Called())
	return m.FollowSettings(on)
}

// ExpectSaved makes the runs with the names `a` and `b` the models A and B of a saved session. Each name may be "".
func (m *Models) ExpectSaved(on On, a, b string) (effect.Effect, error) {
	m.Shelf.Want(on.Now, a, b)
	return m.Arrange(on)
}

// Show makes the named run A. A shipped run is displayed as soon as its file arrives.
func (m *Models) Show(on On, name string) (effect.Effect, error) {
	if err := m.Shelf.Again(on.Now, name); err != nil {
		return effect.Effect{}, err
	}
	return m.ExpectSaved(on, name, m.Shelf.B())
}

// Compare makes the named run B, next to A. An empty name ends the comparison. A shipped run is displayed as soon as
// its file arrives.
func (m *Models) Compare(on On, name string) (effect.Effect, error) {
	if name != "" {
		if err := m.Shelf.Again(on.Now, name); err != nil {
			return effect.Effect{}, err
		}
	}
	m.Shelf.Compare(name)
	return m.Arrange(on)
}

// Arrange displays the wanted models that are there, tunable ones at the ε and ẑ dim of the settings. Until the
// wanted model A is there, the present A stays; without an A, B takes its place. Once all files have arrived, the result
// depends only on the wanted names, the settings and the runs that there are.
func (m *Models) Arrange(on On) (effect.Effect, error) {
	s := &m.show
	a, _, _ := m.Shelf.A(on.Now)
	b := m.Shelf.Look(on.Now, m.Shelf.B())
	if s.a == nil && a == nil {
		a, b = b, nil
	}
	if b == nil && s.b != nil && s.b.Name != m.Shelf.B() {
		s.b = nil
	}
	was := [2]*view.Shown{s.a, s.b}
	ea, err := m.put(on, &s.a, a)
	if err != nil {
		return effect.Effect{}, err
	}
	eb, err := m.put(on, &s.b, b)
	if s.a != was[0] { // the last shuffle was of the particles of another model
		m.order.Forget()
		m.order.latest = false
	}
	return ea.And(eb), err
}

// put displays a run in a place, or leaves what is displayed if r is nil. A tunable model is tuned to the settings.
func (m *Models) put(on On, place **view.Shown, r *runs.Run) (e effect.Effect, err error) {
	v := *place
	switch {
	case r != nil && !v.Is(r.Name, r.Model):
		v, err = m.display(on, r)
	case v == nil || v.Tunable == nil:
		return e, nil
	default:
		eps, zdim := v.Tunable.Config.Nearest(on.Set.Eps, on.Set.ZDim)
		switch c := &v.Model.Config; {
		case c.ZDim() != zdim:
			if r = m.Shelf.Look(on.Now, v.Name); r == nil {
				return e, nil
			}
			v, err = m.display(on, r)
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

// Ship keeps a shipped model that has arrived, and displays it if it is wanted. ofSettings reports whether it is the
// model for the settings.
func (m *Models) Ship(on On, of lab.Model, model *model.Model) (e effect.Effect, ofSettings bool, err error) {
	m.Shelf.Arrived(of, model)
	m.order.arrived(m, on, m.Shelf.NameOf(of))
	asked, _ := m.Shelf.Asked(on.Set)
	e, err = m.Arrange(on)
	return effect.Changed().And(e), of == asked, err
}

// Wants lists the shipped models to fetch, the most urgent first, see shelf.Wants. After a shuffle it lists the model
// with which A is compared.
func (m *Models) Wants(on On, coded bool) iter.Seq[lab.Model] {
	also := ""
	if m.Shuffled() {
		also = m.compared()
	}
	return m.Shelf.Wants(on.Now, also, coded)
}

// Lacks reports whether the lab has no model because a shipped model could not be fetched.
func (m *Models) Lacks() bool { return m.show.a == nil && m.Shelf.Lacks() }

// Called returns the names of A and B. A name is "" if there is no such model.
func (m *Models) Called() (a, b string) { return m.show.a.Called(), m.show.b.Called() }
