package models

import (
	"errors"
	"math"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/measure"
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
	for _, v := range m.Shown() {
		v.Begin(on.Run)
	}
}

// Resume is called when the frames after the displayed one have changed.
func (m *Models) Resume(on On) {
	for _, v := range m.Shown() {
		v.Forget(on.Run)
	}
}

// Meet passes the run to models that were selected while the run was being prepared.
func (m *Models) Meet(on On) {
	for _, v := range m.Shown() {
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
		return effect.Effect{}, m.Shelf.Missing()
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

// After a change of the ensembles' size, Again() displays the same models with new ensembles.
func (m *Models) Again(on On) (effect.Effect, error) {
	for _, shown := range []**view.Shown{&m.show.a, &m.show.b} {
		if r := m.Shelf.Look(on.Now, (*shown).Called()); r != nil {
			v, err := m.display(on, r)
			if err != nil {
				return effect.Effect{}, err
			}
			*shown = v
		}
	}
	return effect.Changed(), nil
}

// Unshow removes all models from the picture.
func (m *Models) Unshow() {
	m.show.a, m.show.b = nil, nil
	m.Shelf.Forget()
}

// EndTraining is called when the training ends. If the trained model is displayed as model B, the
// comparison ends.
func (m *Models) EndTraining() {
	if b := m.show.b; b != nil && b.Training {
		m.show.b = nil
		m.Shelf.Compare("")
	}
}

// Learn updates the picture with the training's new weights. If whole is set, it also updates
// the prediction. While a run plays, the picture is repainted in any case.
func (m *Models) Learn(on On, whole bool) effect.Effect {
	at, onShow, live := m.now(), false, on.Run.Live
	for _, v := range m.Shown() {
		if !v.Training {
			continue
		}
		was := v.Usable
		v.Usable, v.Origin = on.Training.Usable(), on.Training.Origin()
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
	case whole || onShow && live.Player().Busy():
		return effect.Changed()
	case !onShow:
		return effect.Effect{Frame: true, Panel: true} // the curves of the training have changed
	}
	m.draw(on, !m.show.painted)
	return effect.Effect{Frame: m.whole(), Panel: true}
}
