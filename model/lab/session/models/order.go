package models

import (
	"fmt"

	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
)

// A shuffle compares model A with a shipped model. If A is invariant, the shipped model is one that depends on the
// order; otherwise it is the paper's own model.

// compared returns the name of the run with which model A is compared after a shuffle, or "" if
// there is none.
func (m *Models) compared() string {
	if a := m.Picture.A(); a != nil && a.Model.Config.Encoder.Ordered() {
		return runs.Shipped
	}
	if of, ok := m.lab.Ordered(); ok {
		return m.Shelf.NameOf(of)
	}
	return ""
}

// ListEncoder returns the name of the shipped list encoder if there is a model A that it can be compared with on a run of n
// particles, and no model B. Otherwise it returns "".
func (m *Models) ListEncoder(n int) string {
	of, ok := m.lab.Ordered()
	if a := m.Picture.A(); !ok || of.Method != method.List || a == nil || a.Model.Config.Encoder.Ordered() || m.Shelf.B() != "" {
		return ""
	}
	if c, err := m.lab.Systems().Preset(m.lab.System.Traits.Name + "/" + of.Method); err != nil || c.Particles != n {
		return ""
	}
	return m.Shelf.NameOf(of)
}

// other returns the model with which A is compared after a shuffle, or nil if this model is not
// loaded.
func (m *Models) other() *model.Model {
	if r := m.Shelf.Kept.Find(m.compared()); r != nil {
		return r.Model
	}
	return nil
}

// Shuffle permutes the labels of the displayed particles and compares the models. The run must be playable.
func (m *Models) Shuffle(on picture.On) effect.Effect { return m.Picture.Shuffle(on, m.other()) }

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
