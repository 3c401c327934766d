package lab

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/wire"
)

// clock is a time that tests move by hand.
type clock struct{ t time.Time }

func (c *clock) now() time.Time {
	c.t = c.t.Add(time.Millisecond) // every look takes a while, so that budgets end
	return c.t
}

// begin returns a session whose shipped model has been delivered, made of
// untrained weights.
func begin(t *testing.T) *DemoSession {
	t.Helper()
	s := newDemoSession((&clock{t: time.Unix(0, 0)}).now)
	deliver(t, s)
	return s
}

func deliver(t *testing.T, s *DemoSession) {
	t.Helper()
	if s.Wants() == "" {
		t.Fatal("the session wants no shipped model")
	}
	c := s.config()
	c.Eps = 0.1
	if strings.Contains(s.Wants(), "eps0.3-") {
		c.Eps = 0.3
	}
	m := NewDemoModel(c)
	var b bytes.Buffer
	if err := ckpt.Encode(&b, m.Checkpoint(m.InitialParams(), nil)); err != nil {
		t.Fatal(err)
	}
	if n := s.Fetched(s.Wants(), b.Bytes(), nil); n != nil {
		t.Fatal(n.Text)
	}
}

func apply(t *testing.T, s *DemoSession, kind, name, value string) {
	t.Helper()
	if n := s.Apply(wire.Command{Kind: kind, Name: name, Value: value}); n != nil && n.Error {
		t.Fatalf("%s %s %s: %s", kind, name, value, n.Text)
	}
}

func frame(s *DemoSession) *wire.DemoFrame {
	f := new(wire.DemoFrame)
	s.frameStale = true
	s.fill(f)
	return f
}

func work(s *DemoSession, steps int) {
	for until := s.trainer.Step() + steps; s.trainer.Step() < until; {
		if busy, _ := s.Work(5 * time.Millisecond); !busy {
			return
		}
	}
}

func TestSessionOpensWithTheShippedModel(t *testing.T) {
	s := newDemoSession(time.Now)
	if got, want := s.Wants(), "models/demo-eps0.1-z8.safetensors"; got != want {
		t.Fatalf("wants %q, not %q", got, want)
	}
	deliver(t, s)
	st := s.state()
	if st.Status != "done" || st.Refitting || st.Eps != 0.1 || st.ZDim != 8 {
		t.Errorf("state %+v", st)
	}
	f := frame(s)
	if len(f.Particles) != 200 || len(f.Z) != 8 || len(f.Target) != gridPoints || len(f.Mixture) != gridPoints {
		t.Errorf("frame has %d particles, %d latents, %d and %d grid points", len(f.Particles), len(f.Z), len(f.Target), len(f.Mixture))
	}
	for _, tc := range []struct {
		name  string
		curve []float32
		tails float64 // most that may lie beyond the view
	}{{"target", f.Target, 0.01}, {"mixture", f.Mixture, 0.01}, {"untrained fit", f.Fit, 0.15}} {
		var sum float64
		for _, v := range tc.curve {
			sum += float64(v) * float64(f.Hi-f.Lo) / (gridPoints - 1)
		}
		if sum > 1.001 || sum < 1-tc.tails {
			t.Errorf("%s integrates to %g", tc.name, sum)
		}
	}
}

func TestSessionTrainsFromScratchWithoutAShippedModel(t *testing.T) {
	s := newDemoSession(time.Now)
	n := s.Fetched(s.Wants(), nil, errors.New("404"))
	if n == nil || !n.Error || s.state().Status != "training" {
		t.Errorf("notice %v, status %s", n, s.state().Status)
	}
}

// TestSessionTrainsOnceTheShippedModelIsThere presses Train before it is.
func TestSessionTrainsOnceTheShippedModelIsThere(t *testing.T) {
	s := newDemoSession(time.Now)
	apply(t, s, wire.Train, "", "")
	if got := s.state().Status; got != "idle" {
		t.Errorf("status %s while the model is on its way", got)
	}
	deliver(t, s)
	if got := s.state().Status; got != "training" {
		t.Errorf("status %s once it is there", got)
	}
}

// TestSessionSaysWhereTheWeightsAreFrom follows the origin through a training.
func TestSessionSaysWhereTheWeightsAreFrom(t *testing.T) {
	s := begin(t)
	says := func(want string) {
		t.Helper()
		if got := s.state().Model; !strings.Contains(got, want) {
			t.Errorf("the model is %q, want %q", got, want)
		}
	}
	says("shipped with the lab")
	apply(t, s, wire.Step, "", "")
	says("trained on here from the shipped model")
	apply(t, s, wire.Reset, "", "")
	says("untrained, seed 1")
	apply(t, s, wire.Step, "", "")
	says("trained here from scratch, seed 1")
}

