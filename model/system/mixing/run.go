package mixing

import (
	"math"
	"slices"
	"time"

	"macroscope/model/system"
	"macroscope/model/system/play"
	"macroscope/sim/lj"
)

// run is one run of two species as it is played: simulated as time goes on, or
// recorded before. The simulation stands at the picture on show, which lies
// between two frames while it plays. The state of every frame is kept, so that
// one can go back and let the same thing happen again, or another under other
// settings. It is not safe for concurrent use.
type run struct {
	sim    *lj.Simulation // nil for a recording, and before the first run
	cfg    lj.Config      // of the run's beginning
	states []lj.State     // of every frame so far (known+1)
	tuned  []lj.Config    // what each frame goes on with (known+1)
	seen   []lj.Observables
	wanted lj.Config // what the next frame goes on with
	plan   []turn    // what is yet to be wanted, by frame

	recorded *system.Trajectory

	x       []float32 // on show (N, 2), as of measure
	species []uint8   // (N): 1 or 2
	measure lj.Observables
	stale   bool       // x and measure are of an earlier picture
	lo, hi  [2]float64 // the box
	dt      float64    // time between frames; a recording says nothing of it, and has that of training
	horizon int        // the last frame of the run
	known   int        // the last frame that there is
	now     int        // the frame on show, or the one before

	rate  play.Rate // steps a second
	clock func() time.Time
	// arrived follows every arrival at a frame, with the parameters it goes on
	// with.
	arrived func(lj.Config)
}

var _ play.Run = (*run)(nil)

// simulate begins a run from a relaxed state, to be changed as planned. On an error
// the run is as it was.
func (r *run) simulate(c lj.Config, relaxed lj.State, plan []turn) error {
	sim, err := lj.Resume(c, relaxed)
	if err == nil {
		err = sim.Relabel(c.Boundary)
	}
	if err != nil {
		return err
	}
	r.sim, r.cfg, r.wanted, r.plan, r.recorded = sim, c, c, plan, nil
	r.lo, r.hi = [2]float64{}, [2]float64{c.Width, c.Height}
	r.dt = c.Dt * float64(c.Every)
	r.begin(sim.N(), c.Steps/c.Every)
	sim.Species(r.species)
	r.follow()
	err = r.tune(r.wanted)
	r.keep()
	return err
}

// record begins a run that was recorded. It is kept, not copied.
func (r *run) record(t *system.Trajectory) {
	r.sim, r.plan, r.recorded = nil, nil, t
	r.lo, r.hi = bounds(t.Points)
	r.dt = lj.Default().Dt * float64(lj.Default().Every)
	r.begin(len(t.Species), t.Frames(variables)-1)
	r.known = r.horizon
	copy(r.species, t.Species)
	for k := range r.horizon + 1 {
		r.seen = append(r.seen, lj.Observables{Ratios: [2]float64(t.At(k, variables))})
	}
}

// bounds returns the box that positions (T, N, 2) are shown in: from the origin
// if they lie there, else as far as the atoms go.
func bounds(positions []float32) (lo, hi [2]float64) {
	for i, v := range positions {
		lo[i%dim], hi[i%dim] = min(lo[i%dim], float64(v)), max(hi[i%dim], float64(v))
	}
	for k := range hi {
		lo[k], hi[k] = math.Floor(lo[k]), max(math.Ceil(hi[k]), lo[k]+1)
	}
	return lo, hi
}

// begin goes to the first frame of a run of n atoms.
func (r *run) begin(n, horizon int) {
	r.horizon, r.known, r.now, r.stale = horizon, 0, 0, true
	// Their memory is kept for the frames to come.
	r.states, r.tuned, r.seen = r.states[:0], r.tuned[:0], r.seen[:0]
	r.x, r.species = slices.Grow(r.x[:0], dim*n)[:dim*n], slices.Grow(r.species[:0], n)[:n]
}

// keep notes the simulation's present state as frame known.
func (r *run) keep() {
	if k := r.known; k < cap(r.states) {
		r.states = r.states[:k+1]
	} else {
		r.states = append(r.states, lj.State{})
	}
	r.sim.Save(&r.states[r.known])
	r.tuned, r.seen = append(r.tuned[:r.known], r.sim.Config()), append(r.seen[:r.known], r.sim.Observe())
}

// look brings x and measure up to date.
func (r *run) look() {
	switch {
	case !r.stale:
		return
	case r.sim == nil:
		copy(r.x, r.recorded.Points[r.now*len(r.x):])
		r.measure = r.seen[r.now]
	default:
		r.sim.Positions(r.x)
		r.measure = r.sim.Observe()
	}
	r.stale = false
}

// frame writes the positions of frame k, which must be known, to dst (N, 2).
func (r *run) frame(dst []float32, k int) {
	if r.recorded != nil {
		copy(dst, r.recorded.Points[k*len(r.x):])
		return
	}
	s := &r.states[k]
	for i := range s.X {
		dst[dim*i], dst[dim*i+1] = float32(s.X[i]), float32(s.Y[i])
	}
}

// time returns that of the picture on show.
func (r *run) time() float64 {
	if r.sim == nil {
		return float64(r.now) * r.dt
	}
	return float64(r.sim.Index()) * r.cfg.Dt
}

// Horizon implements play.Run.
func (r *run) Horizon() int { return r.horizon }

// Known implements play.Run.
func (r *run) Known() int { return r.known }

// At implements play.Run.
func (r *run) At() (frame int, between bool) { return r.now, r.between() }

func (r *run) between() bool { return r.sim != nil && r.sim.Index() > r.now*r.cfg.Every }

// Pace implements play.Run: steps of molecular dynamics, or frames of a recording.
// The player asks for it as often as it lets time pass.
func (r *run) Pace() (perSecond float64, burst int) {
	if r.sim == nil {
		return playedSteps / recordEvery, stepsAPiece
	}
	r.rate.Look(r.clock())
	return playedSteps, stepsAPiece
}

// Forward implements play.Run: one step of molecular dynamics, or the next frame
// of a recording.
func (r *run) Forward() error {
	if r.sim == nil {
		r.now++
		r.stale = true
		return nil
	}
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
	if r.sim != nil {
		if err := r.settle(); err != nil {
			return plain(err)
		}
		if err := r.goTo(k); err != nil {
			return plain(err)
		}
	}
	r.now, r.stale = k, true
	if r.sim != nil {
		r.arrived(r.sim.Config())
	}
	return nil
}

// settle lets what is wanted from the next frame on begin with the last one: a
// run that leaves the way between the two never gets to the next.
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

// goTo takes the simulation to frame k.
func (r *run) goTo(k int) error {
	if err := r.tune(r.tuned[k]); err != nil {
		return err
	}
	return r.sim.Restore(r.states[k])
}

// tune lets the simulation go on under other parameters.
func (r *run) tune(c lj.Config) error {
	if c == r.sim.Config() {
		return nil
	}
	return r.sim.Retune(c)
}

// retune lets the run go on under other parameters from the frame on show, or if
// it stands between two, from the next, and forgets what came after it. On an
// error the run is as it was.
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

// drift returns by how much the conserved quantity has changed, per atom, since
// the run began or was last given other parameters.
func (r *run) drift() float64 {
	if r.sim == nil {
		return math.NaN()
	}
	r.look()
	from := r.now
	for from > 0 && r.tuned[from-1] == r.tuned[r.now] {
		from--
	}
	return (r.measure.Conserved - r.seen[from].Conserved) / float64(len(r.species))
}
