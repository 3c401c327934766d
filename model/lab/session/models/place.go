package models

import (
	"iter"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/model"
)

// NoModel is the message that the lab has no model.
const NoModel = "There is no model to predict with; open one, train one, or reload the page."

// Loading returns the shipped model for the settings if it will replace A when it arrives. ok is false if there is
// none.
func (m *Models) Loading(on picture.On) (of lab.Model, ok bool) {
	if m.Picture.A() == nil || !m.Shelf.Coming(on.Now) {
		return of, false
	}
	return m.Shelf.Asked(on.Set)
}

// FollowSettings makes A the shipped model for the settings.
func (m *Models) FollowSettings(on picture.On) (effect.Effect, error) {
	m.Shelf.Follow(on.Now)
	return m.Arrange(on)
}

// ShowBoth makes the runs with the names `a` and `b` the models A and B. Each name may be "": the
// shipped model for the settings, and no model B.
func (m *Models) ShowBoth(on picture.On, a, b string) (effect.Effect, error) {
	m.Shelf.Want(on.Now, a, b)
	return m.Arrange(on)
}

// Show makes the named run A. A shipped run is displayed as soon as its file arrives.
func (m *Models) Show(on picture.On, name string) (effect.Effect, error) {
	if err := m.Shelf.Again(on.Now, name); err != nil {
		return effect.Effect{}, err
	}
	return m.ShowBoth(on, name, m.Shelf.B())
}

// Compare makes the named run B, next to A. An empty name ends the comparison. A shipped run is displayed as soon as
// its file arrives.
func (m *Models) Compare(on picture.On, name string) (effect.Effect, error) {
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
func (m *Models) Arrange(on picture.On) (effect.Effect, error) {
	a, _, _ := m.Shelf.A(on.Now)
	b := m.Shelf.Look(on.Now, m.Shelf.B())
	if m.Picture.A() == nil && a == nil {
		a, b = b, nil
	}
	if v := m.Picture.B(); b == nil && v != nil && v.Name != m.Shelf.B() {
		m.Picture.EndComparison()
	}
	return m.Picture.Place(on, a, b, m.find(on))
}

// find returns a function that finds a run by its name.
func (m *Models) find(on picture.On) func(name string) *runs.Run {
	return func(name string) *runs.Run { return m.Shelf.Look(on.Now, name) }
}

// Ship keeps a shipped model that has arrived, and displays it if it is wanted. ofSettings reports whether it is the
// model for the settings.
func (m *Models) Ship(on picture.On, of lab.Model, model *model.Model) (e effect.Effect, ofSettings bool, err error) {
	m.Shelf.Arrived(of, model)
	if m.Shelf.NameOf(of) == m.compared() {
		m.Picture.CompareOrder(on, m.other())
	}
	asked, _ := m.Shelf.Asked(on.Set)
	e, err = m.Arrange(on)
	return effect.Changed().And(e), of == asked, err
}

// Wants lists the shipped models to fetch, the most urgent first, see shelf.Wants. After a shuffle it lists the model
// with which A is compared.
func (m *Models) Wants(on picture.On, coded bool) iter.Seq[lab.Model] {
	also := ""
	if m.Picture.Shuffled() {
		also = m.compared()
	}
	return m.Shelf.Wants(on.Now, also, coded)
}

// Lacks reports whether the lab has no model because a shipped model could not be fetched.
func (m *Models) Lacks() bool { return m.Picture.A() == nil && m.Shelf.Lacks() }

// Unshow removes all models from the picture.
func (m *Models) Unshow() {
	m.Picture.Clear()
	m.Shelf.Forget()
}

// EndTraining is called when the training ends. If the trained model is displayed as model B, the
// comparison ends.
func (m *Models) EndTraining() {
	if b := m.Picture.B(); b != nil && b.Training {
		m.Picture.EndComparison()
		m.Shelf.Compare("")
	}
}

// Again displays the same models with new ensembles, after a change of the ensembles' size.
func (m *Models) Again(on picture.On) (effect.Effect, error) { return m.Picture.Again(on, m.find(on)) }
