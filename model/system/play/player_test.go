package play

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// fakeRun is a run with one or more steps per frame. Its first frames may be known from the
// beginning, and a step may fail.
type fakeRun struct {
	horizon, known  int
	substeps        int // steps from a frame to the next
	at              int // number of steps done
	perSecond       float64
	burst           int
	forwards, shows int
	breaks          int   // the number of the step that fails; 0: no step fails
	broken          error // the error of that step
	refuses         error // the error that Show returns
	step            func()
}

func newRun(horizon, known int) *fakeRun {
	return &fakeRun{horizon: horizon, known: known, substeps: 1, perSecond: 10, burst: 1, step: func() {}}
}

func (r *fakeRun) Horizon() int    { return r.horizon }
func (r *fakeRun) Known() int      { return r.known }
func (r *fakeRun) At() (int, bool) { return r.at / r.substeps, r.at%r.substeps != 0 }

func (r *fakeRun) Forward() error {
	r.forwards++
	if r.at+1 == r.breaks {
		return r.broken
	}
	r.step()
	r.at++
	r.known = max(r.known, r.at/r.substeps)
	return nil
}

func (r *fakeRun) Show(k int) error {
	if r.refuses != nil {
		return r.refuses
	}
	if k < 0 || k > r.known {
		return fmt.Errorf("frame %d of %d was asked for", k, r.known)
	}
	r.shows++
	r.at = k * r.substeps
	return nil
}

func (r *fakeRun) Pace() (float64, int) { return r.perSecond, r.burst }

// fakeClock advances only when a test or a step moves it.
type fakeClock struct{ t time.Time }

func newClock() *fakeClock               { return &fakeClock{time.Unix(100, 0)} }
func (c *fakeClock) now() time.Time      { return c.t }
func (c *fakeClock) add(d time.Duration) { c.t = c.t.Add(d) }

const plenty = time.Hour

func begin(r *fakeRun) *Player {
	p := new(Player)
	p.Begin(r)
	return p
}

func (r *fakeRun) want(t *testing.T, p *Player, now, goal int, playing, busy bool) {
	t.Helper()
	if p.Now() != now || p.Goal() != goal || p.Playing() != playing || p.Busy() != busy || p.AtEnd() != (now == r.horizon) {
		t.Fatalf("frame %d, goal %d, playing %v, busy %v, at the end %v; want %d, %d, %v, %v",
			p.Now(), p.Goal(), p.Playing(), p.Busy(), p.AtEnd(), now, goal, playing, busy)
	}
}

func TestZeroPlayer(t *testing.T) {
	var p Player
	if p.Begun() || p.Now() != 0 || p.Goal() != 0 || p.Playing() || p.Busy() || p.AtEnd() {
		t.Errorf("a player without a run: %+v", p)
	}
	if moved, err := p.Advance(newClock().now, 1, plenty); moved || err != nil {
		t.Errorf("moved %v, %v", moved, err)
	}
	p.Pause()
	p.Forget()
	if p.Busy() {
		t.Error("busy without a run")
	}
}

// TestPlayKeepsTime checks that the number of steps per second is the pace of the run times the
// speed, however often the clock is read.
func TestPlayKeepsTime(t *testing.T) {
	for _, speed := range []float64{0.5, 1, 3} {
		for _, every := range []time.Duration{time.Millisecond, 16 * time.Millisecond, 90 * time.Millisecond} {
			r, c := newRun(1000, 0), newClock()
			p := begin(r)
			if err := p.Play(); err != nil {
				t.Fatal(err)
			}
			r.want(t, p, 0, 0, true, true)
			if moved, err := p.Advance(c.now, speed, plenty); moved || err != nil {
				t.Fatalf("no time has passed, and moved %v, %v", moved, err)
			}
			seen := 0
			for passed := time.Duration(0); passed+every <= 5*time.Second; passed += every {
				c.add(every)
				was := p.Now()
				moved, err := p.Advance(c.now, speed, plenty)
				if err != nil || moved != (p.Now() != was) {
					t.Fatalf("moved %v from %d to %d, %v", moved, was, p.Now(), err)
				}
				seen++
			}
			want := speed * 10 * (time.Duration(seen) * every).Seconds()
			if d := float64(p.Now()) - want; d > 1e-6 || d <= -1.001 {
				t.Errorf("speed %g, every %v: frame %d, want %g", speed, every, p.Now(), want)
			}
		}
	}
}

