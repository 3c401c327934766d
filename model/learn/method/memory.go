package method

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

// Remembered returns the number of variables of z that form the memory.
func (c *Config) Remembered() int { return len(c.Dynamics.Memory) * c.Variables }

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

// Ranged lists the variables of z that get their ranges in stage II: ẑ and the memory.
func (c *Config) Ranged() (variables []int) {
	for i := c.Variables; i < c.States(); i++ {
		if i < c.Moving() || i >= c.States()-c.Remembered() {
			variables = append(variables, i)
		}
	}
	return variables
}
