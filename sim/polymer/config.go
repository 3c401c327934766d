package polymer

import (
	"cmp"
	"fmt"
	"math"

	"macroscope/sim/bounds"
)

// Bonds says how neighbouring beads are connected.
type Bonds int

const (
	// StiffRods have a length of 1 and the statistics of springs in the limit of
	// infinite stiffness: without other forces bonds are independent.
	StiffRods Bonds = iota
	// Rods have a length of 1 and the statistics of ideally rigid bonds: the stationary
	// distribution has the factor √det G (see doc.go).
	Rods
	// Springs pull with the force Stiffness·(length - 1).
	Springs
)

// Flow is the motion of the solvent.
type Flow int

const (
	Planar   Flow = iota // Rate·(x, -y, 0)
	Uniaxial             // Rate·(x, -y/2, -z/2)
	None                 // solvent at rest
)

// gradient is the flow's velocity gradient by coordinate, in units of Rate.
var gradient = [...][3]float64{Planar: {1, -1, 0}, Uniaxial: {1, -0.5, -0.5}, None: {}}

// Config holds the parameters of a simulation. Lengths are in bonds, energies in kT at
// Temperature 1, and times in τ_d, the time in which a bead of Friction 1 diffuses over its own
// size.
type Config struct {
	N         int // number of beads
	Bonds     Bonds
	Stiffness float64 // stiffness of bonds, if they are Springs
	// Repulsion k is the stiffness of the repulsion k(1-r)²/2 of beads closer than
	// r = 1, except neighbours in the chain. At 0 the chain is ideal.
	Repulsion float64

	Flow Flow
	Rate float64 // ε̇: strain rate of the flow

	Temperature float64
	Friction    float64 // ζ of a bead

	Dt     float64 // time step
	Every  int     // steps between recorded frames
	Frames int     // recorded frames, including the start
}

// Default returns 300 beads connected by stiff-limit rods, with repulsion, in the planar flow
// in which the published chains unfold. A frame is 10 τ_d.
func Default() Config {
	return Config{
		N: 300, Bonds: StiffRods, Stiffness: 2000, Repulsion: 200,
		Flow: Planar, Rate: 1.155e-3, Temperature: 1, Friction: 1,
		Dt: 0.002, Every: 5000, Frames: 1001,
	}
}

const (
	minBeads, maxBeads = 2, 1000
	maxNumbers         = 1 << 29 // largest number of float32s in a trajectory's frames: 2 GiB

	// mostMoved limits the displacements of a bead in one step. The repulsion removes at most half
	// of an overlap. Springs remove at most half of their stretch. The flow moves a bead by at most
	// half of its coordinate. Two overlapping beads both move, so more than half would overshoot.
	mostMoved = 0.5
	// mostNoise is the largest standard deviation of a bead's random displacement
	// per step and coordinate.
	mostNoise = 0.2
)

// Validate returns an error if a parameter is out of range. The error names the parameter and its
// range.
func (c Config) Validate() error {
	if err := cmp.Or(
		bounds.Check("stiffness of the springs", c.Stiffness, 10, 1e6, 2000),
		bounds.Check("stiffness of the repulsion", c.Repulsion, 0, 1e6, 200),
		bounds.Check("rate of the flow", c.Rate, 0, 100, 1.155e-3),
		bounds.Check("temperature", c.Temperature, 0, 100, 1),
		bounds.Check("friction of a bead", c.Friction, 0.01, 1000, 1),
		bounds.Check("time step dt", c.Dt, 1e-7, 0.1, 0.002),
		bounds.Check("number of beads", c.N, minBeads, maxBeads, 300),
		bounds.Check("kind of bonds", int(c.Bonds), int(StiffRods), int(Springs), int(StiffRods)),
		bounds.Check("kind of flow", int(c.Flow), int(Planar), int(None), int(Planar)),
		bounds.Check("number of steps between frames", c.Every, 1, 1<<30, 5000),
		bounds.Check("number of frames", c.Frames, 1, maxNumbers, 1001),
	); err != nil {
		return fmt.Errorf("polymer: %w", err)
	}
	if most := maxNumbers / (3 * c.N); c.Frames > most {
		return fmt.Errorf("polymer: %d frames of %d beads would not fit into memory as one trajectory; choose at most %d",
			c.Frames, c.N, most)
	}
	if longest := c.longest(); c.Dt > longest {
		return fmt.Errorf("polymer: the time step dt is %g; choose at most %.3g for these forces, this temperature and this friction",
			c.Dt, longest)
	}
	return nil
}

// longest returns the longest time step that the forces and the noise allow.
func (c Config) longest() float64 {
	longest := math.Inf(1)
	if c.Temperature > 0 {
		longest = mostNoise * mostNoise * c.Friction / (2 * c.Temperature)
	}
	if c.Repulsion > 0 {
		longest = min(longest, mostMoved*c.Friction/c.Repulsion)
	}
	if c.Bonds == Springs {
		longest = min(longest, mostMoved*c.Friction/(2*c.Stiffness))
	}
	if c.Rate > 0 && c.Flow != None {
		longest = min(longest, mostMoved/c.Rate)
	}
	return longest
}

// Steps returns the number of steps of a recorded trajectory.
func (c Config) Steps() int { return c.Every * (c.Frames - 1) }
