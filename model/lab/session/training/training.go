// Package training manages the training of a session. It decides how and when a training begins,
// and on which data. It continues the training step by step, pauses it, and keeps it as a run. A
// change of the settings does not affect the present training; the button Train then begins another
// one.
package training

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/curve"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/learn/train"
	"macroscope/model/system"
	"macroscope/model/system/play"
	"macroscope/model/wire"
)

// pace is the time between two updates of the picture by a running training.
const pace = 500 * time.Millisecond

// Given is the state of the lab on which a training depends. Package training does not change
// it.
type Given struct {
	Lab         *lab.Lab
	Set         *lab.Settings
	Live        system.Live       // plays the system
	Seed        uint64            // seed of the displayed run
	Data        system.Recorded   // the user's trajectories; nil if there are none
	File        any               // identifies the file of Data; nil if there is none
	DataName    string            // name of the file
	Unlike      *measure.Mismatch // how Data move, if the dynamics cannot move so; otherwise nil
	DataComing  bool              // whether the file of a saved session is still being read
	Coded       *model.Model      // model that made the lab's codes; nil if it is not loaded
	A, B        *view.Shown       // the displayed models
	Kept        *runs.Run         // the kept run of model A; nil if A is not kept
	ModelComing bool              // whether the shipped model for the settings is on its way
	Cores       int
	Others      bool // whether the worker also does other work that will end, such as playing the run

	made *runs.Recipe // cached result of Given.Recipe
}

// Training is the training of a session, if there is one. It is not safe for concurrent use.
type Training struct {
	Item  // the present training. Its Live is nil if there is none
	Until Until

	lab     *lab.Lab
	now     func() time.Time
	halted  *Item // the training that the button Train would continue; nil if there is none
	paced   play.Pace
	shown   int          // version of the weights at the last regular update of the picture
	codes   *model.Codes // codes on which dynamics are trained; nil before they are fetched
	waits   bool         // whether the training begins as soon as its data are available
	advised bool         // whether Recommends has said that the command line is faster
}

// New returns the Training of a lab in which no training has begun.
func New(of *lab.Lab, now func() time.Time) *Training {
	return &Training{Until: Until{of, 1000, byMeasure, of.Goal()}, lab: of, now: now}
}

// LacksCodes reports whether codes must still be fetched before the button Train can begin or
// continue a training.
func (t *Training) LacksCodes(g *Given) bool { return t.codes == nil && t.needsCodes(g) }

// needsCodes reports whether the button Train would begin or continue a training on codes.
func (t *Training) needsCodes(g *Given) bool {
	return g.OnCodes() || t.halted != nil && t.halted.OnCodes
}

// NeedsCodes names the file of codes for which the training waits, or returns "" if it waits
// for none.
func (t *Training) NeedsCodes(g *Given) string {
	if t.waits && t.codes == nil && t.needsCodes(g) {
		return t.lab.Codes
	}
	return ""
}

// TakeCodes reads the codes and ends the wait. err is the error of fetching them. If TakeCodes
// returns nil, the training can be started.
func (t *Training) TakeCodes(b []byte, err error) error {
	t.waits = false
	if err == nil {
		t.codes, err = model.ReadCodes(b)
	}
	if err != nil {
		t.To = doc.Place{}
		return fmt.Errorf("the encoded trajectories could not be opened, so no dynamics can be trained here; reload the page, or train with the command line: %w", err)
	}
	return nil
}

// Waits reports whether the training will begin as soon as its data are available.
func (t *Training) Waits() bool { return t.waits }

// Unwait ends the wait for data. It returns whether there was a wait.
func (t *Training) Unwait() (waited bool) {
	waited, t.waits = t.waits, false
	return waited
}

// LoseData is called when the user's data will not arrive. It ends the wait of a training that
// needs them.
func (t *Training) LoseData(g *Given) {
	if !t.needsCodes(g) {
		t.waits = false
	}
}

