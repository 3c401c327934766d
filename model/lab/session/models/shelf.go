package models

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
)

// NoModel is the message that the lab has no model.
const NoModel = "There is no model to predict with; open one, train one, or reload the page."

// shelf says which models the user wants to see, and which shipped files there are. A wanted model that is
// not there yet is displayed when its file arrives, see Arrange. So the order in which files arrive does
// not matter.
type shelf struct {
	a, b   string            // names of the wanted models A and B. a is "" for the shipped model for the settings, b is "" for none
	files  map[string]string // key: name of a shipped model's run; value: name of the last file that arrived for this model
	failed map[string]bool   // files that could not be fetched
}

// asked returns the shipped model for the settings, if there is one.
func (m *Models) asked(set *lab.Settings) (lab.Model, bool) { return m.lab.Find(set.Asked()) }

// AskedName returns the name of the shipped model for the settings.
func (m *Models) AskedName(set *lab.Settings) string {
	of, _ := m.asked(set)
	return m.nameOf(of)
}

// WiderName returns the name of the shipped model of preset wide, or "" if there is none.
func (m *Models) WiderName() string {
	of, ok := m.lab.Wider()
	if !ok {
		return ""
	}
	return m.nameOf(of)
}

// nameOf returns the name of a shipped model's run.
func (m *Models) nameOf(of lab.Model) string { return runs.ShippedAs(m.lab, of) }

// Ships looks up a shipped model by the name of its run. ok is false if the model has already
// arrived, or if no shipped model has this name.
func (m *Models) Ships(name string) (of lab.Model, ok bool) {
	if m.Kept.Find(name) != nil {
		return of, false
	}
	return runs.ShippedBy(m.lab, name)
}

// follows reports whether A is the shipped model for the settings: if the user wants it, or if the model
// that the user wants no longer exists.
func (m *Models) follows(on On) bool {
	_, ships := m.Ships(m.shelf.a)
	return m.shelf.a == "" || !ships && m.find(m.shelf.a, on.Training) == nil
}

// wantedA returns the run that the user wants as A, if it is there. Otherwise r is nil. If its file must be fetched,
// ok is true, and `of` is the shipped model.
func (m *Models) wantedA(on On) (r *runs.Run, of lab.Model, ok bool) {
	if !m.follows(on) {
		of, ok = m.Ships(m.shelf.a)
		return m.find(m.shelf.a, on.Training), of, ok
	}
	of, ok = m.asked(on.Set)
	if name := m.nameOf(of); ok && m.shelf.files[name] == of.File {
		return m.Kept.Find(name), of, false
	}
	return nil, of, ok
}

// Coming reports whether the shipped model for the settings is on its way.
func (m *Models) Coming(on On) bool {
	_, of, ok := m.wantedA(on)
	return ok && m.follows(on) && !m.shelf.failed[of.File]
}

// Loading returns the shipped model for the settings if it will replace A when it arrives. ok is false if there is
// none.
func (m *Models) Loading(on On) (of lab.Model, ok bool) {
	if m.show.a == nil || !m.Coming(on) {
		return of, false
	}
	return m.asked(on.Set)
}

// FollowSettings makes A the shipped model for the settings.
func (m *Models) FollowSettings(on On) (effect.Effect, error) {
	of, _ := m.asked(on.Set)
	delete(m.shelf.failed, of.File)
	m.shelf.a = ""
	return m.Arrange(on)
}

// Expect makes A the shipped model for the settings, after a link or on a first visit. A model B stays if it is there.
func (m *Models) Expect(on On) (effect.Effect, error) {
	m.shelf.b = m.show.b.Called()
	return m.FollowSettings(on)
}

// ExpectSaved makes the runs with the names `a` and `b` the models A and B of a saved session. Each name may be "".
func (m *Models) ExpectSaved(on On, a, b string) (effect.Effect, error) {
	if m.shelf.a, m.shelf.b = a, b; a == m.AskedName(on.Set) {
		m.shelf.a = ""
	}
	return m.Arrange(on)
}

// Show makes the named run A. A shipped run is displayed as soon as its file arrives.
func (m *Models) Show(on On, name string) (effect.Effect, error) {
	if err := m.can(on, name); err != nil {
		return effect.Effect{}, err
	}
	if m.shelf.a = name; name == m.AskedName(on.Set) {
		m.shelf.a = ""
	}
	return m.Arrange(on)
}

// Compare makes the named run B, next to A. An empty name ends the comparison. A shipped run is displayed as soon as
// its file arrives.
func (m *Models) Compare(on On, name string) (effect.Effect, error) {
	if name != "" {
		if err := m.can(on, name); err != nil {
			return effect.Effect{}, err
		}
	}
	m.shelf.b = name
	return m.Arrange(on)
}

// Pin keeps A as it is, whatever the settings become.
func (m *Models) Pin() {
	if a := m.show.a; m.shelf.a == "" && a != nil {
		m.shelf.a = a.Name
	}
}

// can returns an error if there is no run with this name. It allows another attempt to fetch a shipped run.
func (m *Models) can(on On, name string) error {
	if of, ok := m.Ships(name); ok {
		delete(m.shelf.failed, of.File)
		return nil
	}
	_, err := m.Find(name, on.Training)
	return err
}

