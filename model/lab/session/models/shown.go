package models

import (
	"cmp"
	"errors"
	"math"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/play"
)

const (
	paintTime = 12 * time.Millisecond // longest time spent on one picture
	klPace    = 100 * time.Millisecond
	activeFor = 1500 * time.Millisecond // how long the page highlights the stage that has run last

	// While frames are being encoded for the curves of ẑ over time, trainingPace is the shortest
	// time between two redraws of these curves. dynamicsPace is the shortest time after which a
	// training computes the prediction and the curves again. This takes about half a second in a
	// tab.
	trainingPace = 500 * time.Millisecond
	dynamicsPace = 6 * time.Second
)

// Results of a model that can be revealed, one bit each.
const (
	Code = 1 << iota
	Density
	Prediction
	all = Code | Density | Prediction
)

// shown contains the displayed models and their drawings.
type shown struct {
	a, b        *view.Shown
	before      *view.Shown    // the model with which the training of A began; nil if the prediction of this model is not in the picture
	wide        *view.Shown    // the model of preset wide; nil if its prediction is not in the picture, see widen
	targets     []*view.Target // target densities of the picture, one per set
	rows        view.Rows
	frame       system.Frame // frame in the displayed picture
	number      []float32    // ẑ that the user has set by dragging bars, scaled like the row "z"; nil if no bar was dragged, or if the latent portrait holds ẑ
	numberOf    *view.Shown  // the model whose ẑ is in `number`
	places      []int        // indices of the frame's particles in the run
	detail      *view.Detail // level of detail of the densities
	drawn       []*view.Density
	painted     bool      // whether all drawings match the displayed picture
	measured    time.Time // when the picture's KL was last measured
	past        play.Pace // limits how often the plot of ẑ against time is redrawn during encoding
	revealed    int       // which results are revealed, as bits
	asked       int       // which results to reveal when the requested frame arrives, as bits
	active      int       // number of the stage that the page highlights, from 1; 0: none
	activeTill  time.Time
	generations uint32 // number of generations that NewGeneration has returned
}

// NewGeneration returns a new number for wire.Frame.Extend. Two of these numbers stay different
// even if the constant view.NextGeneration is added to them repeatedly.
func (m *Models) NewGeneration() uint64 {
	m.show.generations++
	return uint64(m.show.generations)
}

// Targets returns the target densities of the displayed picture, one for each set.
func (m *Models) Targets() []*view.Target { return m.show.targets }

// Reveals reports whether any of these results is revealed.
func (m *Models) Reveals(bits int) bool { return m.show.revealed&bits != 0 }

// Encoded reports whether ẑ is revealed, or will be when the requested frame arrives.
func (m *Models) Encoded() bool { return (m.show.revealed|m.show.asked)&Code != 0 }

// Active reports whether the page highlights the stage that has run last.
func (m *Models) Active() bool { return m.show.active != 0 }

// Begin is called at the beginning of another run. The particles get new labels, the results for
// the last run are hidden, and the displayed models begin with the new run.
func (m *Models) Begin(on On) {
	m.order.Reset(on.Run.Live.Run().Particles)
	m.order.latest = false
	m.show.number = nil
	m.Hide(on.Set, false)
	for _, v := range m.predicting() {
		v.Begin(on.Run)
	}
	m.widen(on)
}

// Resume is called when the frames after the displayed one have changed.
func (m *Models) Resume(on On) {
	for _, v := range m.predicting() {
		v.Forget(on.Run)
	}
}

// Meet passes the run to models that were selected while the run was being prepared.
func (m *Models) Meet(on On) {
	for _, v := range m.predicting() {
		if !v.Begun && on.Playable {
			v.Begin(on.Run)
		}
	}
}

// Move is called when another frame is displayed. If the user has sought this frame, results
// that wait for another frame are cancelled.
func (m *Models) Move(set *lab.Settings, sought bool) {
	if sought {
		m.show.asked = 0
	}
	m.order.latest = false
	m.Release()
	m.Hide(set, true)
}

// Hide hides the revealed results, unless the user has chosen to run all stages. At another
// frame of the same run, the prediction stays visible.
func (m *Models) Hide(set *lab.Settings, sameRun bool) {
	switch {
	case set.All:
		m.show.revealed = all
	case sameRun:
		m.show.revealed &= Prediction
	default:
		m.show.revealed = 0
	}
}

// Unask cancels the results that wait for a frame.
func (m *Models) Unask() { m.show.asked = 0 }

