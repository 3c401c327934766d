package bench

import (
	"context"
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/net/decoder"
	"macroscope/model/net/encoder"
	"macroscope/model/net/metric"
	ip "macroscope/model/system/particles"
	"macroscope/model/work"
	"macroscope/sim/particle"
)

// particles measures the simulation, training and encoders of the interacting particles.
func particles(ctx context.Context, line func(name string, value float64, unit string)) error {
	seconds, err := trajectory(ctx)
	if err != nil {
		return err
	}
	line("ip_traj", 1/seconds, "trajectories/s")
	for _, size := range []string{"browser", "laptop", "paper"} {
		c, err := preset(size)
		if err != nil {
			return err
		}
		c.Data.Trajectories, c.Dynamics.Trajectories = 2, 2
		if size == "paper" { // a step on the batch of 512 sets takes seconds, so only the sets of one shard are timed
			c.Batch, c.Shards = c.Batch/c.Shards, 1
		}
		one, two, err := stages(ctx, c)
		if err != nil {
			return err
		}
		line("stage1_"+size, float64(c.Batch)/one, "sets/s")
		if size == "laptop" {
			line("stage2", float64(c.Dynamics.Velocity.Batch)/two, "pairs/s")
		}
	}
	if err := encoders(ctx, line); err != nil {
		return err
	}
	line("chamfer_300", 1e6*chamfer(ctx), "µs/pair")
	return scaling(ctx, line)
}

// trajectory returns the seconds for simulating a trajectory of 300 particles and 300 steps,
// including the energy of every frame.
func trajectory(ctx context.Context) (float64, error) {
	c := particle.Default()
	sim, err := particle.New(ctx, c, particle.InitialPositions(c, 1, 0))
	if err != nil {
		return 0, err
	}
	t := particle.NewTrajectory(c)
	start := particle.InitialPositions(c, 1, 0)
	seconds := best(ctx, func() {
		if e := sim.Reset(ctx, start); e != nil {
			err = e
		}
		if e := sim.Record(ctx, t); e != nil {
			err = e
		}
	})
	return seconds, err
}

// preset returns the preset particles/flow@size.
func preset(size string) (method.Config, error) {
	return method.Systems{ip.System()}.Preset("particles/flow@" + size)
}

// stages returns the seconds per training step in stage one (encoder and decoder) and in stage
// two (dynamics).
func stages(ctx context.Context, c method.Config) (one, two float64, err error) {
	r, err := fit.New(c, ip.System(), fit.Source(&c, ip.System()), 1)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	for _, seconds := range []*float64{&one, &two} {
		if err := r.Prepare(work.Until(ctx)); err != nil {
			return 0, 0, err
		}
		if *seconds, err = step(ctx, r); err != nil {
			return 0, 0, err
		}
		r.Next()
	}
	return one, two, nil
}

// encoders measures a forward and a backward pass of the presets' encoders on two
// sets of 300 particles.
func encoders(ctx context.Context, line func(name string, value float64, unit string)) error {
	for _, size := range []string{"browser", "laptop"} {
		seconds := func(of string) (float64, error) {
			c, err := method.Systems{ip.System()}.Preset("particles/" + of + "@" + size)
			if err != nil {
				return 0, err
			}
			var layout tensor.Layout
			net := c.Encoder.New(&layout, c.Autoencoder().Input.Shape).Float32()
			params, grads := make([]float32, layout.Size()), make([]float32, layout.Size())
			r := rand.New(rand.NewPCG(1, 4))
			net.Init(params, r)
			in := encoder.Batch[float32]{Points: normal(r, 2*600), Ends: []int{300, 600}}
			e, dz := net.Train(2, 600), make([]float32, 2*c.ZDim())
			return best(ctx, func() {
				copy(dz, e.Encode(params, in))
				e.Backward(params, grads, in, dz)
			}) / 2, ctx.Err()
		}
		deep, err := seconds("flow")
		if err != nil {
			return err
		}
		attention, err := seconds("flow-st")
		if err != nil {
			return err
		}
		line("deepset_"+size, 1e6*deep, "µs")
		line("set_transformer_"+size, 1e6*attention, "µs")
		line("set_transformer_over_deepset_"+size, attention/deep, "x")
	}
	return nil
}

// chamfer returns the seconds for the Chamfer distance of two sets of 300 particles
// and its gradient, in a batch of 64 pairs.
func chamfer(ctx context.Context) float64 {
	const pairs, size = 64, 2 * 300
	r := rand.New(rand.NewPCG(1, 5))
	a, b, da := normal(r, pairs*size), normal(r, pairs*size), make([]float32, size)
	c := metric.NewChamfer[float32](2, size/2, 0)
	return best(ctx, func() {
		for i := 0; i < len(a); i += size {
			c.Gradient(da, a[i:i+size], b[i:i+size])
		}
	}) / pairs
}

// scaling measures the laptop preset's encoder and decoder on sets of growing size. The
// decoder's time should not depend on the size.
func scaling(ctx context.Context, line func(name string, value float64, unit string)) error {
	c, err := preset("laptop")
	if err != nil {
		return err
	}
	var layout tensor.Layout
	samples, in := c.Decoder.Samples, decoder.Input{Shape: c.Autoencoder().Input.Shape, Encoder: c.Encoder}
	enc := c.Encoder.New(&layout, c.Autoencoder().Input.Shape).Float32()
	dec := c.Decoder.New(&layout, in).Float32()
	rng := rand.New(rand.NewPCG(1, 3))
	params := make([]float32, layout.Size())
	enc.Init(params, rng)
	dec.Init(params, rng)
	e, density := enc.Frozen(1), dec.Density(samples)
	logp, x := make([]float32, samples), normal(rng, 2*samples)
	for n := 100; n <= 100_000; n *= 10 {
		in := encoder.Batch[float32]{Points: normal(rng, 2*n), Ends: []int{n}}
		line(fmt.Sprintf("encoder_n%d", n), 1e3*best(ctx, func() { e.Encode(params, in) }), "ms")
		z := e.Encode(params, in)
		if err := ctx.Err(); err != nil {
			return err
		}
		line(fmt.Sprintf("decoder_n%d", n), 1e3*best(ctx, func() { density.LogProb(logp, params, x, z) }), "ms")
	}
	return nil
}
