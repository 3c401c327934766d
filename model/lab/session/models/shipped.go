package models

import (
	"bytes"
	"errors"
	"fmt"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/experiment"
)

// mostReady bounds how many models are opened before a request; one takes half a megabyte.
const mostReady = 24

// NoModel is the text of a lab without a model.
const NoModel = "There is no model to predict with; open one, train one, or reload the page."

// shipped is the models that come with the lab, as they are requested and arrive.
type shipped struct {
	wanted  bool                         // the one of the settings is on its way
	instead bool                         // it will replace model A
	ahead   bool                         // on arrival: shipped → A, current → B
	compare string                       // run that becomes B on arrival
	missing bool                         // the one of the settings could not be fetched
	files   map[string]string            // by runs: the last to arrive
	ready   map[string]*experiment.Model // by files: opened before a request; nil for an unavailable one
}

// nearest returns the shipped model of the settings, if there is one.
func (m *Models) nearest(set *lab.Settings) (lab.Model, bool) { return m.lab.Nearest(set.Asked()) }

// nearestOf returns another method's shipped model that is nearest to the settings, with
// dynamics of the state only.
func (m *Models) nearestOf(method string, set *lab.Settings) (lab.Model, bool) {
	return m.lab.Nearest(lab.Model{Method: method, Eps: set.Eps, ZDim: set.ZDim})
}

// ships says whether a name belongs to a shipped model that has yet to arrive.
func (m *Models) ships(name string, set *lab.Settings) bool {
	if m.Kept.Find(name) != nil {
		return false
	}
	method, ok := runs.ShippedMethod(name)
	if ok {
		_, ok = m.nearestOf(method, set)
	}
	return ok
}

// Ships returns the method of a shipped model that has yet to arrive, by its name; otherwise
// ok is false.
func (m *Models) Ships(name string, set *lab.Settings) (method string, ok bool) {
	if !m.ships(name, set) {
		return "", false
	}
	return runs.ShippedMethod(name)
}

// Coming says whether the shipped model of the settings is on its way.
func (m *Models) Coming() bool { return m.shipped.wanted }

// Forgo drops the request for the shipped model of the settings.
func (m *Models) Forgo() { m.shipped.wanted = false }

// ForgoInstead drops the request if the model would replace A.
func (m *Models) ForgoInstead() {
	if m.shipped.instead {
		m.shipped.wanted, m.shipped.instead = false, false
	}
}

// Expect requests the shipped model of a link's or first visit's settings unless it is loaded.
// anew requests it in any case, and displays it where no model is; replace lets it replace A.
func (m *Models) Expect(set *lab.Settings, anew, replace bool) {
	of, ships := m.nearest(set)
	name := runs.ShippedAs(set.Method)
	there := m.Kept.Find(name) != nil
	s := &m.shipped
	s.compare, s.ahead = "", false
	s.wanted = ships && (anew || !there || s.files[name] != of.File)
	s.instead = s.wanted && there && !anew && replace
}

// ExpectSaved requests the shipped models of a saved session: one run becomes B, and the
// shipped model of the settings becomes A if shown says so.
func (m *Models) ExpectSaved(b string, shown bool) {
	m.shipped.compare, m.shipped.ahead = b, shown
}

// CompareShipped compares A with a shipped model when that arrives, and drops an earlier
// request. If the name belongs to no such model, ok is false.
func (m *Models) CompareShipped(name string, set *lab.Settings) (e effect.Effect, ok bool) {
	if m.shipped.compare = ""; !m.ships(name, set) {
		return e, false
	}
	m.shipped.compare = name
	return effect.Changed(), true
}

// Bring replaces A by the shipped model of the settings, at once if it is loaded.
func (m *Models) Bring(on On, of lab.Model) (e effect.Effect, arrived *Arrived, err error) {
	name := runs.ShippedAs(of.Method)
	if r := m.Kept.Find(name); r != nil && m.shipped.files[name] == of.File {
		m.shipped.instead = false
		e, err = m.choose(on, name, false)
		return e, &Arrived{Model: r.Model, Replaced: true}, err
	}
	m.shipped.wanted, m.shipped.instead = true, true
	e = effect.Changed()
	if ready := m.shipped.ready[of.File]; ready != nil {
		shipped, arrived, err := m.Ship(on, of, ready)
		return e.And(shipped), arrived, err
	}
	return e, nil, nil
}

// OnShow says why restoring the shipped model would change nothing, nil if it would change
// something. If any is set, a shipped model of any ε and ẑ dim counts.
func (m *Models) OnShow(set *lab.Settings, any bool) error {
	name := runs.ShippedAs(set.Method)
	same := name == runs.Shipped
	if !any {
		of, ok := m.nearest(set)
		same = ok && of.File == m.shipped.files[name]
	}
	if !same || m.shipped.instead || m.show.a.Called() != name {
		return nil
	}
	return errors.New("the shipped model is displayed already")
}

