package sweeps

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/sweep"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// Sweeps is the sweep of a lab, if it has one. It is not safe for concurrent use.
type Sweeps struct {
	lab *lab.Lab
	now func() time.Time

	asks    asked
	run     *sweep.Run // nil if there is no sweep
	trains  wanted     // request and settings that led to `run`; zero if `run` was restored and does not match the present settings
	running bool
	file    string // measured results; "" if there are none
	done    int    // number of finished trainings when file was written
}

// Given contains the settings common to all trainings of a new sweep.
type Given struct {
	Method, Force string // Force is "" for the system's force
}

// New returns the Sweeps of a lab. At first there is no sweep.
func New(of *lab.Lab, now func() time.Time) *Sweeps {
	return &Sweeps{lab: of, now: now, asks: usual(of)}
}

// wants returns the settings of a new sweep. They determine all of its trainings.
func (w *Sweeps) wants(g Given) wanted { return wanted{w.asks, g.Method, g.Force} }

// Set changes the request. handled reports whether name is one of the request's controls.
func (w *Sweeps) Set(name, value string, g Given) (handled bool, err error) {
	asks, alone := w.asks, asked{size: w.asks.size, seeds: 1}
	f := asks.table().Find(name)
	if f == nil {
		return false, nil
	}
	if err := f.Set(value); err != nil {
		return true, err
	}
	if _, texts := f.Value.(*string); texts && len(f.Options) == 0 && f.Text() != "" {
		_ = alone.table().Set(name, value) // Set has already accepted the value
		if _, err := (wanted{alone, g.Method, g.Force}).plan(w.lab, w.now); err != nil {
			return true, err
		}
	}
	w.asks = asks
	return true, nil
}

// Press starts the requested sweep, or stops or continues the present one. If the new sweep would
// replace results, Press does not start it but returns `begin`, which the caller calls if the user
// agrees. In all other cases `begin` is nil.
func (w *Sweeps) Press(g Given) (begin func(), err error) {
	if w.running {
		w.Stop()
		return nil, nil
	}
	wanted := w.wants(g)
	r, err := wanted.plan(w.lab, w.now)
	if err != nil {
		return nil, err
	}
	if w.run != nil && !w.run.Done() && w.run.Same(r) {
		w.start(w.run)
		return nil, nil
	}
	begin = func() {
		w.start(r)
		w.trains = wanted
	}
	if w.run != nil && w.run.Progress().Done > 0 {
		return begin, nil
	}
	begin()
	return nil, nil
}

// start starts the sweep r in place of the present one. If r is the present sweep, start
// continues it.
func (w *Sweeps) start(r *sweep.Run) {
	if r != w.run {
		w.end()
		w.run, w.done = r, -1
	}
	w.running = true
	w.look()
}

// end drops the sweep, if there is one. Helpers must have been released.
func (w *Sweeps) end() {
	if w.run != nil {
		w.run.Close()
	}
}

// End drops the sweep. Helpers must have been released.
func (w *Sweeps) End() {
	w.end()
	w.run = nil
}

// Stop stops the sweep. It can continue later.
func (w *Sweeps) Stop() {
	w.running = false
	w.run.Pause()
}

// Rest pauses the sweep while the lab does other work.
func (w *Sweeps) Rest() {
	if w.running {
		w.run.Pause()
	}
}

// look writes the file of results again if there are new results.
func (w *Sweeps) look() {
	if p := w.run.Progress(); p.Done != w.done {
		w.done, w.file = p.Done, string(w.run.File().Encode())
	}
}

// Running reports whether the sweep is neither stopped nor done. A running sweep waits while
// another model is trained.
func (w *Sweeps) Running() bool { return w.running }

// File returns the results so far, in the format of macroscope sweep, or "" if there is no
// sweep.
func (w *Sweeps) File() string { return w.file }

// Pool returns the pool that gives work of the present training to helpers, or nil if there is
// none.
func (w *Sweeps) Pool() *fit.Pool { return w.run.Pool() }

