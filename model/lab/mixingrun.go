package lab

import (
	"context"
	"fmt"

	"macroscope/model/train"
)

// MixingRun trains a model in its stages, StageFit and StageLaw, as a
// ParticlesRun does:
//
//	for run.Stage() != StageDone {
//		run.Prepare(…)
//		train.Run(…, run.Trainer(), run.Trainer().Steps(), …)
//		run.Next()
//	}
type MixingRun struct {
	Model *MixingModel

	src     MixingSource
	workers int
	stage   int
	trainer *train.Trainer
	resume  *resumption
	encoded *lawData // what stage II learns from
}

// NewMixingRun returns a training from the start. The data's shape must be the
// configuration's.
func NewMixingRun(c MixingConfig, src MixingSource, workers int) (*MixingRun, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &MixingRun{Model: NewMixingModel(c), src: src, workers: workers, stage: StageFit}
	return r, r.checkShape()
}

// Another returns a run of stage II alone, of another form of law on what r has
// encoded: it ends with the model that a run from the start would. The share can
// be left out, not put in.
func (r *MixingRun) Another(joint, share bool) (*MixingRun, error) {
	from := r.Model.Config
	if r.encoded == nil || share && !from.Law.Share {
		return nil, fmt.Errorf("the law's variables have not been encoded; begin a training from the start")
	}
	c := from.WithShare(share).WithJoint(joint)
	m := NewMixingModel(c)
	copy(m.Params, r.Model.Params)
	m.Scale = r.Model.Scale.clone()
	d := r.encoded
	if from.Law.Share && !share {
		d = d.without(d.dim - 1)
		m.Scale.Low, m.Scale.High = m.Scale.Low[:d.dim], m.Scale.High[:d.dim]
	}
	return &MixingRun{Model: m, src: r.src, workers: r.workers, stage: StageLaw, encoded: d}, nil
}

func (r *MixingRun) checkShape() error {
	s, c := r.src.Shape(), r.Model.Config
	switch {
	case s.Particles != c.Particles:
		return fmt.Errorf("the trajectories have %d particles and the model trains on %d; use the data that the training began with", s.Particles, c.Particles)
	case s.Trajectories < max(c.Trajectories, c.Law.Trajectories):
		return fmt.Errorf("there are %d trajectories and the model trains on %d; use the data that the training began with", s.Trajectories, max(c.Trajectories, c.Law.Trajectories))
	}
	return nil
}

// Stage returns the stage under way.
func (r *MixingRun) Stage() int { return r.stage }

// Trainer returns the present stage's training, nil before Prepare.
func (r *MixingRun) Trainer() *train.Trainer { return r.trainer }

// Trajectories returns how many Prepare will read for the present stage.
func (r *MixingRun) Trajectories() int {
	if r.stage == StageFit {
		return r.Model.Config.Trajectories
	}
	return r.Model.Config.Law.Trajectories
}

// Prepare gets the present stage's data ready and starts its training, or goes
// on where a checkpoint left it. done is told how many trajectories have been
// read, from one goroutine at a time.
func (r *MixingRun) Prepare(ctx context.Context, done func(trajectories int)) error {
	m := r.Model
	switch r.stage {
	case StageFit:
		d, err := m.collect(ctx, r.src, r.workers, done)
		if err != nil {
			return err
		}
		r.trainer = train.New(m.Config.fitConfig(r.workers), m.Params, func() train.Worker { return m.newFitWorker(d) })
	case StageLaw:
		if r.encoded == nil {
			d, err := m.encode(ctx, r.src, r.workers, done)
			if err != nil {
				return err
			}
			r.encoded = d
		}
		r.trainer = train.New(m.Config.Law.trainConfig(r.workers), m.LawParams, func() train.Worker { return m.newLawWorker(r.encoded) })
	default:
		return fmt.Errorf("the training has ended; begin another")
	}
	if r.resume != nil {
		r.resume.apply(r.trainer)
		r.resume = nil
	}
	return nil
}

// Next goes to the next stage.
func (r *MixingRun) Next() {
	r.Close()
	if r.stage == StageFit {
		r.stage = StageLaw
	} else {
		r.stage = StageDone
	}
}

// Close ends the present training's goroutines.
func (r *MixingRun) Close() {
	if r.trainer != nil {
		r.trainer.Close()
		r.trainer = nil
	}
}
