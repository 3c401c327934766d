package picture

import (
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
	"macroscope/model/system"
)

// order is the order of the displayed particles.
type order struct {
	*view.Orders
	latest bool // whether nothing has moved since the last shuffle
}

// Shuffle permutes the labels of the displayed particles, and compares model A with the model `other`; nil means that
// there is none. The run must be playable.
func (p *Picture) Shuffle(on On, other *model.Model) effect.Effect {
	p.order.Shuffle(on.Run)
	p.order.latest = true
	for _, v := range p.Shown() {
		v.Reorder(on.Run)
	}
	if p.a != nil {
		p.order.compare(on, p.a.Model)
	}
	if other != nil {
		p.order.compare(on, other)
	}
	return effect.Changed()
}

// Order fills f with frame k of a run, with the particles in the order of their labels.
func (p *Picture) Order(f *system.Frame, of system.Live, k int) {
	f.Copy(p.order.Arranged(f, system.Places(of, f, k)))
}

// CompareOrder compares with a model that has arrived after the particles were shuffled.
func (p *Picture) CompareOrder(on On, other *model.Model) {
	if p.Shuffled() && on.Playable {
		p.order.compare(on, other)
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
func (p *Picture) followOrders(e *effect.Effect) bool {
	if !p.a.Usable || p.revealed&Prediction == 0 {
		return false
	}
	stepped, whole := p.order.Step()
	e.Frame, e.Panel = e.Frame || whole, e.Panel || whole
	return stepped
}

// Shuffled reports whether the labels have been shuffled.
func (p *Picture) Shuffled() bool { return p.order.Shuffles > 0 }

// Shuffling returns the effect of the last shuffle. latest is false once something has moved, and before
// a model has been measured.
func (p *Picture) Shuffling() (of view.Shuffled, latest bool) {
	of = p.order.Shuffled()
	return of, p.order.latest && (of.Stays == of.Stays || of.Moves == of.Moves)
}

// Change returns the change of model A's ẑ by the last shuffle, or NaN if there was none.
func (p *Picture) Change(a *view.Shown) float64 {
	if a.Model.Config.Encoder.Ordered() {
		return p.order.Change(view.Ordered)
	}
	return p.order.Change(view.Invariant)
}
