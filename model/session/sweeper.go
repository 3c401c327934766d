package session

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/experiment"
	"macroscope/model/fit"
	"macroscope/model/lab"
	"macroscope/model/runs"
	"macroscope/model/saved"
	"macroscope/model/setting"
	"macroscope/model/sweep"
	"macroscope/model/wire"
)

// sweeper is the sweep that the visitor runs, if there is one. It waits while a model
// is trained that is to be on show.
type sweeper struct {
	s       *Session
	asks    swept
	run     *sweep.Run // nil if there is none
	trains  wanted     // what it trains, as far as that is known
	running bool
	file    string // of what is measured, "" if there is none
	done    int    // trainings that it has

	planned *sweep.Run // of what is asked for, nil if that cannot be
	of      expected   // it is of
}

// wanted is all that says what a sweep trains: what the visitor asks for, and the settings
// that hold for every training.
type wanted struct {
	swept
	method, force string
}

// wants returns what the sweep that Run would begin trains.
func (w *sweeper) wants() wanted {
	return wanted{w.asks, w.s.settings.Method, plan{&w.s.trainer}.recipe().Force}
}

// swept is what the visitor asks a sweep to be. It is in no link.
type swept struct {
	eps, zdim, more string // values with commas between; NAME=VALUES
	size            string // preset
	steps, seeds    int    // 0 steps are the preset's
	grid            bool
}

// expected is what the time of a sweep depends on.
type expected struct {
	wanted
	estimate *fit.Estimate
	workers  int
}

// sweepSizes are the presets that a tab trains many of.
var sweepSizes = []string{"quick", "browser"}

// usualSweep is what a visitor is offered at first: a minute or so, but where the runs
// alone that a training needs take minutes to simulate.
func usualSweep(of *lab.Lab) swept {
	a := swept{zdim: "1, 2, 4, 8", size: "browser", seeds: 1, grid: true}
	switch {
	case of.IsSampler():
		a.eps, a.zdim, a.steps = "0.05, 0.2", "2, 8", 300
	case of.System.Traits().Stochastic:
		a.zdim = "1, 2"
	case slices.Contains(experiment.Presets(of.System.Traits().Name, "flow"), "quick"):
		a.size = "quick"
	}
	return a
}

const mostSweptSeeds = 8

func (a *swept) table() setting.Table {
	return setting.Table{
		{Name: "sweepeps", What: "the values of ε", Value: &a.eps}, {Name: "sweepzdim", What: "the values of ẑ dim", Value: &a.zdim},
		{Name: "sweepmore", What: "another field and its values", Value: &a.more},
		{Name: "sweepsize", What: "the size", Value: &a.size, Options: setting.Choices(sweepSizes...)},
		{Name: "sweepsteps", What: "the number of steps", Value: &a.steps, High: experiment.MaxStep}, {Name: "sweepseeds", What: "the number of seeds", Value: &a.seeds, Low: 1, High: mostSweptSeeds},
		{Name: "sweepgrid", What: "training every combination", Value: &a.grid, Switch: true},
	}
}

// set changes what is asked for; handled says whether name is of that.
func (w *sweeper) set(name, value string) (handled bool, err error) {
	asks, alone := w.asks, swept{size: w.asks.size, seeds: 1}
	f := asks.table().Find(name)
	if f == nil {
		return false, nil
	}
	if err := f.Set(value); err != nil {
		return true, err
	}
	if _, texts := f.Value.(*string); texts && len(f.Options) == 0 && f.Text() != "" {
		_ = alone.table().Set(name, value) // which it has taken above
		if _, err := w.plan(&alone); err != nil {
			return true, err
		}
	}
	w.asks = asks
	return true, nil
}

