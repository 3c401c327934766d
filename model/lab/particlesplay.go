package lab

import (
	"errors"
	"fmt"
	"math"
	"time"

	"macroscope/sim/particle"
)

// maxPlayed bounds the numbers in the frames of one run that is played, 64 MiB
// of them: a tab has room for that beside a training.
const maxPlayed = 16 << 20

// playback is one trajectory as it is played: simulated as time goes on, or
// recorded before. Every frame that has been is kept, so that one can go back
// and forth. It serves one goroutine at a time.
type playback struct {
	size    int       // of a frame: N·2
	horizon int       // the last frame of the run
	dt      float64   // time between frames; 1 for a recording, which says nothing of it
	frames  []float32 // (horizon+1, N, 2), of which known+1 are there
	macro   []float64 // (horizon+1) the macroscopic variable of each
	known   int       // the last frame that there is
	run     uint64    // generation of frames and macro, which only grow
	now     int       // the frame on show
	goal    int       // a frame to go to, as soon as it is there; -1 is none

	playing bool
	part    float64 // of the way to the next frame
	last    time.Time

	sim     *particle.Simulation // nil for a recording
	stopped error                // why the simulation cannot go on
}

// checkPlayed says whether a run fits into memory.
func checkPlayed(n, steps int) error {
	if most := maxPlayed/(2*n) - 1; steps > most {
		return fmt.Errorf("%d steps of %d particles are more than a tab has room for; take at most %d steps, or fewer particles", steps, n, most)
	}
	return nil
}

// simulate begins a run of its own from positions (N, 2). On an error the run
// is as it was.
func (p *playback) simulate(c particle.Config, positions []float32) error {
	if err := checkPlayed(c.N, c.Steps); err != nil {
		return err
	}
	sim, err := particle.New(c, positions)
	if err != nil {
		return err
	}
	p.sim, p.dt = sim, c.Dt
	p.begin(2*c.N, c.Steps)
	p.keep()
	return nil
}

// record begins a run that was recorded: frames (T, N, 2) and the macroscopic
// variable (T), which are kept, not copied.
func (p *playback) record(t *Recorded, dt float64) {
	p.sim, p.dt = nil, dt
	p.run = generation()
	p.size, p.horizon = len(t.Frames)/len(t.Macro), len(t.Macro)-1
	p.known, p.now, p.goal, p.part, p.stopped = p.horizon, 0, -1, 0, nil
	p.frames, p.macro = t.Frames, t.Macro
}

// begin makes room for a run and goes to its first frame.
func (p *playback) begin(size, horizon int) {
	p.size, p.horizon = size, horizon
	p.run = generation()
	if need := (horizon + 1) * size; cap(p.frames) < need {
		// Room to spare, for particles that are added by hand one after another.
		p.frames = make([]float32, need+need/8)
	} else {
		p.frames = p.frames[:cap(p.frames)]
	}
	if cap(p.macro) < horizon+1 {
		p.macro = make([]float64, horizon+1)
	}
	p.macro = p.macro[:horizon+1]
	p.known, p.now, p.goal, p.part, p.stopped = 0, 0, -1, 0, nil
}

// keep notes the simulation's present frame.
func (p *playback) keep() {
	k := p.sim.Index()
	p.sim.Positions(p.frames[k*p.size : (k+1)*p.size])
	p.macro[k] = p.sim.Energy()
	p.known = k
}

// frame returns frame k, which must be there.
func (p *playback) frame(k int) []float32 { return p.frames[k*p.size : (k+1)*p.size] }

// particles returns their number.
func (p *playback) particles() int { return p.size / 2 }

// extend brings one more frame about, and reports whether there is one.
func (p *playback) extend() bool {
	if p.known >= p.horizon || p.stopped != nil {
		return false
	}
	if err := p.sim.Step(); err != nil {
		p.stopped = err
		return false
	}
	p.keep()
	return true
}

// play lets time go on from the frame on show; at the end it begins again with
// frame 0.
func (p *playback) play() {
	if p.now == p.horizon || p.now == p.known && p.stopped != nil {
		p.now = 0
	}
	p.playing, p.last, p.goal, p.part = true, time.Time{}, -1, 0
}

func (p *playback) pause() { p.playing = false }

// step shows the next frame and stays there.
func (p *playback) step() {
	p.playing, p.goal = false, -1
	if p.now < p.known || p.extend() {
		p.now++
	}
}

// seek goes to frame k: at once where it has been, else as soon as advance has
// brought it about.
func (p *playback) seek(k int) error {
	if k < 0 || k > p.horizon {
		return fmt.Errorf("there is no frame %d; the run goes from 0 to %d", k, p.horizon)
	}
	p.goal, p.part = -1, 0
	if p.now = min(k, p.known); k > p.known {
		p.goal = k
	}
	return nil
}

// longestPause bounds how much time passes between two looks at the clock: a
// hidden tab stops it, which must not make the particles jump.
const longestPause = 100 * time.Millisecond

// errEnded is told by advance when the last frame has come.
var errEnded = errors.New("the run has ended")

// advance lets time pass up to now, with perSecond frames a second, computing
// for about budget; where that is not enough, the run takes longer. It reports
// whether another frame is on show, and whether there is more to do. The error
// is errEnded, or why the simulation cannot go on.
func (p *playback) advance(clock func() time.Time, perSecond float64, budget time.Duration) (moved bool, err error) {
	began := clock()
	if !p.playing && p.goal < 0 {
		return false, nil
	}
	before := p.now
	if p.goal >= 0 {
		for p.known < p.goal && p.extend() && clock().Sub(began) < budget {
		}
		if p.now = min(p.goal, p.known); p.now == p.goal || p.stopped != nil {
			p.goal = -1
		}
		p.last = began
		return p.now != before, p.stopped
	}
	if !p.last.IsZero() {
		p.part += min(began.Sub(p.last), longestPause).Seconds() * perSecond
	}
	p.last = began
	for p.part >= 1 && p.now < p.horizon {
		if p.now == p.known && !p.extend() {
			break
		}
		p.now++
		p.part--
		if clock().Sub(began) >= budget {
			p.part = min(p.part, 1) // what cannot be caught up with is let go
			break
		}
	}
	switch {
	case p.stopped != nil && p.now == p.known:
		p.playing, err = false, p.stopped
	case p.now == p.horizon:
		p.playing, err = false, errEnded
	}
	return p.now != before, err
}

// busy says whether advance has something to do.
func (p *playback) busy() bool { return p.playing || p.goal >= 0 }

// reach returns how far particles of frame k are from a centre, along an axis.
func (p *playback) reach(k int, centre [2]float64) float64 {
	most := 0.0
	for i, v := range p.frame(k) {
		most = max(most, math.Abs(float64(v)-centre[i%2]))
	}
	return most
}

// nearestPoint returns which of the particles (N, 2) is nearest to (x, y).
func nearestPoint(xy []float32, x, y float64) int {
	best, least := 0, math.Inf(1)
	for i := range len(xy) / 2 {
		dx, dy := float64(xy[2*i])-x, float64(xy[2*i+1])-y
		if d := dx*dx + dy*dy; d < least {
			best, least = i, d
		}
	}
	return best
}
