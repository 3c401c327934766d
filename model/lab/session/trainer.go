package session

import (
	"errors"
	"fmt"
	"math"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/session/intake"
	"macroscope/model/lab/session/plan"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/train"
	"macroscope/model/setting"
	"macroscope/model/system/play"
	"macroscope/model/wire"
)

// livePace is how often the picture takes the curves and the weights of a
// training under way, and dynamicsPace how often the prediction and ẑ through time
// are worked out anew with them, which in a tab takes about half a second. What
// moves is drawn as often as it moves; these are for what is drawn for the
// training's sake alone.
const (
	livePace     = 500 * time.Millisecond
	dynamicsPace = 6 * time.Second
)

type pace struct{ play.Pace }

func (p *pace) due(now time.Time, period time.Duration) bool { return p.Due(now, period) }

// recipe is what a training was begun with. Another recipe begins another one.
type recipe struct {
	runs.Recipe
	data *intake.File
}

// place is where a training pauses: at a step of a phase or, where of says which, as
// soon as a figure of the training is no higher than most; byMeasure that is not the
// one of this step. The zero place is none.
type place struct {
	phase, step int
	of          string // byLoss or byMeasure
	most        float64
}

// trainer is the training of a session, if there has been one.
type trainer struct {
	s      *Session
	live   *fit.Live // nil if there has been none
	coded  bool      // live is of dynamics alone, on codes
	status wire.Status
	trains recipe // it was begun with
	origin string // its weights, in words
	runTo  place  // where to pause
	paced  pace   // at which the picture takes its weights and curves

	codes  *experiment.Codes // what dynamics are trained on, nil before they are fetched
	eager  bool              // training is to begin as soon as what it needs is there
	halted *halted           // a training that Train goes on with, nil if there is none
	fitEps float64           // of a sampler: that the model was last trained for to the end
	begun  int               // step at which what is trained last changed
	link   string            // the setting Model of links to it
	// shippedKL is what a sampler's shipped model has over validation sets, in nats.
	shippedKL float64

	helpers []helperJobs
	of      *fit.Pool // that the helpers work for, nil if they work for none
	expects expectation
}

// plan is what Train would begin.
func (t *trainer) plan() *plan.Plan {
	s := t.s
	p := &plan.Plan{Lab: &s.lab, Settings: &s.settings, Live: s.live, Data: s.own.recorded(), Coded: s.library.coded(), Codes: t.codes, Seed: s.settings.Seed, Now: s.now}
	if s.lab.IsSampler() { // whose sets and weights have one seed
		p.Seed = s.run.seed()
	}
	return p
}

// recipe returns what the settings train.
func (t *trainer) recipe() recipe { return recipe{t.plan().Recipe(), t.s.own.data} }

// needsCodes says whether what is trained next, or goes on, learns from codes.
func (t *trainer) needsCodes() bool { return t.plan().OnCodes() || t.halted != nil && t.halted.Coded }

// train starts training, or goes on. What it trains on is fetched first.
func (t *trainer) train() error {
	switch {
	case t.status == wire.Training:
		return nil
	case t.s.lab.IsSampler():
		return follower{t}.follow()
	case t.s.own.reading != nil && t.s.own.reading.restores:
		t.eager = true // until the visitor's trajectories are there again
		return nil
	case t.halted != nil:
		t.halted.status = wire.Training
		return t.resume()
	case t.status == wire.Paused && t.recipe() == t.trains && t.live != nil:
		t.goOn()
		return nil
	case !t.plan().Ready():
		return t.fetch()
	}
	return t.begin()
}

// fetch asks for what dynamics are trained on, and trains as soon as it is there.
func (t *trainer) fetch() error {
	t.eager = true
	t.s.stateStale = true
	return nil
}

