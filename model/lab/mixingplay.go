package lab

import (
	"fmt"
	"math"
	"slices"
	"time"

	"macroscope/sim/lj"
)

// mixingPlay is one run of two species as it is played: simulated as time goes
// on, or recorded before. The simulation stands at the picture on show, between
// two frames while it plays. The state of every frame is kept, so that one can
// go back and let the same thing happen again, or another under other settings.
// It serves one goroutine at a time.
type mixingPlay struct {
	sim    *lj.Simulation // nil for a recording, and before the first run
	cfg    lj.Config      // of the run's beginning
	states []lj.State     // of every frame so far (known+1)
	tuned  []lj.Config    // what each frame goes on with (known+1)
	seen   []lj.Observables
	course uint64    // generation of seen, while it only grows
	wanted lj.Config // what the next frame goes on with
	tunes  int       // how often that was changed

	recorded *Mixed

	x       []float32 // on show (N, 2)
	kinds   []uint8   // (N): 1 or 2
	measure lj.Observables
	lo, hi  [2]float64 // the box
	dt      float64    // time between frames; a recording says nothing of it, and has that of training
	horizon int        // the last frame of the run
	known   int        // the last frame that there is
	now     int        // the frame on show, or the one before
	goal    int        // a frame to go to, as soon as it is there; -1 is none

	playing bool
	owed    float64 // steps, or for a recording frames, that time has passed for
	last    time.Time
	stopped error // why the simulation cannot go on

	rate stepRate
}

// simulate begins a run from a relaxed state. On an error the run is as it was.
func (p *mixingPlay) simulate(c lj.Config, relaxed lj.State) error {
	sim, err := lj.Resume(c, relaxed)
	if err == nil {
		err = sim.Relabel(c.Boundary)
	}
	if err != nil {
		return err
	}
	p.sim, p.cfg, p.recorded = sim, c, nil
	p.wanted, p.tunes = c, 0
	p.lo, p.hi = [2]float64{}, [2]float64{c.Width, c.Height}
	p.dt = c.Dt * float64(c.Every)
	p.begin(sim.N(), c.Steps/c.Every)
	sim.Species(p.kinds)
	p.keep()
	p.look()
	return nil
}

// record begins a run that was recorded, whose positions are within a box. It is
// kept, not copied.
func (p *mixingPlay) record(t *Mixed, lo, hi [2]float64) {
	p.sim, p.recorded = nil, t
	p.lo, p.hi, p.dt = lo, hi, lj.Default().Dt*float64(lj.Default().Every)
	n := len(t.Types)
	p.begin(n, len(t.Frames)/(2*n)-1)
	p.known = p.horizon
	copy(p.kinds, t.Types)
	for k := range p.horizon + 1 {
		p.seen = append(p.seen, lj.Observables{Ratios: [2]float64(t.Ratios[2*k:])})
	}
	p.look()
}

// begin goes to the first frame of a run of n atoms.
func (p *mixingPlay) begin(n, horizon int) {
	p.horizon, p.known, p.now, p.goal, p.owed, p.stopped = horizon, 0, 0, -1, 0, nil
	p.course = generation()
	// Their memory is kept for the frames to come.
	p.states, p.tuned, p.seen = p.states[:0], p.tuned[:0], p.seen[:0]
	p.x, p.kinds = slices.Grow(p.x[:0], 2*n)[:2*n], slices.Grow(p.kinds[:0], n)[:n]
}

// keep notes the simulation's present state as frame known.
func (p *mixingPlay) keep() {
	if k := p.known; k < cap(p.states) {
		p.states = p.states[:k+1]
	} else {
		p.states = append(p.states, lj.State{})
	}
	p.sim.Save(&p.states[p.known])
	p.tuned, p.seen = append(p.tuned[:p.known], p.sim.Config()), append(p.seen[:p.known], p.sim.Observe())
}

// look makes the present positions those on show.
func (p *mixingPlay) look() {
	if p.sim == nil {
		size := len(p.x)
		copy(p.x, p.recorded.Frames[p.now*size:(p.now+1)*size])
		p.measure = p.seen[p.now]
		return
	}
	p.sim.Positions(p.x)
	p.measure = p.sim.Observe()
}

// begun says whether there is a run.
func (p *mixingPlay) begun() bool { return p.sim != nil || p.recorded != nil }

// atoms returns their number.
func (p *mixingPlay) atoms() int { return len(p.kinds) }

// frame writes the positions of frame k, which must be there, to dst (N, 2).
func (p *mixingPlay) frame(dst []float32, k int) {
	if p.recorded != nil {
		copy(dst, p.recorded.Frames[k*len(p.x):(k+1)*len(p.x)])
		return
	}
	s := &p.states[k]
	for i := range s.X {
		dst[2*i], dst[2*i+1] = float32(s.X[i]), float32(s.Y[i])
	}
}

// between says whether the picture on show lies between two frames.
func (p *mixingPlay) between() bool { return p.sim != nil && p.sim.Index() > p.now*p.cfg.Every }

// time returns that of the picture on show.
func (p *mixingPlay) time() float64 {
	if p.sim == nil {
		return float64(p.now) * p.dt
	}
	return float64(p.sim.Index()) * p.cfg.Dt
}

