package fit

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/net/dynamics"
	"macroscope/model/system/flock"
	"macroscope/model/system/line"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
	"macroscope/model/system/polymer"
)

// TestRoom compares the predicted memory of a worker with the memory that the worker uses, for
// every preset of every pair, and for larger batches.
func TestRoom(t *testing.T) {
	systems := method.Systems{line.System(), particles.System(), mixing.System(), polymer.System(), polymer.FromVideo(), flock.System()}
	allocated := func(f func()) float64 {
		var a, b runtime.MemStats
		runtime.ReadMemStats(&a)
		f()
		runtime.ReadMemStats(&b)
		return float64(b.TotalAlloc - a.TotalAlloc)
	}
	for _, sys := range systems {
		name := sys.Traits.Name
		for _, m := range method.MethodsFor(name) {
			for _, p := range method.Presets(name, m.Name) {
				spec := name + "/" + m.Name + "@" + p
				c, err := systems.Preset(spec)
				if err != nil {
					t.Fatal(err)
				}
				drift := func(f dynamics.Form) func() {
					return func() { c.Dynamics.Drift.Form, c.Dynamics.Velocity.Batch = f, 16*c.Dynamics.Velocity.Shards }
				}
				for k, change := range []func(){func() {}, func() { c.Batch *= 3 }, func() { c.Decoder.Samples *= 2 }, drift(dynamics.FormOnsager), drift(dynamics.FormResNet)} {
					if change(); p == "paper" && k > 0 {
						break
					}
					model := model.New(c, sys)
					most := allocated(func() { newAutoencoder(model, nil) })
					if c.HasDynamics() {
						d := &states{trajectories: 1, frames: 2, dim: c.States()}
						most = max(most, allocated(func() { newDynamics(model, Velocity, d) }))
						if c.Dynamics.Rollout.Steps > 0 {
							most = max(most, allocated(func() { newDynamics(model, Rollout, d) }))
						}
					}
					worker, shared := c.Room()
					const small = 2 << 20 // below this size, buffers of constant size dominate
					if got := float64(worker) / most; (got < 0.95 || got > 3) && most > small || worker < 1 || shared < 4*model.Weights.Len() {
						t.Errorf("%s, change %d: a worker takes %.0f bytes, said to be %d, with %d for all", spec, k, most, worker, shared)
					}
				}
			}
		}
	}
}

// TestTabRoom checks that a training too large for a tab is rejected before memory is
// allocated. A training during which the page would not respond for too long must also be
// rejected. The page's own trainings must be accepted.
func TestTabRoom(t *testing.T) {
	systems := method.Systems{line.System(), particles.System(), mixing.System(), polymer.System(), polymer.FromVideo(), flock.System()}
	for _, sys := range systems {
		name := sys.Traits.Name
		for _, m := range method.MethodsFor(name) {
			for _, p := range method.Presets(name, m.Name) {
				c, err := systems.Preset(name + "/" + m.Name + "@" + p)
				if err != nil {
					t.Fatal(err)
				}
				if bytes, err := TabRoom(c, sys); p != "paper" && (err != nil || bytes > MaxTab/2) {
					t.Errorf("%s: %d MB, error %v", c.Spec, bytes>>20, err)
				}
			}
		}
	}
	const full, slow = "a tab has room for", "a tab takes parts of 3 s"
	for _, tc := range []struct{ spec, field, value, says string }{
		{"particles/flow@quick", "particles", "100000", full}, {"particles/flow@quick", "law.trajectories", "1000000", full},
		{"line/flow@browser", "particles", "60000", full}, {"polymer/flow@browser", "particles", "100000", full},
		{"line/flow@browser", "encoder.hidden", "2048 2048 2048", slow},
		{"particles/flow@quick", "law.hidden", "1024 1024 1024 1024", slow},
	} {
		c, err := systems.Preset(tc.spec)
		if err != nil {
			t.Fatal(err)
		}
		sys, _ := systems.Find(c.Spec.System)
		if err := c.Set(tc.field, tc.value); err != nil {
			t.Fatal(err)
		}
		_, err = TabRoom(c, sys)
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s with %s = %s: error %v", tc.spec, tc.field, tc.value, err)
		}
		if _, live := NewLive(c, sys, nil, nil, time.Now); live == nil || err != nil && live.Error() != err.Error() {
			t.Errorf("%s with %s = %s: it trains, or says %v", tc.spec, tc.field, tc.value, live)
		}
	}
}

// TestHelpersRoom checks that a training with large workers gets few helpers.
func TestHelpersRoom(t *testing.T) {
	systems := method.Systems{line.System()}
	for particles, want := range map[string]int{"200": 15, "20000": 6} {
		c, err := systems.Preset("line/flow@browser")
		if err == nil {
			err = c.Set("particles", particles)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := newPool(&Live{Run: &Run{Model: &model.Model{Config: c}}})
		if p.SetHelpers(15); p.wanted != want {
			t.Errorf("%s particles: %d helpers, want %d", particles, p.wanted, want)
		}
	}
}
