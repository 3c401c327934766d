package polymer

import (
	"math"
	"slices"
	"testing"
	"time"

	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

// played returns a run of few beads at frame k, after playing to it.
func played(t *testing.T, k int, settings ...string) *Live {
	t.Helper()
	l := System().Live().(*Live)
	for i := 0; i+1 < len(settings); i += 2 {
		if err := l.Set(settings[i], settings[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Generate(); err != nil {
		t.Fatal(err)
	}
	for range k {
		l.Player().Next()
	}
	return l
}

// TestLiveIsSimulated checks that a run with the settings of training equals the trajectory that
// the command line simulates with the same seed. Going back must not change the frames.
func TestLiveIsSimulated(t *testing.T) {
	const last = 12
	src := System().Simulated(system.Choice{Purpose: system.Show, Seed: 3, Count: 3, Particles: 20})
	for set := range 3 {
		var made system.Trajectory
		if err := src.Make(&made, set, work.Until(t.Context())); err != nil {
			t.Fatal(err)
		}
		l := played(t, last, "n", "20", "rate", "0.259875", "seed", "3", "set", []string{"0", "1", "2"}[set])
		for range 2 {
			var f system.Frame
			for k := range last + 1 {
				if l.Packed(&f, k); !slices.Equal(f.Points, beadsOf(&made, k)) {
					t.Fatalf("run %d: frame %d is another", set, k)
				}
				if l.Macro(k)[0] != extension(f.Points) {
					t.Errorf("run %d: the extension of frame %d is %g", set, k, l.Macro(k)[0])
				}
			}
			if err := l.Player().Seek(4); err != nil {
				t.Fatal(err)
			}
			l.Player().Next()
			if l.Player().Now() != 5 || l.Run().Known != last {
				t.Errorf("run %d: at frame %d of %d", set, l.Player().Now(), l.Run().Known)
			}
		}
	}
}

// TestHalfwayBack interrupts the simulation of a frame, goes back, and simulates the frame again.
// The frame must equal the frame of an uninterrupted run.
func TestHalfwayBack(t *testing.T) {
	a, b := played(t, 2, "n", "200"), played(t, 1, "n", "200")
	if err := b.Player().Seek(2); err != nil {
		t.Fatal(err)
	}
	for range 2 { // a frame has at least three pieces
		if _, err := b.Player().Advance(time.Now, 1, 0); err != nil {
			t.Fatal(err)
		}
	}
	if k := b.Player().Now(); k != 1 || !b.Player().Busy() {
		t.Errorf("at frame %d", k)
	}
	for _, k := range []int{0, 1} {
		if err := b.Player().Seek(k); err != nil {
			t.Fatal(err)
		}
	}
	b.Player().Next()
	if !slices.Equal(a.Points(2), b.Points(2)) {
		t.Error("the frame is another")
	}
}

// TestPaired checks that a hairpin and a strand of one seed begin with the same extension. Only the
// ends of the hairpin must be close together.
func TestPaired(t *testing.T) {
	for _, seed := range []string{"1", "2", "3"} {
		hairpin, strand := played(t, 0, "start", hairpinStart, "seed", seed), played(t, 0, "start", strandStart, "seed", seed)
		// Of 64 drawn chains, the start is the one with the extension nearest to 27. Extensions
		// have a standard deviation of 4. It is practically impossible that none is within 1.5.
		a, b := hairpin.Macro(0)[0], strand.Macro(0)[0]
		if math.Abs(a-27) > 1.5 || math.Abs(b-27) > 1.5 {
			t.Errorf("seed %s: extensions %g and %g", seed, a, b)
		}
		ends := func(l *Live) float64 {
			x := l.Points(0)
			return math.Abs(float64(x[len(x)-dim] - x[0]))
		}
		if ends(hairpin) > 15 || ends(strand) < 15 {
			t.Errorf("seed %s: the ends are %g apart in a hairpin and %g in a strand", seed, ends(hairpin), ends(strand))
		}
	}
}

// TestLiveSettings plays every preset, and checks that invalid settings are rejected.
func TestLiveSettings(t *testing.T) {
	presets := System().Live().Page().Systems
	for _, p := range presets {
		l := System().Live().(*Live)
		for name, value := range p.Values {
			if err := l.Table.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Generate(); err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		l.Player().Next()
		if l.Run().Known != 1 {
			t.Errorf("%s: frame %d", p.Name, l.Run().Known)
		}
		if foreign := l.Foreign(false) != ""; foreign != (p.Values["rate"] != presets[0].Values["rate"] || p.Values["bonds"] != rodBonds) {
			t.Errorf("%s: foreign is %v", p.Name, foreign)
		}
	}
	l := played(t, 1)
	was := l.settings
	for _, tc := range [][2]string{{"n", "3"}, {"rate", "-1"}, {"rate", "100000"}, {"bonds", "glue"}, {"temperature", "x"}} {
		if err := l.Set(tc[0], tc[1]); err == nil || l.settings != was || l.Run().Known != 1 {
			t.Errorf("%s = %s: %v", tc[0], tc[1], err)
		}
	}
}

// TestLiveRecorded plays a recording, then a simulation.
func TestLiveRecorded(t *testing.T) {
	from := played(t, 8, "n", "20")
	tr := &system.Trajectory{Points: slices.Clone(from.Frames.Points), Species: slices.Repeat([]uint8{1}, 20), Macro: slices.Clone(from.Frames.Macro)}
	l := played(t, 0)
	if err := l.Playable(system.Shape{Particles: maxBeads + 1, Frames: 2}); err == nil {
		t.Error("too long a chain can be played")
	}
	if err := l.Playable(system.Shape{Particles: 1000, Frames: 100_000}); err == nil {
		t.Error("too many frames can be played")
	}
	l.Record(tr, "mine")
	l.Player().Next()
	var f wire.Frame
	f.Begin("polymer")
	l.Put(&f)
	if !l.Recorded() || l.Player().Now() != 1 || f.Numbers("rate") != nil || len(f.Numbers("extension")) != 9 || l.Run().Note != "mine" || len(l.Idle()) == 0 {
		t.Errorf("frame %d, rate %v, %d extensions", l.Player().Now(), f.Numbers("rate"), len(f.Numbers("extension")))
	}
	if err := l.Generate(); err != nil || l.Recorded() {
		t.Error(err)
	}
	if !slices.Equal(tr.Points, from.Frames.Points) {
		t.Error("the recording was written over")
	}
}

// TestRealisationsComeInPieces checks that a frame of realisations is made in pieces: for a
// long chain it takes many seconds.
func TestRealisationsComeInPieces(t *testing.T) {
	l := System().Live().(*Live)
	if err := l.Set("n", "100"); err != nil {
		t.Fatal(err)
	}
	b, err := Realise(l.Texts(), l.Start(), 0, 1)
	if err != nil || b.cfg.Every <= stepsAPiece {
		t.Fatalf("%v, %d steps a frame", err, b.cfg.Every)
	}
	for k, before := 1, 0; b.frame < 2; k++ {
		if _, err := b.Advance(); err != nil {
			t.Fatal(err)
		}
		at := b.sim.Index(0)
		if at <= before || at > before+stepsAPiece || b.frame != at/b.cfg.Every {
			t.Fatalf("piece %d goes from step %d to %d, frame %d", k, before, at, b.frame)
		}
		before = at
	}
}