// TestHiddenTab checks that a pause of more than a tenth of a second counts as a tenth of a
// second.
func TestHiddenTab(t *testing.T) {
	r, c := newRun(1000, 0), newClock()
	r.perSecond = 30
	p := begin(r)
	p.Play()
	p.Advance(c.now, 1, plenty)
	c.add(time.Hour)
	if p.Advance(c.now, 1, plenty); p.Now() != 3 {
		t.Errorf("frame %d after an hour, want 3", p.Now())
	}
	// The time between Pause and Play does not count.
	p.Pause()
	c.add(50 * time.Millisecond)
	p.Play()
	if moved, _ := p.Advance(c.now, 1, plenty); moved {
		t.Error("the time of a pause was played")
	}
}

// TestBudget checks how many steps of 4 ms Advance takes with a budget of 10 ms. The budget is too
// short for the ten steps that are due. The test also checks the backlog after many such calls: it
// must be no longer than a tenth of a second, which is ten steps.
func TestBudget(t *testing.T) {
	for _, tc := range []struct{ burst, want int }{{1, 3}, {4, 4}, {100, 10}} {
		r, c := newRun(1000, 0), newClock()
		r.perSecond, r.burst = 100, tc.burst
		r.step = func() { c.add(4 * time.Millisecond) }
		p := begin(r)
		p.Play()
		p.Advance(c.now, 1, 10*time.Millisecond)
		c.add(100 * time.Millisecond)
		if moved, err := p.Advance(c.now, 1, 10*time.Millisecond); !moved || err != nil || p.Now() != tc.want {
			t.Errorf("a clock every %d steps: frame %d, want %d", tc.burst, p.Now(), tc.want)
		}
		for range 100 {
			c.add(time.Second)
			p.Advance(c.now, 1, 10*time.Millisecond)
		}
		r.step = func() {}
		was := p.Now()
		if p.Advance(c.now, 1, plenty); p.Now()-was > 11 {
			t.Errorf("a clock every %d steps: %d frames are made up for", tc.burst, p.Now()-was)
		}
	}
}

func TestPlaysToTheEnd(t *testing.T) {
	r, c := newRun(5, 2), newClock()
	p := begin(r)
	p.Play()
	var err error
	for n := 0; err == nil; n++ {
		if _, err = p.Advance(c.now, 1, plenty); n > 100 {
			t.Fatal("no end")
		}
		c.add(70 * time.Millisecond)
	}
	if !errors.Is(err, ErrEnded) {
		t.Fatal(err)
	}
	r.want(t, p, 5, 5, false, false)
	if moved, err := p.Advance(c.now, 1, plenty); moved || err != nil {
		t.Errorf("after the end: moved %v, %v", moved, err)
	}
	if r.shows != 0 {
		t.Error("playing showed a frame by number")
	}
	if err := p.Play(); err != nil || p.Now() != 0 || !p.Playing() {
		t.Errorf("playing at the end: frame %d, %v", p.Now(), err)
	}

	p.Pause()
	p.Seek(5)
	r.refuses = errors.New("no memory")
	if err := p.Play(); err != r.refuses || p.Playing() {
		t.Errorf("playing %v, %v, though frame 0 cannot be shown", p.Playing(), err)
	}
}

// TestSubsteps pauses, steps and seeks while the run is between two frames. Each operation must end
// at a whole frame.
func TestSubsteps(t *testing.T) {
	r, c := newRun(10, 0), newClock()
	r.substeps, r.perSecond = 4, 100
	p := begin(r)
	p.Play()
	p.Advance(c.now, 1, plenty)
	c.add(60 * time.Millisecond)
	if moved, _ := p.Advance(c.now, 1, plenty); !moved || r.at != 6 || p.Now() != 1 {
		t.Fatalf("step %d, frame %d, moved %v", r.at, p.Now(), moved)
	}
	p.Pause()
	r.want(t, p, 2, 2, false, false)
	if r.at != 8 {
		t.Errorf("paused at step %d, want 8", r.at)
	}
	p.Next()
	r.want(t, p, 3, 3, false, false)
	r.at = 14 // between two frames
	p.Next()
	if r.at != 16 {
		t.Errorf("stepped to %d, want 16", r.at)
	}
	r.at = 18
	if err := p.Seek(4); err != nil || r.at != 16 {
		t.Errorf("step %d, %v", r.at, err)
	}
	p.Seek(7)
	r.want(t, p, 4, 7, false, true)
	for p.Busy() {
		p.Advance(c.now, 1, 0)
	}
	if r.at != 28 {
		t.Errorf("step %d, want 28, the first of frame 7", r.at)
	}
}

