package stats

import (
	"context"
	"slices"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	polymersystem "macroscope/model/system/polymer"
	"macroscope/model/work"
)

// TestProbe checks the R² of two quantities: nearly 1 for a cubic of the extension and ẑ, and
// nearly 0 for a quantity that is independent of them. Probe must use every tenth frame, beginning
// with the first.
func TestProbe(t *testing.T) {
	c, err := (method.Systems{polymersystem.System()}).Preset("polymer/flow@quick")
	if err != nil {
		t.Fatal(err)
	}
	c.Particles = 8
	m := model.New(c, polymersystem.System())
	src := polymersystem.System().Simulated(system.Choice{Seed: 1, Count: 4, Particles: 8})
	frames := map[int]int{}
	of, err := Probe(work.Until(t.Context()), m, known(m, frames), src, 4, 2)
	if err != nil || !(of[0] > 0.9999) || !(of[1] < 0.1) {
		t.Errorf("R² are %v, %v", of, err)
	}
	for k := range src.Shape().Frames {
		if want := map[bool]int{true: 4}[k%10 == 0]; frames[k] != want {
			t.Errorf("frame %d of %d trajectories is used, want %d", k, frames[k], want)
		}
	}
	if got := cubics([]float64{2, 3}, 2).RawRowView(0); !slices.Equal(got, []float64{1, 2, 4, 8, 3, 6, 12, 9, 18, 27}) {
		t.Errorf("the cubics of 2 and 3 are %v", got)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Probe(work.Until(stopped), m, known(m, nil), src, 4, 2); err == nil {
		t.Error("a probe that was stopped has a result")
	}
}

// known returns a system with two quantities; z determines only one of them. It counts how often each frame was
// requested. This needs no lock, because probe requests one frame at a time.
func known(m *model.Model, frames map[int]int) *system.System {
	sys := polymersystem.System()
	sys.Quantify = func(dst []float64, t *system.Trajectory, frame int) {
		z := make([]float32, m.Config.States())
		if err := m.NewCoder().FrameOf(z, t, 0, frame); err != nil {
			panic(err)
		}
		if frames != nil {
			frames[frame]++
		}
		dst[0] = float64(z[0]*z[1]*z[1]) + 3
		dst[1] = float64(frame*7919%13) + float64(t.Points[0])
	}
	return sys
}
