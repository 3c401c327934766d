package session

import (
	"fmt"
	"math"

	"macroscope/model/experiment"
	"macroscope/model/runs"
	"macroscope/model/view"
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

// verdict says what the last shuffle did to ẑ and to predictions, as long as nothing
// has moved since; else it is "".
func (o *order) verdict() string {
	stays, moves := o.Change(view.Invariant), o.Change(view.Ordered)
	if !o.latest || math.IsNaN(stays) && math.IsNaN(moves) {
		return ""
	}
	text := "Shuffled: "
	if !math.IsNaN(stays) {
		text += fmt.Sprintf("ẑ of an encoder of sets moved by [%s|stays]", small(stays))
	}
	if !math.IsNaN(moves) {
		if !math.IsNaN(stays) {
			text += ", "
		}
		text += fmt.Sprintf("ẑ of one that reads particles in a row by [%.2g|moves]", moves)
	}
	text += "."
	p, q := o.Moved(view.Invariant), o.Moved(view.Ordered)
	switch {
	case !math.IsNaN(p) && !math.IsNaN(q):
		text += fmt.Sprintf(" The first’s prediction moved by **%s** of the range that training covered, the other’s by **%s**.", percent(p), percent(q))
	case !math.IsNaN(p):
		text += fmt.Sprintf(" The prediction moved by **%s** of the range that training covered.", percent(p))
	case !math.IsNaN(q):
		text += fmt.Sprintf(" The prediction of the latter moved by **%s** of the range that training covered.", percent(q))
	case o.s.lab.IsSampler() && !math.IsNaN(stays):
		text += " So what is decoded from the first stays, and from the other it does not."
	}
	return text + " Nothing but the numbering has changed, and what sums up a crowd must not depend on that."
}

// small writes a change that may be rounding alone.
func small(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.0e", v)
}

// percent writes a share with two digits, and one that is rounding alone as 0.
func percent(v float64) string {
	if v < 5e-5 {
		return "0 %"
	}
	return fmt.Sprintf("%.2g %%", 100*v)
}
