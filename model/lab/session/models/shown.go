package models

import (
	"errors"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/system"
	"macroscope/model/system/play"
)

const (
	paintTime = 12 * time.Millisecond // for one picture
	klPace    = 100 * time.Millisecond
	activeFor = 1500 * time.Millisecond // how long a stage that has run stays marked

	// trainingPace is the interval at which the picture takes a training's weights,
	// dynamicsPace the interval at which it predicts and encodes ẑ through time again, which
	// takes about half a second in a tab. They limit redraws that only training causes.
	trainingPace = 500 * time.Millisecond
	dynamicsPace = 6 * time.Second
)

// The bits of the revealed results of a model.
const (
	Code = 1 << iota
	Density
	Prediction
	all = Code | Density | Prediction
)

// shown is the displayed models and the drawings of the displayed picture.
type shown struct {
	a, b        *view.Shown
	targets     []*view.Target // of every set
	rows        view.Rows
	frame       system.Frame // the displayed picture
	places      []int        // indices of its particles in the run
	detail      *view.Detail // of the densities
	drawn       []*view.Density
	painted     bool      // all drawings match the displayed picture
	measured    time.Time // when its KL was last measured
	past        play.Pace // of redrawing ẑ through time during encoding
	revealed    int       // bits
	asked       int       // to be revealed at the frame that the run is moving to
	active      int       // the stage just run, from 1; 0 is none
	activeTill  time.Time
	generations uint32 // number given out, see NewGeneration
}

// NewGeneration returns a unique number for Frame.Extend, however often view.NextGeneration is
// added.
func (m *Models) NewGeneration() uint64 {
	m.show.generations++
	return uint64(m.show.generations)
}

// Targets are the target densities of the displayed picture, one per set.
func (m *Models) Targets() []*view.Target { return m.show.targets }

// Reveals says whether any of some bits is revealed.
func (m *Models) Reveals(bits int) bool { return m.show.revealed&bits != 0 }

// Encoded says whether ẑ is revealed, or will be at the coming frame.
func (m *Models) Encoded() bool { return (m.show.revealed|m.show.asked)&Code != 0 }

// Active says whether a stage is marked that has just run.
func (m *Models) Active() bool { return m.show.active != 0 }

// Begin handles another run: its particles have their own labels, and nothing is revealed yet.
func (m *Models) Begin(on On) {
	m.order.Reset(on.Run.Live.Run().Particles)
	m.order.latest = false
	m.Hide(on.Set, false)
	for _, v := range m.Shown() {
		v.Begin(on.Run)
	}
}

// Resume handles a run whose frames after the displayed one have changed.
func (m *Models) Resume(on On) {
	for _, v := range m.Shown() {
		v.Forget(on.Run)
	}
}

// Meet passes the run to models that were chosen during the preparation of another.
func (m *Models) Meet(on On) {
	for _, v := range m.Shown() {
		if !v.Begun && on.Playable {
			v.Begin(on.Run)
		}
	}
}

// Move handles another displayed frame. A frame that the user sought cancels a pending reveal.
func (m *Models) Move(set *lab.Settings, sought bool) {
	if sought {
		m.show.asked = 0
	}
	m.order.latest = false
	m.Release()
	m.Hide(set, true)
}

// Hide hides the revealed results, unless all is always revealed; at another frame of the same
// run, the prediction stays.
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

// Unask cancels a pending reveal.
func (m *Models) Unask() { m.show.asked = 0 }

// Reveal runs one stage of the model on the displayed picture, which must be at rest, or on
// the coming frame when it arrives.
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

// Tick ends the mark of a stage, and reveals results that waited for the frame.
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

// Stale requests another picture.
func (m *Models) Stale() { m.show.painted = false }

// Paint evaluates the densities and ẑ of the displayed picture that have changed, if it is
// stale.
func (m *Models) Paint(on On) (painted bool) {
	d := &m.show
	if d.painted {
		return false
	}
	m.draw(on, true)
	return d.a != nil && on.Playable
}