// begin starts another training.
func (t *trainer) begin() error {
	s := t.s
	var from *experiment.Model
	origin := fmt.Sprintf("trained here from scratch, seed %d", t.plan().Seed)
	if s.settings.From == lab.FromModel {
		if s.display.a == nil {
			return errors.New("the model to begin with is still on its way; wait for it, or begin from scratch")
		}
		from, origin = s.display.a.Model, fmt.Sprintf("trained on here from %s", setting.Quote(s.display.a.Name))
	}
	live, err := t.plan().Begin(from)
	if err != nil {
		return err
	}
	s.settings.Model = lab.Shipped
	if from == nil && s.own.data == nil {
		s.settings.Model = lab.Trained
	}
	if s.own.data != nil {
		origin += ", on " + s.own.data.Name
	}
	t.end()
	t.coded = t.plan().OnCodes()
	return t.take(live, origin)
}

// halted is a training that can go on: of a run, of a file, or of a saved session
// that waits for its data.
type halted struct {
	runs.Run
	file   *ckpt.File
	curves *fit.Curves
	inList bool // the run is among those that are kept
	onShow bool // it was model A
	status wire.Status
	runTo  place
}

// halt lets Train go on with the training of a run that is kept.
func (t *trainer) halt(r *runs.Run) error {
	f, curves, err := r.Training()
	if err == nil {
		t.halted = &halted{Run: *r, file: f, curves: curves, inList: true, status: wire.Paused}
	}
	return err
}

// resume goes on with the training that was halted.
func (t *trainer) resume() error {
	h := t.halted
	var codes *experiment.Codes
	if t.s.lab.Codes != "" && h.Coded {
		if t.codes == nil {
			return t.fetch()
		}
		codes = t.codes
	}
	live, err := fit.ResumeLive(t.s.lab.Systems(), h.file, t.s.own.recorded(), codes, t.s.now)
	if err != nil {
		return fmt.Errorf("the training cannot go on: %w", err)
	}
	t.halted = nil
	if h.inList {
		t.s.library.takeUp(&h.Run)
	}
	origin := h.Origin
	if origin == "" || h.inList && h.Recipe == (runs.Recipe{}) {
		origin = "trained on here from a checkpoint"
	}
	if h.curves != nil {
		live.RestoreCurves(*h.curves)
	}
	t.end()
	t.coded = codes != nil
	if err := t.take(live, origin); err != nil {
		return err
	}
	t.status, t.runTo = h.status, h.runTo
	return nil
}

// take makes a training the session's, its model the one on show, and lets it go
// on.
func (t *trainer) take(live *fit.Live, origin string) error {
	t.adopt(live, origin)
	if t.s.instead { // of the model that was on its way
		t.s.wantsShipped, t.s.instead = false, false
	}
	d := &t.s.display
	beside := t.s.traits.Stochastic && d.a != nil && !d.a.Training // so that two ensembles can be compared
	if err := d.choose(runs.Training, beside); err != nil {
		return err
	}
	t.goOn()
	return nil
}

// adopt makes a training the session's.
func (t *trainer) adopt(live *fit.Live, origin string) {
	t.end()
	t.live, t.origin, t.trains, t.begun, t.link = live, origin, t.recipe(), live.Step(), t.s.settings.Model
	if e := t.expects.live; e != nil {
		live.Expect(e)
	}
}

// end lets the present training go, which becomes one of the runs.
func (t *trainer) end() {
	t.setAside()
	t.close()
}

// close lets the present training go.
func (t *trainer) close() {
	if t.live == nil {
		return
	}
	desk{t}.release()
	t.live.Close()
	t.live, t.status, t.runTo = nil, wire.Idle, place{}
	if d := &t.s.display; d.b != nil && d.b.Training {
		d.b = nil
	}
}

func (t *trainer) goOn() {
	t.status = wire.Training
	t.s.stateStale, t.s.frameStale = true, true
}

// stop pauses the training.
func (t *trainer) stop() {
	if t.status == wire.Training {
		t.status = wire.Paused
	}
	t.runTo, t.eager = place{}, false
	t.s.changed()
}

// run is the training as one of the runs, nil if there is none.
func (t *trainer) run() *runs.Run {
	if t.live == nil {
		return nil
	}
	return &runs.Run{Name: runs.Training, Origin: t.origin, Reached: t.reached(), Model: t.live.Model()}
}

