package particles

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/play"
	"macroscope/model/wire"
	"macroscope/sim/particle"
)

// Live is a run of particles as it is played on the page. It is not safe for
// concurrent use.
type Live struct {
	system.Basic
	settings settings
	table    setting.Table
	player   play.Player

	run        run
	observable string // of the run
	force      string // of the run
	generation uint64
	edited     []float32 // the first frame (N, 2), if it was edited or drawn, else nil
	note       string    // where the first frame is from, if it is not the seed's
	sketch     []float32 // the first particles of a drawing (n, 2), too few yet to move
	blank      bool      // the sketch is all there is
	centre     [dim]float64
	half       float64 // of the side of what is shown

	described system.Run
	drawn     drawing
	places    []int
}

var _ system.Live = (*Live)(nil)

func newLive() *Live {
	l := &Live{settings: defaultSettings(), observable: Energy}
	l.table = l.settings.table()
	return l
}

// Settings implements system.Live.
func (l *Live) Settings() setting.Table { return l.table }

// Set implements system.Live. It also takes "preset", the name of one of the
// page's systems. Every setting begins the run anew and plays it.
func (l *Live) Set(name, value string) error {
	was := l.settings
	if name != "preset" {
		if err := l.table.Set(name, value); err != nil {
			return err
		}
		return l.rebuild(was)
	}
	is, ok := was.preset(value)
	if !ok {
		return fmt.Errorf("there is no system called %s", setting.Quote(value))
	}
	l.settings = is
	if l.blank { // what had been there comes back with the system
		if err := l.Generate(); err != nil {
			l.settings = was
			return err
		}
		return l.player.Play()
	}
	return l.rebuild(was)
}

// rebuild plays a run under settings that have changed from was. If they cannot
// be played, all stays as it is.
func (l *Live) rebuild(was settings) error {
	if l.settings == was && !l.blank && l.edited == nil && !l.Recorded() {
		return nil
	}
	err := l.settings.check()
	keeps := keepsStart(was, l.settings)
	if err == nil && !(l.blank && keeps) {
		if l.edited != nil && !l.blank && keeps {
			err = l.start(l.edited, l.note)
		} else {
			err = l.Generate()
		}
		if err == nil {
			err = l.player.Play()
		}
	}
	if err != nil {
		l.settings = was
	}
	return err
}

// Check implements system.Live.
func (l *Live) Check() error { return l.settings.check() }

// Values adds the number of particles that there are, which a recording has for
// itself.
func (l *Live) Values(values map[string]string) {
	if l.run.begun() && !l.blank {
		values["n"] = strconv.Itoa(l.run.particles())
	}
	values["curve"] = l.drawn.update(&l.settings)
}

// Generate implements system.Live.
func (l *Live) Generate() error {
	c, err := l.settings.config()
	if err == nil {
		err = l.simulate(c, particle.InitialPositions(c, l.settings.Seed, l.settings.Set))
	}
	if err != nil {
		return err
	}
	l.edited, l.note, l.observable = nil, "", Energy
	l.begun()
	return nil
}

// simulate begins a run under the settings' force.
func (l *Live) simulate(c particle.Config, xy []float32) error {
	if err := l.run.simulate(c, xy); err != nil {
		return err
	}
	l.run.params, l.force = l.settings.Force.law.felt(l.run.params), l.settings.Force.Force()
	return nil
}

// start begins a run from positions (N, 2) that were edited or drawn and are kept, and
// plays it if the last was playing.
func (l *Live) start(xy []float32, note string) error {
	c, err := l.settings.config()
	c.N = len(xy) / dim
	playing := l.player.Playing()
	if err == nil {
		err = l.simulate(c, xy)
	}
	if err != nil {
		return err
	}
	l.settings.N, l.edited, l.note, l.observable = c.N, xy, note, Energy
	l.begun()
	if playing {
		return l.player.Play()
	}
	return nil
}

// begun follows the beginning of every run.
func (l *Live) begun() {
	l.blank, l.sketch = false, l.sketch[:0]
	l.generation++
	l.player.Begin(&l.run)
	if l.edited != nil && l.half > 0 {
		l.widen() // which must not move under the hand
	} else {
		l.aim()
	}
}

// Playable says why recorded trajectories cannot be shown on the page.
func (l *Live) Playable(s system.Shape) error {
	switch {
	case s.Dim != dim:
		return fmt.Errorf("the particles have %d coordinates, and the page shows those in the plane; the command line trains on others", s.Dim)
	case s.Particles > MaxParticles:
		return fmt.Errorf("the trajectories have %d particles, and the page has room for %d; the command line takes more", s.Particles, MaxParticles)
	}
	return system.CheckPlayed(s.Particles, dim, s.Frames-1)
}

// Record implements system.Live; the observable is the energy.
func (l *Live) Record(t *system.Trajectory, note string) { l.RecordAs(t, Energy, usualForce, note) }

// RecordAs is Record of a trajectory with another observable and another force, as
// Recording.Observable and Recording.Force return them. Frames are as far apart as those of training,
// since a recording says nothing of its time.
func (l *Live) RecordAs(t *system.Trajectory, observable, force, note string) {
	l.run.record(t, System{}.Traits().Dt)
	l.edited, l.note, l.observable, l.force = nil, note, observable, force
	l.begun()
}

