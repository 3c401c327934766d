package play

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Run has frames from 0 to Horizon; frames 0 to Known exist. At any time it is at a frame or
// between two frames.
type Run interface {
	Horizon() int
	Known() int
	// At returns the present frame, and whether the run is between this frame and the next.
	At() (frame int, between bool)
	// Forward takes one step. If the simulation fails, it returns the error, and the run has
	// not moved.
	Forward() error
	// Show goes to frame k. Frame k must be known.
	Show(k int) error
	// Pace returns the number of steps per second at speed 1, and the number of steps between
	// two readings of the clock.
	Pace() (perSecond float64, burst int)
}

// longestPause limits the time that counts between two readings of the clock. A hidden tab
// stops reading the clock, and particles must not jump when it continues.
const longestPause = 100 * time.Millisecond

// ErrEnded is returned by Advance at the last frame.
var ErrEnded = errors.New("the run has ended")

// Player plays a run. The zero Player has no run. It is not safe for concurrent use.
type Player struct {
	run     Run
	playing bool
	goal    int     // frame to go to; -1: none
	owed    float64 // steps that are due but not yet taken
	last    time.Time
	stopped error // reason why the simulation cannot continue, or nil
}

// Begin makes r the player's run, stopped at its present frame.
func (p *Player) Begin(r Run) { *p = Player{run: r, goal: -1} }

// Begun reports whether there is a run.
func (p *Player) Begun() bool { return p.run != nil }

// Now returns the displayed frame or, between two frames, the earlier one.
func (p *Player) Now() int {
	if p.run == nil {
		return 0
	}
	k, _ := p.run.At()
	return k
}

// Goal returns the frame to which the player is going, or Now.
func (p *Player) Goal() int {
	if p.goal >= 0 {
		return p.goal
	}
	return p.Now()
}

// Playing reports whether the run is playing.
func (p *Player) Playing() bool { return p.playing }

// Busy reports whether Advance has work.
func (p *Player) Busy() bool { return p.run != nil && (p.playing || p.goal >= 0) }

// AtEnd reports whether the last frame is displayed.
func (p *Player) AtEnd() bool { return p.run != nil && p.Now() == p.run.Horizon() }

// Forget drops the goal and the error of a simulation, so that the simulation can be tried
// again with other settings.
func (p *Player) Forget() { p.stopped, p.goal = nil, -1 }

// Play continues from the displayed frame. It begins again from frame 0 if the displayed frame is
// the last one, or if the simulation has failed there.
func (p *Player) Play() error {
	k, _ := p.run.At()
	if k == p.run.Horizon() || p.stopped != nil && k == p.run.Known() {
		if err := p.run.Show(0); err != nil {
			return err
		}
		p.stopped = nil
	}
	p.playing, p.last, p.goal, p.owed = true, time.Time{}, -1, 0
	return nil
}

// Pause stops at the next frame. The delay is too short to be visible.
func (p *Player) Pause() {
	p.playing, p.goal = false, -1
	for p.run != nil {
		if _, between := p.run.At(); !between || !p.forward() {
			return
		}
	}
}

// Next shows the next frame and stays there.
func (p *Player) Next() {
	for now := p.Now(); p.Now() == now && p.forward(); {
	}
	p.Pause()
}

// Seek goes to frame k: at once if the frame is known, otherwise as soon as Advance has
// simulated it.
func (p *Player) Seek(k int) error {
	if k < 0 || k > p.run.Horizon() {
		return fmt.Errorf("there is no frame %d; the run goes from 0 to %d", k, p.run.Horizon())
	}
	p.playing, p.goal, p.owed = false, -1, 0
	if err := p.run.Show(min(k, p.run.Known())); err != nil {
		return err
	}
	p.stopped = nil
	if k > p.run.Known() {
		p.goal = k
	}
	return nil
}

// forward takes one step and reports whether it succeeded.
func (p *Player) forward() bool {
	if k, _ := p.run.At(); k >= p.run.Horizon() || p.stopped != nil {
		return false
	}
	p.stopped = p.run.Forward()
	return p.stopped == nil
}

// Advance plays up to the present time at the given speed. It computes for about the time
// `budget`; if that is too short, the run slows down. It reports whether the picture has moved.
// The error is ErrEnded, or says why the simulation cannot continue.
func (p *Player) Advance(clock func() time.Time, speed float64, budget time.Duration) (moved bool, err error) {
	if !p.Busy() {
		return false, nil
	}
	began := clock()
	perSecond, burst := p.run.Pace()
	perSecond *= speed
	switch {
	case p.goal >= 0:
		p.owed = math.Inf(1)
	case !p.last.IsZero():
		p.owed += min(began.Sub(p.last), longestPause).Seconds() * perSecond
	}
	p.last = began
	for taken := 1; p.owed >= 1 && p.Now() != p.goal && p.forward(); taken++ {
		moved = true
		p.owed--
		if taken%burst == 0 && clock().Sub(began) >= budget {
			p.owed = min(p.owed, longestPause.Seconds()*perSecond) // a longer backlog is dropped
			break
		}
	}
	switch {
	case p.stopped != nil:
		p.playing, p.goal, err = false, -1, p.stopped
	case p.goal >= 0 && p.Now() == p.goal:
		p.goal, p.owed = -1, 0
	case p.playing && p.AtEnd():
		p.playing, err = false, ErrEnded
	}
	return moved, err
}