func TestNextAtTheEnd(t *testing.T) {
	r := newRun(3, 0)
	p := begin(r)
	p.Play()
	for range 5 {
		p.Next()
	}
	r.want(t, p, 3, 3, false, false)
	if r.forwards != 3 {
		t.Errorf("%d steps, want 3", r.forwards)
	}
}

func TestSeek(t *testing.T) {
	r, c := newRun(50, 20), newClock()
	r.step = func() { c.add(time.Millisecond) }
	p := begin(r)
	for _, k := range []int{-1, 51} {
		if err := p.Seek(k); err == nil || !strings.Contains(err.Error(), "from 0 to 50") {
			t.Errorf("frame %d: %v", k, err)
		}
	}
	p.Play()
	if err := p.Seek(7); err != nil {
		t.Fatal(err)
	}
	r.want(t, p, 7, 7, false, false)
	p.Play()
	if err := p.Seek(30); err != nil {
		t.Fatal(err)
	}
	r.want(t, p, 20, 30, false, true)
	turns := 0
	for ; p.Busy(); turns++ {
		if moved, err := p.Advance(c.now, 0.01, 4*time.Millisecond); !moved || err != nil {
			t.Fatalf("moved %v, %v", moved, err)
		}
	}
	r.want(t, p, 30, 30, false, false)
	if turns != 3 || r.known != 30 {
		t.Errorf("%d turns of 4 steps to frame %d, want 3 to 30", turns, r.known)
	}
	// Any other command cancels the seek.
	for name, do := range map[string]func(){"pause": p.Pause, "forget": p.Forget, "play": func() { p.Play() }, "next": p.Next, "begin": func() { p.Begin(r) }} {
		p.Seek(45)
		if do(); p.Goal() != p.Now() || p.Now() == 45 {
			t.Errorf("%s: goal %d at frame %d", name, p.Goal(), p.Now())
		}
		p.Pause()
	}
	// A seek to the last frame must not return ErrEnded.
	p.Seek(50)
	for p.Busy() {
		if _, err := p.Advance(c.now, 1, plenty); err != nil {
			t.Errorf("%v at frame %d", err, p.Now())
		}
	}
	r.want(t, p, 50, 50, false, false)
	r.refuses = errors.New("gone")
	if err := p.Seek(3); err != r.refuses || p.Now() != 50 {
		t.Errorf("frame %d, %v", p.Now(), err)
	}
}

// TestStoppedSimulation checks that a simulation reports its error once and takes no more
// steps. Play, a seek or Forget allows another attempt.
func TestStoppedSimulation(t *testing.T) {
	broken := errors.New("unstable")
	stop := func(t *testing.T) (*fakeRun, *fakeClock, *Player) {
		r, c := newRun(20, 0), newClock()
		r.breaks, r.broken = 8, broken
		p := begin(r)
		p.Play()
		var err error
		for n := 0; err == nil && n < 100; n++ {
			_, err = p.Advance(c.now, 1, plenty)
			c.add(50 * time.Millisecond)
		}
		if err != broken {
			t.Fatalf("error %v, want the simulation's", err)
		}
		r.want(t, p, 7, 7, false, false)
		return r, c, p
	}
	t.Run("rests", func(t *testing.T) {
		r, c, p := stop(t)
		steps := r.forwards
		p.Next()
		p.Pause()
		if _, err := p.Advance(c.now, 1, plenty); err != nil || r.forwards != steps || p.Now() != 7 {
			t.Errorf("frame %d after %d more steps, %v", p.Now(), r.forwards-steps, err)
		}
	})
	t.Run("plays again", func(t *testing.T) {
		_, c, p := stop(t)
		p.Play()
		if p.Now() != 0 {
			t.Errorf("plays from frame %d", p.Now())
		}
		p.Advance(c.now, 1, plenty)
		c.add(100 * time.Millisecond)
		if moved, err := p.Advance(c.now, 1, plenty); !moved || err != nil || p.Now() != 1 {
			t.Errorf("frame %d, %v", p.Now(), err)
		}
	})
	t.Run("is sought", func(t *testing.T) {
		r, c, p := stop(t)
		p.Seek(3)
		p.Next()
		r.want(t, p, 4, 4, false, false)
		p.Seek(12)
		var err error
		for p.Busy() {
			_, err = p.Advance(c.now, 1, plenty)
		}
		if err != broken || p.Now() != 7 || p.Goal() != 7 {
			t.Errorf("frame %d on the way to %d, %v", p.Now(), p.Goal(), err)
		}
	})
	t.Run("is forgotten", func(t *testing.T) {
		r, _, p := stop(t)
		r.breaks = 0
		p.Forget()
		p.Next()
		r.want(t, p, 8, 8, false, false)
		p.Play()
		if p.Now() != 8 {
			t.Errorf("plays from frame %d", p.Now())
		}
	})
	t.Run("between two frames", func(t *testing.T) {
		r, c := newRun(20, 0), newClock()
		r.substeps, r.breaks, r.broken = 4, 7, broken
		p := begin(r)
		p.Play()
		p.Advance(c.now, 1, plenty)
		c.add(100 * time.Millisecond)
		r.perSecond = 50
		p.Advance(c.now, 1, plenty)
		steps := r.forwards
		p.Pause() // Pause cannot reach the next frame, and must not try for ever
		if r.at != 6 || r.forwards > steps+2 || p.Busy() {
			t.Errorf("step %d after %d attempts", r.at, r.forwards-steps)
		}
	})
}

