package polymer

import (
	"math"

	"macroscope/sim/polymer"
)

// published is the number of beads of the paper's chain.
const published = 300

// chain returns the configuration of a chain with the given number of beads. A chain with fewer
// beads than the paper's consists of ideal rigid rods, which take at most a tenth of the computing
// time. Two quantities have the same values as in the paper: ε̇N², which determines unfolding, and
// the strain per frame ε̇t. Here ε̇ is the flow rate and t the time between frames.
func chain(beads int) polymer.Config {
	c := polymer.Default()
	if beads >= published {
		c.N = beads
		return c
	}
	ratio := float64(published) / float64(beads)
	frame := c.Dt * float64(c.Every) / (ratio * ratio)
	c.N, c.Bonds, c.Repulsion = beads, polymer.Rods, 0
	c.Rate *= ratio * ratio
	c.Dt = 0.004
	c.Every = max(1, int(math.Round(frame/c.Dt)))
	return c
}
