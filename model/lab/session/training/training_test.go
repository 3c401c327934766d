package training_test

import (
	"testing"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session/training"
	"macroscope/model/wire"
)

// TestFollowTarget trains a model of single sets from scratch, changes ε, and returns to the
// run of the first ε.
func TestFollowTarget(t *testing.T) {
	of := catalogue.Line()
	set, live := lab.Defaults(&of), of.System.Live()
	if err := live.Generate(); err != nil {
		t.Fatal(err)
	}
	tr := training.New(&of, training.FollowTarget, time.Now)
	given := func() *training.Given { return &training.Given{Set: &set, Live: live, Seed: 1, Cores: 1} }
	if n, goes, err := tr.Start(&training.Given{Set: &set, Live: live, ModelComing: true}); n != nil || goes || err != nil || !tr.Waits() {
		t.Errorf("it does not wait for the shipped model: %v, %v", goes, err)
	}
	n, goes, err := tr.Start(given())
	if err != nil || !goes || n == nil {
		t.Fatalf("it does not begin: %v, %v", goes, err)
	}
	tr.Put(n, given())
	tr.Go()
	for range 3 {
		if o := tr.Step(); o.Err != nil || !o.Learned {
			t.Fatalf("a step: %+v", o)
		}
	}
	if tr.Live().Step() != 3 || !tr.Worth() {
		t.Errorf("after three steps: step %d, worth keeping %v", tr.Live().Step(), tr.Worth())
	}
	r, err := tr.Snapshot(tr.Called())
	if err != nil || !r.Resumes() {
		t.Fatal("it cannot go on later", err)
	}
	set.Eps /= 2
	if aims, _ := tr.Aims(&set); !aims {
		t.Error("it does not follow ε")
	}
	tr.Aim(given())
	if eps := tr.Live().Model.Config.Eps(); eps != set.Eps {
		t.Errorf("it is trained for ε = %g, want %g", eps, set.Eps)
	}
	back, err := tr.Back(&r)
	if err != nil {
		t.Fatal(err)
	}
	tr.Close()
	tr.Put(back, given())
	if tr.Live().Step() != 3 || tr.Status() != wire.Paused || tr.Live().Model.Config.Eps() != 2*set.Eps {
		t.Errorf("back at step %d, %v, for ε = %g", tr.Live().Step(), tr.Status(), tr.Live().Model.Config.Eps())
	}
	tr.Close()
}

// TestOnTrajectories starts a training of only the dynamics. The training must wait for its
// codes, and must end if the codes cannot be read.
func TestOnTrajectories(t *testing.T) {
	of := catalogue.Mixing()
	set := lab.Defaults(&of)
	tr := training.New(&of, training.OnTrajectories, time.Now)
	given := &training.Given{Set: &set, Live: of.System.Live(), Seed: 1, Cores: 1}
	if n, goes, err := tr.Start(given); n != nil || goes || err != nil || tr.NeedsCodes(given) != of.Codes || !tr.NeedsCoded(given) {
		t.Errorf("it waits for %q: %v, %v", tr.NeedsCodes(given), goes, err)
	}
	if tr.PauseAt(training.Place{Step: 3}, given); tr.RunTo() != (training.Place{Phase: 2, Step: 3}) {
		t.Errorf("it pauses at %+v", tr.RunTo())
	}
	if err := tr.TakeCodes([]byte("none"), nil); err == nil || tr.Waits() || tr.RunTo() != (training.Place{}) {
		t.Errorf("codes that cannot be read: %v, waits %v", err, tr.Waits())
	}
}
