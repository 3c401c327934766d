package session_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system/polymer"
	"macroscope/model/wire"
)

// TestHelpersOfMany gives jobs of an ensemble and jobs of a training alternately to one helper.
// Every answer must reach the part of the session that gave the job.
func TestHelpersOfMany(t *testing.T) {
	in(t, "polymer", func(t *testing.T, v *visitor) {
		helper := catalogue.All().Helper("polymer")
		v.Cores(2)
		if v.Helpers() != 0 {
			t.Fatal("helpers for nothing")
		}
		v.set("beside", "many")
		v.work(0)
		if v.Helpers() != 1 {
			t.Fatalf("a use for %d helpers", v.Helpers())
		}
		first := slices.Clone(v.Job(0))
		v.set("workers", "2")
		v.set("size", "quick")
		v.press("train")
		v.Helpers()
		second := slices.Clone(v.Job(0))
		if first == nil || second == nil || v.number("crowdDone") != 0 {
			t.Fatalf("jobs of %d and %d bytes, %g runs have ended", len(first), len(second), v.number("crowdDone"))
		}
		for _, job := range [][]byte{first, second} {
			result, err := helper.Do(job, func() {})
			if n := v.Done(0, slices.Clone(result), err); err != nil || n != nil {
				t.Fatalf("%v, notice %+v", err, n)
			}
		}
		v.work(0)
		if n := v.number("crowdDone"); n < 1 {
			t.Errorf("%g runs have ended", n)
		}
		v.press("train")
		v.set("beside", "none")
		if v.work(0); v.Status() == wire.Training || v.Helpers() != 0 || len(v.row("crowd")) > 0 {
			t.Error("it goes on")
		}
		v.Lost(0)
	})
}

// TestFilmThatLeavesTheTrainedRange shows a film of a recorded chain that is far longer than the
// chains of the training data. The prediction must cover all frames and leave the trained range.
func TestFilmThatLeavesTheTrainedRange(t *testing.T) {
	in(t, "polymer", func(t *testing.T, v *visitor) {
		const frames, beads = 20, 12
		x := make([]float32, frames*beads*3)
		for i := range x {
			x[i] = float32(i%7) * 40
		}
		var b bytes.Buffer
		a := data.NewArchive(&b)
		if err := errors.Join(a.Array("trajectories", data.NewArray([]int{1, frames, beads, 3}, x)), a.Close()); err != nil {
			t.Fatal(err)
		}
		v.drop("own.npz", b.Bytes())
		v.set("film", "flow")
		v.fetch()
		v.settle()
		f, err := ckpt.Decode(bytes.NewReader(asset(t, "models/polymer-video-flow.safetensors")))
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Open(method.Systems{polymer.FromVideo()}, f)
		if err != nil {
			t.Fatal(err)
		}
		mean := v.row("meanFilm")
		if len(mean) != frames {
			t.Fatalf("%d frames of the film are predicted, want %d", len(mean), frames)
		}
		if !slices.ContainsFunc(mean, func(x float32) bool { return math.Abs(m.Scale.State(0, float64(x))) > 1+model.Margin }) {
			t.Errorf("the predicted span stays inside the trained range: %v", mean)
		}
	})
}
