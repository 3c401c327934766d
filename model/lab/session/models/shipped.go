package models

import (
	"bytes"
	"errors"
	"fmt"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
)

// NoModel is the message that the lab has no model.
const NoModel = "There is no model to predict with; open one, train one, or reload the page."

// A value of type shipped says which shipped models have been requested and which have arrived.
type shipped struct {
	wanted  bool   // whether the model for the settings is on its way
	instead bool   // whether the model for the settings will replace model A
	ahead   bool   // whether the model for the settings will become model A, and the present model A will become model B
	compare string // name of a run. When this run arrives, it becomes model B
	first   bool   // whether the run with the name in `compare` becomes model A instead of model B
	// Names in a saved session: `a` is the name of model A, and `b` is the name of model B. When
	// the shipped model with the name in `a` arrives, it becomes model A. If `ahead` is set, `a` is
	// empty, because the model for the settings becomes model A.
	a, b    string
	before  string            // name of a model; the prediction of this model will appear when the model arrives (see ExpectBefore). "" for none
	wide    string            // name of the model of preset wide; its prediction will appear when the model arrives (see widen). "" for none
	missing bool              // whether the lab has no model because the model for the settings could not be fetched
	files   map[string]string // key: name of a shipped model's run; value: name of the last file that arrived for this model
}

// asked returns the shipped model for the settings, if there is one.
func (m *Models) asked(set *lab.Settings) (lab.Model, bool) { return m.lab.Find(set.Asked()) }

