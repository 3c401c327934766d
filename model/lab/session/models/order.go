package models

import (
	"fmt"

	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
)

// order is the order of the displayed particles. A shuffle compares model A with a shipped
// model. If A is invariant, the shipped model is one that depends on the order; otherwise it is
// the paper's own model.
type order struct {
	*view.Orders
	latest bool // whether nothing has moved since the last shuffle
}

// compared returns the name of the run with which model A is compared after a shuffle, or "" if
// there is none.
func (m *Models) compared() string {
	if a := m.show.a; a != nil && a.Model.Config.Encoder.Ordered() {
		return runs.Shipped
	}
	if of, ok := m.lab.Ordered(); ok {
		return m.Shelf.NameOf(of)
	}
	return ""
}

// other returns the model with which A is compared after a shuffle, or nil if this model is not
// loaded.
func (m *Models) other() *model.Model {
	if r := m.Shelf.Kept.Find(m.compared()); r != nil {
		return r.Model
	}
	return nil
}

// Shuffle permutes the labels of the displayed particles and compares the models. The run
// must be playable.
func (m *Models) Shuffle(on On) effect.Effect {
	o := &m.order
	o.Shuffle(on.Run)
	o.latest = true
	if a := m.show.a; a != nil {
		o.compare(on, a.Model)
	}
	if of := m.other(); of != nil {
		o.compare(on, of)
	}
	return effect.Changed()
}

// arrived handles the arrival of a shipped model.
func (o *order) arrived(m *Models, on On, run string) {
	if run == m.compared() && m.Shuffled() && on.Playable {
		o.compare(on, m.other())
	}
}

// The method `compare` encodes the displayed particles with a model. The particles are in the new
// order. If the model can predict, it also predicts from this order.
func (o *order) compare(on On, of *model.Model) {
	if on.Run.Takes(of) == nil {
		o.Compare(on.Run, of, of.Config.HasDynamics() && on.Run.Predicts(of))
	}
}

// followOrders does one step of the predictions from shuffled particles. It returns false if
// there was no step to do.
func (m *Models) followOrders(e *effect.Effect) bool {
	if !m.show.a.Usable || m.show.revealed&Prediction == 0 {
		return false
	}
	stepped, whole := m.order.Step()
	e.Frame, e.Panel = e.Frame || whole, e.Panel || whole
	return stepped
}

// Shuffled reports whether the labels have been shuffled.
func (m *Models) Shuffled() bool { return m.order.Shuffles > 0 }

// Incomparable returns the reason why model A and the other model cannot be compared on this run
// after a shuffle. It returns "" if they can be compared, or if there is no other model.
func (m *Models) Incomparable(run *view.Run) string {
	of := m.other()
	switch ships, _ := m.Shelf.Ships(m.compared()); {
	case m.Shelf.Missed(ships):
		return "The model to compare with could not be fetched; reload the page to try again."
	case of == nil:
		return ""
	}
	if err := run.Takes(of); err != nil {
		return fmt.Sprintf("No comparison with %s: %v.", of.Config.Spec.Method, err)
	}
	return ""
}

// Shuffling returns the effect of the last shuffle. latest is false once something has moved, and before
// a model has been measured.
func (m *Models) Shuffling() (of view.Shuffled, latest bool) {
	of = m.order.Shuffled()
	return of, m.order.latest && (of.Stays == of.Stays || of.Moves == of.Moves)
}

// Change returns the change of model A's ẑ by the last shuffle, or NaN if there was none.
func (m *Models) Change(a *view.Shown) float64 {
	if a.Model.Config.Encoder.Ordered() {
		return m.order.Change(view.Ordered)
	}
	return m.order.Change(view.Invariant)
}