// Start prepares the start or continuation of a training. If `goes` is true, the caller must call
// Go. If `next` is not nil, the caller must first pass `next` to Put. `goes` is false if the
// training waits for data or is running already.
func (t *Training) Start(g *Given) (next *Item, goes bool, err error) {
	switch {
	case t.Status == wire.Training:
		return nil, false, nil
	case g.DataComing:
		t.waits = true
		return nil, false, nil
	case t.halted != nil:
		t.halted.Status = wire.Training
		next, err = t.Resume(g)
		return next, next != nil, err
	case t.paused(g):
		return nil, true, nil
	case !t.ready(g) || g.Set.From == lab.FromModel && g.ModelComing:
		t.waits = true
		return nil, false, nil
	}
	var first *model.Model
	if g.Set.From == lab.FromModel {
		first = g.A.Weights()
	}
	next, err = t.beginFrom(g, first)
	return next, true, err
}

// paused reports whether the present training is paused and is the one that the settings
// request.
func (t *Training) paused(g *Given) bool {
	return t.Status == wire.Paused && t.IsAsked(g)
}

// Scratch returns a paused training that begins with the seed's initial weights.
func (t *Training) Scratch(g *Given) (*Item, error) {
	n, err := t.beginFrom(g, nil)
	if err == nil {
		n.Status = wire.Paused
	}
	return n, err
}

// beginFrom returns a new training with the weights of model A, `first`, or with the seed's initial
// weights if `first` is nil.
func (t *Training) beginFrom(g *Given, first *model.Model) (*Item, error) {
	live, cannot, err := g.make(t.now, first, t.codes)
	if err != nil {
		return nil, err
	}
	n := &Item{Live: live, Model: lab.Shipped, data: g.data()}
	n.Origin, n.OnCodes, n.By = origin.Origin{Kind: origin.Scratch, Seed: g.seed()}, g.OnCodes(), g.Recipe()
	switch {
	case cannot != nil:
		first, n.Says = nil, fmt.Sprintf("This training begins from scratch, not from the model shown: %v.", cannot)
	case first != nil:
		n.Origin = from(g.A)
	}
	if first == nil && g.Data == nil {
		n.Model = lab.Trained
	}
	if g.Data != nil {
		n.Origin.Data = g.DataName
		n.Says = strings.TrimSpace(n.Says + " " + live.Model.Config.Data.KeptOut.InWords() + " " + g.Unlike.InWords())
	}
	return n, nil
}

// Put makes n the present training. The previous training must have been closed, and the
// settings must be the settings of n.
func (t *Training) Put(n *Item, g *Given) {
	t.Item, t.shown, t.advised = *n, 0, false
	if t.Model = g.Set.Model; !n.OnCodes {
		t.unlike = g.Unlike
	}
}

// Close drops the present training. Its helpers must have been released.
func (t *Training) Close() {
	if t.Live != nil {
		t.Live.Close()
		t.Item = Item{}
	}
}

// Go continues the training.
func (t *Training) Go() { t.Status = wire.Training }

// Stop pauses the training and ends its wait for data.
func (t *Training) Stop() {
	if t.Status == wire.Training {
		t.Status = wire.Paused
	}
	t.To, t.waits = doc.Place{}, false
}

// Trains reports whether the training is running.
func (t *Training) Trains() bool { return t.Status == wire.Training }

// Origin returns the origin of the training's weights.
func (t *Training) Origin() origin.Origin {
	o := t.Item.Origin
	if o.Kind == origin.Scratch && t.Status == wire.Paused && t.Live.Stage() == fit.Autoencoder && t.Live.Step() == 0 {
		o.Kind = origin.Untrained
	}
	return o
}

// Usable reports whether the dynamics in training can predict.
func (t *Training) Usable() bool { return t.Live.Usable() }

// Run returns the training as a run, or nil if there is no training.
func (t *Training) Run() *runs.Run {
	if t.Live == nil {
		return nil
	}
	return &runs.Run{Name: runs.Training, Origin: t.Origin(), Reached: result(&t.Live.Curves), Model: t.Live.Model}
}

