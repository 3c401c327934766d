package model

import "macroscope/model/system"

// freeze writes the share and the parameters of a frame to the end of z (V), scaled to [-1, 1]. It
// does not write the memory.
func (m *Model) freeze(z []float32, f *system.Frame) {
	c, at := &m.Config, m.Config.Moving()
	put := func(v float64) {
		z[at] = float32(m.Scale.State(at, v))
		at++
	}
	if c.Dynamics.Share {
		put(float64(f.Ends[0]) / float64(max(1, f.Ends[len(f.Ends)-1])))
	}
	for _, r := range c.Dynamics.Params {
		put(c.Traits.Parameters.Value(f.Params, c.Traits.Parameters.Find(r.Name)))
	}
}

// remember computes the memory from the macroscopic variables (K, M) of all frames up to the
// present one. It writes the unscaled memory to the end of z (V).
func (m *Model) remember(z []float32, past []float64) {
	c := &m.Config
	vars, memory := c.Variables, z[len(z)-c.Frozen().Remembered():]
	for i := range memory {
		before, ahead := 0.0, 0.0
		for k := i % vars; k < len(past); k += vars {
			now := m.Scale.State(i%vars, past[k])
			if k >= vars {
				ahead = fade(ahead, now-before, c.Dynamics.Memory[i/vars])
			}
			before = now
		}
		memory[i] = float32(ahead)
	}
}

// recall updates the memory after a step. The memory is at the end of each row of z
// (rows, V). The slice `before` (rows, M) contains the macroscopic variables before the step.
func (m *Model) recall(z, before []float32, rows int) {
	c := &m.Config
	v, vars, n := c.States(), c.Variables, c.Frozen().Remembered()
	for r := range rows {
		row := z[r*v : (r+1)*v]
		for i := range n {
			at, of := v-n+i, i%vars
			gone := row[of] - before[r*vars+of]
			ahead := fade(m.Scale.Value(at, float64(row[at])), float64(gone), c.Dynamics.Memory[i/vars])
			row[at] = float32(m.Scale.State(at, ahead))
		}
	}
}

// fade updates r, the difference between a variable and its fading average. `ahead` is r in the
// present frame. `gone` is the change of the variable until the next frame. fade returns r in the
// next frame.
func fade(ahead, gone float64, frames int) float64 { return (ahead + gone) * (1 - 1/float64(frames)) }
