package training_test

import (
	"testing"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/training"
)

// TestStill trains a model of single sets from scratch, changes ε and the number of particles, and returns to
// the first settings.
func TestStill(t *testing.T) {
	of := catalogue.Line()
	set, live := lab.Defaults(&of), of.System.Live()
	if err := live.Generate(); err != nil {
		t.Fatal(err)
	}
	tr := training.New(&of, time.Now)
	given := func() *training.Given { return &training.Given{Lab: &of, Set: &set, Live: live, Seed: 1, Cores: 1} }
	if n, goes, err := tr.Start(&training.Given{Lab: &of, Set: &set, Live: live, ModelComing: true}); n != nil || goes || err != nil || !tr.Waits() {
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
	if tr.Live.Step() != 3 || !tr.Worth() {
		t.Errorf("after three steps: step %d, worth keeping %v", tr.Live.Step(), tr.Worth())
	}
	tr.Stop()
	usual := live.Settings().Find("n").Text()
	for _, change := range []func(){
		func() { set.Eps /= 2 },
		func() {
			set.Eps *= 2
			if err := live.Settings().Find("n").Set("50"); err != nil || live.Generate() != nil {
				t.Fatal(err)
			}
		},
	} {
		if change(); tr.IsAsked(given()) || tr.Live.Model.Config.Eps() != lab.Defaults(&of).Eps {
			t.Error("another setting does not ask for another training, or changes this one")
		}
	}
	if err := live.Settings().Find("n").Set(usual); err != nil || live.Generate() != nil {
		t.Fatal(err)
	}
	if label, _ := tr.Words(given()).Button(); !tr.IsAsked(given()) || label != "Go on" {
		t.Errorf("with the first settings the button says %q", label)
	}
	r, err := tr.Snapshot(tr.Called())
	if err != nil || !r.Resumes() {
		t.Fatal("it cannot go on later", err)
	}
	tr.Close()
	if err := tr.Halt(&r); err != nil {
		t.Fatal(err)
	}
	if n, _, err = tr.Start(given()); err != nil || n.Live.Step() != 3 {
		t.Fatalf("it goes on: %v", err)
	}
	n.Live.Close()
}

// TestOnTrajectories starts a training of only the dynamics. The training must wait for its
// codes, and must end if the codes cannot be read.
func TestOnTrajectories(t *testing.T) {
	of := catalogue.Mixing()
	set := lab.Defaults(&of)
	tr := training.New(&of, time.Now)
	given := &training.Given{Lab: &of, Set: &set, Live: of.System.Live(), Seed: 1, Cores: 1}
	if n, goes, err := tr.Start(given); n != nil || goes || err != nil || tr.NeedsCodes(given) != of.Codes || !given.OnCodes() {
		t.Errorf("it waits for %q: %v, %v", tr.NeedsCodes(given), goes, err)
	}
	if tr.PauseAt(doc.Place{Step: 3}, given); tr.To != (doc.Place{Phase: 2, Step: 3}) {
		t.Errorf("it pauses at %+v", tr.To)
	}
	if err := tr.TakeCodes([]byte("none"), nil); err == nil || tr.Waits() || tr.To != (doc.Place{}) {
		t.Errorf("codes that cannot be read: %v, waits %v", err, tr.Waits())
	}
}

// TestLearnsNothing makes the training of a lab whose system no method learns. Its texts have no words for a training.
func TestLearnsNothing(t *testing.T) {
	particles := catalogue.Particles()
	other := *particles.System
	other.Traits.Name = "unlearned"
	of := particles.With(&other)
	if of.Shipped = nil; of.Learns() {
		t.Fatal("a method learns it")
	}
	if tr := training.New(&of, time.Now); tr.Trains() || tr.Until.Table() == nil {
		t.Error("it trains")
	}
}
