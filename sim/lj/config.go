package lj

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"macroscope/sim/bounds"
)

// Pair is the interaction of two species.
type Pair struct {
	Epsilon float64 // ε: depth of the well
	Sigma   float64 // σ: distance at which the potential is zero
}

// Config holds the parameters of a simulation, in reduced units.
type Config struct {
	Width, Height float64 // size of the box; one corner is the origin
	Density       float64 // atoms per unit area of the initial lattice

	Boundary    float64 // x of the boundary: atoms to its left become species 1
	Left        int     // if not 0: number of leftmost atoms that become species 1; replaces Boundary
	Temperature float64 // temperature of the initial velocities and of the thermostat
	Damping     float64 // τ: response time of the thermostat

	Cutoff float64
	Dt     float64 // time step

	Single     Pair // all pairs before the relabelling
	AA, BB, AB Pair // species 1 with itself, 2 with itself, 1 with 2

	Relaxation int // steps before the relabelling
	Steps      int // steps of a recorded trajectory after the relabelling
	Every      int // steps between recorded frames
}

// Default returns the parameters of the paper's code: 529 atoms in a box of 32 × 32
// with the boundary in its middle, 3000 steps of relaxation, and 100 000 steps of
// mixing. Every 200th step is recorded: 501 frames.
func Default() Config {
	return Config{
		Width: 32, Height: 32, Density: 0.5,
		Boundary: 16, Temperature: 1, Damping: 0.1,
		Cutoff: 2.5, Dt: 0.002,
		Single:     Pair{0.5, 1},
		AA:         Pair{0.5, 1},
		BB:         Pair{0.6, 0.9},
		AB:         Pair{0.7, 0.9},
		Relaxation: 3000, Steps: 100_000, Every: 200,
	}
}

const (
	maxAtoms   = 50_000
	maxNumbers = 1 << 29 // largest number of float32s in a trajectory's frames: 2 GiB
	maxSteps   = 1 << 40

	// closest is the smallest lattice spacing, in units of the largest σ. Closer
	// atoms start on each other's repulsive cores and fly apart.
	closest = 0.9
	// overlap is a distance, in units of σ. Two atoms never come as close as this, even at the
	// highest temperature allowed.
	overlap = 0.4
)