// reached says what the training was last measured to do on its validation set.
func (t *trainer) reached() string {
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

// repeatable says whether a link can lead to the model on show: it is what the
// settings train.
func (t *trainer) repeatable() bool {
	a, b := t.s.display.a, t.s.display.b
	shown := a != nil && (a.Training || a.Origin == t.origin || b != nil && b.Training)
	return t.live != nil && shown && (t.s.lab.IsSampler() || t.s.own.data == nil && t.recipe() == t.trains)
}

// work trains until the budget is spent.
func (t *trainer) work(began time.Time, budget time.Duration) *wire.Notice {
	if t.status != wire.Training {
		return nil
	}
	for {
		left := budget - t.s.now().Sub(began)
		if t.runTo != (place{}) {
			left = 0 // one piece at a time, so as to stop where it is wanted
		}
		if n := t.after(t.live.Work(max(0, left))); n != nil || t.status != wire.Training {
			return n
		}
		if t.runTo == (place{}) || t.s.now().Sub(began) >= budget {
			return nil
		}
	}
}

// after follows every piece of training.
func (t *trainer) after(err error) *wire.Notice {
	switch {
	case err != nil:
		var diverged *train.Diverged
		if t.status = wire.Idle; errors.As(err, &diverged) {
			t.status = wire.Diverged
			remedy := "choose another seed for the training, and train again"
			if t.s.lab.IsSampler() {
				remedy = "Train goes on more slowly, and New seed begins again"
			}
			err = fmt.Errorf("%w; %s", err, remedy)
		}
		t.refresh(true)
		return failure(err)
	case t.live.Finished():
		t.status, t.runTo = wire.Done, place{}
		t.refresh(true)
		return t.finished()
	case t.runTo != (place{}) && t.reachedPlace():
		t.stop()
		t.refresh(true)
	case t.s.lab.IsSampler() || t.paced.due(t.s.now(), livePace):
		t.refresh(false)
	}
	return nil
}

// finished keeps a model that has been trained to the end.
func (t *trainer) finished() *wire.Notice {
	s := t.s
	if s.lab.IsSampler() {
		t.fitEps = s.settings.Eps
		return nil
	}
	named := s.keepAs != ""
	name := s.keepAs
	if !named {
		name = t.called()
	}
	r, err := t.snapshot(s.library.kept.Free(name))
	if err == nil && (!named || s.library.kept.Keep(r) != nil) { // or there is no more room for names
		s.library.keepAuto(r)
	}
	if err != nil {
		return &wire.Notice{Text: fmt.Sprintf("Training has ended: %s. It was not kept: %v.", r.Reached, err), Error: true}
	}
	s.keepAs, s.news = "", nil
	if s.display.a != nil && s.display.a.Training {
		if err := s.display.choose(r.Name, false); err != nil {
			return failure(err)
		}
	}
	return &wire.Notice{Text: fmt.Sprintf("Training has ended: %s. The model is kept as %q.", r.Reached, r.Name)}
}

// refresh lets the picture follow the training, the prediction too if whole.
func (t *trainer) refresh(whole bool) {
	s, at, onShow := t.s, t.s.now(), false
	for _, m := range s.display.models() {
		if !m.Training {
			continue
		}
		was := m.Usable
		m.Usable = t.live.Usable()
		for _, d := range m.Density {
			d.Stale = true
		}
		if s.run.playable() && (whole || m.Usable && !was || at.Sub(m.Told) >= dynamicsPace && m.Settled(s.live.Run().Known)) {
			m.Told = at
			m.Again(s.run.described())
		}
		onShow = true
	}
	switch s.stateStale = true; {
	case whole || onShow && (s.live.Player().Busy() || s.lab.IsSampler()):
		s.changed()
	case !onShow:
		s.frameStale = true // for the curves
	default: // one picture, when the density of the new weights is whole
		s.display.paint()
		s.frameStale = s.frameStale || s.display.whole()
	}
}
