package particles

import (
	"context"
	"math"

	"macroscope/model/system"
	"macroscope/model/system/play"
	"macroscope/sim/particle"
)

// What is played is small enough for a context to have nothing to stop: a step of
// MaxParticles takes some hundredths of a second.

// run is one trajectory as it is played: simulated as time goes on, or recorded
// before. Every frame that has been is kept, so that one can go back and forth.
type run struct {
	play.Frames
	size  int       // of a frame: N·2
	dt    float64   // time between frames
	x     []float32 // (Last+1, N, 2), of which Made+1 are there
	macro []float64 // (Last+1) the observable of each
	// params are those of the force (P); none: the usual ones.
	params []float64

	sim *particle.Simulation // nil for a recording
}

var _ play.Run = (*run)(nil)

// begun says whether there is a run.
func (r *run) begun() bool { return r.size > 0 }

// simulate begins a run from positions (N, 2). On an error the run is as it was.
func (r *run) simulate(c particle.Config, positions []float32) error {
	if err := system.CheckPlayed(c.N, dim, c.Steps); err != nil {
		return err
	}
	sim, err := particle.New(context.Background(), c, positions)
	if err != nil {
		return plain(err)
	}
	if r.recorded() {
		r.x, r.macro = nil, nil // which belong to whoever recorded them
	}
	r.sim, r.dt, r.params = sim, c.Dt, []float64{c.A, c.B}
	r.size = dim * c.N
	r.Frames = play.Frames{Last: c.Steps, PerSecond: framesPerSecond, Make: r.next}
	if need := (r.Last + 1) * r.size; cap(r.x) < need {
		// Room to spare, for particles that are added one after another.
		r.x = make([]float32, need+need/8)
	} else {
		r.x = r.x[:cap(r.x)]
	}
	if cap(r.macro) < r.Last+1 {
		r.macro = make([]float64, r.Last+1)
	}
	r.macro = r.macro[:r.Last+1]
	r.keep()
	return nil
}

// record begins a run that was recorded, which is kept, not copied.
func (r *run) record(t *system.Trajectory, dt float64) {
	*r = run{
		Frames: play.Frames{Last: len(t.Macro) - 1, Made: len(t.Macro) - 1, PerSecond: framesPerSecond},
		size:   len(t.Points) / len(t.Macro), dt: dt, x: t.Points, macro: t.Macro, params: t.Params,
	}
}

// recorded says whether the run was recorded.
func (r *run) recorded() bool { return r.sim == nil && r.begun() }

// keep notes the simulation's present frame.
func (r *run) keep() {
	k := r.sim.Index()
	r.sim.Positions(r.frame(k))
	r.macro[k] = r.sim.Energy()
}

// frame returns frame k (N, 2), which must be known.
func (r *run) frame(k int) []float32 { return r.x[k*r.size : (k+1)*r.size] }

// particles returns N.
func (r *run) particles() int { return r.size / dim }

// framesPerSecond are played at speed 1.
const framesPerSecond = 30

// next makes the next frame.
func (r *run) next() error {
	if err := r.sim.Step(context.Background()); err != nil {
		return plain(err)
	}
	r.keep()
	return nil
}

// reach returns how far particles of frame k are from a centre, along an axis.
func (r *run) reach(k int, centre [dim]float64) float64 {
	most := 0.0
	for i, v := range r.frame(k) {
		most = max(most, math.Abs(float64(v)-centre[i%dim]))
	}
	return most
}

// plain is an error of the simulation for the user.
func plain(err error) error { return system.Plain(err, "particle") }
