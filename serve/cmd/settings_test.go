package cmd

import (
	"flag"
	"io"
	"slices"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/net/dynamics"
)

// parse reads the flags of train.
func parse(t *testing.T, args ...string) *trainOptions {
	t.Helper()
	var o trainOptions
	fs := o.flags("train", io.Discard, 1)
	o.register(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	o.given = make(map[string]bool)
	fs.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
	return &o
}

func configOf(t *testing.T, args ...string) method.Config {
	t.Helper()
	o := parse(t, args...)
	c, own, err := o.config(o.data)
	if err != nil || own != nil {
		t.Fatalf("train %v: %v", args, err)
	}
	return c
}

// TestSpecs reads old and new names of experiments.
func TestSpecs(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "line/flow@laptop"},
		{[]string{"-experiment", "demo", "-preset", "paper"}, "line/flow@paper"},
		{[]string{"-experiment", "ae-aug"}, "particles/ae-aug@laptop"},
		{[]string{"-experiment", "ae-aug@quick"}, "particles/ae-aug@quick"},
		{[]string{"-experiment", "particles@browser"}, "particles/flow@browser"},
		{[]string{"-experiment", "mixing/ae-aug", "-preset", "browser"}, "mixing/ae-aug@browser"},
		{[]string{"-experiment", "mixing/flow@paper", "-preset", "paper"}, "mixing/flow@paper"},
	} {
		if c := configOf(t, tc.args...); c.Spec.String() != tc.want {
			t.Errorf("train %v is %s, want %s", tc.args, c.Spec, tc.want)
		}
	}
}

// TestSettings checks that each shorthand has the same effect as the flag -set for its setting. All
// flags must take effect in the order of the command line.
func TestSettings(t *testing.T) {
	for _, tc := range []struct{ short, set []string }{
		{[]string{"-eps", "0.3", "-zdim", "2", "-seed", "7", "-steps", "5"},
			[]string{"-set", "eps=0.3", "-set", "encoder.zdim=2", "-set", "seed=7", "-set", "steps=5"}},
		{[]string{"-experiment", "ae-aug", "-zdim", "3"}, []string{"-experiment", "ae-aug", "-set", "zdim=3"}},
		{[]string{"-experiment", "mixing", "-law", "separate", "-share=false", "-noise", "full", "-drift", "onsager", "-law-steps", "9"},
			[]string{"-experiment", "mixing", "-set", "law.joint=false", "-set", "law.share=false", "-set", "law.noise.form=full", "-set", "law.form=onsager", "-set", "law.steps=9"}},
		{[]string{"-experiment", "mixing", "-dynamics", "joint", "-share"}, []string{"-experiment", "mixing"}},
	} {
		a, b := configOf(t, tc.short...), configOf(t, tc.set...)
		if x, y := a.Table().Texts(), b.Table().Texts(); !slices.Equal(x, y) {
			t.Errorf("%v gives\n%v\n%v gives\n%v", tc.short, x, tc.set, y)
		}
	}
	c := configOf(t, "-experiment", "mixing", "-zdim", "2", "-law", "separate")
	if dim := c.Table().Find("law.dim").Text(); dim != "6" || c.ZDim() != 2 {
		t.Errorf("two variables a set: the drift has %s and ẑ %d", dim, c.ZDim())
	}
	c = configOf(t, "-experiment", "particles", "-law-steps", "3000", "-set", "law.box.half=2", "-drift", "onsager")
	if c.Dynamics.Velocity.Steps != 3000 || c.Dynamics.Rollout.Steps != 300 || c.Dynamics.Drift.Box.Half != 2 || c.Dynamics.Drift.Form != dynamics.FormOnsager {
		t.Errorf("%+v", c.Dynamics)
	}
	c = configOf(t, "-experiment", "particles", "-set", "law.onsager.alpha=0.5", "-drift", "onsager")
	if c.Dynamics.Drift.Onsager.Alpha != 0.5 {
		t.Errorf("a setting before the form that it belongs to: %+v", c.Dynamics.Drift)
	}
	c = configOf(t, "-experiment", "particles", "-set", "law.fit.steps=3000", "-set", "flow.hidden=32 16")
	if c.Dynamics.Rollout.Steps != 1500 || c.Table().Find("flow.hidden").Text() != "32 16" {
		t.Errorf("%d steps of rollouts, hidden layers %s", c.Dynamics.Rollout.Steps, c.Table().Find("flow.hidden").Text())
	}
}

// TestShorten checks that -law-steps shortens the second part of the training in proportion, leaves one
// step of it, and does not lengthen it.
func TestShorten(t *testing.T) {
	for _, tc := range []struct{ roll, was, n, want int }{
		{700, 8000, 5000, 437}, {700, 8000, 1, 1}, {700, 8000, 1_000_000, 700}, {0, 8000, 9, 0},
	} {
		part := method.DynamicsTraining{Steps: tc.roll}
		if shorten(&part, tc.was, tc.n); part.Steps != tc.want {
			t.Errorf("%d steps with %d of %d in the first part: got %d, want %d", tc.roll, tc.n, tc.was, part.Steps, tc.want)
		}
	}
}
