// Package run contains the displayed run of a system. The run is simulated, recorded by the user,
// or a single set. The package starts, plays, seeks and edits the run. It also writes the run's
// particles and changes to a link.
package run

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"macroscope/model/file/points"
	"macroscope/model/lab/session/effect"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/system/play"
)

// Playing is used instead of a frame number if the run plays.
const Playing = -1

// Run is the displayed run. It is not safe for concurrent use.
type Run struct {
	live       system.Live
	traits     system.Traits
	timed      bool // whether the frames are a time series
	points     points.Encoder
	begin      int    // frame at which a new run begins, or Playing
	generation uint64 // generation of the run that was last reported in an effect
	warning    string // reason why the last run stopped, or could not begin
	tool       string // the selected tool of the pointer
}

// New returns a Run without a displayed run. If timed is false, runs are single sets.
func New(of *system.System, timed bool) *Run {
	r := &Run{live: of.Live(), traits: of.Traits, timed: timed}
	if page := r.live.Page(); page.Tool != "" {
		r.tool = page.Tool
	} else if len(page.Tools) > 0 {
		r.tool = page.Tools[0].Value
	}
	return r
}

// Live returns the Live that plays the system. The caller must not change it.
func (r *Run) Live() system.Live { return r.live }

// Warning returns the reason why the last run stopped, or could not begin.
func (r *Run) Warning() string { return r.warning }

// Seed returns the seed of the displayed run.
func (r *Run) Seed() uint64 {
	if f := r.live.Settings().Find("seed"); f != nil {
		if v, ok := f.Value.(*uint64); ok {
			return *v
		}
	}
	return 1
}

// Preparing reports whether a run is being prepared.
func (r *Run) Preparing() bool {
	what, _ := r.live.Preparing()
	return what != ""
}

// Playable reports whether the displayed run has usable frames.
func (r *Run) Playable() bool {
	return !r.Preparing() && r.live.Player().Begun() && !r.live.Run().Blank
}

// Coming reports whether the run is on its way to a requested frame: it is being prepared, or
// the simulation has not reached the frame.
func (r *Run) Coming() bool {
	if r.Preparing() {
		return r.begin >= 0
	}
	player := r.live.Player()
	return player.Busy() && !player.Playing()
}

// NotPlayable returns an error that says why the run is not playable.
func (r *Run) NotPlayable() error {
	switch {
	case r.Preparing():
		return errors.New("the run is still being prepared; wait a moment")
	case !r.live.Player().Begun():
		return errors.New("there is no run; open a file of recorded runs first")
	}
	return errors.New("there are too few particles to move; draw more first")
}

// look checks whether another run has begun or the displayed run has changed. It returns the effect
// to report.
func (r *Run) look() effect.Effect {
	e := effect.Changed()
	e.Run = effect.Same
	of, player := r.live.Run(), r.live.Player()
	if r.Preparing() || !player.Begun() || of.Generation == r.generation {
		return e
	}
	r.generation = of.Generation
	switch {
	case of.Blank:
		r.begin = 0 // the run begins paused, once the user has drawn enough particles
		return e
	case player.Now() > 0 && !r.live.Recorded() && r.begin == 0: // the run is the same, with new frames after the displayed frame
		e.Run = effect.Resumed
		return e
	}
	e.Run, r.warning = effect.Began, ""
	switch {
	case !r.timed:
	case r.begin < 0:
		_ = player.Play() // cannot fail: frame 0 exists
	case r.begin > 0:
		_ = player.Seek(min(r.begin, of.Horizon))
	}
	r.begin = 0
	return e
}

// moved returns the effect of displaying another frame.
func moved() effect.Effect { return effect.Effect{Picture: true, Panel: true, Run: effect.Moved} }

// Generate starts the run that the settings describe. If frame is Playing, the run plays from
// frame 0; otherwise it goes to that frame and pauses.
func (r *Run) Generate(frame int) (effect.Effect, error) {
	r.begin = frame
	err := r.live.Generate()
	return r.look(), err
}

// Record starts a recorded run. The argument `frame` has the same meaning as in Generate. A Live
// that is an observer gets the observable and the force of the recording.
func (r *Run) Record(t *system.Trajectory, observable, force, note string, frame int) effect.Effect {
	if o, ok := r.live.(observer); ok {
		o.RecordAs(t, observable, force, note)
	} else {
		r.live.Record(t, note)
	}
	r.begin = frame
	return r.look()
}

