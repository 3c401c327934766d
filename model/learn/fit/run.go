package fit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"macroscope/model/learn/experiment"
	"macroscope/model/learn/train"
	"macroscope/model/system"
)

// Run trains a model in its phases:
//
//	for run.Phase() != fit.Done {
//		run.Prepare(…)
//		train.Run(…, run.Trainer(), run.Trainer().Steps(), …)
//		run.Next()
//	}
//
// It is not safe for concurrent use.
type Run struct {
	Model *experiment.Model

	src     system.Source // nil for a sampler
	workers int
	phase   Phase
	trainer *train.Trainer
	resume  *resumption
	encoded *states // kept from one phase of stage II to the next
}

// New returns a training from the start. The source is nil for a system of
// single sets; otherwise its shape must be the configuration's.
func New(c experiment.Config, sys system.System, src system.Source, workers int) (*Run, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &Run{Model: experiment.New(c, sys), src: src, workers: workers, phase: Autoencoder}
	return r, r.checkShape()
}

// Source returns the trajectories that a configuration is trained on unless
// there are others; nil for a system of single sets.
func Source(c *experiment.Config, sys system.System) system.Source {
	if !c.HasDynamics() {
		return nil
	}
	return c.System(sys).Simulated(c.Choice(system.Train, c.Seed, max(c.Trajectories, c.Dynamics.Trajectories)))
}

func (r *Run) checkShape() error {
	c := &r.Model.Config
	if !c.HasDynamics() {
		return nil
	}
	s := r.src.Shape()
	if err := checkStretches(&c.Dynamics, s.Frames); err != nil {
		return err
	}
	if n := len(c.Frames(r.Model.System, s.Frames)); c.Decoder.Step.On() && n < 2 {
		return fmt.Errorf("stage I keeps %d of the %d frames of a trajectory, and the one-step loss compares two; use a lower thin", n, s.Frames)
	}
	switch most := max(c.Trajectories, c.Dynamics.Trajectories); {
	case s.Dim != c.Dim():
		return fmt.Errorf("the particles have %d coordinates and the model is for %d", s.Dim, c.Dim())
	case s.Particles != c.Particles:
		return fmt.Errorf("the trajectories have %d particles and the model trains on %d; use the data that the training began with", s.Particles, c.Particles)
	case c.Recorded && s.Trajectories < most:
		return fmt.Errorf("there are %d trajectories and the model trains on %d; use the data that the training began with", s.Trajectories, most)
	}
	return nil
}

// Phase returns the phase under way.
func (r *Run) Phase() Phase { return r.phase }

// Trainer returns the present phase's training, nil before Prepare.
func (r *Run) Trainer() *train.Trainer { return r.trainer }

// step returns the steps taken in the present phase.
func (r *Run) step() int {
	if r.trainer == nil {
		return 0
	}
	return r.trainer.Step()
}

// Trajectories returns how many Prepare will read for the present phase.
func (r *Run) Trajectories() int {
	if r.src == nil || r.phase != Autoencoder && r.encoded != nil {
		return 0
	}
	n := r.Model.Config.Trajectories
	if r.phase != Autoencoder {
		n = r.Model.Config.Dynamics.Trajectories
	}
	return min(n, r.src.Shape().Trajectories)
}

// Prepare gets the present phase's data ready and starts its training, or goes
// on where a checkpoint left it. done is told how many trajectories have been
// read, from one goroutine at a time.
func (r *Run) Prepare(ctx context.Context, done func(trajectories int)) error {
	m := r.Model
	switch r.phase {
	case Autoencoder:
		var d *frames
		if r.src != nil {
			var err error
			if d, err = collect(ctx, m, r.src, r.workers, r.resume != nil, done); err != nil {
				return err
			}
		}
		r.start(func() shardWorker { return newAutoencoder(m, d) })
	case Velocity, Rollout:
		if r.encoded == nil {
			d, err := encode(ctx, m, r.src, r.workers, done)
			if err != nil {
				return err
			}
			r.encoded = d
		}
		r.start(func() shardWorker { return newDynamics(m, r.phase, r.encoded) })
	default:
		return fmt.Errorf("the training has ended; begin another")
	}
	return nil
}

// SetRate changes a learning rate of a training that goes on, by the name that the
// configuration has for it. All else is as the training began.
func (r *Run) SetRate(name, value string) error {
	c := r.Model.Config
	var names []string
	for p := Autoencoder; p < Done; p = p.next(&c) {
		names = append(names, p.RateName(&c))
	}
	if !slices.Contains(names, name) {
		return fmt.Errorf("%s is as the training began; what can be changed is %s", name, strings.Join(names, ", "))
	}
	if err := c.Set(name, value); err != nil {
		return err
	}
	if err := c.Validate(); err != nil {
		return err
	}
	r.Model.Config = c
	if r.resume != nil && r.phase < Done && r.phase.RateName(&c) == name {
		r.resume.schedule.Peak = r.phase.Rate(&c)
	}
	return nil
}

// start begins the present phase's training, or goes on with it.
func (r *Run) start(newWorker func() shardWorker) {
	c := &r.Model.Config
	cfg, params := c.FitConfig(r.workers), r.Model.Params
	if r.phase != Autoencoder {
		cfg, params = r.phase.Training(c).TrainConfig(r.workers, c.Traits.Stochastic), r.Model.DynamicsParams
	}
	cfg.Matrices = r.matrices()
	r.trainer = train.New(cfg, params, func() train.Worker { return bothParts{newWorker()} })
	if r.resume != nil {
		r.resume.apply(r.trainer)
		r.resume = nil
	}
}

// Next goes to the next phase. A training of one phase keeps its trainer, so that
// its checkpoint can be trained on.
func (r *Run) Next() {
	if r.Model.Config.HasDynamics() {
		r.Close()
	}
	r.phase = r.phase.next(&r.Model.Config)
}

// Close ends the present training's goroutines.
func (r *Run) Close() {
	if r.trainer != nil {
		r.trainer.Close()
		if r.Model.Config.HasDynamics() {
			r.trainer = nil
		}
	}
}
