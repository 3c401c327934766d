package session_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/model/lab/session"
	"macroscope/model/wire"
)

// TestTimeLeftWhilePlaying trains while the run plays, which takes much of the worker's time. The
// time left must be announced nevertheless, and must not assume that the run plays for ever. On the slow clock of
// this test the training takes long, so the page must recommend the command line, once.
func TestTimeLeftWhilePlaying(t *testing.T) {
	if testing.Short() {
		t.Skip("the same on every kernel")
	}
	synctest.Test(t, func(t *testing.T) {
		slow := func() time.Time { time.Sleep(10 * time.Millisecond); return time.Now() } // so every piece of work takes at least 10 ms
		v := visiting(t, session.NewAt(labOf(t, "particles"), slow), "particles")
		v.apply(wire.Link, "", "v=1&lab=particles&n=40&steps=2000&seed=3")
		v.prepare()
		v.fetch()
		v.settle()
		v.set("size", "quick")
		v.set("speed", "0.25")
		v.press("train")
		if !v.State().Playing {
			v.press("play")
		}
		said := ""
		work := func() {
			if _, n := v.Work(50 * time.Millisecond); n != nil {
				said += n.Text
			}
		}
		if task := v.State().Task; !strings.Contains(task, "(time left: measuring…)") {
			t.Errorf("before its speed is known it says %q", task)
		}
		for n := 0; v.State().SecsLeft == 0; n++ {
			if work(); n > 10_000 {
				t.Fatalf("the task is %q", v.State().Task)
			}
		}
		playing := v.State().Playing
		for range 400 {
			work()
		}
		left := v.State().SecsLeft
		if v.State().Playing {
			v.press("play")
		}
		for range 400 {
			work()
		}
		if at := v.State(); !(left > at.SecsLeft/3 && left < at.SecsLeft*3) || !playing || v.Status() != wire.Training {
			t.Errorf("while the run plays (%v), %g s are left, and %g when it rests; the task is %q", playing, left, at.SecsLeft, at.Task)
		}
		const command = "bin/macroscope train -experiment particles/flow@quick -seed 1 -set eps=0.01 -set encoder.zdim=8 -out model.safetensors"
		if strings.Count(said, command) != 1 {
			t.Errorf("it says %q, want once %q", said, command)
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