// step takes one step of molecular dynamics, or shows the next frame of a
// recording, and reports whether there was one.
func (p *mixingPlay) step() bool {
	switch {
	case p.now >= p.horizon || p.stopped != nil:
		return false
	case p.sim == nil:
		p.now++
		return true
	}
	if err := p.sim.Step(); err != nil {
		p.stopped = err
		return false
	}
	if p.rate.steps++; p.sim.Index() < (p.now+1)*p.cfg.Every {
		return true
	}
	if p.now++; p.now > p.known {
		p.known = p.now
		p.stopped = p.tune(p.wanted)
		p.keep()
	} else {
		p.stopped = p.tune(p.tuned[p.now])
	}
	return true
}

// tune lets the simulation go on under other parameters.
func (p *mixingPlay) tune(c lj.Config) error {
	if c == p.sim.Config() {
		return nil
	}
	return p.sim.Retune(c)
}

// retune lets the run go on under other parameters from the frame on show, and
// forgets what came after it. On an error the run is as it was.
func (p *mixingPlay) retune(c lj.Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	between := p.between()
	if !between { // else as soon as the next frame is reached
		if err := p.tune(c); err != nil {
			return err
		}
	}
	p.known, p.wanted, p.stopped, p.goal = p.now, c, nil, -1
	p.tunes++
	p.course = generation()
	if !between {
		p.keep()
		p.look()
	}
	p.states, p.tuned, p.seen = p.states[:p.known+1], p.tuned[:p.known+1], p.seen[:p.known+1]
	return nil
}

// play lets time go on from the frame on show; at the end it begins again with
// frame 0.
func (p *mixingPlay) play() error {
	if p.now == p.horizon {
		if err := p.show(0); err != nil {
			return err
		}
	}
	p.playing, p.last, p.goal, p.owed = true, time.Time{}, -1, 0
	return nil
}

// pause stops at the next frame, which takes less time than can be seen.
func (p *mixingPlay) pause() {
	p.playing, p.goal = false, -1
	for p.between() && p.step() {
	}
	p.look()
}

// next shows the next frame and stays there.
func (p *mixingPlay) next() {
	for now := p.now; p.now == now && p.step(); {
	}
	p.pause()
}

// show goes to frame k, which must be there.
func (p *mixingPlay) show(k int) error {
	if p.sim != nil {
		if err := p.tune(p.tuned[k]); err != nil {
			return err
		}
		if err := p.sim.Restore(p.states[k]); err != nil {
			return err
		}
	}
	p.now, p.stopped = k, nil
	p.look()
	return nil
}

// seek goes to frame k: at once where it has been, else as soon as advance has
// brought it about.
func (p *mixingPlay) seek(k int) error {
	if k < 0 || k > p.horizon {
		return fmt.Errorf("there is no frame %d; the run goes from 0 to %d", k, p.horizon)
	}
	p.pause()
	p.owed = 0
	if err := p.show(min(k, p.known)); err != nil {
		return err
	}
	if k > p.known {
		p.goal = k
	}
	return nil
}

// stepsALook is how many steps are taken between two looks at the clock.
const stepsALook = 10

// drift returns by how much the conserved quantity has changed, per atom, since
// the run began or was last given other parameters.
func (p *mixingPlay) drift() float64 {
	if p.sim == nil || len(p.tuned) == 0 {
		return math.NaN()
	}
	from := p.now
	for from > 0 && p.tuned[from-1] == p.tuned[p.now] {
		from--
	}
	return (p.measure.Conserved - p.seen[from].Conserved) / float64(p.atoms())
}

// advance lets time pass up to now, with so many steps (frames of a recording) a
// second, computing for about budget; where that is not enough, the run takes
// longer. It reports whether another picture is on show. The error is errEnded,
// or why the simulation cannot go on.
func (p *mixingPlay) advance(clock func() time.Time, perSecond float64, budget time.Duration) (moved bool, err error) {
	if !p.busy() || !p.begun() {
		return false, nil
	}
	began := clock()
	if p.goal >= 0 {
		p.owed = math.Inf(1)
	} else if !p.last.IsZero() {
		p.owed += min(began.Sub(p.last), longestPause).Seconds() * perSecond
	}
	p.last = began
	for taken := 0; p.owed >= 1 && p.now != p.goal && p.step(); {
		moved = true
		p.owed--
		if taken++; taken%stepsALook == 0 && clock().Sub(began) >= budget {
			p.owed = min(p.owed, longestPause.Seconds()*perSecond) // what cannot be caught up with is let go
			break
		}
	}
	p.rate.look(clock())
	if moved {
		p.look()
	}
	switch {
	case p.stopped != nil:
		p.playing, p.goal, err = false, -1, p.stopped
	case p.goal >= 0 && p.now == p.goal:
		p.goal, p.owed = -1, 0
	case p.now == p.horizon:
		p.playing, err = false, errEnded
	}
	return moved, err
}

// busy says whether advance has something to do.
func (p *mixingPlay) busy() bool { return p.playing || p.goal >= 0 }

// stepRate measures steps a second.
type stepRate struct {
	steps  int
	from   time.Time
	perSec float64 // 0 before it is known
}

// look brings the rate up to date, about once a second.
func (r *stepRate) look(now time.Time) {
	secs := now.Sub(r.from).Seconds()
	if secs < rateWindow.Seconds() {
		return
	}
	if secs < 2*rateWindow.Seconds() { // not after a pause
		r.perSec = float64(r.steps) / secs
	}
	r.from, r.steps = now, 0
}
