package mixing

import (
	"slices"
	"time"

	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/system/play"
	"macroscope/sim/lj"
)

// run is one run of two species, simulated as it plays. The simulation is at the displayed picture.
// During play, the picture can lie between two frames. The state of every frame is kept, so the
// user can go back to a frame and continue there, also with new settings. A run is not safe for
// concurrent use.
type run struct {
	core   *core.Core     // holds the frames of the run
	sim    *lj.Simulation // nil before the first run
	cfg    lj.Config      // parameters at the start of the run
	states []lj.State     // state at each frame so far (known+1)
	tuned  []lj.Config    // tuned[k]: parameters that apply from frame k on (known+1)
	seen   []lj.Observables
	wanted lj.Config // parameters from the next frame on, unless they change again
	plan   []turn    // planned changes of parameters, in the order of their frames

	x       []float32 // displayed positions (N, 2); their observables are in the field measure
	measure lj.Observables
	stale   bool // whether the fields x and measure are out of date
	known   int  // index of the last frame so far
	now     int  // index of the displayed frame; if the picture lies between two frames, index of the earlier one

	rate  play.Rate // measured steps per second
	clock func() time.Time
	// Whenever the run comes to a frame, it calls `arrived` with the parameters that apply from
	// this frame on.
	arrived func(lj.Config)
}

var _ play.Run = (*run)(nil)

// simulate begins a run from a relaxed state, with planned changes. An error leaves the run
// unchanged.
func (r *run) simulate(c lj.Config, relaxed lj.State, plan []turn, note string) error {
	sim, err := lj.Resume(c, relaxed)
	if err == nil {
		err = sim.Relabel(c.Boundary)
	}
	if err != nil {
		return err
	}
	r.sim, r.cfg, r.wanted, r.plan = sim, c, c, plan
	r.known, r.now, r.stale = 0, 0, true
	// The new run reuses the memory of the last one.
	r.states, r.tuned, r.seen = r.states[:0], r.tuned[:0], r.seen[:0]
	r.x = slices.Grow(r.x[:0], dim*sim.N())[:dim*sim.N()]
	r.core.Play(r, system.Run{
		Particles: sim.N(), Horizon: c.Steps / c.Every, Dt: c.Dt * float64(c.Every), Hi: [2]float64{c.Width, c.Height},
		Note: note, Variables: variables,
	})
	sim.Species(r.core.Frames.Species)
	r.follow()
	err = r.tune(r.wanted)
	r.keep()
	return err
}

// keep stores the simulation's present state as the frame with index r.known.
func (r *run) keep() {
	if k := r.known; k < cap(r.states) {
		r.states = r.states[:k+1]
	} else {
		r.states = append(r.states, lj.State{})
	}
	r.sim.Save(&r.states[r.known])
	o := r.sim.Observe()
	r.tuned, r.seen = append(r.tuned[:r.known], r.sim.Config()), append(r.seen[:r.known], o)
	points, ratios := r.core.Keep(r.known)
	r.sim.Positions(points)
	copy(ratios, o.Ratios[:])
}

// look updates the fields x and measure for the displayed picture.
func (r *run) look() {
	if r.stale {
		r.sim.Positions(r.x)
		r.measure = r.sim.Observe()
		r.stale = false
	}
}

// Horizon implements play.Run.
func (r *run) Horizon() int { return r.core.About.Horizon }

// Known implements play.Run.
func (r *run) Known() int { return r.known }

// At implements play.Run.
func (r *run) At() (frame int, between bool) { return r.now, r.between() }

func (r *run) between() bool { return r.sim.Index() > r.now*r.cfg.Every }

// Pace implements play.Run. It returns steps of molecular dynamics per second. The player calls
// it at every advance, so Pace also updates the measured rate.
func (r *run) Pace() (perSecond float64, burst int) {
	r.rate.Look(r.clock())
	return playedSteps, stepsAPiece
}

// Forward implements play.Run. It takes one step of molecular dynamics.
func (r *run) Forward() error {
	if err := r.sim.Step(); err != nil {
		return plain(err)
	}
	r.stale = true
	r.rate.Add(1)
	if r.sim.Index() < (r.now+1)*r.cfg.Every {
		return nil
	}
	r.now++
	var err error
	if r.now > r.known {
		r.known = r.now
		r.follow()
		err = r.tune(r.wanted)
		r.keep()
	} else {
		err = r.tune(r.tuned[r.now])
	}
	r.arrived(r.sim.Config())
	return plain(err)
}

// Show implements play.Run.
func (r *run) Show(k int) error {
	err := r.settle()
	if err == nil {
		err = r.goTo(k)
	}
	if err != nil {
		return plain(err)
	}
	r.now, r.stale = k, true
	r.arrived(r.sim.Config())
	return nil
}

// settle is called when the picture leaves the interval between the last known frame and the next
// frame. The parameters `wanted` were to apply from the next frame. settle applies them from the
// last known frame.
func (r *run) settle() error {
	if r.wanted == r.tuned[r.known] {
		return nil
	}
	if err := r.goTo(r.known); err != nil {
		return err
	}
	if err := r.tune(r.wanted); err != nil {
		return err
	}
	r.now = r.known
	r.keep()
	return nil
}

// goTo moves the simulation to frame k.
func (r *run) goTo(k int) error {
	if err := r.tune(r.tuned[k]); err != nil {
		return err
	}
	return r.sim.Restore(r.states[k])
}

// tune continues the simulation with other parameters.
func (r *run) tune(c lj.Config) error {
	if c == r.sim.Config() {
		return nil
	}
	return r.sim.Retune(c)
}

// retune continues the run with other parameters from the displayed frame on. If the picture
// lies between two frames, the parameters apply from the next frame on. retune drops all later
// frames. An error leaves the run unchanged.
func (r *run) retune(c lj.Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	between := r.between()
	if !between {
		if err := r.tune(c); err != nil {
			return err
		}
	}
	r.known, r.wanted, r.plan, r.stale = r.now, c, nil, true
	if !between {
		r.keep()
	}
	r.states, r.tuned, r.seen = r.states[:r.known+1], r.tuned[:r.known+1], r.seen[:r.known+1]
	return nil
}

// drift returns how much the conserved quantity per atom has changed since the start of the run
// or the last change of its parameters.
func (r *run) drift() float64 {
	r.look()
	from := r.now
	for from > 0 && r.tuned[from-1] == r.tuned[r.now] {
		from--
	}
	return (r.measure.Conserved - r.seen[from].Conserved) / float64(r.sim.N())
}
