package particles

import (
	"fmt"
	"math"
	"strings"

	"macroscope/model/play"
	"macroscope/model/system"
	"macroscope/sim/particle"
)

// maxPlayed bounds the numbers in the frames of one run that is played, 64 MiB
// of them: a tab has room for that beside a training.
const maxPlayed = 16 << 20

// checkPlayed says whether a run fits into memory.
func checkPlayed(n, steps int) error {
	if most := maxPlayed/(dim*n) - 1; steps > most {
		return fmt.Errorf("%d steps of %d particles are more than a tab has room for; take at most %d steps, or fewer particles", steps, n, most)
	}
	return nil
}

// run is one trajectory as it is played: simulated as time goes on, or recorded
// before. Every frame that has been is kept, so that one can go back and forth.
type run struct {
	size    int       // of a frame: N·2
	horizon int       // the last frame
	dt      float64   // time between frames
	frames  []float32 // (horizon+1, N, 2), of which known+1 are there
	macro   []float64 // (horizon+1) the observable of each
	known   int       // the last frame that there is
	now     int       // the frame on show

	sim *particle.Simulation // nil for a recording
}

var _ play.Run = (*run)(nil)

// begun says whether there is a run.
func (r *run) begun() bool { return r.size > 0 }

// simulate begins a run from positions (N, 2). On an error the run is as it was.
func (r *run) simulate(c particle.Config, positions []float32) error {
	if err := checkPlayed(c.N, c.Steps); err != nil {
		return err
	}
	sim, err := particle.New(c, positions)
	if err != nil {
		return plain(err)
	}
	if r.recorded() {
		r.frames, r.macro = nil, nil // which belong to whoever recorded them
	}
	r.sim, r.dt = sim, c.Dt
	r.size, r.horizon, r.known, r.now = dim*c.N, c.Steps, 0, 0
	if need := (r.horizon + 1) * r.size; cap(r.frames) < need {
		// Room to spare, for particles that are added one after another.
		r.frames = make([]float32, need+need/8)
	} else {
		r.frames = r.frames[:cap(r.frames)]
	}
	if cap(r.macro) < r.horizon+1 {
		r.macro = make([]float64, r.horizon+1)
	}
	r.macro = r.macro[:r.horizon+1]
	r.keep()
	return nil
}

// record begins a run that was recorded, which is kept, not copied.
func (r *run) record(t *system.Trajectory, dt float64) {
	*r = run{
		size: len(t.Points) / len(t.Macro), horizon: len(t.Macro) - 1, known: len(t.Macro) - 1, dt: dt,
		frames: t.Points, macro: t.Macro,
	}
}

// recorded says whether the run was recorded.
func (r *run) recorded() bool { return r.sim == nil && r.begun() }

// keep notes the simulation's present frame.
func (r *run) keep() {
	k := r.sim.Index()
	r.sim.Positions(r.frame(k))
	r.macro[k] = r.sim.Energy()
	r.known = k
}

// frame returns frame k (N, 2), which must be known.
func (r *run) frame(k int) []float32 { return r.frames[k*r.size : (k+1)*r.size] }

// particles returns N.
func (r *run) particles() int { return r.size / dim }

// Horizon implements play.Run.
func (r *run) Horizon() int { return r.horizon }

// Known implements play.Run.
func (r *run) Known() int { return r.known }

// At implements play.Run.
func (r *run) At() (frame int, between bool) { return r.now, false }

// Forward implements play.Run. A frame that is known is not computed again.
func (r *run) Forward() error {
	if r.now == r.known {
		if err := r.sim.Step(); err != nil {
			return plain(err)
		}
		r.keep()
	}
	r.now++
	return nil
}

// Show implements play.Run.
func (r *run) Show(k int) error {
	if k < 0 || k > r.known {
		return fmt.Errorf("there is no frame %d yet; the run is known to frame %d", k, r.known)
	}
	r.now = k
	return nil
}

// Pace implements play.Run: thirty frames a second at speed 1. The clock is
// looked at after each.
func (r *run) Pace() (perSecond float64, burst int) { return 30, 1 }

// reach returns how far particles of frame k are from a centre, along an axis.
func (r *run) reach(k int, centre [dim]float64) float64 {
	most := 0.0
	for i, v := range r.frame(k) {
		most = max(most, math.Abs(float64(v)-centre[i%dim]))
	}
	return most
}

// plain returns an error of the simulation without the package's name, for the
// user.
func plain(err error) error {
	if err == nil || !strings.HasPrefix(err.Error(), prefix) {
		return err
	}
	return plainError{err}
}

const prefix = "particle: "

type plainError struct{ error }

func (e plainError) Error() string { return strings.TrimPrefix(e.error.Error(), prefix) }
func (e plainError) Unwrap() error { return e.error }
