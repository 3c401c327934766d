package particles

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/system/play"
	"macroscope/model/wire"
	"macroscope/sim/particle"
)

// Live is a run of particles on the page. It is not safe for concurrent use.
type Live struct {
	core.Core
	settings settings

	sketch []float32 // first particles (n, 2) of a drawing, still too few for a run; used only while the run is Blank
	centre [dim]float64
	half   float64 // half of the picture's side
	drawn  drawing
}

var _ system.Live = (*Live)(nil)

func newLive() *Live {
	l := &Live{settings: defaultSettings()}
	l.Core = core.New(System(), l.settings.table(), core.Kind{Page: pageTexts, Max: MaxParticles, Called: "particles", Simulator: simulator})
	l.About.Variables = variables
	return l
}

// Set implements system.Live. Every setting restarts and plays the run.
func (l *Live) Set(name, value string) error {
	was := l.settings
	err := l.Table.Set(name, value)
	if err == nil && (l.settings != was || l.About.Blank || l.Edited != nil || l.Recorded()) {
		err = l.rebuild(keepsStart(was, l.settings))
	}
	if err != nil {
		l.settings = was
	}
	return err
}

// rebuild plays a run with changed settings. If `keeps` is true, it keeps the user's edits: the run
// starts from an edited first frame, and a drawing with too few particles stays.
func (l *Live) rebuild(keeps bool) error {
	err := l.settings.check()
	switch {
	case err != nil || l.About.Blank && keeps:
		return err
	case l.Edited != nil && !l.About.Blank && keeps:
		err = l.start(l.Edited, l.About.Note)
	default:
		err = l.Generate()
	}
	if err != nil {
		return err
	}
	return l.Player().Play()
}

// Check implements system.Live.
func (l *Live) Check() error { return l.settings.check() }

// Values adds the values of controls that are not settings: the number of particles of the
// displayed run, and the curve of the force.
func (l *Live) Values(values map[string]string) {
	if l.there() {
		values["n"] = strconv.Itoa(l.About.Particles)
	}
	values["curve"] = l.drawn.update(&l.settings)
}

// The method `there` reports whether the run has moving particles.
func (l *Live) there() bool { return l.Begun() && !l.About.Blank }

// Generate implements system.Live.
func (l *Live) Generate() error {
	c, err := l.settings.config()
	if err != nil {
		return err
	}
	return l.simulate(c, particle.InitialPositions(c, l.settings.Seed, l.settings.Set), nil, "")
}

// simulate begins a run with the settings' force. `edited` is the first frame if the user has
// edited or drawn it, otherwise nil.
func (l *Live) simulate(c particle.Config, xy, edited []float32, note string) error {
	if err := play.CheckRoom(c.N, dim, c.Steps); err != nil {
		return err
	}
	sim, err := particle.New(context.Background(), c, xy)
	if err != nil {
		return plain(err)
	}
	l.Simulate(simulation{sim}, 1, 1, system.Run{
		Particles: c.N, Horizon: c.Steps, Dt: c.Dt, Note: note, Beyond: l.beyond(edited != nil), Force: l.settings.Force.String(), Variables: variables,
	})
	l.Frames.Params, l.Edited = l.settings.Force.law.felt([]float64{c.A, c.B}), edited
	if l.sketch = l.sketch[:0]; edited != nil && l.half > 0 {
		l.widen() // the picture must not move during an edit
	} else {
		l.aim()
	}
	return nil
}

// beyond says how the first frame differs from those in the paper's training, which come from two
// clusters. It returns "" if it does not.
func (l *Live) beyond(edited bool) string {
	return l.Page().Say("beyond", struct {
		Edited          bool
		Clusters, Usual int
	}{edited, l.settings.Components, particle.Default().Components})
}

// simulator is the name of the simulator's package.
const simulator = "particle"

// plain removes the simulator's name from an error.
func plain(err error) error { return core.Plain(err, simulator) }

