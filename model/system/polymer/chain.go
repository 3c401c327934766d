package polymer

import (
	"math"

	"macroscope/sim/polymer"
)

// published is the number of beads of the paper's chain.
const published = 300

// chain returns what is simulated of so many beads: the paper's chain or, of fewer
// beads, ideal rigid rods, which cost a tenth or less of it. The rate of the flow
// keeps ε̇N², on which unfolding depends, and a frame keeps the strain ε̇t.
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
