package picture

import (
	"math"
	"slices"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/measure"
	"macroscope/model/system"
)

// Paint updates the densities and ẑ of the displayed picture, if it is out of date.
func (p *Picture) Paint(on On) (painted bool) {
	if p.painted {
		return false
	}
	p.draw(on, true)
	return p.a != nil && on.Playable
}

// draw evaluates the displayed picture. If atOnce is set, it redraws outdated densities at
// once. Otherwise, the earlier densities stay until the finest densities with the new weights
// are complete.
func (p *Picture) draw(on On, atOnce bool) {
	p.painted = true
	if p.a == nil || !on.Playable {
		return
	}
	began := p.now()
	p.Portrait.look(on, p.a)
	live := on.Run.Live
	moves := live.Player().Busy()
	p.places = live.Shown(&p.frame)
	w := view.WindowOf(live)
	f := p.arranged(p.a)
	for k, t := range p.targets {
		if len(f.Set(k, p.traits.Dim)) > 0 {
			t.Take(f.Set(k, p.traits.Dim), view.Sigma(p.a.Model, on.Set.Eps), w)
		}
	}
	// During playback the KL is measured only once per klPace, so that the number can be read.
	measure := !moves || began.Sub(p.measured) >= klPace
	if measure && p.revealed&Density != 0 {
		p.measured = began
	}
	for _, v := range p.Shown() {
		p.paint(v, on, w, measure)
	}
	most := paintTime
	if on.Trains {
		most /= 2
	}
	p.drawn = p.drawn[:0]
	for _, v := range p.Shown() {
		if !v.Decoded {
			continue
		}
		for _, density := range v.Density {
			if atOnce || density.Blank {
				p.drawn = append(p.drawn, density)
			}
		}
	}
	p.detail.Sketch(p.drawn, p.now, most)
	for p.refine() && p.now().Sub(began) < most {
	}
}

// refine evaluates the next part of the finest densities of a picture at rest. It returns false
// if there was no further part, or while the picture moves.
func (p *Picture) refine() (more bool) {
	if p.whole() || !p.detail.Rests(p.now()) {
		return false
	}
	for _, v := range p.Shown() {
		if v.Decoded && !v.Evaluate() {
			return true
		}
	}
	return false
}

// arranged returns the displayed frame with the particles in the order in which a model's
// encoder gets them.
func (p *Picture) arranged(v *view.Shown) *system.Frame {
	if v.Model.Config.Encoder.Ordered() {
		return p.order.Arranged(&p.frame, p.places)
	}
	return v.Coder.Canonical(&p.frame)
}

// paint evaluates the revealed stages of a model on the displayed picture.
func (p *Picture) paint(v *view.Shown, on On, w view.Window, measure bool) {
	v.Decoded = false
	if p.revealed&(Code|Density) == 0 || v.Cannot != nil {
		return
	}
	v.Coder.Encode(v.Code, p.arranged(v))
	v.Scaled(v.Z, v.Code)
	if p.revealed&Density == 0 || v.Density == nil && v.Points == nil {
		return
	}
	from, held := v.Code, p.held(v)
	if held != nil {
		from = v.From
		v.Unscaled(from, held)
	} else if on.Set.Source == lab.FromPrediction {
		p := v.Predicting()
		if p == nil {
			return
		}
		from = v.From
		v.Model.Unscaled(from, p.Closures(on.Run.Live.Player().Now()))
	}
	v.Decoded = true
	if v.Points != nil {
		v.Restore(from, &p.frame, view.Sigma(v.Model, on.Set.Eps), w)
	}
	n := v.Model.Config.ZDim()
	for k, density := range v.Density {
		z := from[k*n : (k+1)*n]
		density.Aim(w, z)
		switch {
		case v.Model.Config.Eps() != on.Set.Eps:
			v.KL[k] = math.NaN() // the displayed target has another ε than the model
		case measure:
			v.KL[k] = density.KL(p.targets[k], z)
		}
		if on.Set.Samples || held != nil {
			density.Draw(z)
		}
	}
}

// Follow computes results of the displayed models for the run. It does at least one step for each
// model. It stops when `budget` has passed since `began`. `behind` reports whether work remains.
func (p *Picture) Follow(on On, began time.Time, budget time.Duration) (behind bool, e effect.Effect) {
	for _, v := range p.Shown() {
		more, of := p.follow(v, on, began, budget)
		behind, e = behind || more, e.And(of)
		on.Drawn = on.Drawn || e.Frame || e.Picture
	}
	return behind, e
}

// follow computes results of a model for the run. It does at least one step, and stops when the
// budget is spent. `behind` reports whether work remains. The prediction is computed before ẑ of
// single frames.
func (p *Picture) follow(v *view.Shown, on On, began time.Time, budget time.Duration) (behind bool, e effect.Effect) {
	if !on.Playable {
		return false, e
	}
	live := on.Run.Live
	for {
		stepped, whole := false, false
		if p.revealed&Prediction != 0 {
			stepped, whole = v.StepAhead()
		}
		switch {
		case whole:
			p.painted = false
			e = e.And(effect.Changed())
		case stepped:
			e.Frame = e.Frame || !v.Predicted() && p.traits.Stochastic
		case v == p.a && p.followOrders(&e):
		case p.revealed&Code != 0 && p.timed && v.PastBehind(live.Run().Known):
			v.EncodePast(on.Run)
			e.Frame = e.Frame || on.Drawn || !v.PastBehind(live.Run().Known) || p.past.Due(p.now(), trainingPace)
		case v == p.a && p.validate(v, on.Run.Seed):
			e.Frame, e.Panel = true, true
		case v == p.a && p.painted && p.revealed&Density != 0 && p.refine():
			e.Frame = e.Frame || p.whole()
		case v == p.a && p.painted && p.deepens(on) && p.detail.Still(p.now()):
			e.Frame = p.deepen() || e.Frame
		default:
			return v == p.a && p.painted && (!p.whole() || p.deepens(on)), e // these densities wait until the picture is at rest
		}
		if p.now().Sub(began) >= budget {
			return true, e
		}
	}
}

// deepens reports whether the displayed densities need deeper levels, while nothing moves and no model is trained.
func (p *Picture) deepens(on On) bool {
	return p.revealed&Density != 0 && !on.Trains && !on.Run.Live.Player().Busy() && slices.ContainsFunc(p.Shown(), (*view.Shown).Deepens)
}

// deepen evaluates a part of a deeper level. It returns whether a density has changed.
func (p *Picture) deepen() (changed bool) {
	for _, v := range p.Shown() {
		if v.Deepens() {
			return v.Deepen()
		}
	}
	return false
}

// validate measures the KL of a shipped model on the next validation set, in a lab of single sets.
// It returns false if there is nothing to measure. A training measures its own model.
func (p *Picture) validate(v *view.Shown, seed uint64) bool {
	return !p.timed && v.Density != nil && runs.IsShipped(v.Name) && v.Validate(measure.ValidationSets, measure.ValidationSamples, seed)
}

// whole reports whether all parts of the displayed densities are up to date.
func (p *Picture) whole() bool {
	for _, v := range p.Shown() {
		if !v.Whole() {
			return false
		}
	}
	return true
}