// Recorded implements system.Live.
func (l *Live) Recorded() bool { return l.run.recorded() }

// Player implements system.Live.
func (l *Live) Player() *play.Player { return &l.player }

// leastHalf is half of the side of the smallest picture, and halfStep what it
// grows by.
const leastHalf, halfStep = 0.8, 0.1

// aim lets the picture hold the whole of a recording, or the first frame of a
// simulation, whose centre of mass stays where it is.
func (l *Live) aim() {
	xy := l.run.frame(0)
	if l.Recorded() {
		xy = l.run.x
	}
	low, high := [dim]float64{math.Inf(1), math.Inf(1)}, [dim]float64{math.Inf(-1), math.Inf(-1)}
	var sum [dim]float64
	for i, v := range xy {
		x := float64(v)
		low[i%dim], high[i%dim], sum[i%dim] = min(low[i%dim], x), max(high[i%dim], x), sum[i%dim]+x
	}
	if l.Recorded() {
		l.centre = [dim]float64{(low[0] + high[0]) / 2, (low[1] + high[1]) / 2}
		l.half = max(high[0]-low[0], high[1]-low[1])/2*1.05 + 1e-6
		return
	}
	n := float64(len(xy) / dim)
	l.centre, l.half = [dim]float64{sum[0] / n, sum[1] / n}, 0
	l.widen()
}

// widen lets the square that is shown hold the frame on show of a simulation. It
// never shrinks within a run.
func (l *Live) widen() {
	if l.Recorded() || l.blank || !l.run.begun() {
		return
	}
	if reach := l.run.reach(l.run.Shown, l.centre) * 1.04; reach > l.half {
		l.half = max(leastHalf, math.Ceil(reach/halfStep)*halfStep)
	}
}

// Run implements system.Live. What it returns holds until the next call.
func (l *Live) Run() *system.Run {
	l.widen()
	l.described = system.Run{
		Generation: l.generation, Particles: l.run.particles(), Horizon: l.run.Last, Known: l.run.Made, Dt: l.run.dt,
		Lo:    [dim]float64{l.centre[0] - l.half, l.centre[1] - l.half},
		Hi:    [dim]float64{l.centre[0] + l.half, l.centre[1] + l.half},
		Blank: l.blank, Note: l.note, Force: l.force, Variables: append(l.described.Variables[:0], l.observable),
	}
	if l.blank {
		l.described.Particles = len(l.sketch) / dim
	}
	return &l.described
}

// Frame implements system.Live.
func (l *Live) Frame(dst *system.Frame, k int) {
	dst.One(l.run.frame(k), dim)
	dst.Params = append(dst.Params[:0], l.run.params...)
}

// Shown implements system.Live.
func (l *Live) Shown(dst *system.Frame) (places []int) {
	xy := l.onShow()
	dst.One(xy, dim)
	for n := len(xy) / dim; len(l.places) < n; {
		l.places = append(l.places, len(l.places))
	}
	return l.places[:len(xy)/dim]
}

// onShow returns the particles of the picture (n, 2).
func (l *Live) onShow() []float32 {
	if l.blank || !l.run.begun() {
		return l.sketch
	}
	return l.run.frame(l.run.Shown)
}

// Macro implements system.Live.
func (l *Live) Macro(k int) []float64 { return l.run.macro[k : k+1] }

// Put implements system.Live: the particles (n, 2), what the observable is, and
// its values so far.
func (l *Live) Put(f *wire.Frame) {
	f.PutText("macro", inWords(l.observable))
	f.PutText("units", "")
	f.Put("x", l.onShow()...)
	if l.blank || !l.run.begun() {
		return
	}
	f.Extend("energy", l.Run().Generation, l.run.Made+1, func(k int) float32 { return float32(l.run.macro[k]) })
}

// Idle names the settings that mean nothing to the run on show: all, if it is a
// recording, else a and b if its force has them not.
func (l *Live) Idle() (names []string) {
	if l.Recorded() {
		return append(l.table.Names(), "curve")
	}
	if f := l.settings.Force.law; f != nil {
		for i, p := range parameters {
			if !f.Uses(ofA + i) {
				names = append(names, p.Name)
			}
		}
	}
	return names
}

// Unlinked says what of the run on show its settings do not tell; "" is nothing.
func (l *Live) Unlinked() string {
	if n := len(l.sketch) / dim; l.blank && n > 0 {
		return fmt.Sprintf("the drawing, whose %s too few to move", setting.Count(n, "particle is", "particles are"))
	}
	return ""
}

// Save implements system.Live: frame 0 (N, 2), if it was edited or drawn.
func (l *Live) Save() (positions []float32, note string) {
	if l.edited == nil || l.blank {
		return nil, ""
	}
	return l.edited, l.note
}

// Restore implements system.Live. The settings are those of the time.
func (l *Live) Restore(positions []float32, note string) error {
	if len(positions) != dim*l.settings.N || slices.ContainsFunc(positions, func(v float32) bool { return v-v != 0 }) {
		return errors.New("its particles cannot be used")
	}
	was := l.half
	l.half = 0
	if err := l.start(positions, note); err != nil {
		l.half = was
		return err
	}
	l.player.Pause()
	return nil
}
