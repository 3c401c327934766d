package fit

import (
	"fmt"
	"slices"
	"strings"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/learn/train"
	"macroscope/model/system"
	"macroscope/model/work"
)

// Run trains a model in phases:
//
//	for ; run.Stage() != fit.Done; run.Next() {
//		run.Prepare(…)
//		run.Train(…)
//	}
//
// It is not safe for concurrent use.
type Run struct {
	Model *model.Model

	src     system.Source // nil for a system without trajectories
	workers int
	phases  []Phase
	at      int  // index of the present phase
	scaled  bool // whether the model's coordinates have scales
	trainer *train.Trainer
	resume  *resumption
	data    store     // data of the present phase; nil if the phase draws its own sets
	keeps   purpose   // purpose for which data are kept
	best    []float32 // the dynamics of the phase's best try so far; nil: none has ended, or the phase has ended
	fits    float64   // how far the predictions by `best` are from the truth, see choose
	// ready is called before every step and at the end of a phase. It reads what the next step needs and is
	// not in the store yet, and measures the model. It is nil if Prepare reads all data and nothing is measured.
	ready func() error
}

// New returns a training from the start. src is nil for a system of single sets; otherwise it
// must have the shape in the configuration.
func New(c method.Config, sys *system.System, src system.Source, workers int) (*Run, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := &Run{Model: model.New(c, sys), src: src, workers: workers, phases: Phases(&c)}
	return r, r.checkShape()
}

// Source returns the default trajectories on which a configuration is trained. It returns nil
// for a system that simulates none, such as one of single sets.
func Source(c *method.Config, sys *system.System) system.Source {
	if sys.Simulated == nil {
		return nil
	}
	return c.System(sys).Simulated(c.Choice(system.Train, c.Seed, max(c.Data.Trajectories, c.Dynamics.Trajectories)))
}

// SourceOr returns the trajectories for training: the user's trajectories `own` without the ones that are
// kept out, or simulated ones if `own` is nil. For a system of single sets it returns nil.
func SourceOr(c *method.Config, sys *system.System, own system.Recorded) (system.Source, error) {
	switch {
	case own != nil:
		training, _, err := c.Data.KeptOut.Divide(own)
		return training, err
	case c.Data.Recorded:
		return nil, fmt.Errorf("the training uses data of your own; open them again to go on")
	}
	return Source(c, sys), nil
}

func (r *Run) checkShape() error {
	c := &r.Model.Config
	if r.src == nil { // the system draws its own sets
		return nil
	}
	s := r.src.Shape()
	if err := checkStretches(&c.Dynamics, s.Frames); err != nil {
		return err
	}
	if n := len(c.Data.Frames(r.Model.System, s.Frames)); c.Decoder.Step.On() && n < 2 {
		return fmt.Errorf("stage I keeps %d of the %d frames of a trajectory, and the one-step loss compares two; set a lower thin, as -set thin=1", n, s.Frames)
	}
	switch most := max(c.Data.Trajectories, c.Dynamics.Trajectories); {
	case s.Dim != c.Dim():
		return fmt.Errorf("the particles have %d coordinates and the model is for %d", s.Dim, c.Dim())
	case s.Particles != c.Particles:
		return fmt.Errorf("the trajectories have %d particles and the model trains on %d; use the data that the training began with", s.Particles, c.Particles)
	case c.Data.Recorded && s.Trajectories < most:
		out := len(c.Data.KeptOut.Trajectories)
		return fmt.Errorf("there are %d trajectories and the training began with %d or more; use the data that the training began with", s.Trajectories+out, most+out)
	}
	return nil
}

// Phase returns the present phase, or nil after the last phase.
func (r *Run) Phase() *Phase {
	if r.at == len(r.phases) {
		return nil
	}
	return &r.phases[r.at]
}

// Stage returns the stage of the present phase, or Done after the last phase.
func (r *Run) Stage() Stage {
	if p := r.Phase(); p != nil {
		return p.Stage
	}
	return Done
}

// Trainer returns the training of the present phase, or nil before Prepare.
func (r *Run) Trainer() *train.Trainer { return r.trainer }

// Step returns the steps taken in the present phase.
func (r *Run) Step() int {
	if r.trainer == nil {
		return 0
	}
	return r.trainer.Step()
}

// Steps returns the step at which the present phase ends, or 0 before Prepare.
func (r *Run) Steps() int {
	if r.trainer == nil {
		return 0
	}
	if n := r.tries(); n > 1 {
		return n * r.trainer.Schedule().Steps
	}
	return r.trainer.Steps()
}

// tries returns the number of tries of the present phase.
func (r *Run) tries() int {
	if p := r.Phase(); p != nil {
		return p.Tries
	}
	return 1
}

// position returns the steps taken in the present schedule, and the schedule's length.
func (r *Run) position() (step, steps int) {
	switch p := r.Phase(); {
	case r.trainer != nil && p != nil && p.Tries > 1:
		return r.Step(), r.Steps()
	case r.trainer != nil:
		return r.trainer.Step() - r.trainer.CycleStart, r.trainer.Schedule().Steps
	case r.resume != nil:
		return r.resume.step - r.resume.cycleStart, r.resume.schedule.Steps
	case p != nil:
		return 0, p.Config.Schedule.Steps
	}
	return 1, 1
}

// Trajectories returns how many trajectories Prepare will read for the present phase.
func (r *Run) Trajectories() int {
	p := r.Phase()
	if r.src == nil || p == nil || r.data != nil && r.keeps == p.needs.keeps {
		return 0
	}
	return min(p.needs.Trajectories, r.src.Shape().Trajectories)
}

