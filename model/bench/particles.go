package bench

import (
	"context"
	"fmt"
	"math/rand/v2"

	"macroscope/model/flow"
	"macroscope/model/lab"
	"macroscope/model/set"
	"macroscope/model/tensor"
	"macroscope/sim/particle"
)

// particles measures the experiment of interacting particles.
func particles(line func(name string, value float64, unit string)) error {
	seconds, err := trajectory()
	if err != nil {
		return err
	}
	line("ip_traj", 1/seconds, "trajectories/s")
	for _, preset := range []string{"browser", "laptop", "paper"} {
		c, err := lab.ParticlesPreset(preset)
		if err != nil {
			return err
		}
		c.Trajectories, c.Law.Trajectories = 2, 2
		if preset == "paper" { // a step of 512 sets takes seconds; its shards are what runs on a core
			c.Batch, c.Shards = c.Batch/c.Shards, 1
		}
		fit, law, err := stages(c)
		if err != nil {
			return err
		}
		line("stage1_"+preset, float64(c.Batch)/fit, "sets/s")
		if preset == "laptop" {
			line("stage2", float64(c.Law.Fit.Batch)/law, "pairs/s")
		}
	}
	return scaling(line)
}

// trajectory returns the seconds that one simulated trajectory takes, of 300
// particles and 300 steps with the energy of every frame.
func trajectory() (float64, error) {
	c := particle.Default()
	sim, err := particle.New(c, particle.InitialPositions(c, 1, 0))
	if err != nil {
		return 0, err
	}
	t := particle.NewTrajectory(c)
	start := particle.InitialPositions(c, 1, 0)
	seconds := best(func() {
		if e := sim.Reset(start); e != nil {
			err = e
		}
		if e := sim.Record(t); e != nil {
			err = e
		}
	})
	return seconds, err
}

// stages returns the seconds of a step of either stage.
func stages(c lab.ParticlesConfig) (fit, law float64, err error) {
	r, err := lab.NewParticlesRun(c, c.TrainingSource(), 1)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	for _, seconds := range []*float64{&fit, &law} {
		if err := r.Prepare(context.Background(), func(int) {}); err != nil {
			return 0, 0, err
		}
		t := r.Trainer()
		*seconds = best(func() {
			if e := t.Advance(); e != nil {
				err = e
			}
		})
		r.Next()
	}
	return fit, law, err
}

// scaling measures the laptop preset's encoder on sets of growing size, and
// its decoder, which does not depend on it.
func scaling(line func(name string, value float64, unit string)) error {
	c, err := lab.ParticlesPreset("laptop")
	if err != nil {
		return err
	}
	var layout tensor.Layout
	encoder := set.New(c.Encoder, &layout, "encoder")
	decoder := flow.New(c.Flow, &layout, "flow")
	rng := rand.New(rand.NewPCG(1, 3))
	params := make([]float32, layout.Size())
	set.Init(params, encoder, rng)
	flow.Init(params, decoder, rng)
	enc := set.NewWorkspace[float32](encoder, 1, 300)
	dec := flow.NewWorkspace[float32](decoder, 1, c.Samples)
	logp, x := make([]float32, c.Samples), normal(rng, 2*c.Samples)
	for n := 100; n <= 100_000; n *= 10 {
		points, ends := normal(rng, 2*n), []int{n}
		line(fmt.Sprintf("encoder_n%d", n), 1e3*best(func() { set.EncodeOnly(encoder, enc, params, points, ends) }), "ms")
		z := set.EncodeOnly(encoder, enc, params, points, ends)
		line(fmt.Sprintf("decoder_n%d", n), 1e3*best(func() { flow.LogProb(decoder, dec, params, logp, x, z, 1, c.Samples) }), "ms")
	}
	return nil
}
