package session

import (
	"errors"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/system"
	"macroscope/model/wire"
)

const (
	paintTime = 12 * time.Millisecond // that one picture may take
	klPace    = 100 * time.Millisecond
	activeFor = 1500 * time.Millisecond // that a stage which was run is marked
)

// The bits of what is revealed of the model.
const (
	revealCode = 1 << iota
	revealDensity
	revealPrediction
	revealAll = revealCode | revealDensity | revealPrediction
)

// display is the models on show and what is drawn of the picture on show.
type display struct {
	s           *Session
	a, b        *view.Shown
	targets     []*view.Target // of every set
	rows        view.Rows
	frame       system.Frame // the picture on show
	places      []int        // of its particles among those of the run
	painted     bool         // all is of the picture on show
	measured    time.Time    // when its KL last was
	past        pace         // at which ẑ through time is drawn while it is encoded
	revealed    int          // bits
	asked       int          // those to be revealed of the frame that the run is on its way to
	active      int          // stage that has just been run, from 1; 0 is none
	activeTill  time.Time
	generations uint32 // that have been given out, see newGeneration
}

func newDisplay(s *Session) display {
	d := display{s: s, rows: view.Rows{Traits: s.traits}}
	for range max(1, len(s.traits.Sets)) {
		d.targets = append(d.targets, view.NewTarget(s.traits.Dim))
	}
	return d
}

// models returns what is on show, A first.
func (d *display) models() []*view.Shown {
	switch {
	case d.a == nil:
		return nil
	case d.b == nil:
		return []*view.Shown{d.a}
	}
	return []*view.Shown{d.a, d.b}
}

// newGeneration returns a number for Frame.Extend that nothing else has, however
// often view.NextGeneration is added.
func (d *display) newGeneration() uint64 {
	d.generations++
	return uint64(d.generations)
}

// missing says why there is no model on show.
func (d *display) missing() error {
	if d.s.noShipped != "" {
		return errors.New("there is no model; open one, or reload the page")
	}
	return errors.New("the model is still on its way")
}

// restart follows the beginning of a run.
func (d *display) restart() {
	d.hide(false)
	for _, m := range d.models() {
		m.Begin(d.s.run.described())
	}
}

// hide takes back what was revealed, unless all is always revealed; of another
// frame of the same run, what was predicted stays.
func (d *display) hide(sameRun bool) {
	switch {
	case d.s.settings.All:
		d.revealed = revealAll
	case sameRun:
		d.revealed &= revealPrediction
	default:
		d.revealed = 0
	}
}

// reveal runs one stage of the model on the picture on show, which stays, or on the frame
// that the run is on its way to, once it is there.
func (d *display) reveal(stage, bit int) error {
	if d.a == nil {
		return d.missing()
	}
	if bit != revealCode && (d.revealed|d.asked)&revealCode == 0 {
		return errors.New("this stage works on ẑ, so encode first")
	}
	if d.s.run.coming() {
		d.asked |= bit
	} else {
		d.s.live.Player().Pause()
		d.revealed |= bit
	}
	d.active, d.activeTill = stage, d.s.now().Add(activeFor)
	d.s.changed()
	return nil
}

// tick lets the mark of a stage end, and reveals what waited for the frame.
func (d *display) tick(now time.Time) {
	if d.asked != 0 && !d.s.run.coming() {
		d.revealed |= d.asked
		d.asked = 0
		d.s.changed()
	}
	if d.active != 0 && now.After(d.activeTill) {
		d.active, d.s.frameStale = 0, true
	}
}

func (d *display) window() view.Window {
	r := d.s.live.Run()
	return view.Window{Lo: r.Lo, Hi: r.Hi}
}

// paint evaluates what has changed of the densities and ẑ of the picture on show.
func (d *display) paint() {
	d.painted = true
	s := d.s
	if d.a == nil || !s.run.playable() {
		return
	}
	began := s.now()
	s.latent.look()
	moves := s.live.Player().Busy()
	d.places = s.live.Shown(&d.frame)
	w := d.window()
	f := d.a.Coder.Canonical(&d.frame)
	if d.a.Model.Config.Encoder.Ordered() {
		f = s.order.Arranged(&d.frame, d.places)
	}
	for k, t := range d.targets {
		if len(f.Set(k, s.traits.Dim)) > 0 {
			t.Take(f.Set(k, s.traits.Dim), view.Sigma(d.a.Model, s.settings.Eps), w)
		}
	}
	// While it plays, the figure changes no faster than it can be read.
	measure := !moves || began.Sub(d.measured) >= klPace
	if measure && d.revealed&revealDensity != 0 {
		for _, t := range d.targets {
			t.Draw()
		}
		d.measured = began
	}
	for _, m := range d.models() {
		d.paintModel(m, w, measure)
	}
	// A picture that stands is whole, so that it is the same for all who open its
	// link; while things move, its parts take turns. It never lacks a density whose
	// figure it has.
	most := paintTime
	if s.trainer.status == wire.Training {
		moves, most = true, paintTime/2
	}
	for _, m := range d.models() {
		for m.Decoded && !m.Evaluate() && (!moves || m.Blank() || s.now().Sub(began) < most) {
		}
	}
	s.stateStale = true
}