// plan returns the sweep that is asked for.
func (w *sweeper) plan(a *swept) (*sweep.Run, error) {
	s := w.s
	of := sweep.Of{Spec: experiment.Spec{System: s.traits.Name, Method: s.settings.Method, Preset: a.size}, Grid: a.grid}
	add := func(text string) error {
		one, err := sweep.ParseSwept(text)
		if err != nil {
			return fmt.Errorf("%s cannot be swept over: %w", setting.Quote(text), err)
		}
		of.Swept = append(of.Swept, one)
		return nil
	}
	var err error
	for _, one := range [...][2]string{{"eps=", a.eps}, {"encoder.zdim=", a.zdim}, {"", a.more}} {
		if strings.TrimSpace(one[1]) != "" {
			err = errors.Join(err, add(one[0]+one[1]))
		}
	}
	if a.steps > 0 {
		of.Changes = []string{fmt.Sprintf("steps=%d", a.steps)}
	}
	if f := w.wants().force; f != "" {
		of.Changes = append(of.Changes, "force="+f)
	}
	switch {
	case err != nil:
		return nil, err
	case len(of.Swept) == 0:
		return nil, errors.New("say first which values of ε or ẑ dim are to be tried, as 0.03, 0.1")
	}
	return sweep.NewRun(of, a.seeds, s.lab.Systems, s.now)
}

// press begins the sweep that is asked for, stops the one that runs, or goes on with
// it.
func (w *sweeper) press() error {
	if w.running {
		w.stop()
		return nil
	}
	r, err := w.plan(&w.asks)
	if err != nil {
		return err
	}
	if w.run != nil && !w.run.Done() && w.run.Same(r) {
		w.start(w.run)
		return nil
	}
	wanted := w.wants()
	begin := func() *wire.Notice {
		w.start(r)
		w.trains = wanted
		return nil
	}
	if w.run == nil || w.run.Progress().Done == 0 {
		begin()
		return nil
	}
	w.s.asked.put(asked{Ask: wire.Ask{Title: "Run another sweep?", Points: []string{sweepGoes}, Accept: "Run it"}, accepted: begin})
	return nil
}

// sweepGoes says what becomes of the sweep that there is when another takes its place.
const sweepGoes = "The sweep that you have goes, with its models, but for those of them that you have shown; save everything first to keep it."

// start begins a sweep in the place of the one before, or goes on with that.
func (w *sweeper) start(r *sweep.Run) {
	if r != w.run {
		w.end()
		w.run, w.done = r, -1
		w.run.Expect(w.of.estimate, w.workers())
	}
	w.running = true
	w.look()
}

// end lets the sweep go, if there is one.
func (w *sweeper) end() {
	if w.run != nil {
		desk{&w.s.trainer}.release()
		w.run.Close()
	}
}

func (w *sweeper) stop() {
	w.running = false
	w.run.Pause()
}

func (w *sweeper) workers() int { return min(w.s.settings.Worker, w.s.cores) }

// look writes the file anew if there is more to it.
func (w *sweeper) look() {
	if p := w.run.Progress(); p.Done != w.done {
		w.done, w.file, w.s.stateStale = p.Done, string(w.run.File().Encode()), true
	}
}

// active says whether the sweep is worked on now.
func (w *sweeper) active() bool { return w.running && w.s.trainer.status != wire.Training }

// pool shares the work of the training under way, nil if there is none.
func (w *sweeper) pool() *fit.Pool {
	if !w.active() {
		return nil
	}
	return w.run.Pool()
}

// work trains and measures for about budget.
func (w *sweeper) work(budget time.Duration) *wire.Notice {
	if !w.active() {
		if w.running {
			w.run.Pause()
		}
		return nil
	}
	return w.after(w.run.Work(budget))
}

// after follows every piece of work.
func (w *sweeper) after(err error) *wire.Notice {
	w.s.stateStale = true
	w.look()
	switch {
	case err != nil:
		w.stop()
		return failure(fmt.Errorf("the sweep stopped: %w", err))
	case w.run.Done():
		w.running = false
		return &wire.Notice{Text: "The sweep has ended. A click on a point of it shows its model; “Save the sweep” makes the file that macroscope sweep writes."}
	}
	return nil
}