// Arrange displays the wanted models that are there, tunable ones at the ε and ẑ dim of the settings. Until the
// wanted model A is there, the present A stays; without an A, B takes its place. Once all files have arrived, the result
// depends only on the wanted names, the settings and the runs that there are.
func (m *Models) Arrange(on On) (effect.Effect, error) {
	s := &m.show
	a, _, _ := m.wantedA(on)
	b := m.find(m.shelf.b, on.Training)
	if s.a == nil && a == nil {
		a, b = b, nil
	}
	if b == nil && s.b != nil && s.b.Name != m.shelf.b {
		s.b = nil
	}
	was := [2]*view.Shown{s.a, s.b}
	ea, err := m.put(on, &s.a, a)
	if err != nil {
		return effect.Effect{}, err
	}
	eb, err := m.put(on, &s.b, b)
	if s.a != was[0] {
		m.order.Forget()
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
			if r = m.find(v.Name, on.Training); r == nil {
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

// Retry allows files to be fetched again that could not be fetched.
func (m *Models) Retry() { clear(m.shelf.failed) }

// OnShow returns an error if the shipped model for the settings is already displayed.
func (m *Models) OnShow(on On) error {
	of, ok := m.asked(on.Set)
	if a := m.show.a; !ok || a == nil || m.Coming(on) || a.Name != m.nameOf(of) || m.shelf.files[a.Name] != of.File {
		return nil
	}
	return errors.New("the shipped model is displayed already")
}

// Fitter reports whether the shipped model for the settings fits the settings better than model A.
// If both have the same name, the shipped model is better if it is from another file. Otherwise it
// is better in three cases: A has another method, A has other parameters, or only the shipped model
// serves ε and the number of closure variables. A model A must exist.
func (m *Models) Fitter(set *lab.Settings) bool {
	of, ok := m.asked(set)
	a, name := m.show.a, m.nameOf(of)
	switch c := &a.Model.Config; {
	case !ok:
		return false
	case a.Name == name:
		return m.shelf.files[name] != of.File
	case c.Spec.Method != set.Method && a.Method() != set.Method || c.Dynamics.Params.Names() != of.Params:
		return true
	case !serves(c, set):
		if r := m.Kept.Find(name); r != nil {
			return serves(&r.Model.Config, set)
		}
		return of.Method == method.Tunable || of.Eps == set.Eps && of.ZDim == set.ZDim // the model is not fetched yet, so its entry in the list of shipped models decides
	}
	return false
}

// The function `serves` reports whether a model can be displayed at the settings' ε and number of
// closure variables.
func serves(c *method.Config, set *lab.Settings) bool {
	eps, zdim := c.Nearest(set.Eps, set.ZDim)
	return eps == set.Eps && zdim == set.ZDim
}

// Coded returns the shipped model that encoded the lab's codes. It returns nil if this model is
// not loaded, or if another model of its method has arrived later.
func (m *Models) Coded() *model.Model {
	of, ok := m.lab.Coded()
	name := m.nameOf(of)
	if r := m.Kept.Find(name); ok && r != nil && m.shelf.files[name] == of.File {
		return r.Model
	}
	return nil
}

// Wants lists the shipped models to fetch, the most urgent first: the wanted model A, the model that made the codes
// (if coded is set), the wanted model B, and the model that is compared with A after a shuffle.
func (m *Models) Wants(on On, coded bool) iter.Seq[lab.Model] {
	return func(yield func(lab.Model) bool) {
		want := func(of lab.Model, ok bool) (more bool) { return !ok || m.shelf.failed[of.File] || yield(of) }
		_, a, ok := m.wantedA(on)
		made, codes := m.lab.Coded()
		_ = want(a, ok) && want(made, coded && codes && m.Coded() == nil) && want(m.Ships(m.shelf.b)) && (!m.Shuffled() || want(m.Ships(m.compared())))
	}
}

// Decode returns the model in a shipped file.
func (m *Models) Decode(of lab.Model, b []byte) (*model.Model, error) {
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	model, err := m.Open(f)
	if err == nil && model.Config.Spec.Method != of.Method {
		err = fmt.Errorf("its method is not %s", of.Method)
	}
	return model, err
}

// Ship keeps a shipped model that has arrived, and displays it if it is wanted. ofSettings reports whether it is the
// model for the settings.
func (m *Models) Ship(on On, of lab.Model, model *model.Model) (e effect.Effect, ofSettings bool, err error) {
	name := m.nameOf(of)
	m.Kept.Ship(runs.Run{Name: name, Origin: origin.Origin{Kind: origin.Shipped}, Model: model})
	m.shelf.files[name] = of.File
	m.order.arrived(m, on, name)
	asked, _ := m.asked(on.Set)
	e, err = m.Arrange(on)
	return effect.Changed().And(e), of == asked, err
}

// Miss is called when a shipped model could not be fetched. It is not fetched again until the user asks for it.
// ofSettings reports whether A will be this model.
func (m *Models) Miss(on On, of lab.Model) (ofSettings bool) {
	ofSettings = m.Coming(on)
	asked, _ := m.asked(on.Set)
	m.shelf.failed[of.File] = true
	return ofSettings && of == asked
}

// Lacks reports whether the lab has no model because a shipped model could not be fetched.
func (m *Models) Lacks() bool { return m.show.a == nil && len(m.shelf.failed) > 0 }

// Called returns the names of A and B. A name is "" if there is no such model.
func (m *Models) Called() (a, b string) { return m.show.a.Called(), m.show.b.Called() }

// Wanted returns the names of the models that the user wants as A and B. The name of B is "" for none.
func (m *Models) Wanted(on On) (a, b string) {
	if a = m.shelf.a; m.follows(on) {
		a = m.AskedName(on.Set)
	}
	if _, ships := m.Ships(m.shelf.b); ships || m.find(m.shelf.b, on.Training) != nil {
		b = m.shelf.b
	}
	return a, b
}