// Reveal runs one stage of the model on the displayed picture, which must be at rest. If a
// requested frame has not arrived yet, the stage runs when the frame arrives.
func (m *Models) Reveal(on On, stage, bit int) (effect.Effect, error) {
	if m.show.a == nil {
		return effect.Effect{}, m.Missing()
	}
	if bit != Code && !m.Encoded() {
		return effect.Effect{}, errors.New("this stage works on ẑ, so encode first")
	}
	if on.Coming {
		m.show.asked |= bit
	} else {
		m.show.revealed |= bit
	}
	m.show.active, m.show.activeTill = stage, m.now().Add(activeFor)
	return effect.Changed(), nil
}

// Tick ends the highlight of a stage after the time activeFor. When a requested frame has arrived,
// it reveals the results that waited for the frame.
func (m *Models) Tick(on On, now time.Time) (e effect.Effect) {
	d := &m.show
	if d.asked != 0 && !on.Coming {
		d.revealed |= d.asked
		d.asked = 0
		e = effect.Changed()
	}
	if d.active != 0 && now.After(d.activeTill) {
		d.active = 0
		e.Frame = true
	}
	return e
}

// Stale marks the picture as out of date.
func (m *Models) Stale() { m.show.painted = false }

// Paint updates the densities and ẑ of the displayed picture, if it is out of date.
func (m *Models) Paint(on On) (painted bool) {
	d := &m.show
	if d.painted {
		return false
	}
	m.draw(on, true)
	return d.a != nil && on.Playable
}

// draw evaluates the displayed picture. If atOnce is set, it redraws outdated densities at
// once. Otherwise, the earlier densities stay until the finest densities with the new weights
// are complete.
func (m *Models) draw(on On, atOnce bool) {
	d := &m.show
	d.painted = true
	if d.a == nil || !on.Playable {
		return
	}
	began := m.now()
	m.lookAtPortrait(on)
	live := on.Run.Live
	moves := live.Player().Busy()
	d.places = live.Shown(&d.frame)
	w := view.WindowOf(live)
	f := m.arranged(d.a)
	for k, t := range d.targets {
		if len(f.Set(k, m.traits.Dim)) > 0 {
			t.Take(f.Set(k, m.traits.Dim), view.Sigma(d.a.Model, on.Set.Eps), w)
		}
	}
	// During playback the KL is measured only once per klPace, so that the number can be read.
	measure := !moves || began.Sub(d.measured) >= klPace
	if measure && d.revealed&Density != 0 {
		d.measured = began
	}
	for _, v := range m.Shown() {
		m.paint(v, on, w, measure)
	}
	most := paintTime
	if on.Trains {
		most /= 2
	}
	d.drawn = d.drawn[:0]
	for _, v := range m.Shown() {
		if !v.Decoded {
			continue
		}
		for _, density := range v.Density {
			if atOnce || density.Blank {
				d.drawn = append(d.drawn, density)
			}
		}
	}
	d.detail.Sketch(d.drawn, m.now, most)
	for m.refine() && m.now().Sub(began) < most {
	}
}

// refine evaluates the next part of the finest densities of a picture at rest. It returns false
// if there was no further part.
func (m *Models) refine() (more bool) {
	if m.whole() || !m.show.detail.Rests(m.now()) {
		return false
	}
	for _, v := range m.Shown() {
		if v.Decoded && !v.Evaluate() {
			return true
		}
	}
	return false
}

// arranged returns the displayed frame with the particles in the order in which a model's
// encoder gets them.
func (m *Models) arranged(v *view.Shown) *system.Frame {
	if v.Model.Config.Encoder.Ordered() {
		return m.order.Arranged(&m.show.frame, m.show.places)
	}
	return v.Coder.Canonical(&m.show.frame)
}

// paint evaluates the revealed stages of a model on the displayed picture.
func (m *Models) paint(v *view.Shown, on On, w view.Window, measure bool) {
	d := &m.show
	v.Decoded = false
	if d.revealed&(Code|Density) == 0 || v.Cannot != nil {
		return
	}
	v.Coder.Encode(v.Code, m.arranged(v))
	v.Scaled(v.Z, v.Code)
	if d.revealed&Density == 0 || v.Density == nil && v.Points == nil {
		return
	}
	from, held := v.Code, m.held(v)
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
		v.Points.Take(from, &d.frame)
	}
	n := v.Model.Config.ZDim()
	for k, density := range v.Density {
		z := from[k*n : (k+1)*n]
		density.Aim(w, z)
		switch {
		case v.Model.Config.Eps() != on.Set.Eps:
			v.KL[k] = math.NaN() // the displayed target has another ε than the model
		case measure:
			v.KL[k] = density.KL(d.targets[k], z)
		}
		if on.Set.Samples || held != nil {
			density.Draw(z)
		}
	}
}

// held returns ẑ of a model as the user has set it in the picture, scaled like the row "z". It
// returns nil if ẑ describes the particles.
func (m *Models) held(v *view.Shown) []float32 {
	switch {
	case v != m.show.a:
		return nil
	case m.portrait.drawn != nil:
		return m.portrait.drawn.Held()
	case v != m.show.numberOf:
		return nil
	}
	return m.show.number
}

