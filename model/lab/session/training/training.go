// Package training is the training of a session: what Train begins, on what and when, how it
// goes on step by step, where it pauses and what it leaves behind. How it follows what the
// visitor turns is its Policy.
package training

import (
	"errors"
	"fmt"
	"math"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/train"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/play"
	"macroscope/model/wire"
)

// pace is how often the picture takes the curves and the weights of a training under way.
const pace = 500 * time.Millisecond

// Given is what a training is told of the rest of the lab, to be read.
type Given struct {
	Set         *lab.Settings
	Live        system.Live       // what is played
	Seed        uint64            // of the run on show
	Data        system.Recorded   // trajectories of the visitor's own; nil if there are none
	File        any               // they are of: it tells trainings on them apart; nil if there is none
	DataName    string            // of that file
	DataComing  bool              // that file is still being read, of a saved session
	Coded       *experiment.Model // made the lab's codes; nil before it is there
	A, B        *view.Shown       // the models on show
	Kept        *runs.Run         // A among those that are kept; nil if it is not
	ModelComing bool              // the shipped model of the settings is on its way
	Cores       int

	made *runs.Recipe // see Training.Recipe
}

// Training is the training of a session, if there has been one. It is not safe for
// concurrent use.
type Training struct {
	lab    *lab.Lab
	policy Policy
	now    func() time.Time
	until  until

	live   *fit.Live // nil if there has been none
	coded  bool      // live is of dynamics alone, on codes
	status wire.Status
	trains recipe // it was begun with
	origin string // its weights, in words
	runTo  Place  // where to pause
	paced  play.Pace

	codes   *experiment.Codes // what dynamics are trained on, nil before they are fetched
	waits   bool              // it is to begin as soon as what it needs is there
	halted  *halted           // a training that Train goes on with, nil if there is none
	fitEps  float64           // of a followed target: ε that the model was last trained for to the end
	begun   int               // step at which what is trained last changed
	link    string            // the setting Model of links to it
	shipped float64           // KL of the shipped model over validation sets in nats, 0 before it is known
	expects expectation
}

// recipe is what a training was begun with. Another recipe begins another one.
type recipe struct {
	runs.Recipe
	file any
}

// New returns no training yet, of a lab.
func New(of *lab.Lab, p Policy, now func() time.Time) *Training {
	return &Training{lab: of, policy: p, now: now, until: until{1000, byMeasure, of.Goal()}}
}

// recipe returns what the settings train.
func (t *Training) recipe(g *Given) recipe { return recipe{t.Recipe(g), g.File} }

// needsCodes says whether what is trained next, or goes on, learns from codes.
func (t *Training) needsCodes(g *Given) bool {
	return t.OnCodes(g) || t.halted != nil && t.halted.Coded
}

// NeedsCoded says whether the training waits for the model that made the lab's codes, if
// that is not there.
func (t *Training) NeedsCoded(g *Given) bool { return t.waits && t.OnCodes(g) }

// NeedsCodes names the codes that the training waits for; "" is none.
func (t *Training) NeedsCodes(g *Given) string {
	if t.waits && t.codes == nil && t.needsCodes(g) {
		return t.lab.Codes
	}
	return ""
}

// TakeCodes takes the codes, or the reason why they could not be had. The training then
// waits no more; it can be started where there is no error.
func (t *Training) TakeCodes(b []byte, err error) error {
	t.waits = false
	if err == nil {
		t.codes, err = experiment.ReadCodes(b)
	}
	if err != nil {
		t.runTo = Place{}
		return fmt.Errorf("the encoded trajectories could not be opened, so no dynamics can be trained here; reload the page, or train with the command line: %w", err)
	}
	return nil
}

// HasCodes says whether the codes are there.
func (t *Training) HasCodes() bool { return t.codes != nil }

// Waits says whether the training begins as soon as what it needs is there.
func (t *Training) Waits() bool { return t.waits }

