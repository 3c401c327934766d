package flock

import (
	"fmt"
	"math"

	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/system/play"
	"macroscope/model/wire"
	"macroscope/sim/flock"
)

// Live is a flock on the page. It is not safe for concurrent use.
type Live struct {
	core.Core
	settings settings
	turns    []turn    // changes of the noise in the displayed run, the first at frame 0; nil for a recording
	numbers  []float32 // scratch memory
}

var _ system.Live = (*Live)(nil)

func newLive() *Live {
	l := &Live{settings: defaults()}
	l.Core = core.New(System(), l.settings.table(), core.Kind{Page: pageTexts, Max: maxBirds, Called: "birds", Simulator: simulator})
	l.About.Variables = variables
	return l
}

// Set implements system.Live. The noise changes from the displayed frame on. Every other setting restarts and plays the
// run, and so does the noise at frame 0.
func (l *Live) Set(name, value string) error {
	was := l.settings
	err := l.Table.Set(name, value)
	switch {
	case err != nil || l.settings == was && !l.Recorded():
	case name == "eta" && l.turns != nil && l.Player().Now() > 0:
		err = l.retune()
	default:
		if err = l.Generate(); err == nil {
			err = l.Player().Play()
		}
	}
	if err != nil {
		l.settings = was
	}
	return err
}

// retune continues the run from the displayed frame with the settings' noise.
func (l *Live) retune() error {
	now := l.Player().Now()
	turns := append(before(l.turns, now), turn{now, l.settings.eta})
	sim, err := flock.Resume(l.config(), l.settings.seed, l.settings.set, now, l.Now())
	if err != nil {
		return core.Plain(err, simulator)
	}
	l.turns, l.About.Note = turns, changedAt(now)
	l.Resume(flight{sim, turns})
	return nil
}

// before returns a copy of the changes before a frame.
func before(turns []turn, frame int) (earlier []turn) {
	for _, t := range turns {
		if t.frame < frame {
			earlier = append(earlier, t)
		}
	}
	return earlier
}

func changedAt(frame int) string { return fmt.Sprintf("changed at frame %d", frame) }

// config returns the simulation that the settings describe.
func (l *Live) config() flock.Config {
	c, s := flock.Default(), l.settings
	c.N, c.Noise, c.Steps = s.n, s.eta, s.steps
	c.Narrow = math.Pi * s.spread / halfTurn
	c.Wide = c.Narrow
	return c
}

// Check implements system.Live.
func (l *Live) Check() error { return play.CheckRoom(l.settings.n, flock.Dim, l.settings.steps) }

// Generate implements system.Live.
func (l *Live) Generate() error { return l.begin([]turn{{0, l.settings.eta}}) }

// begin begins the run that the settings and the changes of the noise describe.
func (l *Live) begin(turns []turn) error {
	if err := l.Check(); err != nil {
		return err
	}
	c := l.config()
	c.Noise = turns[0].eta
	sim, err := flock.New(c, l.settings.seed, l.settings.set)
	if err != nil {
		return core.Plain(err, simulator)
	}
	about := system.Run{Particles: c.N, Horizon: c.Steps, Dt: 1, Variables: variables}
	if last := turns[len(turns)-1]; last.frame > 0 {
		about.Note = changedAt(last.frame)
	}
	l.turns = turns
	l.Simulate(flight{sim, turns}, 1, 1, square(about))
	l.Frames.Params = []float64{turns[0].eta}
	return nil
}

// square shows the whole square, whose edges repeat.
func square(about system.Run) system.Run {
	side := flock.Default().Side
	about.Hi, about.Repeats = [2]float64{side, side}, [2]bool{true, true}
	return about
}

// Record implements system.Live.
func (l *Live) Record(t *system.Trajectory, note string) {
	l.turns = nil
	l.Replay(t, core.PerSecond, square(system.Run{Dt: 1, Note: note, Variables: variables}))
}

// Frame implements system.Live. The parameters are those that apply from frame k on.
func (l *Live) Frame(dst *system.Frame, k int) {
	l.Core.Frame(dst, k)
	for _, t := range l.turns {
		if t.frame <= k {
			dst.Params = append(dst.Params[:0], t.eta)
		}
	}
}

// Put implements system.Live. It adds the rows time, x (N, 2), v (N, 2), macro (frames so far, M) and variables, the
// number M. The texts title0, unit0, … name the variables.
func (l *Live) Put(f *wire.Frame) {
	if !l.Begun() {
		return
	}
	f.Put("time", float32(l.Time()))
	for i, name := range [...]string{"x", "v"} {
		l.numbers = l.numbers[:0]
		for birds := l.Now()[2*i:]; len(birds) > 1; birds = birds[min(flock.Dim, len(birds)):] {
			l.numbers = append(l.numbers, birds[0], birds[1])
		}
		f.Put(name, l.numbers...)
	}
	m, macro := len(variables), l.Frames.Macro
	f.Put("variables", float32(m))
	f.Extend("macro", l.Run().Generation, m*(l.Run().Known+1), func(i int) float32 { return float32(macro[i]) })
	for i, name := range variables {
		f.PutText(fmt.Sprint("title", i), name)
		f.PutText(fmt.Sprint("unit", i), "")
	}
}
