package estimate

import (
	"errors"
	"math"
	"testing"
	"time"

	"macroscope/model/work"
)

// job is a job of works on a simulated clock.
type job struct {
	at   time.Time
	done [3]float64
}

func (j *job) pass(secs float64) { j.at = j.at.Add(time.Duration(1e9 * secs)) }

// works returns a work whose trial has two pieces of 1 s, a work of the same kind that leaves out the first of
// these pieces, and a work with units of four pieces, which get faster: 9 s, 8 s, …
func (j *job) works() []Work {
	piece := 9.0
	all := []Work{
		{Kind: 1, Try: func(pause work.Pause) error {
			j.pass(1)
			err := pause(0.5)
			j.pass(1)
			return err
		}},
		{Kind: 1, Continues: true, Try: func(pause work.Pause) error { j.pass(1); return nil }},
		{Kind: 2, Secs: 1, Pieces: 4, Try: func(pause work.Pause) error {
			for {
				if j.pass(piece); piece < 6 {
					return errors.New("the trial does not end")
				}
				piece--
				if err := pause(0); err != nil {
					return err
				}
			}
		}},
	}
	for i := range all {
		all[i].Amount = func() (float64, float64) { return j.done[i], 10 }
		all[i].Wall = func(secs float64) float64 { return secs / 2 }
	}
	return all
}

func (j *job) now() time.Time { return j.at }

// TestTrial checks the times of the units after a trial.
func TestTrial(t *testing.T) {
	var j job
	e := New(j.works(), j.now)
	for n := 0; e.Try(); n++ {
		if n > 10 || !math.IsNaN(e.Left()) || e.Tried() {
			t.Fatalf("after %d pieces, %g s are left", n+1, e.Left())
		}
	}
	want := 10 * (2 + 3 + 4*6) / 2 / usualShare
	if got := e.Left(); !e.Tried() || math.Abs(got-want) > 1e-9*want {
		t.Errorf("%g s are left, want %g", got, want)
	}
}

// TestTrialFails checks that an error ends the trial.
func TestTrialFails(t *testing.T) {
	var j job
	works := j.works()
	works[0].Try = func(work.Pause) error { return errors.New("no") }
	e := New(works, j.now)
	if e.Try() || !e.Tried() || !math.IsNaN(e.Left()) {
		t.Errorf("after an error, %g s are left", e.Left())
	}
}

// TestSpeed checks that works of a kind share their speed, and that the share does not fall.
func TestSpeed(t *testing.T) {
	var j job
	e := New(j.works(), j.now)
	for e.Try() {
	}
	for e.Look(j.at, false); j.done[0] < 10; e.Look(j.at, false) {
		j.pass(4) // the trial says 1 s
		j.done[0]++
	}
	if !e.Settled() {
		t.Errorf("not settled after %g s", e.passed)
	}
	if got := e.speedOf(&e.Works[1]); math.Abs(got-0.25) > 1e-9 {
		t.Errorf("a work of the same kind has the speed %g, want 1/4", got)
	}
	share := e.Share()
	j.done[0] = 0
	if e.Share() != share {
		t.Errorf("the share went from %g to %g", share, e.Share())
	}
}