// draw evaluates the displayed picture. Densities that are not up to date are drawn at once,
// unless new weights alone have changed them: then the earlier ones stay until the finest of
// these weights are whole.
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
	w := window(live)
	f := m.arranged(d.a)
	for k, t := range d.targets {
		if len(f.Set(k, m.traits.Dim)) > 0 {
			t.Take(f.Set(k, m.traits.Dim), view.Sigma(d.a.Model, on.Set.Eps), w)
		}
	}
	// During playback, the figure changes slowly enough to be read.
	measure := !moves || began.Sub(d.measured) >= klPace
	if measure && d.revealed&Density != 0 {
		for _, t := range d.targets {
			t.Draw()
		}
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

// refine evaluates the next part of the finest densities of a picture at rest, and reports
// whether there was one.
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

func window(live system.Live) view.Window {
	r := live.Run()
	return view.Window{Lo: r.Lo, Hi: r.Hi}
}

// arranged returns the displayed picture in the order that a model's encoder takes.
func (m *Models) arranged(v *view.Shown) *system.Frame {
	if v.Model.Config.Encoder.Ordered() {
		return m.order.Arranged(&m.show.frame, m.show.places)
	}
	return v.Coder.Canonical(&m.show.frame)
}

// paint evaluates a model's revealed stages on the displayed picture.
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
		v.Model.Unscaled(from, held)
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
		if measure {
			v.KL[k] = density.KL(d.targets[k], z)
		}
		if on.Set.Samples || held != nil {
			density.Draw(z)
		}
	}
}

// held returns ẑ in [-1, 1] at which the user holds a model, nil if none is held.
func (m *Models) held(v *view.Shown) []float32 {
	if v != m.show.a {
		return nil
	}
	return m.portrait.drawn.Held()
}

// Follow lets the displayed models catch up with the run for about budget each, and reports
// whether work remains.
func (m *Models) Follow(on On, began time.Time, budget time.Duration) (behind bool, e effect.Effect) {
	for _, v := range m.Shown() {
		more, of := m.follow(v, on, began, budget)
		behind, e = behind || more, e.And(of)
		on.Drawn = on.Drawn || e.Frame || e.Picture
	}
	return behind, e
}

// follow lets a model catch up with the run until the budget is spent, one step at least, and
// reports whether work remains. Work per run comes before work per frame.
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
		case v == d.a && d.painted && d.revealed&Density != 0 && m.refine():
			e.Frame = e.Frame || m.whole()
		default:
			return v == d.a && d.painted && !m.whole(), e // it will be drawn finely once it rests
		}
		if m.now().Sub(began) >= budget {
			return true, e
		}
	}
}

// whole says whether the displayed learned densities are complete.
func (m *Models) whole() bool {
	for _, v := range m.Shown() {
		if !v.Whole() {
			return false
		}
	}
	return true
}

// Show displays the run of a name as A.
func (m *Models) Show(on On, name string) (effect.Effect, error) { return m.choose(on, name, false) }

// Compare displays the run of a name next to A as B; an empty name ends the comparison.
func (m *Models) Compare(on On, name string) (effect.Effect, error) {
	if name == "" {
		m.show.b = nil
		return effect.Changed(), nil
	}
	return m.choose(on, name, true)
}

// choose displays the run of a name as A or, if compare is set and there is an A, as B.
func (m *Models) choose(on On, name string, compare bool) (effect.Effect, error) {
	r, err := m.Find(name, on.Training)
	if err != nil {
		return effect.Effect{}, err
	}
	v := view.NewShown(r.Model, r.Name, r.Origin, on.Set.Members)
	if v.Training = name == runs.Training; v.Training {
		v.Usable = on.Training.Usable()
	}
	if on.Playable {
		v.Begin(on.Run)
	}
	if compare && m.show.a != nil {
		m.show.b = v
	} else {
		m.show.a = v
		m.order.Forget()
	}
	return effect.Changed(), nil
}

// Again displays the models again, which now predict with another number of members.
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
func (m *Models) Unshow() { m.show.a, m.show.b = nil, nil }

// EndTraining handles the end of the training: its comparison with A ends.
func (m *Models) EndTraining() {
	if b := m.show.b; b != nil && b.Training {
		m.show.b = nil
	}
}

// Learn updates the picture from the training, the prediction too if whole. It repaints a
// picture that moves anyway, or whose target moves if moves is set.
func (m *Models) Learn(on On, whole, moves bool) effect.Effect {
	at, onShow, live := m.now(), false, on.Run.Live
	for _, v := range m.Shown() {
		if !v.Training {
			continue
		}
		was := v.Usable
		v.Usable = on.Training.Usable()
		for _, d := range v.Density {
			d.Stale = true
		}
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
		return effect.Effect{Frame: true, Panel: true} // for the curves
	}
	m.draw(on, !m.show.painted)
	return effect.Effect{Frame: m.whole(), Panel: true}
}
