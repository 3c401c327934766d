package fit

import (
	"context"
	"fmt"
	"math"
	"sync"

	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

// states holds z of whole trajectories, in [-1, 1].
type states struct {
	trajectories, frames, dim int
	z                         []float32 // (E, T, V)
}

// newStates makes room for the trajectories of a source that stage II trains on,
// without any of them.
func newStates(m *experiment.Model, s system.Shape) *states {
	d := &states{trajectories: min(m.Config.Dynamics.Trajectories, s.Trajectories), frames: s.Frames, dim: m.Config.States()}
	d.z = make([]float32, d.trajectories*d.frames*d.dim)
	return d
}

// statesBytes returns the size of the states of a source that stage II trains on.
func statesBytes(c *experiment.Config, s system.Shape) int {
	return 4 * min(c.Dynamics.Trajectories, s.Trajectories) * s.Frames * c.States()
}

// checkStretches says why the dynamics cannot be trained on trajectories of so
// many frames.
func checkStretches(c *experiment.Dynamics, frames int) error {
	for _, t := range []experiment.Training{c.Fit, c.Roll} {
		if n := frames - c.Begin; t.Steps > 0 && t.Window*t.Stride >= n {
			return fmt.Errorf("stage II compares stretches of %d frames, and the trajectories have %d", t.Window*t.Stride+1, n)
		}
	}
	return nil
}

// of returns z of trajectory e (T, V).
func (d *states) of(e int) []float32 { return d.z[e*d.frames*d.dim : (e+1)*d.frames*d.dim] }

// encode passes whole trajectories through the encoder once, and finds ẑ's
// scales.
func encode(ctx context.Context, m *experiment.Model, src system.Source, workers int, done func(trajectories int)) (*states, error) {
	d := newStates(m, src.Shape())
	coders := sync.Pool{New: func() any { return m.NewCoder() }}
	seen := system.Counter(done)
	err := src.Each(ctx, d.trajectories, workers, func(e int, t *system.Trajectory) error {
		coder := coders.Get().(*experiment.Coder)
		defer coders.Put(coder)
		if err := coder.Trajectory(d.of(e), t, e); err != nil {
			return err
		}
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, d.scale(m)
}

// scale finds the ranges of the closure variables and of a memory, enters them into the model's
// scales and brings the variables to [-1, 1].
func (d *states) scale(m *experiment.Model) error {
	for _, i := range m.Config.Ranged() {
		low, high := math.Inf(1), math.Inf(-1)
		for j := i; j < len(d.z); j += d.dim {
			low, high = min(low, float64(d.z[j])), max(high, float64(d.z[j]))
		}
		if !(high > low) || math.IsInf(high-low, 0) {
			return fmt.Errorf("closure variable %d goes from %g to %g over the training set, which cannot be scaled; train stage I again with another seed or a lower rate", i-m.Config.Variables, low, high)
		}
		m.Scale.Low[i], m.Scale.High[i] = low, high
		for j := i; j < len(d.z); j += d.dim {
			d.z[j] = float32(m.Scale.State(i, float64(d.z[j])))
		}
	}
	return nil
}
