package models

import (
	"fmt"

	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/experiment"
)

// order is the order of the displayed particles. Shuffles compare model A with a shipped
// model: an order-dependent one if A is invariant, otherwise the paper's own.
type order struct {
	*view.Orders
	latest  bool   // nothing has moved since the labels were shuffled
	wants   string // run name of the requested shipped model
	missing string // run name of the model that could not be fetched
}

// compared names the run with which model A is compared, "" for none.
func (m *Models) compared() string {
	if a := m.show.a; a != nil && a.Model.Config.Encoder.Ordered() {
		return runs.Shipped
	}
	if of, ok := m.lab.Ordered(); ok {
		return runs.ShippedAs(of.Method)
	}
	return ""
}

// other returns the model that A is compared with, nil if it is not loaded.
func (m *Models) other() *experiment.Model {
	if r := m.Kept.Find(m.compared()); r != nil {
		return r.Model
	}
	return nil
}

// Shuffle permutes the labels of the displayed run, which must be playable, and compares.
func (m *Models) Shuffle(on On) effect.Effect {
	o := &m.order
	o.Shuffle(on.Run)
	o.latest = true
	if a := m.show.a; a != nil {
		o.compare(on, a.Model)
	}
	if of := m.other(); of != nil {
		o.compare(on, of)
	} else if name := m.compared(); name != o.missing {
		o.wants = name
	}
	return effect.Changed()
}

// arrived handles the arrival of a shipped model.
func (o *order) arrived(m *Models, on On, run string) {
	if run != o.wants {
		return
	}
	o.wants = ""
	if of := m.other(); of != nil && run == m.compared() && o.Shuffles > 0 && on.Playable {
		o.compare(on, of)
	}
}

// missed handles a shipped model that could not be fetched.
func (o *order) missed(run string) {
	if run == o.wants {
		o.wants, o.missing = "", run
	}
}

// compare lets a model encode and predict from the present order, if it can.
func (o *order) compare(on On, of *experiment.Model) {
	if on.Run.Takes(of) == nil {
		o.Compare(on.Run, of, of.Config.HasDynamics() && on.Run.Predicts(of))
	}
}

// followOrders does one step of the predictions from several orders, and reports whether one
// remained.
func (m *Models) followOrders(e *effect.Effect) bool {
	if !m.show.a.Usable || m.show.revealed&Prediction == 0 {
		return false
	}
	stepped, whole := m.order.Step()
	e.Frame, e.Panel = e.Frame || whole, e.Panel || whole
	return stepped
}

// Shuffled says whether the labels have been shuffled.
func (m *Models) Shuffled() bool { return m.order.Shuffles > 0 }

// Incomparable says why model A cannot be compared with another one on a run, "" if it can.
func (m *Models) Incomparable(run *view.Run) string {
	of := m.other()
	switch {
	case m.order.missing != "" && m.order.missing == m.compared():
		return "The model to compare with could not be fetched; reload the page to try again."
	case of == nil:
		return ""
	}
	if err := run.Takes(of); err != nil {
		return fmt.Sprintf("No comparison with %s: %v.", of.Config.Spec.Method, err)
	}
	return ""
}

// Shuffling describes the result of the last shuffle until something moves; then "".
func (m *Models) Shuffling() string {
	if !m.order.latest {
		return ""
	}
	return m.order.InWords(m.lab.Timed())
}

// Change returns the largest change of model A's ẑ by the last shuffle, NaN if there is none.
func (m *Models) Change(a *view.Shown) float64 {
	if a.Model.Config.Encoder.Ordered() {
		return m.order.Change(view.Ordered)
	}
	return m.order.Change(view.Invariant)
}