// Nearer says whether a shipped model is nearer to the settings than model A, which must
// exist.
func (m *Models) Nearer(set *lab.Settings) bool {
	a := m.show.a
	c := &a.Model.Config
	is := lab.Model{Eps: c.Eps(), ZDim: c.ZDim(), Params: c.Dynamics.Params.Names()}
	of, ok := m.nearest(set)
	return ok && (c.Spec.Method != set.Method || a.Name == runs.ShippedAs(set.Method) && of.File != m.shipped.files[a.Name] || c.Decoder.Density() && of.Nearer(is, set.Asked()))
}

// Coded returns the shipped model with the encoder that made the lab's codes, nil unless it is
// the last to arrive of its method.
func (m *Models) Coded() *experiment.Model {
	of, ok := m.lab.Coded()
	name := runs.ShippedAs(of.Method)
	if r := m.Kept.Find(name); ok && r != nil && m.shipped.files[name] == of.File {
		return r.Model
	}
	return nil
}

// Needs returns the next shipped model to fetch, if any: the one of the settings, the one that
// made the codes if these are needed, the one that becomes B, the one with another order of
// particles.
func (m *Models) Needs(set *lab.Settings, coded bool) (of lab.Model, ok bool) {
	if m.shipped.wanted {
		return m.nearest(set)
	}
	if coded && m.Coded() == nil {
		return m.lab.Coded()
	}
	if method, ok := runs.ShippedMethod(m.shipped.compare); ok && m.Kept.Find(m.shipped.compare) == nil {
		return m.nearestOf(method, set)
	}
	if method, ok := runs.ShippedMethod(m.order.wants); ok {
		return m.nearestOf(method, set)
	}
	return of, false
}

// Decode returns the model in a shipped file.
func (m *Models) Decode(of lab.Model, b []byte) (*experiment.Model, error) {
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

// Arrived is the shipped model of the settings after its arrival.
type Arrived struct {
	Model    *experiment.Model
	Fresh    bool // from a file, and not from among the runs
	Replaced bool // it replaced A on the picture
}

// Ship keeps a shipped model that arrives, and displays it where requested. It returns nil if
// it is not the one of the settings.
func (m *Models) Ship(on On, of lab.Model, model *experiment.Model) (e effect.Effect, arrived *Arrived, err error) {
	s := &m.shipped
	m.prepare(of.File, model)
	m.Kept.Ship(of.Method, runs.Run{Origin: "shipped with the lab", Model: model})
	name := runs.ShippedAs(of.Method)
	s.files[name] = of.File
	m.order.arrived(m, on, name)
	if !s.wanted || name != runs.ShippedAs(on.Set.Method) {
		e = effect.Changed()
		if s.compare == name {
			s.compare = ""
			_, err = m.choose(on, name, true)
		}
		return e, nil, err
	}
	s.wanted, s.missing = false, false
	arrived = &Arrived{Model: model, Fresh: true, Replaced: s.instead}
	show := func(name string, compare bool) {
		if err == nil {
			var of effect.Effect
			of, err = m.choose(on, name, compare)
			e = e.And(of)
		}
	}
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

// Replaces says whether an arriving shipped model will replace A.
func (m *Models) Replaces(of lab.Model, set *lab.Settings) bool {
	return m.shipped.wanted && m.shipped.instead && of.Method == set.Method
}

// Miss continues without a shipped model. ofSettings says whether it is the one of the
// settings.
func (m *Models) Miss(of lab.Model) (ofSettings bool) {
	if !m.shipped.wanted {
		m.shipped.compare = ""
		m.order.missed(runs.ShippedAs(of.Method))
		return false
	}
	m.shipped.wanted, m.shipped.instead = false, false
	return true
}

// Lack says that the shipped model of the settings could not be fetched.
func (m *Models) Lack() { m.shipped.missing = m.show.a == nil }

// Lacks says whether the shipped model of the settings could not be fetched.
func (m *Models) Lacks() bool { return m.shipped.missing }

// prepare keeps an opened model, so that it is displayed at once when requested.
func (m *Models) prepare(file string, of *experiment.Model) {
	if len(m.shipped.ready) < mostReady {
		m.shipped.ready[file] = of
	}
}

// Prefetch returns a model that may be requested next: of the selected method and parameters,
// the nearest that is not ready.
func (m *Models) Prefetch(set *lab.Settings) (next lab.Model, ok bool) {
	asked := set.Asked()
	for _, of := range m.lab.Shipped {
		_, known := m.shipped.ready[of.File]
		if known || of.Method != asked.Method || of.Params != asked.Params || len(m.shipped.ready) >= mostReady {
			continue
		}
		if !ok || of.Nearer(next, asked) {
			next, ok = of, true
		}
	}
	return next, ok
}

// Prefetched takes the file of that model, or the reason why it is unavailable. A model that
// cannot be opened reports this when requested.
func (m *Models) Prefetched(of lab.Model, b []byte, err error) {
	var model *experiment.Model
	if err == nil {
		model, _ = m.Decode(of, b)
	}
	m.prepare(of.File, model)
}

// Called returns the names of the displayed models, "" for none.
func (m *Models) Called() (a, b string) { return m.show.a.Called(), m.show.b.Called() }
