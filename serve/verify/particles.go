package verify

import (
	"slices"

	"macroscope/model/compute/tensor"
	"macroscope/sim/lj"
	"macroscope/sim/particle"
)

// interactingDouble computes a run from the simulator's Definition of the forces.
func interactingDouble(c *check[float64]) {
	cfg, steps := interaction(c)
	x := slices.Clone(c.values("frames")[:2*cfg.N])
	run := make([]instant, cfg.Steps+1)
	for k := range run {
		v := make([]float64, len(x))
		run[k] = instant{slices.Clone(x), v, particle.Definition(v, x, cfg.A, cfg.B)}
		for i := range x {
			x[i] += cfg.Dt * v[i]
		}
	}
	compareRun(c, run, steps)
}

// interactingSingle computes a run with the simulator itself.
func interactingSingle(c *check[float32]) {
	cfg, steps := interaction(c)
	x := c.data("frames")[:2*cfg.N]
	v := make([]float32, len(x))
	sim, err := particle.New(c.ctx, cfg, x)
	must(err)
	run := make([]instant, cfg.Steps+1)
	for k := range run {
		if k > 0 {
			must(sim.Step(c.ctx))
		}
		sim.Positions(x)
		sim.Velocities(v)
		run[k] = instant{from(x), from(v), sim.Energy()}
	}
	compareRun(c, run, steps)
}

// instant is the state of a simulation at one step.
type instant struct {
	positions, velocities []float64 // (N, 2)
	energy                float64
}

// compareRun checks the velocities at the first frame, the energy at every step and the recorded
// frames. When two particles come close and separate, rounding errors grow. The error of a frame at
// step k is therefore divided by 1 + k/10.
func compareRun[T tensor.Float](c *check[T], run []instant, steps []int) {
	energies := make([]float64, len(run))
	for k, now := range run {
		energies[k] = now.energy
	}
	c.equal64("energy", energies...)
	c.equal64("velocity0", run[0].velocities...)
	frames, n := c.values("frames"), len(run[0].positions)
	for i, k := range steps {
		frame := comparison{floor: c.floor}
		frame.add(run[k].positions, frames[i*n:(i+1)*n])
		c.count++
		c.abs = worse(c.abs, frame.abs)
		c.rel = worse(c.rel, frame.rel/(1+float64(k)/10))
	}
}

// interaction returns the configuration of a simulation and the steps of its recorded frames. The
// first step is 0.
func interaction[T tensor.Float](c *check[T]) (cfg particle.Config, steps []int) {
	cfg = particle.Default()
	cfg.A, cfg.B, cfg.Dt = c.scalar("a"), c.scalar("b"), c.scalar("dt")
	cfg.N, cfg.Steps = c.lengths["n"], int(slices.Max(c.values("frame_index")))
	if c.has("energy") {
		cfg.Steps = c.size("energy") - 1
	}
	if steps = c.indices("frame_index", cfg.Steps+1); steps[0] != 0 {
		failf("the first frame is of step %d and should be where the run begins", steps[0])
	}
	must(cfg.Validate())
	return cfg, steps
}

// lennardJones returns the configuration and the atoms of a case.
func lennardJones[T tensor.Float](c *check[T]) (cfg lj.Config, positions []float64, species []uint8) {
	cfg = lj.Default()
	cfg.Cutoff = c.scalar("cutoff")
	must(cfg.Validate())
	for i, k := range c.indices("types", 3) {
		if k == 0 {
			failf("atom %d is of type 0 and should be of type 1 or 2", i)
		}
		species = append(species, uint8(k))
	}
	return cfg, slices.Clone(c.values("positions")), species
}

// lennardJonesDouble checks forces, potential and mixing ratios against the simulator's definition.
func lennardJonesDouble(c *check[float64]) {
	cfg, positions, species := lennardJones(c)
	forces := make([]float64, len(positions))
	potential, ratios := lj.Definition(forces, positions, species, cfg)
	c.equal("forces", forces)
	c.equal64("potential", potential)
	c.equal("ratios", ratios[:])
}

// lennardJonesSingle compares the simulator's forces with the definition at the same rounded
// positions. For atoms in contact, the force magnifies the rounding of positions beyond any float32
// tolerance.
func lennardJonesSingle(c *check[float32]) {
	cfg, positions, species := lennardJones(c)
	for i, x := range positions {
		positions[i] = float64(float32(x))
	}
	want, got := make([]float64, len(positions)), make([]float32, len(positions))
	lj.Definition(want, positions, species, cfg)
	lj.Forces(got, positions, species, cfg)
	c.add(from(got), want)
}
