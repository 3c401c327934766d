package lab

import (
	"context"
	"fmt"

	"macroscope/model/train"
)

// The stages of a training.
const (
	StageFit  = 1 // stage I, the autoencoder
	StageLaw  = 2 // stage II, the law from neighbouring frames
	StageRoll = 3 // the same through long stretches, where the configuration says so
	StageDone = 4
)

// ParticlesRun trains a model in its stages:
//
//	for run.Stage() != StageDone {
//		run.Prepare(…)
//		train.Run(…, run.Trainer(), run.Trainer().Steps(), …)
//		run.Next()
//	}
type ParticlesRun struct {
	Model *ParticlesModel

	src     Source
	workers int
	stage   int
	trainer *train.Trainer
	resume  *resumption
	encoded *lawData // kept from one part of stage II to the next
}

// NewParticlesRun returns a training from the start. The data's shape must be
// the configuration's.
func NewParticlesRun(c ParticlesConfig, src Source, workers int) (*ParticlesRun, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &ParticlesRun{Model: NewParticlesModel(c), src: src, workers: workers, stage: StageFit}
	return r, r.checkShape()
}

func (r *ParticlesRun) checkShape() error {
	s, c := r.src.Shape(), r.Model.Config
	switch {
	case s.Dim != c.Encoder.Dim:
		return fmt.Errorf("the particles have %d coordinates and the model is for %d", s.Dim, c.Encoder.Dim)
	case s.Particles != c.Particles:
		return fmt.Errorf("the trajectories have %d particles and the model trains on %d; use the data that the training began with", s.Particles, c.Particles)
	case s.Trajectories < c.Trajectories && s.Trajectories < c.Law.Trajectories:
		return fmt.Errorf("there are %d trajectories and the model trains on %d; use the data that the training began with", s.Trajectories, min(c.Trajectories, c.Law.Trajectories))
	}
	return nil
}

// Stage returns the stage under way.
func (r *ParticlesRun) Stage() int { return r.stage }

// Trainer returns the present stage's training, nil before Prepare.
func (r *ParticlesRun) Trainer() *train.Trainer { return r.trainer }

// Trajectories returns how many Prepare will read for the present stage.
func (r *ParticlesRun) Trajectories() int {
	n := r.Model.Config.Trajectories
	if r.stage != StageFit {
		n = r.Model.Config.Law.Trajectories
	}
	return min(n, r.src.Shape().Trajectories)
}

// Prepare gets the present stage's data ready and starts its training, or goes
// on where a checkpoint left it. done is told how many trajectories have been
// read, from one goroutine at a time.
func (r *ParticlesRun) Prepare(ctx context.Context, done func(trajectories int)) error {
	m := r.Model
	switch r.stage {
	case StageFit:
		d, err := m.collect(ctx, r.src, r.workers, r.resume != nil, done)
		if err != nil {
			return err
		}
		r.trainer = train.New(m.Config.fitConfig(r.workers), m.Params, func() train.Worker { return m.newFitWorker(d) })
	case StageLaw, StageRoll:
		if r.encoded == nil {
			d, err := m.encode(ctx, r.src, r.workers, done)
			if err != nil {
				return err
			}
			r.encoded = d
		}
		r.trainer = train.New(m.lawTraining(r.stage).trainConfig(r.workers), m.LawParams, func() train.Worker {
			return m.newStageWorker(r.stage, r.encoded)
		})
	default:
		return fmt.Errorf("the training has ended; begin another")
	}
	if r.resume != nil {
		r.resume.apply(r.trainer)
		r.resume = nil
	}
	return nil
}

// lawTraining returns the part of stage II that a stage is.
func (m *ParticlesModel) lawTraining(stage int) LawTraining {
	if stage == StageRoll {
		return m.Config.Law.Roll
	}
	return m.Config.Law.Fit
}

// newStageWorker returns what computes the gradients of a part of stage II.
func (m *ParticlesModel) newStageWorker(stage int, d *lawData) *lawWorker {
	stream := "particles steps"
	if stage == StageRoll {
		stream = "particles stretches"
	}
	return m.newLawWorker(m.lawTraining(stage), stream, d)
}

// Next goes to the next stage.
func (r *ParticlesRun) Next() {
	r.Close()
	r.stage++
	if r.stage == StageRoll && r.Model.Config.Law.Roll.Steps == 0 {
		r.stage++
	}
}

// Close ends the present training's goroutines.
func (r *ParticlesRun) Close() {
	if r.trainer != nil {
		r.trainer.Close()
		r.trainer = nil
	}
}