func TestSessionEpsMovesTheTargetAtOnceAndRefits(t *testing.T) {
	s := begin(t)
	before := slices.Max(frame(s).Target)
	apply(t, s, wire.Set, "eps", "0.03")
	f := frame(s)
	if after := slices.Max(f.Target); after <= before {
		t.Errorf("the target's peak went from %g to %g", before, after)
	}
	if st := s.state(); !st.Refitting || st.Status != "training" || st.FitEps != 0.1 || !strings.Contains(st.Fragment, "eps=0.03") {
		t.Errorf("state %+v", st)
	}
	if !f.Refitting || f.FitEps != 0.1 {
		t.Error("the frame does not say that the model is being refitted")
	}
	apply(t, s, wire.Pause, "", "")
	apply(t, s, wire.Set, "eps", "0.2")
	if st := s.state(); st.Status != "paused" {
		t.Errorf("a paused training was started by ε: %s", st.Status)
	}
}

func TestSessionRefusesBadSettings(t *testing.T) {
	s := begin(t)
	before := s.state()
	for _, c := range []wire.Command{
		{Kind: wire.Set, Name: "eps", Value: "0"}, {Kind: wire.Set, Name: "eps", Value: "-1"}, {Kind: wire.Set, Name: "eps", Value: "1e300"},
		{Kind: wire.Set, Name: "zdim", Value: "0"}, {Kind: wire.Set, Name: "n", Value: "many"}, {Kind: wire.Set, Name: "colour", Value: "1"},
		{Kind: wire.RunTo, Value: "-5"}, {Kind: wire.Add, Value: "NaN"}, {Kind: wire.Add, Value: "1e9"}, {Kind: "dance"},
		{Kind: wire.File, Name: "a.csv", Data: []byte("one,two\nthree")}, {Kind: wire.File, Name: "a.npy", Data: []byte("\x93NUMPY\x01\x00\xff\xff")},
		{Kind: wire.File, Name: "a.safetensors", Data: []byte("12345678{")}, {Kind: wire.File, Name: "empty.csv"},
		{Kind: wire.Restore, Data: []byte("nonsense")},
	} {
		n := s.Apply(c)
		if n == nil || !n.Error || len(n.Text) < 20 || !strings.HasSuffix(n.Text, ".") {
			t.Errorf("%s %s %s: notice %+v", c.Kind, c.Name, c.Value, n)
		}
		// NaN compares unequal to itself, so the figures are compared as text.
		if after := s.state(); after.Fragment != before.Fragment || after.Status != before.Status || after.Step != before.Step || after.OwnData != before.OwnData {
			t.Errorf("%s %s %s changed %+v to %+v", c.Kind, c.Name, c.Value, before, after)
		}
	}
}

func TestSessionOwnParticles(t *testing.T) {
	s := begin(t)
	if n := s.Apply(wire.Command{Kind: wire.File, Name: "a.csv", Data: []byte("x\n0.5\n-0.25\n1\n")}); n == nil || n.Error {
		t.Fatalf("notice %+v", n)
	}
	f := frame(s)
	if !f.OwnData || !slices.Equal(f.Particles, []float32{0.5, -0.25, 1}) || len(f.Mixture) != 0 {
		t.Errorf("frame shows %v", f.Particles)
	}
	before := slices.Clone(f.Z)
	apply(t, s, wire.Add, "", "-0.75")
	if f = frame(s); len(f.Particles) != 4 || slices.Equal(f.Z, before) {
		t.Errorf("after adding: %v, ẑ %v", f.Particles, f.Z)
	}
	apply(t, s, wire.Remove, "", "0.9")
	if f = frame(s); !slices.Equal(f.Particles, []float32{0.5, -0.25, -0.75}) {
		t.Errorf("after removing the one near 0.9: %v", f.Particles)
	}
	apply(t, s, wire.Another, "", "")
	if f = frame(s); f.OwnData || len(f.Particles) != 200 {
		t.Error("another set did not bring generated particles back")
	}
}

// TestSessionScalesFarData drops numbers far from what training has seen.
func TestSessionScalesFarData(t *testing.T) {
	s := begin(t)
	if n := s.Apply(wire.Command{Kind: wire.File, Name: "far.csv", Data: []byte("100 200 300")}); n == nil || n.Error || !strings.Contains(n.Text, "(x − 200)/100") {
		t.Fatalf("notice %+v", n)
	}
	f := frame(s)
	for i, want := range []float32{100, 200, 300} {
		if math.Abs(float64(f.Particles[i]-want)) > 1e-3 {
			t.Errorf("particle %d at %g, want %g", i, f.Particles[i], want)
		}
	}
	var sum float64
	for _, v := range f.Target {
		sum += float64(v) * float64(f.Hi-f.Lo) / (gridPoints - 1)
	}
	if math.Abs(sum-1) > 0.01 {
		t.Errorf("the target integrates to %g in the visitor's unit", sum)
	}
}

