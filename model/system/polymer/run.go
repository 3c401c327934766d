package polymer

import (
	"fmt"
	"slices"

	"macroscope/model/system"
	"macroscope/model/system/play"
	"macroscope/sim/polymer"
)

// framesPerSecond are played at speed 1.
const framesPerSecond = 30

// run is one chain as it is played: simulated as time goes on, or recorded before.
// Every frame that has been is kept. A frame is made in pieces, each some
// milliseconds of work at most, during which the last one stays on show. It is not safe
// for concurrent use.
type run struct {
	cfg    polymer.Config
	sim    *polymer.Simulation // nil for a recording, and before the first run
	pieces int                 // that a frame is made in
	done   int                 // of the frame that comes

	beads     int
	horizon   int       // the last frame of the run
	known     int       // the last frame that there is
	now       int       // the frame on show
	frameTime float64   // between two frames
	x         []float32 // (known+1, beads, 3)
	extension []float64 // (known+1)
	low, high [2]float64
}

var _ play.Run = (*run)(nil)

// simulate begins a run from positions (N, 3). On an error the run is as it was.
func (r *run) simulate(c polymer.Config, key polymer.Key, positions []float32) error {
	if err := system.CheckPlayed(c.N, dim, c.Frames-1); err != nil {
		return err
	}
	sim, err := polymer.New(c, polymer.Chain{Key: key, Positions: positions})
	if err != nil {
		return plain(err)
	}
	x, extension := r.x[:0], r.extension[:0]
	if r.sim == nil { // they belong to whoever recorded them
		x, extension = nil, nil
	}
	*r = run{
		cfg: c, sim: sim, pieces: (c.Every + stepsAPiece - 1) / stepsAPiece, beads: c.N, horizon: c.Frames - 1,
		frameTime: float64(c.Every) * c.Dt, x: x, extension: extension,
	}
	// As long as an unfolded chain, and as high as a coil.
	long := 0.45 * float64(c.N)
	r.look([2]float64{-long, -long / 4}, [2]float64{long, long / 4})
	r.keep()
	return nil
}

// record begins a run that was recorded, which is kept, not copied. Nothing is known of
// its time: its frames count as far apart as those of training.
func (r *run) record(t *system.Trajectory) {
	c := chain(len(t.Species))
	n := len(t.Macro) - 1
	*r = run{
		pieces: 1, beads: len(t.Species), horizon: n, known: n, frameTime: float64(c.Every) * c.Dt,
		x: t.Points, extension: t.Macro,
	}
	low, high := [2]float64{}, [2]float64{}
	for i, v := range t.Points {
		if axis := i % dim; axis < len(low) {
			low[axis], high[axis] = min(low[axis], float64(v)), max(high[axis], float64(v))
		}
	}
	r.look(low, high)
}

// look sets the corners of what is shown, never so flat that nothing is seen.
func (r *run) look(low, high [2]float64) {
	if flat := (high[0]-low[0])/4 - (high[1] - low[1]); flat > 0 {
		low[1], high[1] = low[1]-flat/2, high[1]+flat/2
	}
	r.low, r.high = [2]float64{low[0], low[1]}, [2]float64{high[0] + 1e-3, high[1] + 1e-3}
}

// begun says whether there is a run.
func (r *run) begun() bool { return r.beads > 0 }

// recorded says whether the run was recorded.
func (r *run) recorded() bool { return r.sim == nil && r.begun() }

// frame returns the beads of frame k (N, 3), which must be known.
func (r *run) frame(k int) []float32 {
	size := dim * r.beads
	return r.x[k*size : (k+1)*size]
}

// keep notes the simulation's present frame as the last known.
func (r *run) keep() {
	size := dim * r.beads
	r.x = slices.Grow(r.x, size)[:len(r.x)+size]
	beads := r.x[len(r.x)-size:]
	r.sim.Positions(0, beads)
	// As it is computed of the beads in a file, so that a run that is saved and opened
	// is the same.
	r.extension = append(r.extension, extension(beads))
}

// Horizon implements play.Run.
func (r *run) Horizon() int { return r.horizon }

// Known implements play.Run.
func (r *run) Known() int { return r.known }

// At implements play.Run.
func (r *run) At() (frame int, between bool) { return r.now, r.done > 0 }

// Pace implements play.Run: pieces of frames.
func (r *run) Pace() (perSecond float64, burst int) {
	return framesPerSecond * float64(r.pieces), 1
}

// Forward implements play.Run: one piece of the next frame. What has been simulated of
// it before is not simulated again.
func (r *run) Forward() error {
	if r.now == r.known {
		for r.sim.Index(0) < r.now*r.cfg.Every+(r.done+1)*r.cfg.Every/r.pieces {
			if err := r.sim.Step(); err != nil {
				return plain(err)
			}
		}
	}
	if r.done++; r.done < r.pieces {
		return nil
	}
	if r.done = 0; r.now == r.known {
		r.keep()
		r.known++
	}
	r.now++
	return nil
}

// Show implements play.Run.
func (r *run) Show(k int) error {
	if k < 0 || k > r.known {
		return fmt.Errorf("there is no frame %d yet; the run is known to frame %d", k, r.known)
	}
	r.now, r.done = k, 0
	return nil
}

// plain is an error of the simulation for the user.
func plain(err error) error { return system.Plain(err, "polymer") }
