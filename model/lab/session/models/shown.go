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
	paintTime = 12 * time.Millisecond // that one picture may take
	klPace    = 100 * time.Millisecond
	activeFor = 1500 * time.Millisecond // that a stage which was run is marked

	// trainingPace is how often the picture takes the weights of a training, and
	// dynamicsPace how often the prediction and ẑ through time are worked out anew with
	// them, which in a tab takes about half a second. They limit redraws that only
	// training causes.
	trainingPace = 500 * time.Millisecond
	dynamicsPace = 6 * time.Second
)

// The bits of what is revealed of a model.
const (
	Code = 1 << iota
	Density
	Prediction
	all = Code | Density | Prediction
)

// shown is the models on show and what is drawn of the picture on show.
type shown struct {
	a, b        *view.Shown
	targets     []*view.Target // of every set
	rows        view.Rows
	frame       system.Frame // the picture on show
	places      []int        // of its particles among those of the run
	painted     bool         // all is of the picture on show
	measured    time.Time    // when its KL last was
	past        play.Pace    // at which ẑ through time is drawn while it is encoded
	revealed    int          // bits
	asked       int          // those to be revealed of the frame that the run is on its way to
	active      int          // stage that has just been run, from 1; 0 is none
	activeTill  time.Time
	generations uint32 // that have been given out, see NewGeneration
}

// NewGeneration returns a number for Frame.Extend that nothing else has, however often
// view.NextGeneration is added.
func (m *Models) NewGeneration() uint64 {
	m.show.generations++
	return uint64(m.show.generations)
}

// Targets are the target densities of the picture on show, one a set.
func (m *Models) Targets() []*view.Target { return m.show.targets }

// Reveals says which of some bits are revealed.
func (m *Models) Reveals(bits int) bool { return m.show.revealed&bits != 0 }

// Encoded says whether ẑ is revealed, or will be of the frame that is coming.
func (m *Models) Encoded() bool { return (m.show.revealed|m.show.asked)&Code != 0 }

// Active says whether a stage is marked that has just been run.
func (m *Models) Active() bool { return m.show.active != 0 }

// Begin follows another run: its particles have their own labels, and nothing of it is
// revealed.
func (m *Models) Begin(on On) {
	m.order.Reset(on.Run.Live.Run().Particles)
	m.order.latest = false
	m.Hide(on.Set, false)
	for _, v := range m.Shown() {
		v.Begin(on.Run)
	}
}

// Resume follows a run that goes on otherwise from the frame on show.
func (m *Models) Resume(on On) {
	for _, v := range m.Shown() {
		v.Forget(on.Run)
	}
}

// Meet tells the run to models that were chosen while another was prepared.
func (m *Models) Meet(on On) {
	for _, v := range m.Shown() {
		if !v.Begun && on.Playable {
			v.Begin(on.Run)
		}
	}
}

// Move follows the frame on show. One that the visitor sought is not the one of which
// something was to be revealed.
func (m *Models) Move(set *lab.Settings, sought bool) {
	if sought {
		m.show.asked = 0
	}
	m.order.latest = false
	m.Release()
	m.Hide(set, true)
}

// Hide takes back what was revealed, unless all is always revealed; of another frame of the
// same run, what was predicted stays.
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

// Unask reveals nothing of the frame that is coming.
func (m *Models) Unask() { m.show.asked = 0 }

// Reveal runs one stage of the model on the picture on show, which must stand, or on the
// frame that is coming, once it is there.
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

// Tick lets the mark of a stage end, and reveals what waited for the frame.
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

// Stale says that another picture is to be painted.
func (m *Models) Stale() { m.show.painted = false }

// Paint evaluates what has changed of the densities and ẑ of the picture on show, if it is
// stale.
func (m *Models) Paint(on On) (painted bool) {
	d := &m.show
	if d.painted {
		return false
	}
	d.painted = true
	if d.a == nil || !on.Playable {
		return false
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
	// While it plays, the figure changes no faster than it can be read.
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
	// A picture that stands is whole, so that it is the same for all who open its
	// link; while things move, its parts take turns. It never lacks a density when it has
	// the KL of it.
	most := paintTime
	if on.Trains {
		moves, most = true, paintTime/2
	}
	for _, v := range m.Shown() {
		for v.Decoded && !v.Evaluate() && (!moves || v.Blank() || m.now().Sub(began) < most) {
		}
	}
	return true
}

func window(live system.Live) view.Window {
	r := live.Run()
	return view.Window{Lo: r.Lo, Hi: r.Hi}
}

// arranged returns the picture on show as a model's encoder takes it.
func (m *Models) arranged(v *view.Shown) *system.Frame {
	if v.Model.Config.Encoder.Ordered() {
		return m.order.Arranged(&m.show.frame, m.show.places)
	}
	return v.Coder.Canonical(&m.show.frame)
}

// paint evaluates a model on the picture on show, as far as it is revealed.
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

// held returns ẑ in [-1, 1] at which the visitor holds a model, nil if none is held.
func (m *Models) held(v *view.Shown) []float32 {
	if v != m.show.a {
		return nil
	}
	return m.portrait.drawn.Held()
}

// Follow lets the models on show catch up with the run for about budget each, and reports
// whether there is more to do.
func (m *Models) Follow(on On, began time.Time, budget time.Duration) (behind bool, e effect.Effect) {
	for _, v := range m.Shown() {
		more, of := m.follow(v, on, began, budget)
		behind, e = behind || more, e.And(of)
		on.Drawn = on.Drawn || e.Frame || e.Picture
	}
	return behind, e
}

// follow lets a model catch up with the run until the budget is spent, one step at least,
// and reports whether there is more to do. What is wanted once a run comes before what
// every frame wants anew.
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
		case d.painted && v.Decoded && d.revealed&Density != 0 && !v.Evaluate():
			e.Frame = e.Frame || m.whole() // what plays is drawn anyway
		default:
			return false, e
		}
		if m.now().Sub(began) >= budget {
			return true, e
		}
	}
}

// whole says whether the learned densities on show are.
func (m *Models) whole() bool {
	for _, v := range m.Shown() {
		if !v.Whole() {
			return false
		}
	}
	return true
}

// Show puts the run of a name on show as A.
func (m *Models) Show(on On, name string) (effect.Effect, error) { return m.choose(on, name, false) }

// Compare puts the run of a name next to A as B; no name ends the comparison.
func (m *Models) Compare(on On, name string) (effect.Effect, error) {
	if name == "" {
		m.show.b = nil
		return effect.Changed(), nil
	}
	return m.choose(on, name, true)
}

// choose puts the run of a name on show as A or, if compare says so and there is an A, as B.
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

// Again puts the models on show anew, which predict with another number of members.
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

// Unshow takes all off the picture.
func (m *Models) Unshow() { m.show.a, m.show.b = nil, nil }

// EndTraining follows the end of the training: it is compared with A no more.
func (m *Models) EndTraining() {
	if b := m.show.b; b != nil && b.Training {
		m.show.b = nil
	}
}

// Learn lets the picture follow the training, the prediction too if whole. Where it moves
// anyway, or moves says that the target does, it is painted anew.
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
	// One picture, when the density of the new weights is whole.
	m.show.painted = false
	m.Paint(on)
	return effect.Effect{Frame: m.whole(), Panel: true}
}