// Follow computes results of the displayed models for the run. It does at least one step for each
// model. It stops when `budget` has passed since `began`. `behind` reports whether work remains.
func (m *Models) Follow(on On, began time.Time, budget time.Duration) (behind bool, e effect.Effect) {
	for _, v := range m.Shown() {
		more, of := m.follow(v, on, began, budget)
		behind, e = behind || more, e.And(of)
		on.Drawn = on.Drawn || e.Frame || e.Picture
	}
	if !on.Playable || m.show.revealed&Prediction == 0 {
		return behind, e
	}
	for _, v := range [...]*view.Shown{m.show.before, m.Wide()} {
		for stepped := v != nil; stepped && m.now().Sub(began) < budget; {
			var whole bool
			stepped, whole = v.StepAhead()
			behind, e.Frame, e.Panel = behind || stepped, e.Frame || whole, e.Panel || whole
		}
	}
	return behind, e
}

// follow computes results of a model for the run. It does at least one step, and stops when the
// budget is spent. `behind` reports whether work remains. The prediction is computed before ẑ of
// single frames.
func (m *Models) follow(v *view.Shown, on On, began time.Time, budget time.Duration) (behind bool, e effect.Effect) {
	d := &m.show
	if !on.Playable {
		return false, e
	}
	live := on.Run.Live
	for {
		stepped, whole := false, false
		if d.revealed&Prediction != 0 {
			stepped, whole = v.StepAhead()
		}
		switch {
		case whole:
			d.painted = false
			e = e.And(effect.Changed())
		case stepped:
			e.Frame = e.Frame || !v.Predicted() && m.traits.Stochastic
		case v == d.a && m.followOrders(&e):
		case d.revealed&Code != 0 && m.lab.Timed() && v.PastBehind(live.Run().Known):
			v.EncodePast(live)
			e.Frame = e.Frame || on.Drawn || !v.PastBehind(live.Run().Known) || d.past.Due(m.now(), trainingPace)
		case v == d.a && m.validate(v, on.Run.Seed):
			e.Frame, e.Panel = true, true
		case v == d.a && d.painted && d.revealed&Density != 0 && m.refine():
			e.Frame = e.Frame || m.whole()
		default:
			return v == d.a && d.painted && !m.whole(), e // the fine densities may have to wait until the picture is at rest
		}
		if m.now().Sub(began) >= budget {
			return true, e
		}
	}
}

// validate measures the KL of a shipped model on the next validation set, in a lab of single sets.
// It returns false if there is nothing to measure. A training measures its own model.
func (m *Models) validate(v *view.Shown, seed uint64) bool {
	return !m.lab.Timed() && v.Density != nil && runs.IsShipped(v.Name) && v.Validate(measure.ValidationSets, measure.ValidationSamples, seed)
}

// whole reports whether all parts of the displayed densities are up to date.
func (m *Models) whole() bool {
	for _, v := range m.Shown() {
		if !v.Whole() {
			return false
		}
	}
	return true
}

// Show displays the named run as A.
func (m *Models) Show(on On, name string) (effect.Effect, error) { return m.choose(on, name, false) }

// Compare displays the named run as B, next to A. An empty name ends the comparison.
func (m *Models) Compare(on On, name string) (effect.Effect, error) {
	if name == "" {
		m.show.b = nil
		return effect.Changed(), nil
	}
	return m.choose(on, name, true)
}

// choose displays the named run as A or, if compare is set and A exists, as B.
func (m *Models) choose(on On, name string, compare bool) (effect.Effect, error) {
	r, err := m.Find(name, on.Training)
	if err != nil {
		return effect.Effect{}, err
	}
	v, err := m.display(on, r)
	switch {
	case err != nil:
		return effect.Effect{}, err
	case compare && m.show.a != nil:
		m.show.b = v
	default:
		m.show.a, m.show.before, m.shipped.before = v, nil, ""
		m.order.Forget()
	}
	return effect.Changed(), nil
}

// display makes the drawings of a run. A tunable model is displayed with the ε and ẑ dim in its
// range that are nearest to the settings.
func (m *Models) display(on On, r *runs.Run) (*view.Shown, error) {
	model := r.Model
	if model.Config.Tunable() {
		var err error
		if model, err = model.At(model.Config.Nearest(on.Set.Eps, on.Set.ZDim)); err != nil {
			return nil, err
		}
	}
	v := view.NewShown(model, r.Name, on.Set.Members)
	v.Origin = r.Origin
	if model != r.Model {
		v.Tunable = r.Model
	}
	if v.Training = r.Name == runs.Training; v.Training {
		v.Usable = on.Training.Usable()
	}
	if on.Playable {
		v.Begin(on.Run)
	}
	return v, nil
}

