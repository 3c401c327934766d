package model

import (
	"math"
	"slices"
	"testing"

	"macroscope/model/work"
)

// withMemory returns a model with a memory, and trajectories with the given number of frames. The
// model's predictions begin at the given frame.
func withMemory(t testing.TB, begin, frames int) (*Model, *recorded) {
	c := tiny(t, "polymer-video/flow-memory")
	c.Dynamics.Memory, c.Dynamics.Begin = []int{2, 5}, begin
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return build(t, c), record(&c, 3, 11, frames, 9)
}

// The function `ahead` computes the last value minus the fading average. It follows the definition
// of the memory.
func ahead(values []float64, frames int) float64 {
	mean := values[0]
	for _, v := range values[1:] {
		mean += (v - mean) / float64(frames)
	}
	return values[len(values)-1] - mean
}

// TestMemory compares the memory with its definition, over given frames and over predicted
// ones.
func TestMemory(t *testing.T) {
	const begin, frames, members = 4, 12, 3
	m, src := withMemory(t, begin, frames)
	c := &m.Config
	first := c.States() - len(c.Dynamics.Memory)
	z := make([]float32, c.Data.Views*c.States())
	tr := &src.of[0]
	m.NewCoder().States(z, src.frame(m, 0), tr.Until(begin, 1))
	var past []float64
	for _, v := range tr.Until(begin, 1) {
		past = append(past, m.Scale.State(0, v))
	}
	f := m.NewForecast(1, members)
	f.Begin(z, 1, 0)
	paths := make([][]float64, members)
	for j := range paths {
		paths[j] = slices.Clone(past[:begin])
	}
	got := make([]float32, members)
	for k := begin; k < frames; k++ {
		if f.Frame() != k {
			t.Fatalf("frame %d, want %d", f.Frame(), k)
		}
		f.Variable(got, 0, 0)
		for j := range paths {
			paths[j] = append(paths[j], float64(got[j]))
		}
		for i, n := range c.Dynamics.Memory {
			f.Variable(got, 0, first+i)
			for j, v := range got {
				if want := m.Scale.State(first+i, ahead(paths[j], n)); !(math.Abs(float64(v)-want) < 1e-4) {
					t.Fatalf("frame %d, member %d, memory of %d frames: %g, want %g", k, j, n, v, want)
				}
			}
		}
		f.Step(m.Weights.DynamicsParams)
	}
	if n := testing.AllocsPerRun(5, func() { f.Step(m.Weights.DynamicsParams) }); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// TestMemoryOfCodes checks that codes contain the memory at each frame.
func TestMemoryOfCodes(t *testing.T) {
	const frames = 7
	m, src := withMemory(t, 2, frames)
	codes, err := m.Codes(work.Until(t.Context()), src, 3, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := &m.Config
	for e := range codes.Trajectories {
		for k := range frames {
			row := codes.Of(e)[k*c.States():]
			for i, n := range c.Dynamics.Memory {
				var past []float64
				for _, v := range src.of[e].Until(k, 1) {
					past = append(past, m.Scale.State(0, v))
				}
				at := c.States() - len(c.Dynamics.Memory) + i
				if got, want := float64(row[at]), m.Scale.State(at, ahead(past, n)); !(math.Abs(got-want) < 1e-5) {
					t.Errorf("trajectory %d, frame %d, memory of %d frames: %g, want %g", e, k, n, got, want)
				}
			}
		}
	}
}
