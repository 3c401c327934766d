package experiment

import "fmt"

// A memory tells the dynamics about the past: the difference r between every macroscopic
// variable and its fading average m over τ frames,
//
//	m(0) = z̄(0),  m(k) = m(k-1) + (z̄(k) - m(k-1)) / τ,  r(k) = z̄(k) - m(k).
//
// r is about τ times the variable's rate of change over the last τ frames. The differences are the
// last variables of z. Each difference is scaled to [-1, 1] by its range. The motion of the
// differences is not learned. They are computed from z̄ in every predicted frame.

// maxMemory is the largest number of fading averages per variable.
const maxMemory = 8

// remembered returns the number of variables of z that form the memory.
func (c *Config) remembered() int { return len(c.Dynamics.Memory) * c.Variables }

// checkMemory returns an error if the dynamics cannot have the memory.
func (c *Config) checkMemory() error {
	d := &c.Dynamics
	if (len(d.Memory) > 0 || d.Begin > 0) && !(c.Traits.Stochastic && (d.Joint || c.Sets() == 1)) {
		return fmt.Errorf("only stochastic dynamics of all variables together can have a memory; leave law.memory and law.begin out")
	}
	return nil
}

// maxBegin is the largest value of Dynamics.Begin.
const maxBegin = 10_000

// remember computes the memory from the macroscopic variables (K, M) of all frames up to the
// present one. It writes the unscaled memory to the end of z (V).
func (m *Model) remember(z []float32, past []float64) {
	c := &m.Config
	vars, memory := c.Variables, z[len(z)-c.remembered():]
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
	v, vars, n := c.States(), c.Variables, c.remembered()
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

// Ranged lists the variables of z that get their ranges in stage II: ẑ and the memory.
func (c *Config) Ranged() (variables []int) {
	for i := c.Variables; i < c.States(); i++ {
		if i < c.Moving() || i >= c.States()-c.remembered() {
			variables = append(variables, i)
		}
	}
	return variables
}