// open allocates the data of the present phase, or keeps the data of the previous phase if they
// are the same. It returns how many trajectories the phase reads.
func (r *Run) open() (trajectories int) {
	if trajectories = r.Trajectories(); trajectories > 0 {
		r.keeps = r.Phase().needs.keeps
		r.data = stores[r.keeps](r.Model, r.src.Shape())
		if d, ok := r.data.(*frames); ok {
			d.scaled = r.scaled
		}
	}
	return trajectories
}

// Prepare reads the data of the present phase and starts its training, or continues it from a
// checkpoint. The pause gets the share of trajectories read so far.
func (r *Run) Prepare(pause work.Pause) error {
	p := r.Phase()
	if p == nil {
		return fmt.Errorf("the training has ended; begin another")
	}
	if n := r.open(); n > 0 {
		if err := readAll(pause, r.data, r.src, n, r.workers); err != nil {
			r.data = nil
			return err
		}
	}
	r.start(func() train.Worker { return bothParts{p.loss(r.Model, r.data)} })
	return nil
}

// Train takes the remaining steps of the present phase. The pause is called before every shard of a step that
// is computed here. `stepped` is called after every step; nil does nothing. An error of either ends the
// training, as does a *train.Diverged: the model then keeps the weights from before that step.
func (r *Run) Train(pause work.Pause, stepped func() error) error {
	for {
		if r.ready != nil {
			if err := r.ready(); err != nil {
				return err
			}
		}
		if r.Step() >= r.trainer.Steps() {
			if more, err := r.choose(pause); !more {
				return err
			}
		}
		if err := r.trainer.Advance(pause); err != nil {
			return err
		}
		if stepped == nil {
			continue
		}
		if err := stepped(); err != nil {
			return err
		}
	}
}

// SetRate changes the learning rate of one phase. Call SetRate before Prepare starts or continues
// this phase. name is the rate's name in the configuration. SetRate changes no other setting.
func (r *Run) SetRate(name, value string) error {
	c := r.Model.Config
	var names []string
	for i := range r.phases {
		names = append(names, r.phases[i].RateName)
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
	r.Model.Config, r.phases = c, Phases(&c)
	if p := r.Phase(); r.resume != nil && p != nil && p.RateName == name {
		r.resume.schedule.Peak = p.Config.Schedule.Peak
	}
	return nil
}

// start begins the present phase's training, or continues it.
func (r *Run) start(newWorker func() train.Worker) {
	p := r.Phase()
	cfg := p.Config
	cfg.Workers, cfg.Matrices = r.workers, r.matrices()
	r.trainer = train.New(cfg, p.params(r.Model), newWorker)
	if r.resume != nil {
		r.resume.apply(r.trainer)
		r.resume = nil
	}
}

// Next goes to the next phase. A training with a single phase keeps its trainer at the end, so
// that its checkpoint can be trained further.
func (r *Run) Next() {
	if len(r.phases) > 1 {
		r.Close()
	}
	r.at++
}

// Calibrate stretches the bands at the end of a training on trajectories `own` of a described system, by those that
// were kept out, if the dynamics have noise.
func (r *Run) Calibrate(pause work.Pause, own system.Recorded) error {
	_, out, err := r.Model.Config.Data.KeptOut.Divide(own)
	if err != nil || out == nil {
		return err
	}
	s := out.Shape()
	v := newValidation(r.Model, s.Trajectories, s.Frames)
	if err := readAll(pause, v.watched, out, s.Trajectories, r.workers); err != nil {
		return err
	}
	return v.calibrate(pause)
}

// Close ends the goroutines of the present training.
func (r *Run) Close() {
	if r.trainer != nil {
		r.trainer.Close()
		if len(r.phases) > 1 {
			r.trainer = nil
		}
	}
}

// purpose is the use for which a trajectory is read.
type purpose uint32

const (
	forFrames     purpose = iota // the frames that stage I keeps
	forStates                    // z, for stage II
	forValidation                // the first frame and the macroscopic variables, to measure predictions
)

// stores lists the constructors of stores, by purpose. A helper makes items with a store that
// contains no trajectories.
var stores = [...]func(m *model.Model, s system.Shape) store{
	forFrames:     func(m *model.Model, s system.Shape) store { return newFrames(m, s) },
	forStates:     func(m *model.Model, s system.Shape) store { return newStates(m, s) },
	forValidation: func(m *model.Model, s system.Shape) store { return newWatched(m, s) },
}

// store keeps the data of trajectories that a training needs, one item per trajectory.
type store interface {
	item() item
	entered(index int) item // the item that was entered with this index
	// ready computes the scales that depend on the trajectories. It is called when the store has
	// all trajectories that the next step of training needs. `there` is the number of trajectories
	// in the store; they are the first ones of the source.
	ready(there int) error
}

// item contains the data of one trajectory, in the form in which a store keeps them.
type item interface {
	// fill makes the item from its trajectory, which it may change.
	fill(t *system.Trajectory, index int, pause work.Pause) error
	// pass writes the complete item to a message, or reads it. ok is false if the message does
	// not contain such an item.
	pass(m *message) (ok bool)
	// enter puts the complete item into the store.
	enter(index int)
}

// readAll reads the first `count` trajectories of a source into a store.
func readAll(pause work.Pause, d store, src system.Source, count, workers int) error {
	err := system.Each(pause, src, count, workers, func(e int, t *system.Trajectory) error {
		it := d.item()
		if err := it.fill(t, e, func(float64) error { return nil }); err != nil {
			return err
		}
		it.enter(e)
		return nil
	})
	if err != nil {
		return err
	}
	return d.ready(count)
}