// Work trains and measures for about the time given as budget. The notice says that the sweep has
// ended.
func (w *Sweeps) Work(budget time.Duration) (*wire.Notice, error) {
	return w.after(w.run.Work(budget))
}

// Answered is called after a helper's answer. err is the error that the Pool returned for it.
func (w *Sweeps) Answered(err error) (*wire.Notice, error) { return w.after(w.run.Answered(err)) }

// after handles the result of a piece of work.
func (w *Sweeps) after(err error) (*wire.Notice, error) {
	w.look()
	switch {
	case err != nil:
		w.Stop()
		return nil, fmt.Errorf("the sweep stopped: %w", err)
	case w.run.Done():
		w.running = false
		return &wire.Notice{Text: "The sweep has ended. A click on a point of it shows its model; “Save the sweep” makes the file that macroscope sweep writes."}, nil
	}
	return nil, nil
}

// Fill adds the sweep to the state.
func (w *Sweeps) Fill(st *wire.State, g Given) {
	if w.lab.Sweep == "" {
		return
	}
	for _, f := range w.asks.table() {
		st.Values[f.Name] = f.Text()
	}
	st.Sweep = w.file
	switch {
	case w.running:
		st.Labels["sweeprun"], st.Tasks["sweeprun"] = "Stop the sweep", wire.Running
	case w.goesOn(g):
		st.Labels["sweeprun"], st.Tasks["sweeprun"] = "Go on with the sweep", wire.Stopped
	}
	if w.run == nil {
		st.Off["sweepfile"] = "There is no sweep of yours yet: run one first."
	}
}

// goesOn reports whether a stopped sweep matches the request and can therefore continue.
func (w *Sweeps) goesOn(g Given) bool {
	return w.run != nil && !w.running && !w.run.Done() && w.trains == w.wants(g)
}

// Task describes what the sweep is doing. `share` is the part of the sweep that is done, from 0 to
// 1. `left` is the remaining time in seconds, or 0 if this is unknown.
func (w *Sweeps) Task() (text string, share, left float64) {
	p := w.run.Progress()
	text = "sweep: " + p.Doing
	if math.IsNaN(p.SecsLeft) {
		p.SecsLeft = 0
	}
	return text, p.Share, p.SecsLeft
}

// Model returns the checkpoint of the model at a point. point is the point's number.
func (w *Sweeps) Model(point string) ([]byte, error) {
	i, err := strconv.Atoi(point)
	if err != nil || w.run == nil || w.run.Model(i) == nil {
		return nil, fmt.Errorf("the sweep has no model of point %s", setting.Quote(point))
	}
	return w.run.Model(i), nil
}

// Saved returns the sweep's state, or nil if there is no sweep.
func (w *Sweeps) Saved() (state []byte, models []saved.File, err error) {
	if w.run == nil {
		return nil, nil, nil
	}
	state, points, err := w.run.Saved(append(w.asks.table(), setting.Field{Name: "running", Value: &w.running, Switch: true}))
	for _, b := range points {
		models = append(models, saved.File{Key: wire.Key(b, nil), Bytes: b})
	}
	return state, models, err
}

// Restore continues a sweep from the result of Saved.
func (w *Sweeps) Restore(state []byte, models []saved.File, g Given) error {
	var points [][]byte
	for _, m := range models {
		points = append(points, m.Bytes)
	}
	asks, running := asked{}, false
	r, err := sweep.Restore(state, points, append(asks.table(), setting.Field{Name: "running", Value: &running, Switch: true}), w.lab.Systems(), w.now)
	if err != nil {
		return err
	}
	w.end()
	w.asks, w.run, w.running, w.done = asks, r, running && !r.Done(), -1
	w.trains = wanted{}
	wants := w.wants(g)
	if planned, err := wants.plan(w.lab, w.now); err == nil && r.Same(planned) {
		w.trains = wants
	}
	w.look()
	return nil
}
