package fit

import (
	"fmt"
	"math"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/curve"
	"macroscope/model/learn/estimate"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/learn/train"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

// Live is a Run that trains in short pieces of work, so a page can respond between them. It can take steps
// while trajectories are still being simulated, and it gives work to helpers. It measures the model on
// validation data. It is trained by Work alone. It is not safe for concurrent use.
type Live struct {
	*Run
	Curves curve.Curves // losses and measures so far
	Before float64      // validation MRE of the model that provided the initial weights, measured before stage II; NaN if there is none
	// Shared says whether the worker also does other work for a limited time, such as drawing a run that plays.
	// The estimate of the time left assumes that this work will soon end.
	Shared bool
	Pool   *Pool // gives work to helpers

	now    func() time.Time
	pieces *work.Pieces // the training; nil before the first piece and after the end
	waits  bool         // whether only helpers had work in the last piece
	err    error        // error that ended the training early, or nil

	intake                *intake            // reads the data
	validator             *validator         // measures on the validation data
	estimate              *estimate.Estimate // predicts the time left
	samples, trajectories rate               // the rates in Progress
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
		run.Model.Calibration.Clear()
		run.scaled = true
	}
	l, err := assemble(run, own, nil, now)
	if err == nil && from != nil {
		l.validator.compareWith(from)
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
	copy(run.Model.Weights.Params, m.Weights.Params)
	run.Model.Weights.Decodes = m.Weights.Decodes
	run.Model.Scale = m.Scale.Clone()
	if from != nil {
		if len(from.Weights.DynamicsParams) != len(run.Model.Weights.DynamicsParams) {
			return nil, fmt.Errorf("the dynamics to begin with have %d weights and not %d; begin from scratch", len(from.Weights.DynamicsParams), len(run.Model.Weights.DynamicsParams))
		}
		copy(run.Model.Weights.DynamicsParams, from.Weights.DynamicsParams)
	}
	return assemble(run, nil, codes, now)
}

// assemble returns a training on the encoded trajectories `codes`, or on the run's source if
// `codes` is nil. It begins the present phase, or continues it from a checkpoint.
func assemble(run *Run, own system.Recorded, codes *model.Codes, now func() time.Time) (l *Live, err error) {
	l = &Live{Run: run, Before: math.NaN(), now: now}
	if l.intake, err = newIntake(l, own, codes); err != nil {
		return nil, err
	}
	l.validator = &validator{live: l, validation: l.intake.validation}
	l.Pool = newPool(l)
	l.estimate = estimate.New(works(l), now)
	l.open()
	return l, nil
}

// ResumeLive returns a training that continues from a checkpoint with the same data. If `codes` is
// not nil, the data are the encoded trajectories `codes`. Otherwise the data are the user's
// trajectories `own` or simulated trajectories, as the checkpoint says.
func ResumeLive(systems method.Systems, f *ckpt.File, own system.Recorded, codes *model.Codes, now func() time.Time) (*Live, error) {
	run, err := readRun(systems, f)
	if err != nil {
		return nil, err
	}
	run.workers = 1
	if codes != nil {
		if err := codes.Check(run.Model); err != nil {
			return nil, err
		}
		if run.Phase().Stage == Autoencoder {
			return nil, fmt.Errorf("the checkpoint's training is in stage I, and encoded trajectories are for stage II alone")
		}
		return assemble(run, nil, codes, now)
	}
	c := &run.Model.Config
	if !c.Data.Recorded {
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

// fitting returns the configuration with fewer frames per trajectory or fewer trajectories, if
// the data of stage I would not fit in a tab. If it reduces simulated data, stage I also begins
// before all trajectories are available.
func fitting(c method.Config, sys *system.System, s system.Shape) method.Config {
	const room, warm, fewest = 160 << 20, 24, 8
	if frameBytes(&c, sys, s) <= room {
		return c
	}
	for frameBytes(&c, sys, s) > room && len(c.Data.Frames(sys, s.Frames)) > fewest && c.Data.Thin < method.MaxThin {
		c.Data.Thin++
	}
	c.Data.Trajectories = min(c.Data.Trajectories, s.Trajectories)
	if most := frameBytes(&c, sys, s); most > room {
		c.Data.Trajectories = max(1, int(float64(c.Data.Trajectories)*room/float64(most)))
	}
	if c.Data.Initial == 0 && !c.Data.Recorded {
		c.Data.Initial, c.Data.Every = warm, max(1, c.Steps/2/c.Data.Trajectories)
	}
	return c
}

// open begins the present phase, or continues it from a checkpoint. The phase has no trajectories yet.
func (l *Live) open() {
	l.intake.open()
	var w shardWorker
	if p := l.Phase(); p != nil {
		w = p.loss(l.Model, l.data)
		l.start(func() train.Worker { return timed{l.Pool} })
	}
	l.Pool.opened(w)
	l.validator.opened()
}

// train is the training from the present step to its end.
func (l *Live) train(pause work.Pause) error {
	if err := l.intake.identify(pause); err != nil {
		return err
	}
	l.ready = func() error {
		if err := l.intake.gather(pause); err != nil {
			return err
		}
		return l.validator.measure(pause)
	}
	shards := func(share float64) error {
		l.waits = l.trainer.Waiting() == 0
		return pause(share)
	}
	stepped := func() error {
		l.Pool.params++
		l.validator.stepped()
		return nil
	}
	for l.Stage() != Done {
		if err := l.Train(shards, stepped); err != nil {
			return err
		}
		if v := l.intake.validation; v != nil && l.at == len(l.phases)-1 {
			if err := v.calibrate(pause); err != nil {
				return err
			}
		}
		l.Next()
		l.open()
	}
	return nil
}

// piece does the next piece of the training.
func (l *Live) piece() {
	if l.pieces == nil {
		l.pieces = work.Begin(l.train)
	}
	l.waits = false
	more, err := l.pieces.Next()
	if l.note(err); !more {
		l.pieces = nil
	}
}

// note records the error that ends the training. It keeps the first error.
func (l *Live) note(err error) {
	if l.err == nil {
		l.err = err
	}
}

// Version returns a number that changes whenever the weights in training change.
func (l *Live) Version() int { return l.Pool.params }

// Usable reports whether the dynamics are good enough for predictions: after their first phase,
// or after a measurement in that phase.
func (l *Live) Usable() bool {
	return l.Stage() == Done || l.intake.encoded() && (l.phases[l.at-1].Stage != Autoencoder || !math.IsNaN(l.validator.last()))
}

// Checkpoint returns the model with all state that a training needs to continue from here, on
// the page or on the command line.
func (l *Live) Checkpoint() *ckpt.File {
	if d, ok := l.data.(*frames); ok && !d.scaled { // the training has not begun
		return (&Run{Model: l.Model, phases: l.phases}).Checkpoint()
	}
	return l.Run.Checkpoint()
}

// Items returns the simulated data of the present phase as parts of a saved session. A training
// that continues from the session need not simulate these data again.
func (l *Live) Items() []wire.Part { return l.intake.saved() }

// Restore continues from a saved session, with its curves (nil: there are none) and with the simulated data of
// the present phase. `items` contains the bytes of the parts that Items returned.
func (l *Live) Restore(c *curve.Curves, items [][]byte) {
	if c != nil {
		l.Curves = *c
		l.validator.restored()
	}
	for _, b := range items {
		l.intake.restore(b)
	}
}

// Close ends the training.
func (l *Live) Close() {
	if l.pieces != nil {
		l.pieces.Close()
		l.pieces = nil
	}
	l.Run.Close()
	l.estimate.Close()
}

// Work trains for about the time given as budget. It returns early if only helpers have work, or if
// helpers could get new jobs. An error ends the training. If a loss is no longer finite, the error
// is a *train.Diverged, and the model keeps the weights from before that step.
func (l *Live) Work(budget time.Duration) error {
	began := l.now()
	l.estimate.Resume(began, l.Pool.interrupted())
	for l.err == nil && l.Stage() != Done {
		was := l.Pool.params
		l.piece()
		now := l.now()
		l.samples.look(l.Step()*l.last().Batch, now)
		l.trajectories.look(l.intake.queue.count, now)
		l.estimate.Look(now, l.Pool.interrupted())
		if l.waits || l.Pool.params != was && l.Pool.offers() || l.now().Sub(began) >= budget {
			break
		}
	}
	if l.err == nil && l.Stage() != Done {
		l.estimate.Try()
	}
	return l.err
}

// Measure does a piece of the trial that measures how long the training will take, and reports
// whether there are more pieces. It does not train. If Measure has not completed the trial, Work
// completes it.
func (l *Live) Measure() (more bool) { return l.estimate.Try() }

// Left returns the seconds that the training still takes with the given number of workers. It
// is NaN while this is unknown.
func (l *Live) Left(workers int) float64 {
	l.Pool.SetHelpers(workers - 1)
	return l.estimate.Left()
}

// Measuring reports whether the dynamics are being measured.
func (l *Live) Measuring() bool { return l.validator.busy }
