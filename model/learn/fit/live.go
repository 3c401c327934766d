package fit

import (
	"fmt"
	"math"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

// Live drives a Run in short pieces of work between which a page can be answered,
// while its trajectories are still being simulated, and with helpers that compute
// for it. It is not safe for concurrent use.
type Live struct {
	run     *Run // model, phase, and the trainer of the phase
	now     func() time.Time
	failure *failure

	intake *intake // of the data
	gauge  *gauge  // by data for validation, which the intake has read
	pool   *Pool   // takes the steps
	meter  meter
}

// failure is what ended a training before its end, if anything did.
type failure struct{ err error }

// note remembers the first error.
func (f *failure) note(err error) {
	if f.err == nil {
		f.err = err
	}
}

// NewLive returns a training from the start: on simulated trajectories if own is
// nil, and from scratch if from is nil. Otherwise it begins with the weights of
// another model, whose networks it takes over, and is shorter and gentler.
func NewLive(c experiment.Config, sys system.System, own system.Recorded, from *experiment.Model, now func() time.Time) (*Live, error) {
	run, err := begin(c, sys, own, from)
	if err != nil {
		return nil, err
	}
	l, err := assemble(run, own, nil, now)
	if from != nil && err == nil {
		l.intake.scaled = true
	}
	return l, err
}

// begin returns the run of a training from the start, as NewLive has it.
func begin(c experiment.Config, sys system.System, own system.Recorded, from *experiment.Model) (*Run, error) {
	if from != nil {
		var err error
		if c, err = c.Retrained(&from.Config); err != nil {
			return nil, err
		}
	}
	src, err := sourceOr(&c, sys, own)
	if err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if src != nil {
		c = fitting(c, sys, src.Shape())
	}
	if _, err := tabRoom(&c, sys, src); err != nil {
		return nil, err
	}
	run, err := New(c, sys, src, 1)
	if err != nil {
		return nil, err
	}
	if from != nil {
		run.Model.Take(from)
		run.Model.Uncalibrate()
	}
	return run, nil
}

// NewLiveDynamics returns a training of a configuration's dynamics alone, on
// codes that the encoder of a model made, which stays; from scratch, or from the
// dynamics of the model from if that is not nil, whose form the configuration
// must have.
func NewLiveDynamics(c experiment.Config, m, from *experiment.Model, codes *experiment.Codes, now func() time.Time) (*Live, error) {
	if err := codes.Check(m); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	run := &Run{Model: experiment.New(c, m.System), workers: 1, phase: Velocity}
	copy(run.Model.Params, m.Params)
	run.Model.Decodes = m.Decodes
	run.Model.Scale = m.Scale.Clone()
	if from != nil {
		if len(from.DynamicsParams) != len(run.Model.DynamicsParams) {
			return nil, fmt.Errorf("the dynamics to begin with have %d weights and not %d; begin from scratch", len(from.DynamicsParams), len(run.Model.DynamicsParams))
		}
		copy(run.Model.DynamicsParams, from.DynamicsParams)
	}
	return assemble(run, nil, codes, now)
}

// assemble returns a training on the run's source, or on codes where those are not
// nil. It begins the run's phase, or goes on with it where a checkpoint left it.
func assemble(run *Run, own system.Recorded, codes *experiment.Codes, now func() time.Time) (*Live, error) {
	in, err := newIntake(run, own, codes)
	if err != nil {
		return nil, err
	}
	f, g := &failure{}, &gauge{run: run, validation: in.validation}
	pool := newPool(run, f)
	pool.intake, pool.gauge, pool.now, pool.worth = in, g, now, worthSharing
	l := &Live{
		run: run, now: now, failure: f, intake: in, gauge: g, pool: pool,
		meter: meter{run: run, intake: in, gauge: g, pool: pool, rates: usualRates},
	}
	l.open()
	return l, nil
}

// ResumeLive returns a training that goes on from a checkpoint, on the data that
// it began with: the user's own if it is of such, or what it simulates, or codes where
// those are not nil.
func ResumeLive(systems experiment.Systems, f *ckpt.File, own system.Recorded, codes *experiment.Codes, now func() time.Time) (*Live, error) {
	run, err := Read(systems, f)
	if err != nil {
		return nil, err
	}
	run.workers = 1
	if codes != nil {
		if err := codes.Check(run.Model); err != nil {
			return nil, err
		}
		if run.phase == Autoencoder {
			return nil, fmt.Errorf("the checkpoint's training is in stage I, and encoded trajectories are for stage II alone")
		}
		return assemble(run, nil, codes, now)
	}
	c := &run.Model.Config
	if own, err = run.resumeOn(own); err != nil {
		return nil, err
	}
	// Other data than those it began with would make it another training.
	if _, err := tabRoom(c, run.Model.System, run.src); err != nil {
		return nil, err
	}
	if err := run.checkShape(); err != nil {
		return nil, err
	}
	return assemble(run, own, nil, now)
}

// With returns a training that goes on with the weights, the moments and the step
// of this one, of a system of single sets, under another configuration of the
// same networks.
func (l *Live) With(c experiment.Config) (*Live, error) {
	run, err := New(c, l.run.Model.System, nil, 1)
	if err != nil {
		return nil, err
	}
	run.Model.Take(l.run.Model)
	run.resume = resumptionOf(l.run.trainer)
	next, err := assemble(run, nil, nil, l.now)
	if err == nil {
		next.gauge.curves = l.gauge.curves
	}
	return next, err
}

// sourceOr returns the data to train on; nil for a system of single sets.
func sourceOr(c *experiment.Config, sys system.System, own system.Recorded) (system.Source, error) {
	switch {
	case !c.HasDynamics():
		return nil, nil // it draws its sets itself, whatever is on show
	case own != nil:
		return own, nil
	case c.Recorded:
		return nil, fmt.Errorf("the training is of data of your own; open them again to go on")
	}
	return Source(c, sys), nil
}

// resumeOn gives a run of a checkpoint the data that it began with, and returns own if they
// are those.
func (r *Run) resumeOn(own system.Recorded) (system.Recorded, error) {
	if !r.Model.Config.Recorded {
		own = nil // whatever is on show
	}
	var err error
	r.src, err = sourceOr(&r.Model.Config, r.Model.System, own)
	return own, err
}

// fitting returns the configuration with no more data in stage I than a tab has
// room for: fewer frames of a trajectory, or fewer trajectories. Where there were
// too many, a tab had better not wait for the last of them either.
func fitting(c experiment.Config, sys system.System, s system.Shape) experiment.Config {
	const room, warm, fewest = 160 << 20, 24, 8
	if frameBytes(&c, sys, s) <= room {
		return c
	}
	for frameBytes(&c, sys, s) > room && len(c.Frames(sys, s.Frames)) > fewest && c.Thin < experiment.MaxThin {
		c.Thin++
	}
	c.Trajectories = min(c.Trajectories, s.Trajectories)
	if most := frameBytes(&c, sys, s); most > room {
		c.Trajectories = max(1, int(float64(c.Trajectories)*room/float64(most)))
	}
	if c.Initial == 0 && !c.Recorded {
		c.Initial, c.Every = warm, max(1, c.Steps/2/c.Trajectories)
	}
	return c
}

// open begins the run's phase, or goes on with it where a checkpoint left it.
// Its data are read by Work.
func (l *Live) open() {
	w := l.intake.open()
	if w != nil {
		l.run.start(func() shardWorker { return w })
	}
	l.pool.opened(w)
}

// Pool shares the work with helpers.
func (l *Live) Pool() *Pool { return l.pool }

// Model is the model that is being trained. It changes with every step.
func (l *Live) Model() *experiment.Model { return l.run.Model }

// Phase returns the phase under way.
func (l *Live) Phase() Phase { return l.run.phase }

// Step returns the steps taken in the present phase.
func (l *Live) Step() int { return l.run.step() }

// Steps returns the step at which the present phase ends.
func (l *Live) Steps() int {
	if l.run.trainer == nil {
		return 0
	}
	return l.run.trainer.Steps()
}

// Usable says whether the dynamics have been trained enough to predict with.
func (l *Live) Usable() bool {
	switch l.run.phase {
	case Autoencoder:
		return false
	case Velocity:
		return l.intake.coded && !math.IsNaN(l.gauge.last())
	}
	return l.intake.coded || l.Finished()
}

// Finished says whether all phases have ended.
func (l *Live) Finished() bool { return l.run.phase == Done }

// Curves are the losses and the measures so far.
func (l *Live) Curves() *Curves { return &l.gauge.curves }

// Checkpoint returns the model with all that a training, here or of the command
// line, needs to go on from here.
func (l *Live) Checkpoint() *ckpt.File {
	if l.run.phase == Autoencoder && !l.intake.scaled && l.run.src != nil { // not begun
		return (&Run{Model: l.run.Model, phase: Autoencoder}).Checkpoint()
	}
	return l.run.Checkpoint()
}

// Close ends the training.
func (l *Live) Close() {
	l.run.Close()
	l.intake.close()
}

// Work trains for about budget. While only helpers have something to do, or when
// they could have more, it returns early. An error ends the training; that of a
// loss that is no longer finite is a *train.Diverged, and the weights from before
// are kept.
func (l *Live) Work(budget time.Duration) error {
	for began := l.now(); l.failure.err == nil && !l.Finished(); {
		worked, helpersWait := l.advance()
		l.meter.look(l.now())
		if !worked || helpersWait || l.now().Sub(began) >= budget {
			break
		}
	}
	return l.failure.err
}

// advance does a short piece of work, if there is any for this worker at present.
// helpersWait says that helpers could have new jobs now.
func (l *Live) advance() (worked, helpersWait bool) {
	if worked, err := l.intake.work(); worked {
		l.failure.note(err)
		return true, false
	}
	ready, err := l.intake.ready()
	if l.failure.note(err); !ready {
		return false, false
	}
	if l.gauge.work() {
		return true, false
	}
	if tr := l.run.trainer; tr.Step() >= tr.Steps() {
		l.nextPhase()
		return true, true
	}
	return l.pool.work()
}

// Restart begins another schedule of so many steps, with a peak rate that is a
// share of the configuration's, at the present step and from the weights at hand,
// whatever had ended the training; it is for a system of single sets, whose target
// has changed.
func (l *Live) Restart(steps int, share float64) {
	s := l.run.Model.Config.FitConfig(1).Schedule
	s.Peak, s.Steps = s.Peak*share, steps
	l.failure.err, l.run.phase = nil, Autoencoder
	l.run.trainer.Restart(s)
}

// FirstCycle says whether the schedule is the one that the training began with.
func (l *Live) FirstCycle() bool { return l.run.trainer == nil || l.run.trainer.CycleStart == 0 }

// Expect takes over what an estimate of this training, or of one like it, has measured,
// unless the training itself has told more.
func (l *Live) Expect(e *Estimate) {
	if l.meter.measured == 0 && !math.IsNaN(e.Left(1)) {
		l.meter.rates, l.meter.speed = e.meter.rates, usualShare
	}
}

// Measuring says whether the dynamics are being measured, and on how many
// trajectories.
func (l *Live) Measuring() (trajectories int, ok bool) { return l.gauge.measuring() }

// RestoreCurves makes the curves those of a saved session.
func (l *Live) RestoreCurves(c Curves) { l.gauge.restore(c) }

// Progress says how far the training is.
func (l *Live) Progress() Progress { return l.meter.progress() }

func (l *Live) nextPhase() {
	l.run.Next()
	l.gauge.nextPhase()
	if l.run.phase == Done && l.run.src == nil && l.intake.states == nil {
		return // a sampler's training may be restarted
	}
	l.open()
}