// paintModel evaluates a model on the picture on show, as far as it is revealed.
func (d *display) paintModel(m *view.Shown, w view.Window, measure bool) {
	m.Decoded = false
	if d.revealed&(revealCode|revealDensity) == 0 || m.Cannot != nil {
		return
	}
	f := m.Coder.Canonical(&d.frame)
	if m.Model.Config.Encoder.Ordered() {
		f = d.s.order.Arranged(&d.frame, d.places)
	}
	m.Coder.Encode(m.Code, f)
	m.Scaled(m.Z, m.Code)
	if d.revealed&revealDensity == 0 || m.Density == nil && m.Points == nil {
		return
	}
	from, held := m.Code, d.held(m)
	if held != nil {
		from = m.From
		m.Model.Unscaled(from, held)
	} else if d.s.settings.Source == lab.FromPrediction {
		p := m.Predicting()
		if p == nil {
			return
		}
		from = m.From
		m.Model.Unscaled(from, p.Closures(d.s.live.Player().Now()))
	}
	m.Decoded = true
	if m.Points != nil {
		m.Points.Take(from, &d.frame)
	}
	n := m.Model.Config.ZDim()
	for k, density := range m.Density {
		z := from[k*n : (k+1)*n]
		density.Aim(w, z)
		if measure {
			m.KL[k] = density.KL(d.targets[k], z)
		}
		if d.s.settings.Samples || held != nil {
			density.Draw(z)
		}
	}
}

// held returns ẑ in [-1, 1] at which the visitor holds a model, nil if none is held.
func (d *display) held(m *view.Shown) []float32 {
	if m != d.a {
		return nil
	}
	return d.s.latent.drawn.Held()
}

// follow lets a model catch up with the run until the budget is spent, one step
// at least, and reports whether there is more to do. What is wanted once a run
// comes before what every frame wants anew.
func (d *display) follow(m *view.Shown, began time.Time, budget time.Duration) (behind bool) {
	s := d.s
	if !s.run.playable() {
		return false
	}
	for {
		stepped, whole := false, false
		if d.revealed&revealPrediction != 0 {
			stepped, whole = m.StepAhead()
		}
		switch {
		case whole:
			s.changed()
		case stepped:
			if !m.Predicted() && s.traits.Stochastic {
				s.frameStale = true
			}
		case m == d.a && s.order.follow():
		case d.revealed&revealCode != 0 && !s.lab.IsSampler() && m.PastBehind(s.live.Run().Known):
			m.EncodePast(s.live)
			s.frameStale = s.frameStale || !m.PastBehind(s.live.Run().Known) || d.past.due(s.now(), livePace)
		case d.painted && m.Decoded && d.revealed&revealDensity != 0 && !m.Evaluate():
			s.frameStale = s.frameStale || d.whole() // what plays is drawn anyway
		default:
			return false
		}
		if s.now().Sub(began) >= budget {
			return true
		}
	}
}

// whole says whether the learned densities on show are.
func (d *display) whole() bool {
	for _, m := range d.models() {
		if !m.Whole() {
			return false
		}
	}
	return true
}

// choose puts the run of a name on show as A or, if compare says so, beside it
// as B; no name ends the comparison.
func (d *display) choose(name string, compare bool) error {
	s := d.s
	if name == "" && compare {
		d.b = nil
		s.changed()
		return nil
	}
	r, err := s.library.get(name)
	if err != nil {
		return err
	}
	v := view.NewShown(r.Model, r.Name, r.Origin, s.settings.Members)
	if v.Training = name == runs.Training; v.Training {
		v.Usable = s.trainer.live.Usable()
	}
	if s.run.playable() {
		v.Begin(s.run.described())
	}
	if compare && d.a != nil {
		d.b = v
	} else {
		d.a = v
		s.order.Forget()
		s.own.measure()
	}
	s.changed()
	return nil
}