// AskedName returns the name of the shipped model for the settings.
func (m *Models) AskedName(set *lab.Settings) string {
	of, _ := m.asked(set)
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

// Coming reports whether the shipped model for the settings is on its way.
func (m *Models) Coming() bool { return m.shipped.wanted }

// Loading returns the shipped model that will replace A when it arrives. ok is false if there
// is none.
func (m *Models) Loading(set *lab.Settings) (of lab.Model, ok bool) {
	if !m.shipped.wanted || !m.shipped.instead {
		return of, false
	}
	return m.asked(set)
}

// Forgo drops the request for the shipped model that matches the settings.
func (m *Models) Forgo() { m.shipped.wanted = false }

// ForgoInstead drops the same request as Forgo, but only if the requested model would replace model
// A.
func (m *Models) ForgoInstead() {
	if m.shipped.instead {
		m.shipped.wanted, m.shipped.instead = false, false
	}
}

// Expect requests the shipped model for the settings, after a link or on a first visit.
//
// If `anew` is set, the model is requested even if it is already loaded. It will not replace A.
//
// If `anew` is not set, the model is requested only if it is not loaded yet. It will replace A if
// `replace` is set and another shipped model of the same method is loaded.
func (m *Models) Expect(set *lab.Settings, anew, replace bool) {
	of, ships := m.asked(set)
	name := m.nameOf(of)
	there := m.Kept.Find(name) != nil
	s := &m.shipped
	s.compare, s.first, s.ahead, s.a = "", false, false, ""
	s.wanted = ships && (anew || !there || s.files[name] != of.File)
	s.instead = s.wanted && there && !anew && replace
}

// ExpectSaved requests the shipped models of a saved session. The run with the name `b` becomes
// model B. The shipped model with the name `a` becomes model A. Each name may be empty.
func (m *Models) ExpectSaved(set *lab.Settings, a, b string) {
	s := &m.shipped
	s.compare, s.ahead = b, a != "" && a == m.AskedName(set)
	if s.a, s.b = a, b; s.ahead {
		s.a = ""
	}
}

// ExpectBefore displays two predictions side by side: one by model A, which is in training, and one
// by the model with which the training began. If the second model has not arrived yet, its
// prediction appears on arrival.
func (m *Models) ExpectBefore(on On, name string) (effect.Effect, error) {
	m.shipped.before = name
	return m.showBefore(on)
}

// showBefore displays the prediction that ExpectBefore waits for, if its model has arrived.
func (m *Models) showBefore(on On) (e effect.Effect, err error) {
	r, a := m.Kept.Find(m.shipped.before), m.show.a
	if r == nil || a == nil || !a.Training {
		return e, nil
	}
	m.shipped.before = ""
	if m.show.before, err = m.display(on, r); err != nil {
		return e, err
	}
	on.Training.CompareWith(m.show.before.Model)
	return effect.Changed(), nil
}

// widen puts the prediction of the shipped model of preset wide beside that of A, if the run begins
// otherwise than the runs of the paper's training. If this model is not loaded, its prediction
// appears on arrival.
func (m *Models) widen(on On) {
	of, ok := m.lab.Wider()
	switch r := m.Kept.Find(m.nameOf(of)); {
	case !ok || on.Run.Live.Run().Beyond == "":
		m.show.wide, m.shipped.wide = nil, ""
	case r == nil:
		m.shipped.wide = m.nameOf(of)
	case m.show.wide == nil:
		m.show.wide, _ = m.display(on, r) // only a tunable model could cause an error
	}
}

// Request requests a shipped model, in place of an earlier request. When the model arrives, it
// becomes model A if the argument `first` is true, and otherwise model B. ok is false if no shipped
// model has the name.
func (m *Models) Request(name string, first bool) (e effect.Effect, ok bool) {
	if m.shipped.compare, m.shipped.first = "", false; !m.ships(name) {
		return e, false
	}
	m.shipped.compare, m.shipped.first = name, first
	return effect.Changed(), true
}

func (m *Models) ships(name string) bool {
	_, ok := m.Ships(name)
	return ok
}

// Bring replaces A by the shipped model for the settings: at once if the model is loaded,
// otherwise when it arrives.
func (m *Models) Bring(on On, of lab.Model) (e effect.Effect, arrived *Arrived, err error) {
	name := m.nameOf(of)
	if r := m.Kept.Find(name); r != nil && m.shipped.files[name] == of.File {
		m.shipped.instead = false
		e, err = m.choose(on, name, false)
		return e, &Arrived{Model: r.Model, Replaced: true}, err
	}
	m.shipped.wanted, m.shipped.instead = true, true
	return effect.Changed(), nil, nil
}

// OnShow returns an error if the shipped model for the settings is already displayed.
func (m *Models) OnShow(set *lab.Settings) error {
	of, ok := m.asked(set)
	if a := m.show.a; !ok || a == nil || m.shipped.instead || a.Name != m.nameOf(of) || m.shipped.files[a.Name] != of.File {
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
		return m.shipped.files[name] != of.File
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
	if r := m.Kept.Find(name); ok && r != nil && m.shipped.files[name] == of.File {
		return r.Model
	}
	return nil
}

// Needs returns the next shipped model to fetch, if there is one. It may be the model for the
// settings, the model that made the codes (if coded is set), a model that becomes A or B on
// arrival, or the model that is compared with A after a shuffle.
func (m *Models) Needs(set *lab.Settings, coded bool) (of lab.Model, ok bool) {
	if m.shipped.wanted {
		return m.asked(set)
	}
	if coded && m.Coded() == nil {
		return m.lab.Coded()
	}
	for _, name := range []string{m.shipped.a, m.shipped.compare, m.shipped.before, m.shipped.wide} {
		if of, ok := m.Ships(name); ok {
			return of, true
		}
	}
	if m.order.wants != "" {
		return m.Ships(m.order.wants)
	}
	return of, false
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

// Arrived describes the arrival of the shipped model for the settings.
type Arrived struct {
	Model    *model.Model
	Fresh    bool // whether the model came from a file; otherwise it was already among the runs
	Replaced bool // whether the model has replaced model A
}

// Ship keeps a shipped model that has arrived, and displays it if it was requested. `arrived`
// describes the arrival of the model that the settings require. It is nil for other models.
func (m *Models) Ship(on On, of lab.Model, model *model.Model) (e effect.Effect, arrived *Arrived, err error) {
	s := &m.shipped
	name := m.nameOf(of)
	m.Kept.Ship(runs.Run{Name: name, Origin: origin.Origin{Kind: origin.Shipped}, Model: model})
	s.files[name] = of.File
	m.order.arrived(m, on, name)
	defer func() {
		if err == nil {
			var before effect.Effect
			before, err = m.showBefore(on)
			e = e.And(before)
			if s.wide == name {
				m.widen(on)
			}
		}
	}()
	show := func(name string, compare bool) {
		if err == nil {
			var of effect.Effect
			of, err = m.choose(on, name, compare)
			e = e.And(of)
		}
	}
	if asked, _ := m.asked(on.Set); !s.wanted || of != asked {
		e = effect.Changed()
		if s.compare == name {
			s.compare = ""
			show(name, !s.first)
		}
		if s.a == name {
			if s.a = ""; m.show.b == nil && m.Kept.Find(s.b) != nil {
				show(s.b, true)
			}
			show(name, false)
		}
		return e, nil, err
	}
	s.wanted, s.missing = false, false
	arrived = &Arrived{Model: model, Fresh: true, Replaced: s.instead}
	switch a := m.show.a; {
	case s.instead:
		s.instead = false
		show(name, false)
	case a == nil || s.ahead:
		show(name, false)
		if a != nil {
			show(a.Name, true)
		}
	case s.compare == name:
		show(name, true)
	}
	if s.ahead = false; m.Kept.Find(s.compare) != nil || !runs.IsShipped(s.compare) {
		s.compare = ""
	}
	return e, arrived, err
}

// Replaces reports whether a shipped model will replace A when it arrives.
func (m *Models) Replaces(of lab.Model, set *lab.Settings) bool {
	asked, _ := m.asked(set)
	return m.shipped.wanted && m.shipped.instead && of == asked
}

// Miss is called when a shipped model could not be fetched. ofSettings reports whether it was the
// model for the settings.
func (m *Models) Miss(of lab.Model) (ofSettings bool) {
	if !m.shipped.wanted {
		m.shipped.compare, m.shipped.a, m.shipped.before, m.shipped.wide = "", "", "", ""
		m.order.missed(m.nameOf(of))
		return false
	}
	m.shipped.wanted, m.shipped.instead = false, false
	return true
}

// Lack is called when the shipped model for the settings could not be fetched. It records that the
// lab has no model, unless a model is displayed.
func (m *Models) Lack() { m.shipped.missing = m.show.a == nil }

// Lacks reports whether the lab has no model because the shipped model could not be fetched.
func (m *Models) Lacks() bool { return m.shipped.missing }

// Called returns the names of A and B. A name is "" if there is no such model.
func (m *Models) Called() (a, b string) { return m.show.a.Called(), m.show.b.Called() }