// Validate returns an error that names the parameter out of range and its range.
func (c Config) Validate() error {
	if err := cmp.Or(
		bounds.Check("width of the box", c.Width, 4, 200, 32), // float32 resolves positions near 200 to 1.5e-5
		bounds.Check("height of the box", c.Height, 4, 200, 32),
		bounds.Check("density", c.Density, 0.01, 2, 0.5),
		bounds.Check("temperature", c.Temperature, 0.01, 100, 1),
		bounds.Check("thermostat's damping time", c.Damping, 0.001, 1000, 0.1),
		bounds.Check("cutoff", c.Cutoff, 0.5, 10, 2.5),
		bounds.Check("time step dt", c.Dt, 1e-6, 0.1, 0.002),
		bounds.Check("depth ε of the single species", c.Single.Epsilon, 0.001, 20, 0.5),
		bounds.Check("depth ε of species 1", c.AA.Epsilon, 0.001, 20, 0.5),
		bounds.Check("depth ε of species 2", c.BB.Epsilon, 0.001, 20, 0.6),
		bounds.Check("depth ε between the species", c.AB.Epsilon, 0.001, 20, 0.7),
		bounds.Check("size σ of the single species", c.Single.Sigma, 0.2, 2, 1),
		bounds.Check("size σ of species 1", c.AA.Sigma, 0.2, 2, 1),
		bounds.Check("size σ of species 2", c.BB.Sigma, 0.2, 2, 0.9),
		bounds.Check("size σ between the species", c.AB.Sigma, 0.2, 2, 0.9),
		bounds.Check("number of relaxation steps", c.Relaxation, 0, maxSteps, 3000),
		bounds.Check("number of steps", c.Steps, 1, maxSteps, 100_000),
		bounds.Check("number of steps between frames", c.Every, 1, maxSteps, 200),
	); err != nil {
		return fmt.Errorf("lj: %w", err)
	}
	if !(c.Boundary > 0 && c.Boundary < c.Width) {
		return fmt.Errorf("lj: the boundary is at x = %g, outside the box; choose one between 0 and %g, for example %g",
			c.Boundary, c.Width, c.Width/2)
	}
	if c.Left < 0 || c.Left > 0 && c.Left >= c.N() {
		return fmt.Errorf("lj: %d of %d atoms cannot become species 1; choose 1 to %d, or 0 for those left of the boundary", c.Left, c.N(), c.N()-1)
	}
	if c.Damping < 10*c.Dt {
		return fmt.Errorf("lj: the thermostat's damping time %g is too short for a time step of %g; choose at least ten steps, %.3g",
			c.Damping, c.Dt, 10*c.Dt)
	}
	if c.Steps%c.Every != 0 {
		return fmt.Errorf("lj: %d steps cannot be recorded every %d; choose a multiple, for example %d steps",
			c.Steps, c.Every, (c.Steps/c.Every+1)*c.Every)
	}
	if c.N() > maxAtoms {
		return fmt.Errorf("lj: a box of %g × %g at density %g holds %d atoms; choose a smaller one, of at most %d",
			c.Width, c.Height, c.Density, c.N(), maxAtoms)
	}
	if most := maxNumbers/(2*c.N()) - 1; c.Steps/c.Every > most {
		return fmt.Errorf("lj: %d frames of %d atoms would not fit into memory as one trajectory; choose at most %d",
			c.Steps/c.Every+1, c.N(), most+1)
	}
	if least := closest * c.Single.Sigma; c.spacing() < least {
		return fmt.Errorf("lj: at density %g atoms of size σ = %g start %.3g apart and overlap; choose a density of at most %.3g",
			c.Density, c.Single.Sigma, c.spacing(), math.Floor(100/(least*least))/100)
	}
	if last := float64(c.columns()-1) * c.spacing(); c.Boundary > last {
		return fmt.Errorf("lj: a boundary at x = %g leaves species 2 empty; choose one of at most %.4g", c.Boundary, last)
	}
	return nil
}

// spacing is the lattice constant.
func (c Config) spacing() float64 { return 1 / math.Sqrt(c.Density) }

// columns and rows count the lattice sites k·spacing, k = 0, 1, …, that lie
// inside the box.
func (c Config) columns() int { return int(math.Ceil(c.Width / c.spacing())) }
func (c Config) rows() int    { return int(math.Ceil(c.Height / c.spacing())) }

// N returns the number of atoms: 529 by default.
func (c Config) N() int { return c.columns() * c.rows() }

// Frames returns the number of frames in a recorded trajectory: 501 by default.
func (c Config) Frames() int { return c.Steps/c.Every + 1 }

// Initial writes the lattice positions, row by row from the origin, and the
// velocities (N, 2) at the start of a run. Velocities are normal numbers from r,
// shifted to zero sum and scaled to the configured temperature.
func (c Config) Initial(positions, velocities []float64, r *rand.Rand) {
	n := c.N()
	if len(positions) != 2*n || len(velocities) != 2*n {
		panic(fmt.Sprintf("lj: %d positions and %d velocities for %d coordinates", len(positions), len(velocities), 2*n))
	}
	var mean [2]float64
	for i := range n {
		positions[2*i] = float64(i%c.columns()) * c.spacing()
		positions[2*i+1] = float64(i/c.columns()) * c.spacing()
		for d := range 2 {
			v := r.NormFloat64()
			velocities[2*i+d] = v
			mean[d] += v / float64(n)
		}
	}
	var square float64
	for k := range velocities {
		velocities[k] -= mean[k%2]
		square += velocities[k] * velocities[k]
	}
	scale := math.Sqrt(freedom(n) * c.Temperature / square)
	for k := range velocities {
		velocities[k] *= scale
	}
}

// freedom returns the number of degrees of freedom in the temperature, excluding the centre of
// mass.
func freedom(n int) float64 { return float64(2*n - 2) }