// Turn moves the displayed tunable models to the ε and ẑ dim of the settings, or to the nearest
// values in their ranges. acts reports whether A is tunable.
func (m *Models) Turn(on On) (e effect.Effect, acts bool, err error) {
	for _, shown := range []**view.Shown{&m.show.a, &m.show.b} {
		v := *shown
		if v == nil || v.Tunable == nil {
			continue
		}
		acts = acts || v == m.show.a
		eps, zdim := v.Tunable.Config.Nearest(on.Set.Eps, on.Set.ZDim)
		e = e.And(effect.Changed())
		if v.Model.Config.ZDim() == zdim {
			if err = v.Tunable.Tune(v.Model, eps); err != nil {
				return e, acts, err
			}
			v.Outdate()
			continue
		}
		r, err := m.Find(v.Name, on.Training)
		if err == nil {
			*shown, err = m.display(on, r)
		}
		if err != nil {
			*shown = v
			return e, acts, err
		}
	}
	return e, acts, nil
}

// After a change of the ensembles' size, Again() displays the same models with new ensembles.
func (m *Models) Again(on On) (e effect.Effect, err error) {
	a, b := m.show.a.Called(), m.show.b.Called()
	m.show.b = nil
	for _, name := range []string{a, b} {
		if name != "" && err == nil {
			var of effect.Effect
			of, err = m.choose(on, name, name == b && name != a)
			e = e.And(of)
		}
	}
	return e, err
}

// Unshow removes all models from the picture.
func (m *Models) Unshow() { m.show.a, m.show.b, m.show.before = nil, nil, nil }

// ShowTraining displays the training as A in place of another model. If the system is deterministic
// and the training begins with the weights of the other model, the prediction of the other model
// stays in the picture until the training predicts equally well.
func (m *Models) ShowTraining(on On, from *model.Model) (effect.Effect, error) {
	was := m.show.a
	e, err := m.Show(on, runs.Training)
	if err == nil && was.Predicts() && was.Model == from && !m.traits.Stochastic {
		m.show.before = was
	}
	return e, err
}

// predicting returns the models with a prediction of the run: first the displayed ones, then those of
// which the picture contains only the prediction.
func (m *Models) predicting() (list []*view.Shown) {
	list = m.Shown()
	for _, v := range []*view.Shown{m.show.before, m.show.wide} {
		if v != nil {
			list = append(list, v)
		}
	}
	return list
}

// Wide returns the model of preset wide whose prediction is in the picture. It returns nil if the run
// begins as in the paper's training or has another force, if this model is displayed as A or B, or if
// there is none.
func (m *Models) Wide() *view.Shown {
	w := m.show.wide
	if w == nil || m.show.before != nil || w.Outside != "" || w.Name == m.show.a.Called() || w.Name == m.show.b.Called() {
		return nil
	}
	return w
}

// Before returns the model with which the training of A began. It returns nil when the prediction
// of this model is no longer displayed (see ShowTraining).
func (m *Models) Before() *view.Shown { return m.show.before }

// BeforeName returns the name of the model with which the training of A began. The name is known
// even while this model is being fetched.
func (m *Models) BeforeName() string { return cmp.Or(m.show.before.Called(), m.shipped.before) }

// EndTraining is called when the training ends. If the trained model is displayed as model B, the
// comparison ends.
func (m *Models) EndTraining() {
	if b := m.show.b; b != nil && b.Training {
		m.show.b = nil
	}
}

// Learn updates the picture with the training's new weights. If whole is set, it also updates
// the prediction. If moves is set, the target has changed too. While a run plays, the picture
// is repainted in any case.
func (m *Models) Learn(on On, whole, moves bool) effect.Effect {
	at, onShow, live := m.now(), false, on.Run.Live
	if on.Training.Improved() {
		m.show.before, m.shipped.before = nil, ""
	}
	for _, v := range m.Shown() {
		if !v.Training {
			continue
		}
		was := v.Usable
		v.Usable = on.Training.Usable()
		if v.Tunable != nil {
			_ = v.Tunable.Tune(v.Model, v.Model.Config.Eps()) // the only possible error is an ε outside the range
		}
		v.Outdate()
		if on.Playable && (whole || v.Usable && !was || at.Sub(v.Told) >= dynamicsPace && v.Settled(live.Run().Known)) {
			v.Told = at
			v.Again(on.Run)
		}
		onShow = true
	}
	switch {
	case whole || onShow && (live.Player().Busy() || moves):
		return effect.Changed()
	case !onShow:
		return effect.Effect{Frame: true, Panel: true} // the curves of the training have changed
	}
	m.draw(on, !m.show.painted)
	return effect.Effect{Frame: m.whole(), Panel: true}
}
