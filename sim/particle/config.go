package particle

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"macroscope/sim/bounds"
	"macroscope/sim/rng"
)

// Config holds the parameters of a simulation. The unit of length is the distance at which
// tanh(a(1-r)) changes sign. The unit of time is set by the equation of motion.
type Config struct {
	A float64 // a: steepness of the force around r = 1
	B float64 // b: constant part of the force; a positive b repels
	// Force, unless it is nil, replaces the force given by A and B.
	Force *Force

	N  int     // number of particles
	Dt float64 // time step

	// Steps is the number of steps in a recorded trajectory. The trajectory has Steps+1 frames.
	Steps int

	// Initial positions are drawn from a mixture of Components Gaussians with
	// equal weights, means uniform in the unit disk and standard deviation Std
	// in each coordinate.
	Components int
	Std        float64
}

// Default returns the parameters of the paper's code: a = 4, b = 0.1, 300
// particles from two Gaussians of standard deviation 0.1, and 300 steps of
// 0.02. (The paper's text says 0.002.)
func Default() Config {
	return Config{A: 4, B: 0.1, N: 300, Dt: 0.02, Steps: 300, Components: 2, Std: 0.1}
}

const (
	maxParticles = 100_000 // one pass over the pairs of so many particles takes seconds
	maxNumbers   = 1 << 29 // largest number of float32s in a trajectory's frames: 2 GiB
	maxPosition  = 1e4     // up to here float32 resolves distances to 1e-3
)

// Validate returns an error that names the parameter out of range and its range.
func (c Config) Validate() error {
	if err := cmp.Or(
		bounds.Check("steepness a", c.A, 0.1, 1000, 4),
		bounds.Check("constant force b", c.B, -100, 100, 0.1),
		bounds.Above("time step dt", c.Dt, 0, 10, 0.02),
		bounds.Above("standard deviation of the initial clusters", c.Std, 0, 100, 0.1),
		bounds.Check("number of particles", c.N, 2, maxParticles, 300),
		bounds.Check("number of steps", c.Steps, 1, maxNumbers, 300),
		bounds.Check("number of initial clusters", c.Components, 1, 16, 2),
	); err != nil {
		return fmt.Errorf("particle: %w", err)
	}
	if most := maxNumbers/(2*c.N) - 1; c.Steps > most {
		return fmt.Errorf("particle: %d steps of %d particles would not fit into memory as one trajectory; choose at most %d steps",
			c.Steps, c.N, most)
	}
	return nil
}

// Initial draws initial positions into dst (N, 2).
func (c Config) Initial(dst []float32, r *rand.Rand) {
	if len(dst) != 2*c.N {
		panic(fmt.Sprintf("particle: %d numbers for %d positions", len(dst), c.N))
	}
	var means [16][2]float64
	for k := range c.Components {
		for {
			x, y := 2*r.Float64()-1, 2*r.Float64()-1
			if x*x+y*y <= 1 {
				means[k] = [2]float64{x, y}
				break
			}
		}
	}
	for i := range c.N {
		mean := means[r.IntN(c.Components)]
		dst[2*i] = float32(mean[0] + c.Std*r.NormFloat64())
		dst[2*i+1] = float32(mean[1] + c.Std*r.NormFloat64())
	}
}

// InitialPositions returns the initial positions (N, 2) of the trajectory with this index.
func InitialPositions(cfg Config, seed uint64, index int) []float32 {
	xy := make([]float32, 2*cfg.N)
	cfg.Initial(xy, rng.New(seed, stream, uint64(index)).Rand)
	return xy
}

// stream is the name of the random stream of initial positions.
const stream = "particles"

// size is the scale of forces. For the force of A and B it is the largest force, 1+|b|. For a table
// it is the median of |F| over distances up to 2, or 1 if the median is smaller. The largest |F|
// would be misleading, because a core can be far stronger than all other forces.
func (c *Config) size() float64 {
	if c.Force != nil {
		return c.Force.size
	}
	return 1 + math.Abs(c.B)
}

// checkPositions rejects anything but N finite positions near the origin.
func (c Config) checkPositions(xy []float32) error {
	if len(xy) != 2*c.N {
		return fmt.Errorf("particle: %d numbers cannot be the positions of %d particles in the plane; give %d",
			len(xy), c.N, 2*c.N)
	}
	for k, v := range xy {
		if !(math.Abs(float64(v)) <= maxPosition) {
			return fmt.Errorf("particle: coordinate %d of particle %d is %g; give finite positions within ±%g of the origin",
				k%2, k/2, v, float64(maxPosition))
		}
	}
	return nil
}
