package polymer

import (
	"math"

	"macroscope/sim/polymer"
)

// published is the number of beads of the paper's chain.
const published = 300

// chain returns the configuration of a chain with the given number of beads. A chain with fewer
// beads than the paper's consists of ideal rigid rods, which take at most a tenth of the computing
// time. Its flow rate and the time between its frames keep two quantities as in the paper: ε̇N²
// determines unfolding, and ε̇t is the strain per frame.
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
