package fit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Live executes a Run in short pieces of work, so a page can respond between them. It can begin
// while trajectories are still being simulated, and it gives work to helpers. It is not safe
// for concurrent use.
type Live struct {
	run *Run // model, phases and the trainer of the present phase
	now func() time.Time

	intake    *intake    // reads the data
	validator *validator // measures on the validation data
	pool      *Pool      // takes the steps
	estimate  *estimate  // predicts the time left
}

// NewLive returns a new training on the user's trajectories `own`, or on simulated trajectories if
// `own` is nil. If the model `from` is not nil, the training starts from the networks and weights
// of this model, with fewer steps and a lower rate than c says.
func NewLive(c method.Config, sys *system.System, own system.Recorded, from *model.Model, now func() time.Time) (*Live, error) {
	if from != nil {
		var err error
		if c, err = c.Retrained(&from.Config); err != nil {
			return nil, err
		}
	}
	src, err := SourceOr(&c, sys, own)
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
		run.scaled = true
	}
	l, err := assemble(run, own, nil, now)
	if err == nil && from != nil {
		l.CompareWith(from)
	}
	return l, err
}

// NewLiveDynamics returns a training of only the dynamics of c, on the encoded trajectories
// `codes`. The encoder is the encoder of m, and does not change. If the model `from` is not nil,
// the training starts from the dynamics of `from`. They must have the form that c requires.
func NewLiveDynamics(c method.Config, m, from *model.Model, codes *model.Codes, now func() time.Time) (*Live, error) {
	if c.Tunable() {
		return nil, fmt.Errorf("the dynamics of a tunable model are not trained alone; train everything")
	}
	if err := codes.Check(m); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	run := &Run{Model: model.New(c, m.System), workers: 1, phases: Phases(&c), at: 1}
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

// StandIn returns a few encoded trajectories for a model. All their values are 0. A training on
// them takes as long per step as a training on the real trajectories. The duration can therefore be
// measured before the real trajectories are available.
func StandIn(m *model.Model) *model.Codes {
	c := &m.Config
	k := &model.Codes{
		Trajectories: 2 + ValidationCount, Frames: Source(c, m.System).Shape().Frames, Variables: c.States(),
		Validation: ValidationCount, Low: m.Scale.Low, High: m.Scale.High,
	}
	k.Z = make([]float32, k.Trajectories*k.Frames*k.Variables)
	return k
}

// assemble returns a training on the encoded trajectories `codes`, or on the run's source if
// `codes` is nil. It begins the present phase, or continues it from a checkpoint.
func assemble(run *Run, own system.Recorded, codes *model.Codes, now func() time.Time) (*Live, error) {
	in, err := newIntake(run, own, codes)
	if err != nil {
		return nil, err
	}
	v := &validator{run: run, validation: in.validation, before: math.NaN()}
	pool := newPool(run)
	pool.intake, pool.validator, pool.now, pool.worth = in, v, now, worthSharing
	l := &Live{run: run, now: now, intake: in, validator: v, pool: pool}
	l.estimate = newEstimate(l)
	l.open()
	return l, nil
}

// ResumeLive returns a training that continues from a checkpoint with the same data. If `codes` is
// not nil, the data are the encoded trajectories `codes`. Otherwise the data are the user's
// trajectories `own` or simulated trajectories, as the checkpoint says.
func ResumeLive(systems method.Systems, f *ckpt.File, own system.Recorded, codes *model.Codes, now func() time.Time) (*Live, error) {
	run, err := Read(systems, f)
	if err != nil {
		return nil, err
	}
	run.workers = 1
	if codes != nil {
		if err := codes.Check(run.Model); err != nil {
			return nil, err
		}
		if run.Current().Stage == Autoencoder {
			return nil, fmt.Errorf("the checkpoint's training is in stage I, and encoded trajectories are for stage II alone")
		}
		return assemble(run, nil, codes, now)
	}
	c := &run.Model.Config
	if !c.Recorded {
		own = nil // the training is on simulations, even if the user's trajectories are displayed
	}
	if run.src, err = SourceOr(c, run.Model.System, own); err != nil {
		return nil, err
	}
	// If the data do not fit in a tab, this is an error. NewLive reduces them instead, but a
	// continued training needs the same data.
	if _, err := tabRoom(c, run.Model.System, run.src); err != nil {
		return nil, err
	}
	if err := run.checkShape(); err != nil {
		return nil, err
	}
	return assemble(run, own, nil, now)
}

// With returns a training with the configuration c. It continues from the weights, moments
// and step of l. The configurations of both trainings must have the same networks. The method With
// works only for systems of single sets.
func (l *Live) With(c method.Config) (*Live, error) {
	run, err := New(c, l.run.Model.System, nil, 1)
	if err != nil {
		return nil, err
	}
	run.Model.Take(l.run.Model)
	run.resume = resumptionOf(l.run.trainer)
	next, err := assemble(run, nil, nil, l.now)
	if err == nil {
		next.validator.curves = l.validator.curves
	}
	return next, err
}

// fitting returns the configuration with fewer frames per trajectory or fewer trajectories, if
// the data of stage I would not fit in a tab. If it reduces simulated data, stage I also begins
// before all trajectories are available.
func fitting(c method.Config, sys *system.System, s system.Shape) method.Config {
	const room, warm, fewest = 160 << 20, 24, 8
	if frameBytes(&c, sys, s) <= room {
		return c
	}
	for frameBytes(&c, sys, s) > room && len(c.Frames(sys, s.Frames)) > fewest && c.Thin < method.MaxThin {
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

// open begins the run's phase, or continues it from a checkpoint. Work reads the phase's data.
func (l *Live) open() {
	w := l.intake.open()
	if w != nil {
		l.run.start(func() shardWorker { return w })
	}
	l.pool.opened(w)
	l.validator.opened()
}

// Pool returns the pool that gives work to helpers.
func (l *Live) Pool() *Pool { return l.pool }

// Model returns the model in training. It changes with every step.
func (l *Live) Model() *model.Model { return l.run.Model }

// Version returns a number that changes whenever the weights in training change.
func (l *Live) Version() int { return l.pool.params }

// Phase returns the number of the current phase.
func (l *Live) Phase() Stage { return l.run.Phase() }

// Step returns the steps taken in the present phase.
func (l *Live) Step() int { return l.run.step() }

// Steps returns the step at which the present phase ends.
func (l *Live) Steps() int {
	if l.run.trainer == nil {
		return 0
	}
	return l.run.trainer.Steps()
}

// Usable reports whether the dynamics are good enough for predictions: after their first phase,
// or after a measurement in that phase.
func (l *Live) Usable() bool {
	r := l.run
	return l.Finished() || l.intake.encoded() && (r.phases[r.at-1].Stage != Autoencoder || !math.IsNaN(l.validator.last()))
}

// CompareWith measures the model that provided the initial weights. Live.Before returns the result
// of this measurement. If the measurement has already begun or ended, CompareWith does nothing.
func (l *Live) CompareWith(from *model.Model) {
	if v := l.validator; v.start == nil && math.IsNaN(v.before) {
		v.compareWith(from)
	}
}

// Before returns the validation MRE of the model that provided the initial weights. It is
// NaN if there is no such model, or if the MRE has not been measured yet.
func (l *Live) Before() float64 { return l.validator.before }

// Improved reports whether the validation MRE has fallen to the initial model's validation MRE (see
// Before). Both are measured on the same trajectories. After the end of the training, Improved
// always returns true.
func (l *Live) Improved() bool { return l.Finished() || l.validator.curves.MRE.Last() <= l.Before() }

// Finished reports whether all phases have ended.
func (l *Live) Finished() bool { return l.run.Current() == nil }

// Curves returns the losses and the measures so far.
func (l *Live) Curves() *Curves { return &l.validator.curves }

// Checkpoint returns the model with all state that a training needs to continue from here, on
// the page or on the command line.
func (l *Live) Checkpoint() *ckpt.File {
	r := l.run
	if d, ok := r.data.(*frames); ok && !d.scaled { // the training has not begun
		return (&Run{Model: r.Model, phases: r.phases}).Checkpoint()
	}
	return l.run.Checkpoint()
}

// Items returns the simulated data of the present phase as parts of a saved session. A training
// that continues from the session need not simulate these data again.
func (l *Live) Items() []wire.Part { return l.intake.saved() }

// RestoreItems puts simulated data back into a resumed training. `items` contains the bytes of the
// parts that Items returned.
func (l *Live) RestoreItems(items [][]byte) {
	for _, b := range items {
		l.intake.restore(b)
	}
}

// Close ends the training.
func (l *Live) Close() {
	l.run.Close()
	l.intake.close()
	l.validator.close()
	l.estimate.close()
}

// Work trains for about the time given as budget. It returns early if only helpers have work, or if
// helpers could get new jobs. An error ends the training. If a loss is no longer finite, the error
// is a *train.Diverged, and the model keeps the weights from before that step.
func (l *Live) Work(budget time.Duration) error {
	began := l.now()
	l.estimate.resume(began)
	for l.run.err == nil && !l.Finished() {
		worked, helpersWait := l.advance()
		l.estimate.look(l.now())
		if !worked || helpersWait || l.now().Sub(began) >= budget {
			break
		}
	}
	if l.run.err == nil && !l.Finished() {
		l.estimate.try(math.MaxInt64)
	}
	return l.run.err
}

// advance does a short piece of work, if this worker has any at present. helpersWait is true if
// helpers could get new jobs now.
func (l *Live) advance() (worked, helpersWait bool) {
	if worked, err := l.intake.work(); worked {
		l.run.note(err)
		return true, false
	}
	ready, err := l.intake.ready()
	if l.run.note(err); !ready {
		return false, false
	}
	if l.validator.work() {
		return true, false
	}
	if tr := l.run.trainer; tr.Step() >= tr.Steps() {
		l.nextPhase()
		return true, true
	}
	return l.pool.work()
}

// Restart begins a new schedule from the present step and weights, even after an error. The
// schedule has the given number of steps. Its largest rate is the given share of the
// configuration's rate. Call Restart after a change of the target, for systems of single sets only.
func (l *Live) Restart(steps int, share float64) {
	l.run.err, l.run.at = nil, 0
	s := l.run.Current().Training.Schedule
	s.Peak, s.Steps = s.Peak*share, steps
	l.run.trainer.Restart(s)
	l.estimate.shown = 0
}

// FirstCycle reports whether the training still follows its first schedule, which the
// configuration provides for new weights.
func (l *Live) FirstCycle() bool {
	tr := l.run.trainer
	return tr == nil || tr.CycleStart == 0 && tr.Schedule() == l.run.phases[0].Training.Schedule
}

// Measure does a piece of the trial that measures how long the training will take, and reports
// whether there are more pieces. It does nothing if the next piece is expected to take longer than
// the given time. It does not train. If Measure has not completed the trial, Work completes it.
func (l *Live) Measure(most time.Duration) (more bool) { return l.estimate.try(most) }

// Tried reports whether the trial has ended.
func (l *Live) Tried() bool { return l.estimate.tried == len(l.estimate.costs) }

// Left returns the seconds that the training still takes with the given number of workers. It
// is NaN while this is unknown.
func (l *Live) Left(workers int) float64 {
	l.pool.SetHelpers(workers - 1)
	return l.estimate.left()
}

// Share says whether the worker also does other work for a limited time, such as drawing a run that
// plays. The estimate of the time left assumes that this work will soon end.
func (l *Live) Share(others bool) { l.estimate.shared = others }

// Expect copies the results of Measure from another training. The two trainings must have equal
// phases and settings, otherwise Expect does nothing. Only these settings may differ: ε, the seed,
// the number of steps of stage I, and the numbers of trajectories.
func (l *Live) Expect(of *Live) {
	if a, b := l.estimate, of.estimate; b.known && len(a.costs) == len(b.costs) && like(l.run) == like(of.run) {
		a.know(b.costs)
	}
}

// The function `like` returns the settings that determine the duration of a step. For a training of
// only the dynamics, these are only the settings of the dynamics.
func like(r *Run) string {
	of := r.Model.Config
	of.Decoder.Eps, of.Steps, of.Trajectories, of.Dynamics.Trajectories = 1, 0, 0, 0
	of.KeptOut = method.KeptOut{}
	if r.at == 0 {
		return of.Settings()
	}
	lines := strings.Split(of.Settings(), "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return !strings.HasPrefix(line, "law.") }), "\n")
}

// Measuring reports whether the dynamics are being measured, and on how many trajectories.
func (l *Live) Measuring() (trajectories int, ok bool) { return l.validator.measuring() }

// RestoreCurves replaces the curves by the curves of a saved session.
func (l *Live) RestoreCurves(c Curves) { l.validator.restore(c) }

func (l *Live) nextPhase() {
	l.run.Next()
	if len(l.run.phases) > 1 { // the phase of a system of single sets stays open, so that Restart can continue it
		l.open()
	}
}
