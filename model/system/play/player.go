package play

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Run is what is played: frames from 0 to Horizon, of which those up to Known
// have been. It stands at a place, which may lie between two frames.
type Run interface {
	Horizon() int
	Known() int
	// At returns the frame at which the run stands, or the one before, and
	// whether it stands between that and the next.
	At() (frame int, between bool)
	// Forward goes one step on. Its error is that of a simulation that cannot go
	// on; the run then stays where it was.
	Forward() error
	// Show goes to frame k, which must be known.
	Show(k int) error
	// Pace returns how many steps are played in a second at speed 1, and how many
	// are taken between two looks at the clock.
	Pace() (perSecond float64, burst int)
}

// longestPause bounds how much time passes between two looks at the clock: a
// hidden tab stops it, which must not make particles jump.
const longestPause = 100 * time.Millisecond

// ErrEnded is told by Advance when the last frame has come.
var ErrEnded = errors.New("the run has ended")

// Player plays a run. The zero Player has none. It is not safe for concurrent
// use.
type Player struct {
	run     Run
	playing bool
	goal    int     // a frame to go to; -1 is none
	owed    float64 // steps that time has passed for
	last    time.Time
	stopped error // why the simulation cannot go on
}

// Begin puts the player at the present place of a run, stopped.
func (p *Player) Begin(r Run) { *p = Player{run: r, goal: -1} }

// Begun says whether there is a run.
func (p *Player) Begun() bool { return p.run != nil }

// Now returns the frame on show, or the one before.
func (p *Player) Now() int {
	if p.run == nil {
		return 0
	}
	k, _ := p.run.At()
	return k
}

// Goal returns the frame that the player is on its way to, or Now.
func (p *Player) Goal() int {
	if p.goal >= 0 {
		return p.goal
	}
	return p.Now()
}

// Playing says whether time goes by.
func (p *Player) Playing() bool { return p.playing }

// Busy says whether Advance has something to do.
func (p *Player) Busy() bool { return p.run != nil && (p.playing || p.goal >= 0) }

// AtEnd says whether the last frame is on show.
func (p *Player) AtEnd() bool { return p.run != nil && p.Now() == p.run.Horizon() }

// Forget lets a simulation that had stopped try again, under other settings.
func (p *Player) Forget() { p.stopped, p.goal = nil, -1 }

// Play lets time go on from the frame on show; at the end it begins again with
// frame 0.
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

// Pause stops at the next frame, which takes less time than can be seen.
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

// Seek goes to frame k: at once where it has been, else as soon as Advance has
// brought it about.
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

// forward goes one step on and reports whether there was one.
func (p *Player) forward() bool {
	if k, _ := p.run.At(); k >= p.run.Horizon() || p.stopped != nil {
		return false
	}
	p.stopped = p.run.Forward()
	return p.stopped == nil
}

// Advance lets time pass up to now, at a speed, computing for about budget;
// where that is not enough, the run takes longer. It reports whether another
// picture is on show. The error is ErrEnded, or why the simulation cannot go on.
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
			p.owed = min(p.owed, longestPause.Seconds()*perSecond) // what cannot be caught up with is let go
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
