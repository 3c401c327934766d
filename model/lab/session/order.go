package session

import (
	"fmt"

	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/experiment"
)

// order is the order of the particles on show, in which model A is compared with one
// that is shipped: one that depends on it if A does not, and the paper's own if A
// does.
type order struct {
	s *Session
	*view.Orders
	latest  bool   // nothing has moved since the labels were shuffled
	wants   string // the shipped model that is on its way, by its run
	missing string // the one that could not be had
}

// beside names the run with which model A is compared, "" for none.
func (o *order) beside() string {
	if a := o.s.display.a; a != nil && a.Model.Config.Encoder.Ordered() {
		return runs.Shipped
	}
	if m, ok := o.s.lab.Ordered(); ok {
		return runs.ShippedAs(m.Method)
	}
	return ""
}

// other returns the model with which A is compared, nil if it is not here.
func (o *order) other() *experiment.Model {
	if r := o.s.library.kept.Find(o.beside()); r != nil {
		return r.Model
	}
	return nil
}

// shuffle permutes the labels, and compares.
func (o *order) shuffle() error {
	s := o.s
	if !s.run.playable() {
		return s.run.notPlayable()
	}
	o.Shuffle(s.run.described())
	o.latest = true
	s.settings.Colours = true // or there is nothing to see of it
	if a := s.display.a; a != nil {
		o.compare(a.Model)
	}
	if m := o.other(); m != nil {
		o.compare(m)
	} else if name := o.beside(); name != o.missing {
		o.wants = name
	}
	s.changed()
	return nil
}

// arrived follows a shipped model that has come.
func (o *order) arrived(run string) {
	if run != o.wants {
		return
	}
	o.wants = ""
	if m := o.other(); m != nil && run == o.beside() && o.Shuffles > 0 && o.s.run.playable() {
		o.compare(m)
	}
}

// missed follows one that could not be had.
func (o *order) missed(run string) {
	if run == o.wants {
		o.wants, o.missing = "", run
	}
}

// compare lets a model encode and predict from the present order, if it can.
func (o *order) compare(m *experiment.Model) {
	if r := o.s.run.described(); r.Takes(m) == nil {
		o.Compare(r, m, m.Config.HasDynamics() && o.s.own.speaks(m))
	}
}

// follow works one step further on the predictions from several orders, and
// reports whether there was one left.
func (o *order) follow() bool {
	s := o.s
	if !s.display.a.Usable || s.display.revealed&revealPrediction == 0 {
		return false
	}
	stepped, whole := o.Step()
	s.frameStale, s.stateStale = s.frameStale || whole, s.stateStale || whole
	return stepped
}

// cannot says why model A cannot be compared with another one, "" if it can.
func (o *order) cannot() string {
	m := o.other()
	switch {
	case o.missing != "" && o.missing == o.beside():
		return "The model to compare with could not be fetched; reload the page to try again."
	case m == nil:
		return ""
	}
	if err := o.s.run.described().Takes(m); err != nil {
		return fmt.Sprintf("No comparison with %s: %v.", m.Config.Spec.Method, err)
	}
	return ""
}

// verdict says what the last shuffle did, as long as nothing has moved since; else it is "".
func (o *order) verdict() string {
	if !o.latest {
		return ""
	}
	return o.InWords(!o.s.lab.IsSampler())
}