// expect learns how long the sweep that is asked for would take.
func (w *sweeper) expect() {
	if w.s.lab.Sweep == "" || w.running {
		return
	}
	of := expected{w.wants(), w.s.trainer.expects.estimate, w.workers()}
	if of == w.of || of.estimate == nil || math.IsNaN(of.estimate.Left(1)) {
		return
	}
	w.of = of
	if w.planned, _ = w.plan(&w.asks); w.planned != nil { // Run says what is wrong
		w.planned.Expect(of.estimate, of.workers)
		w.s.stateStale = true
	}
}

// fill tells the state of the sweep.
func (w *sweeper) fill(st *wire.State) {
	if w.s.lab.Sweep == "" {
		return
	}
	for _, f := range w.asks.table() {
		st.Values[f.Name] = f.Text()
	}
	st.Sweep = w.file
	switch {
	case w.running:
		st.Labels["sweeprun"] = "Stop the sweep"
	case w.goesOn():
		st.Labels["sweeprun"] = "Go on with the sweep"
		if secs := w.run.Progress().SecsLeft; secs > 0 {
			st.Takes["sweeprun"] = secs
		}
	case w.planned != nil && w.of.wanted == w.wants():
		if secs := w.planned.Progress().SecsLeft; secs > 0 {
			st.Takes["sweeprun"] = secs
		}
	}
	if w.run == nil {
		st.Off["sweepfile"] = "There is no sweep of yours yet: run one first."
	}
}

// goesOn says whether there is a sweep that has stopped and is what is asked for.
func (w *sweeper) goesOn() bool {
	if w.run == nil || w.running || w.run.Done() {
		return false
	}
	wants := w.wants()
	return w.trains == wants || w.planned != nil && w.of.wanted == wants && w.run.Same(w.planned)
}

// task says how far the sweep is.
func (w *sweeper) task() (text string, share, left float64) {
	p := w.run.Progress()
	text = "sweep: " + p.Doing
	if math.IsNaN(p.SecsLeft) {
		p.SecsLeft = 0
	}
	return text, p.Share, p.SecsLeft
}

// show brings the model of a point on show.
func (w *sweeper) show(point string) error {
	i, err := strconv.Atoi(point)
	if err != nil || w.run == nil || w.run.Model(i) == nil {
		return fmt.Errorf("the sweep has no model of point %s", setting.Quote(point))
	}
	f, err := ckpt.Decode(strings.NewReader(string(w.run.Model(i))))
	if err != nil {
		return err
	}
	s := w.s
	m, err := s.library.open(f)
	if err != nil {
		return err
	}
	r := s.library.kept.Of(m)
	if r == nil {
		r = &runs.Run{Name: s.library.kept.Free(runs.NameOf(&m.Config, "") + ", of the sweep"), Origin: "trained here in a sweep", Model: m}
		if _, err := s.library.kept.KeepAuto(*r, s.display.a.Called(), s.display.b.Called()); err != nil {
			return err
		}
	}
	return s.showTaken(r.Name, m)
}

// saved returns what the sweep goes on from, nil if there is none.
func (w *sweeper) saved() (state []byte, models []saved.File, err error) {
	if w.run == nil {
		return nil, nil, nil
	}
	state, points, err := w.run.Saved(append(w.asks.table(), setting.Field{Name: "running", Value: &w.running, Switch: true}))
	for _, b := range points {
		models = append(models, saved.File{Key: wire.Key(b, nil), Bytes: b})
	}
	return state, models, err
}

// restore goes on from what saved returned.
func (w *sweeper) restore(state []byte, models []saved.File) error {
	var points [][]byte
	for _, m := range models {
		points = append(points, m.Bytes)
	}
	asks, running := swept{}, false
	r, err := sweep.Restore(state, points, append(asks.table(), setting.Field{Name: "running", Value: &running, Switch: true}), w.s.lab.Systems, w.s.now)
	if err != nil {
		return err
	}
	w.end()
	w.asks, w.run, w.running, w.done = asks, r, running && !r.Done(), -1
	w.trains = wanted{}
	if planned, err := w.plan(&asks); err == nil && r.Same(planned) {
		w.trains = w.wants()
	}
	w.look()
	return nil
}