// Wait lets it begin then, and Unwait does not.
func (t *Training) Wait() { t.waits = true }

// Unwait ends the wait for what the training needs, and says whether there was one.
func (t *Training) Unwait() (waited bool) {
	waited, t.waits = t.waits, false
	return waited
}

// LoseData ends the wait for data of the visitor's own that do not come.
func (t *Training) LoseData(g *Given) {
	if !t.Follows() && !t.needsCodes(g) {
		t.waits = false
	}
}

// Next is a training that is ready to take the place of the present one.
type Next struct {
	Live    *fit.Live
	Origin  string
	Model   string    // where the setting Model then says that the model is from; "" leaves it
	Taken   *runs.Run // the run that goes on; nil if none does
	Recalls bool      // the settings are to be those that Taken was trained with
	Forgoes bool      // it takes the place of a shipped model that is on its way

	coded  bool
	status wire.Status
	runTo  Place
	fitEps float64
	trains *recipe // what it was begun with; nil is what the settings train
}

// Start trains, or goes on. goes is false while the training waits for what it needs. A
// next training takes the place of the present one before it goes.
func (t *Training) Start(g *Given) (next *Next, goes bool, err error) {
	if t.status == wire.Training {
		return nil, false, nil
	}
	return t.policy.start(t, g)
}

// begin returns another training of the settings.
func (t *Training) begin(g *Given) (*Next, error) {
	var from *experiment.Model
	origin := fmt.Sprintf("trained here from scratch, seed %d", t.policy.seed(g))
	if g.Set.From == lab.FromModel {
		if g.A == nil {
			return nil, errors.New("the model to begin with is still on its way; wait for it, or begin from scratch")
		}
		from, origin = g.A.Model, fmt.Sprintf("trained on here from %s", setting.Quote(g.A.Name))
	}
	live, err := t.make(g, from, t.codes)
	if err != nil {
		return nil, err
	}
	n := &Next{Live: live, Model: lab.Shipped, coded: t.OnCodes(g)}
	if from == nil && g.Data == nil {
		n.Model = lab.Trained
	}
	if g.Data != nil {
		origin += ", on " + g.DataName
	}
	n.Origin = origin
	return n, nil
}

// Put makes a training the session's, in the place of one that has been closed. The settings
// must be those that it is for.
func (t *Training) Put(n *Next, g *Given) {
	t.live, t.origin, t.trains, t.begun, t.link = n.Live, n.Origin, t.recipe(g), n.Live.Step(), g.Set.Model
	if n.trains != nil {
		t.trains = *n.trains
	}
	t.coded, t.status, t.runTo = n.coded, n.status, n.runTo
	if t.Follows() {
		t.fitEps = n.fitEps
	}
	if e := t.expects.live; e != nil {
		t.live.Expect(e)
	}
}

// Close lets the present training go. Helpers must have been released.
func (t *Training) Close() {
	if t.live != nil {
		t.live.Close()
		t.live, t.status, t.runTo = nil, wire.Idle, Place{}
	}
}

// Go lets the training go on.
func (t *Training) Go() { t.status = wire.Training }

// Stop pauses the training, and waits for nothing more.
func (t *Training) Stop() {
	if t.status == wire.Training {
		t.status = wire.Paused
	}
	t.runTo, t.waits = Place{}, false
}

// Status says what the training is doing.
func (t *Training) Status() wire.Status { return t.status }

// Trains says whether it goes on.
func (t *Training) Trains() bool { return t.status == wire.Training }

// Live returns the training under way, paused or done, to be read; nil if there is none.
func (t *Training) Live() *fit.Live { return t.live }

// Origin says in words where its weights are from.
func (t *Training) Origin() string { return t.origin }

// FitEps is the ε that a model that follows its target was last trained for to the end.
func (t *Training) FitEps() float64 { return t.fitEps }

// SetFitEps says that another model is on show, trained for this ε.
func (t *Training) SetFitEps(eps float64) { t.fitEps = eps }

