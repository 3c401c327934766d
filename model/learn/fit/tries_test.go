package fit

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/work"
)

// TestTries checks that a phase with several tries trains each from new weights and ends with the dynamics whose
// predictions of the trajectories for training are the best. The first try is the training of a phase with one try.
func TestTries(t *testing.T) {
	c, sys := tiny("mixing/flow in tries")
	r := newRun(t, c, sys, nil, 1)
	var tries [][]float32
	ctx := work.Until(context.Background())
	for ; r.Stage() != Done; r.Next() {
		if err := r.Prepare(ctx); err != nil {
			t.Fatal(err)
		}
		err := r.Train(ctx, func() error {
			if r.Stage() == Velocity && r.Step() == r.trainer.Steps() {
				tries = append(tries, slices.Clone(r.Model.Weights.DynamicsParams))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Stage() != Velocity {
			continue
		}
		if len(tries) != c.Dynamics.Tries || r.Step() != c.Dynamics.Tries*c.Dynamics.Velocity.Steps {
			t.Fatalf("%d tries ended, in %d steps", len(tries), r.Step())
		}
		kept := slices.Clone(r.Model.Weights.DynamicsParams)
		best, least := -1, 0.0
		for i, params := range tries {
			copy(r.Model.Weights.DynamicsParams, params)
			fits, err := r.unlike(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if best < 0 || fits < least {
				best, least = i, fits
			}
		}
		if copy(r.Model.Weights.DynamicsParams, kept); !slices.Equal(kept, tries[best]) {
			t.Errorf("the dynamics kept are not those of try %d", best)
		}
	}
	c.Dynamics.Tries = 1
	single := newRun(t, c, sys, nil, 1)
	drive(t, single, 0)
	if !slices.Equal(single.Model.Weights.DynamicsParams, tries[0]) {
		t.Error("the first try is another training than that of a phase with one try")
	}
	if slices.Equal(tries[1], tries[2]) {
		t.Error("two tries are equal")
	}
}

// TestTriesOfOneTrajectory trains with several tries on a single trajectory.
func TestTriesOfOneTrajectory(t *testing.T) {
	c, sys := tiny("mixing/flow in tries")
	c.Data.Trajectories, c.Data.Initial, c.Dynamics.Trajectories = 1, 0, 1
	r := newRun(t, c, sys, nil, 1)
	drive(t, r, 0)
	if r.Stage() != Done {
		t.Error("the training has not ended")
	}

	// Predictions that diverge are the worst ones, and the training can be saved and resumed after them.
	r = newRun(t, c, sys, nil, 1)
	drive(t, r, c.Steps+c.Dynamics.Velocity.Steps)
	r.Model.Weights.DynamicsParams[0] = float32(math.NaN())
	if more, err := r.choose(work.Until(context.Background())); !more || err != nil || !math.IsInf(r.fits, 1) {
		t.Errorf("after a divergence: more %v, error %v, fits %g", more, err, r.fits)
	}
	r.best[0] = 0
	if _, err := Resume(toys(), read(t, fileOf(t, r.Checkpoint())), Source(&c, sys), 1); err != nil {
		t.Error(err)
	}
}

// TestTriesOfAFile checks that a checkpoint with the state of tries is refused if its training has none, or if the
// best fit is not a number.
func TestTriesOfAFile(t *testing.T) {
	c, sys := tiny("mixing/flow in tries")
	r := newRun(t, c, sys, nil, 1)
	drive(t, r, c.Steps+c.Dynamics.Velocity.Steps+2)
	if says, want := Unfinished(r.Checkpoint()), "in stage II, at step 2 of 7 of try 2"; !strings.Contains(says, want) {
		t.Errorf("%q does not say %q", says, want)
	}
	for name, change := range map[string][2]string{"no tries": {"config.law.tries", "1"}, "no number": {fitKey, "NaN"}, "renewed later": {trainingPrefix + "renewed", "9000"}} {
		f := read(t, fileOf(t, r.Checkpoint()))
		f.Metadata[change[0]] = change[1]
		if _, err := Resume(toys(), f, Source(&c, sys), 1); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