// observer is a Live that can play a recording with another observable and another force than the
// system's defaults.
type observer interface {
	RecordAs(t *system.Trajectory, observable, force, note string)
}

// Place starts the run with these particles, in the format of Live.Save. The argument `frame` has
// the same meaning as in Generate.
func (r *Run) Place(positions []float32, note string, frame int) (effect.Effect, error) {
	if err := r.live.Restore(positions, note); err != nil {
		return effect.Effect{}, err
	}
	r.begin = frame
	return r.look(), nil
}

// The method Do makes a change by calling the function `do`. The change may begin another run. The
// new run plays if the last run was playing or had ended.
func (r *Run) Do(do func(live system.Live) error) (effect.Effect, error) {
	was, p := r.Preparing(), r.live.Player()
	plays := was && r.begin < 0 || !was && (p.Playing() || p.AtEnd())
	err := do(r.live)
	if r.Preparing() && !was || plays && r.live.Player().Now() == 0 {
		r.begin = 0
		if plays {
			r.begin = Playing
		}
	}
	return r.look(), err
}

// Set changes a setting of the system. changed is true if the value is new.
func (r *Run) Set(name, value string) (e effect.Effect, changed bool, err error) {
	f := r.live.Settings().Find(name)
	was := ""
	if f != nil {
		was = f.Text()
	}
	e, err = r.Do(func(live system.Live) error { return live.Set(name, value) })
	return e, err == nil && f != nil && f.Text() != was, err
}

// Edit carries out a command that edits the picture. handled is true if the system has this
// command.
func (r *Run) Edit(command, value string) (e effect.Effect, handled bool, err error) {
	e, err = r.Do(func(live system.Live) (err error) {
		handled, err = live.Edit(command, value)
		return err
	})
	return e, handled, err
}

// Press presses a button of the system. handled is true if the system has this button.
func (r *Run) Press(id string) (e effect.Effect, handled bool, err error) {
	e, err = r.Do(func(live system.Live) (err error) {
		handled, err = core.Press(live, id)
		return err
	})
	if handled && r.live.Run().Blank && r.ToolNumber("draw") >= 0 {
		r.tool = "draw" // the user will draw on the cleared picture
	}
	return e, handled, err
}

// Advance continues the preparation of the run or, if the run is ready, plays it. Playing takes
// only a part of the budget.
func (r *Run) Advance(now func() time.Time, speed float64, budget time.Duration) effect.Effect {
	if r.Preparing() {
		err := r.live.Prepare(now, budget)
		return r.look().And(effect.Failed(err))
	}
	share := budget / 2
	if r.traits.Stochastic { // a stochastic run has priority over the results that are computed from it
		share = budget * 4 / 5
	}
	stepped, err := r.live.Player().Advance(now, speed, share)
	var e effect.Effect
	if stepped {
		e = moved()
	}
	if err == nil {
		return e
	}
	e.Panel, e.Frame = true, true
	if errors.Is(err, play.ErrEnded) || r.warning != "" {
		return e
	}
	r.warning = err.Error()
	return e.And(effect.Failed(err))
}

// Toggle plays the run or pauses it.
func (r *Run) Toggle() (e effect.Effect, err error) {
	if p := r.live.Player(); p.Playing() {
		p.Pause()
	} else {
		err = p.Play()
	}
	return moved(), err
}

// SetPlaying makes the run play or pause, even if the run is still in preparation. Unlike Toggle it
// does not depend on the present state.
func (r *Run) SetPlaying(on bool) (effect.Effect, error) {
	switch {
	case !r.Preparing() && r.live.Player().Playing() != on:
		if !r.Playable() {
			return effect.Effect{}, r.NotPlayable()
		}
		return r.Toggle()
	case r.Preparing() && on:
		r.begin = Playing
	case r.Preparing():
		r.begin = max(0, r.begin)
	}
	return effect.Effect{}, nil
}

// Next displays the next frame and pauses.
func (r *Run) Next() (effect.Effect, error) {
	r.live.Player().Next()
	return moved(), nil
}

