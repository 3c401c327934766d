package method

import (
	"fmt"

	"macroscope/model/system"
)

// Frozen variables of z are inputs of the dynamics that the dynamics do not advance. They are
// the last variables of z, in this order: the share of the first species among all particles,
// the parameters that are inputs of the dynamics, and a memory. The first two are known from
// frame 0 on and never change. The memory is computed in every frame.

// Still returns the number of frozen variables of z.
func (c *Config) Still() int {
	n := len(c.Dynamics.Params) + c.Remembered()
	if c.Dynamics.Share {
		n++
	}
	return n
}

// Frozen lists the frozen variables with their ranges. The range of a memory is a placeholder;
// stage II computes its true range.
func (c *Config) Frozen() (ranges system.Ranges) {
	if c.Dynamics.Share {
		ranges = append(ranges, system.Range{Name: "share", Low: 0, High: 1})
	}
	ranges = append(ranges, c.Dynamics.Params...)
	for i := range c.Remembered() {
		ranges = append(ranges, system.Range{Name: fmt.Sprintf("memory of %d frames", c.Dynamics.Memory[i/c.Variables]), Low: -1, High: 1})
	}
	return ranges
}

// StillName returns the name of a frozen variable of z.
func (c *Config) StillName(variable int) string { return c.Frozen()[variable-c.Moving()].Name }
