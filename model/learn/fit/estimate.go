package fit

import (
	"macroscope/model/learn/estimate"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/work"
)

// The kinds of work in a training (see estimate.Work).
const (
	reads  = iota // trajectories that are simulated or read, and turned into items
	steps         // optimiser steps
	checks        // frames that validations predict
)

// works lists the works of a training.
func works(l *Live) (all []estimate.Work) {
	read := tryRead(l.Run)
	for i := range l.phases {
		p := &l.phases[i]
		if l.src == nil && i < l.at {
			continue // a training on encoded trajectories does none of the earlier phases
		}
		// add adds a work of this phase. The function `now` counts its units during the phase.
		add := func(w estimate.Work, units int, now func() (done, all int)) {
			w.Amount = func() (float64, float64) {
				switch {
				case i < l.at:
					return float64(units), float64(units)
				case i > l.at:
					return 0, float64(units)
				}
				done, all := now()
				return float64(done), float64(all)
			}
			all = append(all, w)
		}
		if kept := i > 0 && i != l.at && p.needs.keeps == l.phases[i-1].needs.keeps; l.src != nil && !kept {
			n := min(p.needs.Trajectories, l.src.Shape().Trajectories)
			if p.Stage != Autoencoder {
				n += len(l.intake.validation.first)
			}
			add(estimate.Work{Kind: reads, Try: read(p), Continues: true, Wall: l.Pool.shared}, n, func() (int, int) { return l.intake.queue.count, n })
		}
		add(estimate.Work{Kind: steps, Secs: 1, Try: tryShard(l.Model, p), Pieces: float64(p.Config.Shards), Wall: l.Pool.sharedStep}, p.Tries*p.Config.Schedule.Steps, l.position)
		if p.Stage != Autoencoder {
			n := measurements * l.intake.validation.frames
			add(estimate.Work{Kind: checks, Try: tryCheck(l.Model, l.intake.validation), Pieces: 1, Wall: alone}, n, func() (int, int) { return min(n, l.validator.frames), n })
		}
	}
	return all
}

// alone is the time of work that is not shared with helpers.
func alone(secs float64) float64 { return secs }

// tryRead returns trials for the phases of a training. They read a trajectory and make the phase's item from
// it. All trials together read the trajectory only once.
func tryRead(r *Run) func(p *Phase) func(work.Pause) error {
	t, whole := new(system.Trajectory), false
	return func(p *Phase) func(work.Pause) error {
		return func(pause work.Pause) error {
			if !whole {
				if err := r.src.Make(t, 0, pause); err != nil {
					return err
				}
				whole = true
			}
			return stores[p.needs.keeps](r.Model, system.Shape{Frames: r.src.Shape().Frames}).item().fill(t, 0, pause)
		}
	}
}

// tryShard returns a trial that computes the gradient of a phase's shard again and again.
func tryShard(m *model.Model, p *Phase) func(work.Pause) error {
	return func(pause work.Pause) error {
		params := p.params(m)
		w, grads := p.loss(m, nil), make([]float32, len(params))
		w.invent()
		for {
			w.gradient(params, grads)
			if err := pause(0); err != nil {
				return err
			}
		}
	}
}

// tryCheck returns a trial that predicts the frames of a validation like `of`.
func tryCheck(m *model.Model, of *validation) func(work.Pause) error {
	return func(pause work.Pause) error {
		v := newValidation(m, len(of.first), of.frames)
		v.given = measure.NewGiven(v.model, len(v.first), v.frames)
		_, err := v.measure(pause)
		return err
	}
}
