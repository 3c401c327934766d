package fit_test

import (
	"context"
	"fmt"

	"macroscope/model/learn/fit"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/system"
	"macroscope/model/system/particles"
	"macroscope/model/work"
)

// This trains a model of the interacting particles in all phases. The command line does the same
// with more steps.
func Example() {
	systems := method.Systems{particles.System()}
	c, err := systems.Preset("particles/flow@quick")
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Particles = 20
	c.Data.Trajectories, c.Data.Initial, c.Steps = 4, 0, 3
	c.Dynamics.Trajectories, c.Dynamics.Velocity.Steps, c.Dynamics.Rollout.Steps = 4, 30, 2

	sys := systems[0]
	run, err := fit.New(c, sys, fit.Source(&c, sys), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	for ; run.Stage() != fit.Done; run.Next() {
		if err := run.Prepare(work.Until(ctx)); err != nil {
			fmt.Println(err)
			return
		}
		if err := run.Train(work.Until(ctx), nil); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %d steps\n", run.Phase().Name, run.Step())
	}
	test := sys.Tests(0)[0]
	p, err := measure.Task{Model: run.Model, Source: test.Source(system.Choice{Seed: 1, Count: 1}), Count: 1, Members: 1, Seed: 1, Workers: 1}.Run(work.Until(ctx))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Trajectories(), "trajectory of", p.Frames, "frames is predicted")
	// Output:
	// stage I: 3 steps
	// stage II, velocity: 30 steps
	// stage II, rollouts: 2 steps
	// 1 trajectory of 301 frames is predicted
}
