package session_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/model/lab/session"
	"macroscope/model/wire"
)

// TestExpectationWithoutCodes chooses an ε for which there are no codes. The button Train must then
// also train the autoencoder, so the expected duration must be much longer.
func TestExpectationWithoutCodes(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds, the same on every kernel")
	}
	v := visit(t, "mixing")
	v.settle()
	v.measure()
	coded := v.takes()
	v.set("eps", "0.05")
	v.fetch()
	v.settle()
	if secs, says := v.State().Takes["train"]; secs > 0 || !says {
		t.Errorf("stage I is to take %g s, before it has been tried (it says so: %v)", secs, says)
	}
	v.measure()
	if whole := v.takes(); !(coded > 0 && whole > 5*coded) {
		t.Errorf("on codes it is to take %g s, and with stage I %g s", coded, whole)
	}
	// The preset laptop trains for hours, so the button Train recommends the command line.
	v.set("size", "laptop")
	v.measure()
	n, want := v.try(wire.Press, "train", ""), "bin/macroscope train -experiment mixing/flow@laptop -seed 1 -set eps=0.05 -set encoder.zdim=1 -out model.safetensors"
	if n == nil || n.Error || !strings.Contains(n.Text, want) || v.Status() != wire.Training {
		t.Errorf("notice %+v, status %v, want %q", n, v.Status(), want)
	}
	if task := v.State().Task; !strings.Contains(task, "(time left: measuring…)") {
		t.Errorf("before its speed is known it says %q", task)
	}
}

// TestTimeLeftWhilePlaying trains while the run plays, which takes much of the worker's time. The
// time left must be announced nevertheless, and must not assume that the run plays for ever.
func TestTimeLeftWhilePlaying(t *testing.T) {
	if testing.Short() {
		t.Skip("the same on every kernel")
	}
	synctest.Test(t, func(t *testing.T) {
		slow := func() time.Time { time.Sleep(10 * time.Millisecond); return time.Now() } // so every piece of work takes at least 10 ms
		v := visiting(t, session.NewAt(labOf(t, "particles"), slow), "particles")
		v.apply(wire.Link, "", "v=1&lab=particles&n=40&steps=300&seed=3")
		v.prepare()
		v.fetch()
		v.settle()
		v.set("size", "quick")
		v.set("speed", "0.25")
		v.measure()
		expected := v.takes()
		v.press("train")
		if !v.State().Playing {
			v.press("play")
		}
		for range 400 {
			v.Work(50 * time.Millisecond)
		}
		p := v.State()
		if !(p.SecsLeft > expected/3 && p.SecsLeft < expected*3) || !p.Playing || v.Status() != wire.Training {
			t.Errorf("%g s were expected; while the run plays (%v), %g are left, and the task is %q", expected, p.Playing, p.SecsLeft, p.Task)
		}
	})
}

// TestPictureRestsWhileReading begins a training that simulates its trajectories first. No weights
// change meanwhile, so the picture must not be computed again: the training needs the time.
func TestPictureRestsWhileReading(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.settle()
		v.set("size", "quick")
		v.press("train")
		pictures := func(turns int) (n int) {
			for range turns {
				v.work(0)
				if v.draw() {
					n++
				}
			}
			return n
		}
		pictures(300)
		if n := pictures(200); n > 0 || !strings.Contains(v.State().Task, "Simulating the first") {
			t.Errorf("%d pictures in 4 s; the task is %q", n, v.State().Task)
		}
	})
}