// Restart returns to frame 0. The run plays if it was playing before.
func (r *Run) Restart() (effect.Effect, error) {
	p := r.live.Player()
	playing := p.Playing()
	err := p.Seek(0)
	if err == nil && playing {
		err = p.Play()
	}
	return moved(), err
}

// Seek goes to the frame with this number.
func (r *Run) Seek(value string) (effect.Effect, error) {
	if !r.Playable() {
		return effect.Effect{}, r.NotPlayable()
	}
	k, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return effect.Effect{}, fmt.Errorf("the frame cannot be %s: give a whole number from 0 to %d", setting.Quote(value), r.live.Run().Horizon)
	}
	if err := r.live.Player().Seek(k); err != nil {
		return effect.Effect{}, err
	}
	e := moved()
	e.Run = effect.Sought
	return e, nil
}

// Pause stops the run at the displayed frame.
func (r *Run) Pause() { r.live.Player().Pause() }

// Frame returns the displayed or requested frame. It returns Playing if the run plays or is a
// single set.
func (r *Run) Frame() int {
	switch {
	case !r.timed:
		return Playing
	case r.Preparing():
		return r.begin
	case r.live.Player().Playing():
		return Playing
	}
	return r.live.Player().Goal()
}

// SetSystem selects a named system of the lab. After an error nothing has changed.
func (r *Run) SetSystem(name string) (effect.Effect, error) {
	presets := r.live.Page().Systems
	i := slices.IndexFunc(presets, func(p system.Preset) bool { return p.Name == name })
	if i < 0 {
		return effect.Effect{}, fmt.Errorf("there is no system called %s", setting.Quote(name))
	}
	table := r.live.Settings()
	was := table.Texts()
	return r.Do(func(live system.Live) error {
		var err error
		for name, value := range presets[i].Values {
			err = errors.Join(err, table.Set(name, value))
		}
		if err == nil {
			err = live.Check()
		}
		if err == nil {
			err = live.Generate()
		}
		if err != nil {
			assign(table, was)
			return err
		}
		if live.Player().Begun() && !r.traits.Stochastic {
			return live.Player().Play()
		}
		return nil
	})
}

// assign sets the fields of a table to earlier texts.
func assign(table setting.Table, texts []string) {
	for i, text := range texts {
		_ = table[i].Set(text)
	}
}

// System returns the name of the system with the present settings, or "own" if there is none.
func (r *Run) System() string {
	table := r.live.Settings()
	for _, p := range r.live.Page().Systems {
		same := true
		for name, value := range p.Values {
			f := table.Find(name)
			same = same && f != nil && f.Text() == value
		}
		if same && !r.live.Recorded() {
			return p.Name
		}
	}
	return "own"
}

// Tool returns the pointer's tool.
func (r *Run) Tool() string { return r.tool }

// SetTool chooses the pointer's tool.
func (r *Run) SetTool(name string) (effect.Effect, error) {
	if r.ToolNumber(name) < 0 {
		return effect.Effect{}, fmt.Errorf("the pointer’s tool cannot be %s", setting.Quote(name))
	}
	r.tool = name
	return effect.Effect{Frame: true}, nil
}

// ToolNumber returns the index of a tool, or -1 for an unknown name. If there are no tools, it
// returns 0 for "".
func (r *Run) ToolNumber(name string) int {
	tools := r.live.Page().Tools
	if len(tools) == 0 && name == "" {
		return 0
	}
	return slices.IndexFunc(tools, func(o setting.Option) bool { return o.Value == name })
}

// Hidden lists the controls that do not apply to the displayed run. For a recording these are
// the settings of the simulation. If all settings of a group are hidden, its other controls are
// hidden too.
func (r *Run) Hidden() map[string]bool {
	hidden := make(map[string]bool)
	l, ok := r.live.(interface{ Idle() []string })
	if !ok {
		return hidden
	}
	for _, name := range l.Idle() {
		hidden[name] = true
	}
	table := r.live.Settings()
	for _, g := range r.live.Page().Groups {
		any, left := false, false
		for _, c := range g.Controls {
			is := table.Find(c.ID) != nil
			any, left = any || is, left || is && !hidden[c.ID]
		}
		if !any || left {
			continue
		}
		for _, c := range g.Controls {
			hidden[c.ID] = true
		}
	}
	return hidden
}
