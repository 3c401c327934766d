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

// mostReady bounds how many models are opened before they are requested. An opened model
// takes half a megabyte.
const mostReady = 24

// NoModel tells the user that the lab has no model.
const NoModel = "There is no model to predict with; open one, train one, or reload the page."

// shipped records which shipped models have been requested and which have arrived.
type shipped struct {
	wanted  bool                         // the model for the settings is on its way
	instead bool                         // the model for the settings will replace A
	ahead   bool                         // on arrival the model for the settings becomes A, and A becomes B
	compare string                       // name of the run that becomes B on arrival
	missing bool                         // the model of the settings could not be fetched
	files   map[string]string            // the file that arrived last, by the name of its run
	ready   map[string]*experiment.Model // models opened before a request, by file; nil for a file that is unavailable
}

// nearest returns the shipped model that is nearest to the settings, if there is one.
func (m *Models) nearest(set *lab.Settings) (lab.Model, bool) { return m.lab.Nearest(set.Asked()) }

// nearestOf returns another method's shipped model that is nearest to the settings. Its
// dynamics take no parameters.
func (m *Models) nearestOf(method string, set *lab.Settings) (lab.Model, bool) {
	return m.lab.Nearest(lab.Model{Method: method, Eps: set.Eps, ZDim: set.ZDim})
}

// ships says whether a run's name stands for a shipped model that has not arrived.
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

// Ships returns the method of a shipped model that has not arrived, by its run's name; ok
// is false for other names.
func (m *Models) Ships(name string, set *lab.Settings) (method string, ok bool) {
	if !m.ships(name, set) {
		return "", false
	}
	return runs.ShippedMethod(name)
}

// Coming says whether the shipped model of the settings is on its way.
func (m *Models) Coming() bool { return m.shipped.wanted }

// Loading returns the shipped model that will replace A when it arrives; ok is false if
// none will.
func (m *Models) Loading(set *lab.Settings) (of lab.Model, ok bool) {
	if !m.shipped.wanted || !m.shipped.instead {
		return of, false
	}
	return m.nearest(set)
}

// Forgo drops the request for the shipped model of the settings.
func (m *Models) Forgo() { m.shipped.wanted = false }

// ForgoInstead drops the request for the model if it would replace A.
func (m *Models) ForgoInstead() {
	if m.shipped.instead {
		m.shipped.wanted, m.shipped.instead = false, false
	}
}

// Expect requests the shipped model for the settings, after a link or on a first visit. Without
// anew, it requests nothing if that model is loaded. If another shipped model of its method is
// loaded, replace makes the requested model replace A on arrival; with anew, replace has no effect.
func (m *Models) Expect(set *lab.Settings, anew, replace bool) {
	of, ships := m.nearest(set)
	name := runs.ShippedAs(set.Method)
	there := m.Kept.Find(name) != nil
	s := &m.shipped
	s.compare, s.ahead = "", false
	s.wanted = ships && (anew || !there || s.files[name] != of.File)
	s.instead = s.wanted && there && !anew && replace
}

// ExpectSaved requests the shipped models of a saved session: b is the name of the run that
// becomes B; if shown is set, the model of the settings becomes A.
func (m *Models) ExpectSaved(b string, shown bool) {
	m.shipped.compare, m.shipped.ahead = b, shown
}

// CompareShipped requests a shipped model that becomes B when it arrives, in place of an
// earlier request. ok is false if the name belongs to no such model.
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

// OnShow returns an error if the shipped model of the settings is displayed already. If any
// is set, a shipped model with another ε or ẑ dim counts too.
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

// Nearer says whether some shipped model is nearer to the settings than model A, which must
// exist.
func (m *Models) Nearer(set *lab.Settings) bool {
	a := m.show.a
	c := &a.Model.Config
	is := lab.Model{Eps: c.Eps(), ZDim: c.ZDim(), Params: c.Dynamics.Params.Names()}
	of, ok := m.nearest(set)
	return ok && (c.Spec.Method != set.Method || a.Name == runs.ShippedAs(set.Method) && of.File != m.shipped.files[a.Name] || c.Decoder.Density() && of.Nearer(is, set.Asked()))
}

// Coded returns the shipped model that encoded the lab's codes; nil if it is not loaded, or
// if another model of its method arrived later.
func (m *Models) Coded() *experiment.Model {
	of, ok := m.lab.Coded()
	name := runs.ShippedAs(of.Method)
	if r := m.Kept.Find(name); ok && r != nil && m.shipped.files[name] == of.File {
		return r.Model
	}
	return nil
}

// Needs returns the next shipped model to fetch, if there is one. It may be the model for
// the settings, the model that made the codes (if coded is set), the model that becomes B,
// or the model with which shuffles compare.
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

// Arrived is the shipped model of the settings, after its arrival.
type Arrived struct {
	Model    *experiment.Model
	Fresh    bool // the model came from a file; otherwise it was among the runs
	Replaced bool // it has replaced A
}

// Ship keeps a shipped model that has arrived, and displays it if requested. arrived is nil
// if it is not the model of the settings.
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

// Replaces says whether a shipped model will replace A when it arrives.
func (m *Models) Replaces(of lab.Model, set *lab.Settings) bool {
	return m.shipped.wanted && m.shipped.instead && of.Method == set.Method
}

// Miss records that a shipped model could not be fetched, and returns whether it is the
// model of the settings.
func (m *Models) Miss(of lab.Model) (ofSettings bool) {
	if !m.shipped.wanted {
		m.shipped.compare = ""
		m.order.missed(runs.ShippedAs(of.Method))
		return false
	}
	m.shipped.wanted, m.shipped.instead = false, false
	return true
}

// Lack records that the shipped model of the settings could not be fetched.
func (m *Models) Lack() { m.shipped.missing = m.show.a == nil }

// Lacks says whether the shipped model of the settings could not be fetched.
func (m *Models) Lacks() bool { return m.shipped.missing }

// prepare keeps an opened model, so that it can be displayed as soon as it is requested.
func (m *Models) prepare(file string, of *experiment.Model) {
	if len(m.shipped.ready) < mostReady {
		m.shipped.ready[file] = of
	}
}

// Prefetch returns the shipped model that may be requested next. Among the models of the
// selected method and parameters that have not been opened, it is the nearest to the
// settings.
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

// Prefetched takes the file of a model that Prefetch returned, or the error if it could not
// be fetched. If the model cannot be opened, the user is told when it is requested.
func (m *Models) Prefetched(of lab.Model, b []byte, err error) {
	var model *experiment.Model
	if err == nil {
		model, _ = m.Decode(of, b)
	}
	m.prepare(of.File, model)
}

// Called returns the names of A and B, "" for none.
func (m *Models) Called() (a, b string) { return m.show.a.Called(), m.show.b.Called() }