func TestSessionRunToStepAndReset(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds without SIMD, and no matter of kernels")
	}
	s := begin(t)
	apply(t, s, wire.Reset, "", "")
	first := slices.Clone(s.trainer.Params)
	apply(t, s, wire.RunTo, "", "7")
	work(s, 100)
	if st := s.state(); st.Step != 7 || st.Status != "paused" {
		t.Errorf("step %d, %s", st.Step, st.Status)
	}
	apply(t, s, wire.Step, "", "")
	if st := s.state(); st.Step != 8 || st.Status != "paused" {
		t.Errorf("step %d, %s", st.Step, st.Status)
	}
	after := slices.Clone(s.trainer.Params)
	apply(t, s, wire.Reset, "", "")
	if !slices.Equal(s.trainer.Params, first) {
		t.Error("reset did not bring the first weights back")
	}
	apply(t, s, wire.RunTo, "", "8")
	work(s, 100)
	if !slices.Equal(s.trainer.Params, after) {
		t.Error("the same seed gave another run")
	}
	apply(t, s, wire.NewSeed, "", "")
	if slices.Equal(s.trainer.Params, first) || s.state().Seed == "1" {
		t.Error("a new seed gave the old weights")
	}
}

func TestSessionRestoresInMidTraining(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds without SIMD, and no matter of kernels")
	}
	s := begin(t)
	apply(t, s, wire.Reset, "", "")
	apply(t, s, wire.Add, "", "0.3")
	apply(t, s, wire.Train, "", "")
	work(s, 6)
	saved := s.Saved()
	work(s, 3)

	again := newDemoSession((&clock{t: time.Unix(99, 0)}).now)
	if n := again.Apply(wire.Command{Kind: wire.Restore, Data: saved}); n != nil {
		t.Fatal(n.Text)
	}
	if again.Wants() != "" {
		t.Errorf("still wants %s", again.Wants())
	}
	if st := again.state(); st.Step != 6 || st.Status != "training" || !st.OwnData {
		t.Errorf("state %+v", st)
	}
	work(again, 3)
	if !slices.Equal(again.trainer.Params, s.trainer.Params) {
		t.Error("the restored session trained to other weights")
	}
	a, b := frame(s), frame(again)
	if !slices.Equal(a.Particles, b.Particles) || !slices.Equal(a.Loss, b.Loss) {
		t.Error("particles or curves were lost")
	}
}

func TestSessionLink(t *testing.T) {
	s := begin(t)
	apply(t, s, wire.Link, "", "v=1&lab=demo&eps=0.3&zdim=4&n=50&seed=5&set=2")
	deliver(t, s)
	if st := s.state(); st.Eps != 0.3 || st.ZDim != 4 || st.N != 50 || st.Seed != "5" || st.Set != 2 || st.Refitting {
		t.Errorf("state %+v", st)
	}
	first := frame(s)
	other := newDemoSession(time.Now)
	other.Apply(wire.Command{Kind: wire.Link, Value: s.state().Fragment})
	deliver(t, other)
	if f := frame(other); !slices.Equal(f.Particles, first.Particles) || f.KL != first.KL {
		t.Error("the link shows something else")
	}
	if n := s.Apply(wire.Command{Kind: wire.Link, Value: "eps=banana"}); n == nil || !n.Error {
		t.Error("a broken link passed in silence")
	}
}

func TestSessionDrifts(t *testing.T) {
	s := begin(t)
	before := slices.Clone(frame(s).Particles)
	apply(t, s, wire.Drift, "", "on")
	for range 50 {
		s.Work(time.Millisecond)
	}
	after := frame(s).Particles
	if slices.Equal(before, after) {
		t.Error("nothing moved")
	}
	for i, x := range after {
		if math.Abs(float64(x-before[i])) > 0.2 {
			t.Errorf("particle %d jumped from %g to %g", i, before[i], x)
		}
	}
}

func TestSessionReportsDivergence(t *testing.T) {
	s := begin(t)
	apply(t, s, wire.Reset, "", "")
	apply(t, s, wire.Train, "", "")
	work(s, 1)
	s.trainer.Params[0] = float32(math.NaN())
	var notice *wire.Notice
	for range 100 {
		if _, n := s.Work(time.Millisecond); n != nil {
			notice = n
		}
	}
	if notice == nil || !strings.Contains(notice.Text, "diverged") || s.state().Status != "diverged" {
		t.Errorf("notice %+v, status %s", notice, s.state().Status)
	}
}

func FuzzRestore(f *testing.F) {
	s := newDemoSession(time.Now)
	s.Fetched(s.Wants(), nil, errors.New("none"))
	f.Add(s.Saved())
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newDemoSession(time.Now)
		before, wants := s.state(), s.Wants()
		if n := s.Apply(wire.Command{Kind: wire.Restore, Data: b}); n != nil {
			after := s.state()
			if !n.Error || after.Fragment != before.Fragment || after.Status != before.Status || s.Wants() != wants {
				t.Errorf("refused with %q, and changed %+v to %+v", n.Text, before, after)
			}
			return
		}
		var again wire.DemoFrame
		if err := again.Decode(frame(s).AppendTo(nil)); err != nil {
			t.Errorf("what was restored cannot be drawn: %v", err)
		}
	})
}