// Follows says whether the training follows its target: its policy is FollowTarget.
func (t *Training) Follows() bool { return t.policy.follows() }

// Usable says whether the dynamics can predict.
func (t *Training) Usable() bool { return t.live.Usable() }

// Run is the training as one of the runs, nil if there is none.
func (t *Training) Run() *runs.Run {
	if t.live == nil {
		return nil
	}
	return &runs.Run{Name: runs.Training, Origin: t.origin, Reached: t.reached(), Model: t.live.Model()}
}

// reached says what the training was last measured to do on its validation set.
func (t *Training) reached() string {
	c := t.live.Curves()
	switch {
	case !math.IsNaN(c.Coverage.Last()):
		return fmt.Sprintf("%.1f %% of the validation runs in bands of %.0f %%, RMSE %.4f", 100*c.Coverage.Last(), 100*experiment.BandShare, c.RMSE.Last())
	case !math.IsNaN(c.MRE.Last()):
		return fmt.Sprintf("validation MRE %.2e", c.MRE.Last())
	case !math.IsNaN(c.KL.Last()):
		return fmt.Sprintf("validation KL %.4f nats", c.KL.Last())
	}
	return ""
}

// Repeats says whether a link can lead to the model on show: it is what the settings train.
func (t *Training) Repeats(g *Given) bool {
	shown := g.A != nil && (g.A.Training || g.A.Origin == t.origin || g.B != nil && g.B.Training)
	return t.live != nil && shown && (t.Follows() || g.Data == nil && t.recipe(g) == t.trains)
}

// Outcome is what a piece of training has come to.
type Outcome struct {
	Learned bool // the picture is to follow
	Whole   bool // and the prediction too
	Ended   bool // it has been trained to the end
	Err     error
}

// Work trains until the budget is spent, or until the training pauses or ends.
func (t *Training) Work(g *Given, began time.Time, budget time.Duration) (out Outcome) {
	for t.status == wire.Training {
		left := budget - t.now().Sub(began)
		if t.runTo != (Place{}) {
			left = 0 // one piece at a time, so as to stop where it is wanted
		}
		o := t.Answered(g, t.live.Work(max(0, left)))
		o.Learned = o.Learned || out.Learned
		if out = o; out.Err != nil || t.runTo == (Place{}) || t.now().Sub(began) >= budget {
			break
		}
	}
	return out
}

// Step trains until a step has been taken, or until helpers have to.
func (t *Training) Step(g *Given) (out Outcome) {
	for was, phase := t.live.Step(), t.live.Phase(); t.live.Step() == was && t.live.Phase() == phase && t.status == wire.Training; {
		o := t.Answered(g, t.live.Work(0))
		o.Learned = o.Learned || out.Learned
		if out = o; out.Err != nil || out.Ended || t.live.Pool().Helpers() > 0 {
			break
		}
	}
	return out
}

// Answered follows a piece of training, of which err is why it ended.
func (t *Training) Answered(g *Given, err error) Outcome {
	switch {
	case err != nil:
		var diverged *train.Diverged
		if t.status = wire.Idle; errors.As(err, &diverged) {
			t.status = wire.Diverged
			err = fmt.Errorf("%w; %s", err, t.policy.remedy())
		}
		return Outcome{Learned: true, Whole: true, Err: err}
	case t.live.Finished():
		t.status, t.runTo = wire.Done, Place{}
		if t.Follows() {
			t.fitEps = g.Set.Eps
		}
		return Outcome{Learned: true, Whole: true, Ended: true}
	case t.runTo != (Place{}) && t.reachedPlace():
		t.Stop()
		return Outcome{Learned: true, Whole: true}
	}
	return Outcome{Learned: t.Follows() || t.paced.Due(t.now(), pace)}
}

// Now is what the training's clock says.
func (t *Training) Now() time.Time { return t.now() }
