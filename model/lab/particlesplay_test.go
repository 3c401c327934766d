package lab

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/sim/particle"
)

// TestPlaybackIsTheSimulation wants the frames of a run that was played,
// scrubbed and stepped to be those that Generate records.
func TestPlaybackIsTheSimulation(t *testing.T) {
	c := particle.Default()
	c.N, c.Steps = 40, 60
	first := particle.InitialPositions(c, 3, 2)
	want := particle.NewTrajectory(c)
	sim, err := particle.New(c, first)
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Record(want); err != nil {
		t.Fatal(err)
	}
	var p playback
	if err := p.simulate(c, first); err != nil {
		t.Fatal(err)
	}
	clock := &clock{t: time.Unix(0, 0)}
	p.step()
	p.step()
	if p.now != 2 || p.known != 2 {
		t.Fatalf("two steps led to frame %d of %d", p.now, p.known)
	}
	p.seek(20)
	for p.busy() {
		if _, err := p.advance(clock.now, 30, 3*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	if p.now != 20 {
		t.Fatalf("frame %d, want 20", p.now)
	}
	p.seek(5)
	if p.now != 5 || p.known != 20 || p.busy() {
		t.Fatalf("going back led to frame %d of %d", p.now, p.known)
	}
	p.play()
	for p.playing {
		if _, err = p.advance(clock.now, 30, 5*time.Millisecond); err != nil && !errors.Is(err, errEnded) {
			t.Fatal(err)
		}
		if p.now < p.horizon {
			clock.t = clock.t.Add(30 * time.Millisecond)
		}
	}
	if p.now != 60 || !errors.Is(err, errEnded) || !slices.Equal(p.macro, want.Energy) || !slices.Equal(p.frames[:61*80], want.Frames) {
		t.Errorf("at frame %d (%v) the run is not the simulation's", p.now, err)
	}
	p.play()
	if p.now != 0 || p.known != 60 {
		t.Error("playing at the end does not begin again")
	}
}

// TestPlaybackKeepsTime wants time to pass as the clock says, however often it
// is looked at, and a clock that stood still not to make particles jump.
func TestPlaybackKeepsTime(t *testing.T) {
	c := particle.Default()
	c.N, c.Steps = 10, 300
	var p playback
	if err := p.simulate(c, particle.InitialPositions(c, 1, 0)); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(0, 0)
	now := func() time.Time { return at }
	p.play()
	p.advance(now, 30, time.Second)
	for range 100 {
		at = at.Add(10 * time.Millisecond)
		p.advance(now, 30, time.Second)
	}
	if p.now < 29 || p.now > 30 {
		t.Errorf("frame %d after a second of 30 a second", p.now)
	}
	before := p.now
	at = at.Add(time.Hour)
	if p.advance(now, 30, time.Second); p.now-before > 4 {
		t.Errorf("a clock that stood still for an hour made the run jump by %d frames", p.now-before)
	}
}

func TestPlaybackStopsWhereItIsUnstable(t *testing.T) {
	c := particle.Default()
	c.A, c.Dt, c.N, c.Steps = 20, 0.9, 30, 300
	var p playback
	if err := p.simulate(c, particle.InitialPositions(c, 1, 0)); err != nil {
		t.Fatal(err)
	}
	clock := &clock{t: time.Unix(0, 0)}
	p.play()
	var err error
	for range 20000 {
		clock.t = clock.t.Add(20 * time.Millisecond)
		if _, err = p.advance(clock.now, 30, time.Millisecond); err != nil {
			break
		}
	}
	if !errors.Is(err, particle.ErrUnstable) || p.playing || p.now != p.known {
		t.Fatalf("error %v at frame %d of %d", err, p.now, p.known)
	}
	if p.seek(p.horizon); p.goal != p.horizon {
		t.Error("a later frame cannot be asked for")
	}
	for p.busy() {
		p.advance(clock.now, 30, time.Millisecond)
	}
	if p.now != p.known {
		t.Errorf("frame %d of %d", p.now, p.known)
	}
}

func TestPlaybackRefusesWhatDoesNotFit(t *testing.T) {
	c := particle.Default()
	c.N, c.Steps = 5000, 5000
	var p playback
	if err := p.simulate(c, make([]float32, 2*c.N)); err == nil || !strings.Contains(err.Error(), "room") {
		t.Errorf("error %v", err)
	}
}

// TestPlaysDiffer plays every preset to its end: none may be unstable, and what
// comes of them must not look alike.
func TestPlaysDiffer(t *testing.T) {
	type end struct{ near, far, energy float64 }
	var ends []end
	names := map[string]bool{}
	for _, play := range ParticlesPlays() {
		s := DefaultParticlesSettings()
		play.apply(&s)
		if err := s.checkSystem(); err != nil || s.played() != play.Name || names[play.Name] {
			t.Fatalf("%s: %v, found as %s", play.Name, err, s.played())
		}
		names[play.Name] = true
		c := s.system()
		if play.Name == "crowd" {
			continue // the annulus with more particles
		}
		if testing.Short() {
			c.Steps = 50
		}
		sim, err := particle.New(c, particle.InitialPositions(c, s.Seed, s.Set))
		if err != nil {
			t.Fatal(err)
		}
		for range c.Steps {
			if err := sim.Step(); err != nil {
				t.Fatalf("%s: %v", play.Name, err)
			}
		}
		e := end{energy: sim.Energy()}
		xy := make([]float32, 2*c.N)
		sim.Positions(xy)
		for i := 0; i < len(xy); i += 2 {
			r := gyration([]float32{0, 0, xy[i], xy[i+1]}, 2) * 2 // distance from the origin
			e.far, e.near = max(e.far, r), e.near+r/float64(c.N)
		}
		t.Logf("%-10s mean radius %.3f, largest %.3f, energy %.4f", play.Name, e.near, e.far, e.energy)
		ends = append(ends, e)
	}
	if testing.Short() {
		return
	}
	for i, a := range ends {
		for _, b := range ends[:i] {
			// A hundredth of the unit of length or energy can be seen in the picture.
			if abs(a.near-b.near) < 0.01 && abs(a.far-b.far) < 0.01 && abs(a.energy-b.energy) < 0.01 {
				t.Errorf("%+v and %+v are alike", a, b)
			}
		}
	}
}

func abs(v float64) float64 { return max(v, -v) }