func TestBeginStops(t *testing.T) {
	p := begin(newRun(5, 0))
	p.Play()
	r := newRun(9, 9)
	r.at = 4
	p.Begin(r)
	r.want(t, p, 4, 4, false, false)
	if !p.Begun() {
		t.Error("there is no run")
	}
}

func TestAdvanceDoesNotAllocate(t *testing.T) {
	r, c := newRun(1_000_000, 0), newClock()
	p := begin(r)
	p.Play()
	now := c.now
	if n := testing.AllocsPerRun(100, func() {
		c.add(50 * time.Millisecond)
		p.Advance(now, 1, plenty)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRate(t *testing.T) {
	var r Rate
	at := time.Unix(100, 0)
	r.Look(at)
	if r.PerSecond != 0 {
		t.Errorf("%g a second before a second has passed", r.PerSecond)
	}
	for range 25 {
		at = at.Add(50 * time.Millisecond)
		r.Add(3)
		r.Look(at)
	}
	if r.PerSecond != 60 {
		t.Errorf("%g a second, want 60", r.PerSecond)
	}
	at = at.Add(time.Minute) // the time of a pause does not count
	if r.Look(at); r.PerSecond != 60 {
		t.Errorf("%g a second after a pause, want 60", r.PerSecond)
	}
	at = at.Add(time.Second)
	if r.Look(at); r.PerSecond != 0 {
		t.Errorf("%g a second, and nothing has happened", r.PerSecond)
	}
	r = Rate{Over: 10}
	r.Look(at)
	for i := range 12 { // only every third window has events
		if at = at.Add(RateWindow); i%3 == 0 {
			r.Add(30)
		}
		r.Look(at)
	}
	if r.PerSecond != 9 {
		t.Errorf("%g a second over the last ten, want 9", r.PerSecond)
	}
}

func TestPace(t *testing.T) {
	var p Pace
	at, times := time.Unix(100, 0), 0
	for range 100 {
		if p.Due(at, 30*time.Millisecond) {
			times++
		}
		at = at.Add(10 * time.Millisecond)
	}
	if times != 34 {
		t.Errorf("%d times in a second, want 34", times)
	}
}

// counting is a run with frames 0 to 3. Each step advances it by one frame.
type counting struct{ now int }

func (c *counting) Horizon() int         { return 3 }
func (c *counting) Known() int           { return 3 }
func (c *counting) At() (int, bool)      { return c.now, false }
func (c *counting) Forward() error       { c.now++; return nil }
func (c *counting) Show(k int) error     { c.now = k; return nil }
func (c *counting) Pace() (float64, int) { return 10, 1 }

// A page advances the player before it draws.
func ExamplePlayer() {
	var p Player
	p.Begin(new(counting))
	at := time.Unix(0, 0)
	clock := func() time.Time { return at }
	p.Play()
	for p.Busy() {
		moved, err := p.Advance(clock, 1, 4*time.Millisecond)
		fmt.Println(p.Now(), moved, err)
		at = at.Add(100 * time.Millisecond)
	}
	// Output:
	// 0 false <nil>
	// 1 true <nil>
	// 2 true <nil>
	// 3 true the run has ended
}
