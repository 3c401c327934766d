package session_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/wire"
)

// TestForce types a force. The run must use the force, and the lab must report that the model
// was trained on another force. A link and a saved session must restore the force. A new
// training must use the force and mention it.
func TestForce(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.settle()
		v.seek(40)
		v.refuses(`The force F(r) cannot be "2r`, wire.Set, "force", "2r")
		v.refuses("not a number", wire.Set, "force", "sqrt(1-r)")
		v.refuses("choose a time step below", wire.Set, "force", "1e4*(1-r)")
		const force = "exp(-r)+b^2-r/4"
		v.set("force", force)
		v.settle()
		if st := v.State(); st.Values["force"] != force || !strings.Contains(st.Summary, "No verdict") || !strings.Contains(st.Warning, "F(r) = "+force) || st.Values["preset"] != "own" {
			t.Errorf("the force is %s, the summary %q, the warning %q, the system %s", st.Values["force"], st.Summary, st.Warning, st.Values["preset"])
		}
		v.seek(40)
		v.settle()
		link := v.Fragment()
		if !strings.Contains(link, "&force=exp%28-r%29%2Bb%5E2-r%2F4&") {
			t.Errorf("the link is %s", link)
		}
		other := newcomer(t, v.lab)
		other.apply(wire.Link, "", link)
		other.prepare()
		other.fetch()
		other.settle()
		if v.like(other, "from the link"); other.Fragment() != link {
			t.Errorf("%s became %s", link, other.Fragment())
		}
		again := v.reload()
		again.settle()
		v.like(again, "after a reload")
		for _, hostile := range []string{"force=%28%28%28", "force=" + strings.Repeat("sin(", 60000/4), "force=exp(exp(exp(r)))", "force=%00", "force=r&b=1e300"} {
			n := newcomer(t, v.lab).try(wire.Link, "", "v=1&lab=particles&"+hostile)
			if n == nil || !n.Error || !sentence(n.Text) {
				t.Errorf("%.40s: %+v", hostile, n)
			}
		}

		name, file, err := v.Save("npz")
		if err != nil {
			t.Fatal(err)
		}
		if a, err := data.ReadArray(bytes.NewReader(file), int64(len(file)), "force", func([]int) error { return nil }); err != nil || a.Len() != len(force) {
			t.Errorf("%s: the force is %v, %v", name, a, err)
		}
		v.set("size", "quick")
		v.press("train")
		v.train(2)
		if c := v.shown(); c.Force != force || !strings.Contains(v.State().Warning+v.model().Detail(), force) {
			t.Errorf("the training is of %s", c.Force)
		}
		if w := v.State(); strings.Contains(w.Warning+w.Summary, "F(r)") {
			t.Errorf("of a model of the same force is said: %s %s", w.Summary, w.Warning)
		}
		v.press("train") // stops the training
		_, file, err = v.Save(wire.Model)
		f, errFile := ckpt.Decode(bytes.NewReader(file))
		if err != nil || errFile != nil || f.Metadata["config.force"] != force {
			t.Errorf("the checkpoint says %s", fmt.Sprint(f.Metadata["config.force"], err, errFile))
		}
		v.set("b", "2")
		v.set("force", "sqrt(b-1)-r")
		v.set("sweepeps", "0.05, 0.1")
		v.press("train") // continue with the present value of b, a parameter of the force
		v.train(2)
		if c := v.shown(); c.Force != "sqrt(2-1)-r" {
			t.Errorf("the training is of %s", c.Force)
		}
		v.press("train") // stops the training
		v.set("preset", "annulus")
		if got := v.State().Values["force"]; got != "tanh(a*(1-r))+b" {
			t.Errorf("the annulus has the force %s", got)
		}
	})
}

// TestRunOfAnotherForceBesideData shows the user's trajectories, and then displays a run that
// was trained with the user's own force. The trajectories must stay.
func TestRunOfAnotherForceBesideData(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.set("force", "1/r - r")
		v.set("size", "quick")
		v.press("train")
		v.train(1)
		v.press("train")
		v.set("name", "mine")
		v.press("keep")
		v.set("force", "")
		v.drop("own.npz", trajectories(t, "particles", 2))
		v.set("runA", "mine")
		if st := v.State(); st.Off["simulate"] != "" || st.Labels["train"] != "Go on" {
			t.Errorf("the file is closed: %q; the button says %q", st.Off["simulate"], st.Labels["train"])
		}
	})
}
