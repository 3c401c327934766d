package flock

import (
	"cmp"
	"fmt"
	"math"

	"macroscope/sim/bounds"
	"macroscope/sim/rng"
)

// Config holds the parameters of a simulation.
type Config struct {
	N     int     // number of birds
	Side  float64 // side of the square, in radii of a neighbourhood
	Speed float64 // v: distance that a bird flies in a step
	Noise float64 // η: a bird errs by up to ±πη. 0: never; 1: it forgets its heading
	Steps int     // number of steps in a trajectory

	// The first headings lie within ±w of a common direction. The angle w is uniform between Narrow and Wide.
	Narrow, Wide float64
}

// Default returns 300 birds in a square of side 10, with little noise. They start between nearly aligned and without
// any order.
func Default() Config {
	return Config{N: 300, Side: 10, Speed: 0.1, Noise: 0.2, Steps: 200, Narrow: 0.5, Wide: math.Pi}
}

// Limits of a Config.
const (
	maxBirds = 100_000
	minSide  = 3 // so that no bird is a neighbour twice
	maxSide  = 1000
	maxSteps = 1_000_000
)

// Validate returns an error that names the parameter out of range and its range.
func (c Config) Validate() error {
	if err := cmp.Or(
		bounds.Check("number of birds", c.N, 1, maxBirds, 300),
		bounds.Check("side of the square", c.Side, minSide, maxSide, 10),
		bounds.Check("speed v", c.Speed, 0, 1, 0.1),
		bounds.Check("noise η", c.Noise, 0, 1, 0.2),
		bounds.Check("number of steps", c.Steps, 1, maxSteps, 200),
		bounds.Check("narrowest spread of first headings", c.Narrow, 0, math.Pi, 0.5),
		bounds.Check("widest spread of first headings", c.Wide, c.Narrow, math.Pi, math.Pi),
	); err != nil {
		return fmt.Errorf("flock: %w", err)
	}
	return nil
}

// The names of the random streams.
const (
	startStream = "flock start"
	noiseStream = "flock noise"
)

// Start draws frame 0 (N, 4) of the trajectory with this index: x, y, vx and vy of every bird.
func (c Config) Start(seed uint64, index int) []float32 {
	r := rng.New(seed, startStream, uint64(index))
	uniform := func(low, high float64) float64 { return low + (high-low)*r.Float64() }
	common, w := uniform(-math.Pi, math.Pi), uniform(c.Narrow, c.Wide)
	birds := make([]float32, 0, Dim*c.N)
	for range c.N {
		x, y := c.wrap(float32(uniform(0, c.Side))), c.wrap(float32(uniform(0, c.Side)))
		sin, cos := math.Sincos(common + uniform(-w, w))
		birds = append(birds, x, y, float32(c.Speed*cos), float32(c.Speed*sin))
	}
	return birds
}

// wrap returns the place in [0, Side) of a coordinate that is at most a side away from there.
func (c *Config) wrap(x float32) float32 {
	side := float32(c.Side)
	if x < 0 {
		x += side
	}
	if x >= side { // also after rounding up
		x -= side
	}
	return x
}
