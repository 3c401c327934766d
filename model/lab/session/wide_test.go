package session_test

import (
	"strings"
	"testing"

	"macroscope/model/lab/session/runs"
)

// TestWide plays runs that begin otherwise than the runs of the paper's training. The headline must offer the
// shipped model of preset wide for them alone. The offer makes it model B, also after a reload.
func TestWide(t *testing.T) {
	const wide = runs.Shipped + " flow, wide"
	v := visit(t, "particles")
	offers := func(when, says string) {
		t.Helper()
		v.seek(20)
		v.settle()
		if got := v.State().Summary; strings.Contains(got, "|press wider]") != (says != "") || !strings.Contains(got, says) {
			t.Errorf("%s: %s", when, got)
		}
	}
	offers("two clusters", "")
	v.set("components", "3")
	offers("three clusters", "with 3 clusters")
	v.press("wider")
	if v.Wants() != "models/particles-flow-wide.safetensors" {
		t.Fatalf("the offer asks for %q", v.Wants())
	}
	v.fetch()
	offers("beside it", "")
	again := v.reload()
	again.settle()
	if len(again.row("predB")) == 0 {
		t.Error("the prediction is gone after a reload")
	}
	v.set("runB", "")
	v.set("runA", wide)
	offers("on show", "")
	v.set("runA", runs.Shipped)
	v.set("components", "2")
	v.apply("remove", "", "0 0")
	offers("after an edit", "You have changed the start")
}