// result describes the last result on the validation set.
func result(c *curve.Curves) string {
	switch {
	case !math.IsNaN(c.Coverage.Last()):
		return fmt.Sprintf("%.1f %% of the validation runs in bands of %.0f %%, RMSE %.4f", 100*c.Coverage.Last(), 100*measure.BandShare, c.RMSE.Last())
	case !math.IsNaN(c.MRE.Last()):
		return fmt.Sprintf("validation MRE %.2e", c.MRE.Last())
	case !math.IsNaN(c.KL.Last()):
		return fmt.Sprintf("validation KL %.4f nats", c.KL.Last())
	}
	return ""
}

// Repeats reports whether a link to the present settings repeats the displayed training, so that
// both trainings give the same model.
func (t *Training) Repeats(g *Given) bool {
	shown := g.A != nil && (g.A.Training || g.A.Origin == t.Item.Origin || g.B != nil && g.B.Training)
	return shown && g.Data == nil && !t.Item.Origin.Retargeted && t.IsAsked(g)
}

// Outcome is the result of a piece of training.
type Outcome struct {
	Told    bool // whether the panel must show how far the training has come
	Learned bool // whether the picture must show the new weights
	Whole   bool // whether the prediction must also be computed again with the new weights
	Ended   bool // the training has ended
	Err     error
}

// Work trains until the budget is spent or the training pauses or ends.
func (t *Training) Work(g *Given, began time.Time, budget time.Duration) (out Outcome) {
	t.Live.Shared = g.Others
	for t.Status == wire.Training {
		left := budget - t.now().Sub(began)
		if t.To != (doc.Place{}) {
			left = 0 // do one piece at a time, so that the training pauses exactly there
		}
		o := t.Answered(t.Live.Work(max(0, left)))
		o.Learned, o.Told = o.Learned || out.Learned, o.Told || out.Told
		if out = o; out.Err != nil || t.To == (doc.Place{}) || t.now().Sub(began) >= budget {
			break
		}
	}
	return out
}

// Step trains until a step is complete. If the training has helpers, Step does only one piece of
// work.
func (t *Training) Step() (out Outcome) {
	for was, phase := t.Live.Step(), t.Live.Stage(); t.Live.Step() == was && t.Live.Stage() == phase && t.Status == wire.Training; {
		o := t.Answered(t.Live.Work(0))
		o.Learned, o.Told = o.Learned || out.Learned, o.Told || out.Told
		if out = o; out.Err != nil || out.Ended || t.Live.Pool.Helpers() > 0 {
			break
		}
	}
	return out
}

// Answered handles the end of a piece of training. err is its error or nil.
func (t *Training) Answered(err error) Outcome {
	switch {
	case err != nil:
		var diverged *train.Diverged
		if t.Status = wire.Idle; errors.As(err, &diverged) {
			t.Status = wire.Diverged
			if cause := t.unlike.Cause(); cause != "" {
				err = fmt.Errorf("%w; %s", err, cause)
			}
			err = fmt.Errorf("%w; choose another seed, and train again", err)
		}
		return Outcome{Learned: true, Whole: true, Err: err}
	case t.Live.Stage() == fit.Done:
		t.Status, t.To = wire.Done, doc.Place{}
		return Outcome{Learned: true, Whole: true, Ended: true}
	case t.To != (doc.Place{}) && reached(&t.To, t.Live):
		t.Stop()
		return Outcome{Learned: true, Whole: true}
	}
	out := Outcome{Told: !t.lab.Timed() || t.paced.Due(t.now(), pace)} // a single set is drawn fast enough for every piece
	if v := t.Live.Version(); out.Told && v != t.shown {               // while trajectories are read, no weights change
		out.Learned, t.shown = true, v
	}
	return out
}

// InWords describes the displayed model as the source of a training's weights.
func InWords(v *view.Shown) string { return from(v).From() }

// from returns the origin of the weights of a training that begins with the displayed model.
func from(v *view.Shown) origin.Origin {
	switch {
	case runs.IsShipped(v.Name):
		return origin.Origin{Kind: origin.OnShipped}
	case v.Training: // the present training, which the new one replaces
		return origin.Origin{Kind: origin.OnEarlier}
	}
	return origin.Origin{Kind: origin.OnRun, Name: v.Name}
}

// ready reports whether the data of the next training are available.
func (t *Training) ready(g *Given) bool { return !g.OnCodes() || g.Coded != nil && t.codes != nil }