// start begins a run from positions (N, 2) that the user has edited or drawn. It keeps xy
// without copying it. The new run plays if the last one was playing.
func (l *Live) start(xy []float32, note string) error {
	c, err := l.settings.config()
	c.N = len(xy) / dim
	playing := l.Player().Playing()
	if err == nil {
		err = l.simulate(c, xy, xy, note)
	}
	if err != nil {
		return err
	}
	l.settings.N = c.N
	if playing {
		return l.Player().Play()
	}
	return nil
}

// Record implements system.Live; the observable is the energy.
func (l *Live) Record(t *system.Trajectory, note string) { l.RecordAs(t, Energy, usualForce, note) }

// RecordAs begins a run of the user's data, as Record does, with the given observable and force.
// The data contain no times, so their frames get the time step of training.
func (l *Live) RecordAs(t *system.Trajectory, observable, force, note string) {
	l.Replay(t, core.PerSecond, system.Run{Dt: cmp.Or(t.Interval, particle.Default().Dt), Note: note, Force: force, Variables: []string{observable}})
	l.sketch = l.sketch[:0]
	l.aim()
}

// The picture of a simulation is a square. Half its side is at least leastHalf, and a multiple of
// halfStep.
const leastHalf, halfStep = 0.8, 0.1

// aim makes the picture show all frames of a recording, or the first frame of a simulation. The
// picture of a simulation is centred on the centre of mass, which stays at rest.
func (l *Live) aim() {
	xy := l.Points(0)
	if l.Recorded() {
		xy = l.Frames.Points
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

// widen enlarges the picture, a square, until it contains the displayed frame of a simulation.
// Within a run the picture never becomes smaller.
func (l *Live) widen() {
	if l.Recorded() || !l.there() {
		return
	}
	reach := 0.0
	for i, v := range l.Now() {
		reach = max(reach, math.Abs(float64(v)-l.centre[i%dim]))
	}
	if reach *= 1.04; reach > l.half {
		l.half = max(leastHalf, math.Ceil(reach/halfStep)*halfStep)
	}
}

// Run implements system.Live. Its result is valid until the next call.
func (l *Live) Run() *system.Run {
	l.widen()
	r := l.Core.Run()
	r.Lo, r.Hi = [dim]float64{l.centre[0] - l.half, l.centre[1] - l.half}, [dim]float64{l.centre[0] + l.half, l.centre[1] + l.half}
	if r.Blank {
		r.Particles = len(l.sketch) / dim
	}
	return r
}

// Shown implements system.Live.
func (l *Live) Shown(dst *system.Frame) (places []int) {
	xy := l.onShow()
	dst.One(xy, dim)
	return l.Order(len(xy) / dim)
}

// onShow returns the displayed particles (n, 2).
func (l *Live) onShow() []float32 {
	if !l.there() {
		return l.sketch
	}
	return l.Now()
}

// Put implements system.Live. It adds the particles (n, 2), the name of the observable, and its
// values so far.
func (l *Live) Put(f *wire.Frame) {
	f.PutText("macro", inWords(l.About.Variables[0]))
	f.PutText("units", "")
	f.Put("x", l.onShow()...)
	if !l.there() {
		return
	}
	f.Extend("energy", l.Run().Generation, len(l.Frames.Macro), func(k int) float32 { return float32(l.Frames.Macro[k]) })
}

// Idle lists the settings that do not apply to the displayed run. For a recording these are all
// settings; otherwise they are a and b, if the force does not use them.
func (l *Live) Idle() (names []string) {
	if l.Recorded() {
		return append(l.Table.Names(), "curve")
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

// Unlinked describes the parts of the displayed run that a link does not contain. It returns ""
// if the link contains everything.
func (l *Live) Unlinked() string {
	if n := len(l.sketch) / dim; l.About.Blank && n > 0 {
		return fmt.Sprintf("the drawing, whose %s too few to move", setting.Count(n, "particle is", "particles are"))
	}
	return ""
}

// Restore implements system.Live. The caller restores the settings first.
func (l *Live) Restore(positions []float32, note string) error {
	if err := l.Restorable(positions, l.settings.N); err != nil {
		return err
	}
	was := l.half
	l.half = 0
	if err := l.start(positions, note); err != nil {
		l.half = was
		return err
	}
	l.Player().Pause()
	return nil
}
