package session_test

import (
	"strings"
	"testing"

	"macroscope/model/lab/session/runs"
)

// TestWide plays runs that begin otherwise than the runs of the paper's training. The shipped model of
// preset wide must be fetched for them alone. Its prediction must be in the picture and in the
// headline beside that of model A, until the model itself is displayed.
func TestWide(t *testing.T) {
	const wide = runs.Shipped + " flow, wide"
	v := visit(t, "particles")
	v.seek(20)
	v.settle()
	says := func() bool { return strings.Contains(v.State().Summary, "more kinds of starts") }
	drawn := func() bool { return len(v.row("predWide")) > 0 }
	if of := v.Wants(); of != "" || drawn() || says() {
		t.Fatalf("a run of two clusters asks for %q and says %q", of, v.State().Summary)
	}
	v.set("components", "3")
	if v.Wants() != "models/particles-flow-wide.safetensors" {
		t.Fatalf("a run of three clusters asks for %q", v.Wants())
	}
	v.fetch()
	v.seek(20)
	v.settle()
	if !drawn() || !says() || !strings.Contains(v.State().Summary, "with 3 clusters") || !strings.Contains(v.State().Summary, "over 1000 runs of the test diff-init") {
		t.Errorf("drawn: %v; %s", drawn(), v.State().Summary)
	}
	again := v.reload()
	again.settle()
	if len(again.row("predWide")) == 0 {
		t.Error("the prediction is gone after a reload")
	}
	v.set("runA", wide)
	v.settle()
	if drawn() || says() || len(v.row("pred")) == 0 {
		t.Errorf("as model A it is also beside itself: %s", v.State().Summary)
	}
	v.set("runA", runs.Shipped)
	v.apply("remove", "", "0 0")
	v.seek(20)
	v.settle()
	if !drawn() || !strings.Contains(v.State().Summary, "You have changed the start") {
		t.Errorf("after an edit: drawn %v; %s", drawn(), v.State().Summary)
	}
	v.set("components", "2")
	v.settle()
	if drawn() || says() {
		t.Errorf("two clusters again: %s", v.State().Summary)
	}
}
