package measure

import (
	"math"
	"slices"
	"testing"

	"macroscope/model/learn/model"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// TestTold checks that predictions equal the truth before Begin, and that no error measure
// includes the frames before Begin.
func TestTold(t *testing.T) {
	const begin, frames, members = 4, 12, 19
	m, src := withMemory(t, begin, frames)
	p, err := Task{Model: m, Source: src, Count: 11, Members: members, Seed: 1, Workers: 2}.Run(work.Until(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	other := *src
	other.of = slices.Clone(src.of)
	r := rng.New(1, "test of what is told")
	for i := range other.of {
		macro := slices.Clone(other.of[i].Macro)
		for k := begin + 1; k < frames; k++ {
			macro[k] = r.Float64()
		}
		other.of[i].Macro = macro
	}
	q, err := Task{Model: m, Source: &other, Count: 11, Members: members, Seed: 1, Workers: 1}.Run(work.Until(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Pred, q.Pred) {
		t.Error("what comes later changes a prediction")
	}
	for i, v := range p.Pred {
		if e, k := i/(members*frames), i%frames; k < begin && v != p.Truth[e*frames+k] {
			t.Fatalf("trajectory %d: frame %d is predicted", e, k)
		} else if k == begin && !(math.Abs(float64(v-p.Truth[e*frames+k])) < 1e-5) {
			t.Fatalf("trajectory %d begins at %g, want %g", e, v, p.Truth[e*frames+k])
		}
	}
	if got := p.Since(p.Truth); len(got) != 11*(frames-begin) || got[0] != p.Truth[begin] {
		t.Errorf("%d values since the beginning", len(got))
	}
	copy(p.Pred, make([]float32, len(p.Pred)))
	for i := range p.Truth {
		if p.Truth[i] = 9; i%frames <= begin {
			p.Truth[i] = 0
		}
	}
	if share, _, _ := p.Coverage(); share != 0 {
		t.Errorf("bands that hold nothing hold %g", share)
	}
	src.shape.Frames = begin
	if _, err := (Task{Model: m, Source: src, Count: 1, Members: 1, Seed: 1, Workers: 1}).Run(work.Until(t.Context())); err == nil {
		t.Error("a prediction begins after the last frame")
	}
}

// withMemory returns a model with a memory, and trajectories with the given number of frames. The
// model's predictions begin at the given frame.
func withMemory(t testing.TB, begin, frames int) (*model.Model, *recorded) {
	c := tiny(t, "polymer-video/flow-memory")
	c.Dynamics.Memory, c.Dynamics.Begin = []int{2, 5}, begin
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return build(t, c), record(&c, 3, 11, frames, 9)
}
