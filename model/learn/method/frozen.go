package method

import (
	"fmt"
	"strconv"

	"macroscope/model/system"
)

// Frozen are the frozen variables of z: inputs of the dynamics that the dynamics do not advance. They are
// the last variables of z, in this order: the share of the first species among all particles,
// the parameters that are inputs of the dynamics, and a memory. The first two are known from
// frame 0 on and never change. The memory is computed in every frame.
type Frozen struct {
	share  bool
	params system.Ranges
	memory []int
	macros int // number of macroscopic variables; each has a memory
}

// Frozen returns the frozen variables of z.
func (c *Config) Frozen() Frozen {
	return Frozen{c.Dynamics.Share, c.Dynamics.Params, c.Dynamics.Memory, c.Variables}
}

// Len returns the number of frozen variables.
func (f Frozen) Len() int {
	n := len(f.params) + f.Remembered()
	if f.share {
		n++
	}
	return n
}

// Ranges lists the frozen variables with their ranges. The range of a memory is a placeholder;
// stage II computes its true range.
func (f Frozen) Ranges() (ranges system.Ranges) {
	if f.share {
		ranges = append(ranges, system.Range{Name: "share", Low: 0, High: 1})
	}
	ranges = append(ranges, f.params...)
	for i := range f.Remembered() {
		ranges = append(ranges, system.Range{Name: fmt.Sprintf("memory of %d frames", f.memory[i/f.macros]), Low: -1, High: 1})
	}
	return ranges
}

// ClosureName returns the end of the name of closure variable k in files, counted over all sets: the variable's index in
// its set, counted from 1. If there are several sets, the name of the set precedes the index.
func (c *Config) ClosureName(k int) string {
	if c.Sets() > 1 {
		return "_" + c.Traits.Sets[k/c.ZDim()] + strconv.Itoa(k%c.ZDim()+1)
	}
	return strconv.Itoa(k + 1)
}

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
func (f Frozen) Remembered() int { return len(f.memory) * f.macros }

// checkMemory returns an error if the dynamics cannot have the memory.
func (d *Dynamics) checkMemory(stochastic bool, sets int) error {
	if (len(d.Memory) > 0 || d.Begin > 0) && !(stochastic && (d.Joint || sets == 1)) {
		return fmt.Errorf("only stochastic dynamics of all variables together can have a memory; leave law.memory and law.begin out")
	}
	return nil
}

// maxBegin is the largest value of Dynamics.Begin.
const maxBegin = 10_000

// Ranged lists the variables of z that get their ranges in stage II: ẑ and the memory.
func (c *Config) Ranged() (variables []int) {
	for i := c.Variables; i < c.States(); i++ {
		if i < c.Moving() || i >= c.States()-c.Frozen().Remembered() {
			variables = append(variables, i)
		}
	}
	return variables
}
