package fit

import (
	"runtime"
	"testing"

	"macroscope/model/experiment"
	"macroscope/model/sde"
	"macroscope/model/system/line"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
	"macroscope/model/system/polymer"
)

// TestRoom compares what a worker is said to take, for every preset of every
// pair, and for larger batches, with what it does.
func TestRoom(t *testing.T) {
	systems := experiment.Systems{line.System{}, particles.System{}, mixing.System{}, polymer.System{}, polymer.FromVideo()}
	allocated := func(f func()) float64 {
		var a, b runtime.MemStats
		runtime.ReadMemStats(&a)
		f()
		runtime.ReadMemStats(&b)
		return float64(b.TotalAlloc - a.TotalAlloc)
	}
	for _, sys := range systems {
		name := sys.Traits().Name
		for _, m := range experiment.MethodsFor(name) {
			for _, p := range experiment.Presets(name, m.Name) {
				spec := name + "/" + m.Name + "@" + p
				c, err := systems.Preset(spec)
				if err != nil {
					t.Fatal(err)
				}
				drift := func(f sde.Form) func() {
					return func() { c.Dynamics.Drift.Form, c.Dynamics.Fit.Batch = f, 16*c.Dynamics.Fit.Shards }
				}
				for k, change := range []func(){func() {}, func() { c.Batch *= 3 }, func() { c.Decoder.Samples *= 2 }, drift(sde.FormOnsager), drift(sde.FormResNet)} {
					if change(); p == "paper" && k > 0 {
						break
					}
					model := experiment.New(c, sys)
					most := allocated(func() { newAutoencoder(model, nil) })
					if c.HasDynamics() {
						d := &states{trajectories: 1, frames: 2, dim: c.States()}
						most = max(most, allocated(func() { newDynamics(model, Velocity, d) }))
						if c.Dynamics.Roll.Steps > 0 {
							most = max(most, allocated(func() { newDynamics(model, Rollout, d) }))
						}
					}
					worker, shared := c.Room()
					if got := float64(worker) / most; (got < 0.95 || got > 3) && most > 1<<20 || worker < 1 || shared < 4*model.Weights() {
						t.Errorf("%s, change %d: a worker takes %.0f bytes, said to be %d, with %d for all", spec, k, most, worker, shared)
					}
				}
			}
		}
	}
}
