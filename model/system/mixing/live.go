package mixing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/wire"
	"macroscope/sim/lj"
)

// Live is a run of the mixing on the page. The atoms relax before its first frame (see
// Prepare). It is not safe for concurrent use.
type Live struct {
	core.Core
	settings settings
	good     settings // settings of the displayed run
	plan     []turn   // changes of settings that the next run makes after its start

	relax relaxation
	run   run // the simulated run

	places  []int
	numbers []float32
}

var _ system.Live = (*Live)(nil)

func newLive() *Live {
	l := &Live{settings: defaults(), good: defaults()}
	l.Core = core.New(System(), l.settings.table(), core.Kind{Page: pageTexts, Max: maxAtoms, Called: "atoms", Simulator: simulator})
	l.About.Variables = variables
	l.run.core, l.run.clock, l.run.arrived = &l.Core, time.Now, l.arrived
	return l
}

// arrived copies the run's parameters at the displayed frame to the settings. These parameters
// can differ from the parameters at an earlier frame.
func (l *Live) arrived(c lj.Config) {
	l.good.tune(c)
	if !l.relax.under() { // during a relaxation the settings describe the next run
		l.settings.tune(c)
	}
}

// Set implements system.Live. A new temperature or well depth applies from the displayed frame on.
// Other settings restart the run. At frame 0, every setting restarts the run. If Set returns an
// error, nothing has changed.
func (l *Live) Set(name, value string) error {
	was := l.settings
	err := l.Table.Set(name, value)
	if tuned := was; err == nil && (l.settings != was || l.Recorded()) {
		tuned.tune(l.settings.config())
		started := l.simulated() && !l.relax.under() && (l.run.now > 0 || l.run.between())
		if started && tuned == l.settings {
			err = l.retune()
		} else if err = l.Check(); err == nil {
			l.plan = nil
			err = l.begin()
		}
	}
	if err != nil {
		l.settings = was
	}
	return plain(err)
}

// retune continues the run with the settings' temperature and pair table.
func (l *Live) retune() error {
	if err := l.run.retune(l.settings.config()); err != nil {
		return err
	}
	l.Player().Forget()
	l.good, l.About.Note = l.settings, changedAt(l.run.now)
	l.Changed()
	return nil
}

func changedAt(frame int) string { return fmt.Sprintf("changed at frame %d", frame) }

// Check implements system.Live. It accepts time steps that are too long: a run with such a time
// step begins, and stops when an atom flies off.
func (l *Live) Check() error { return plain(l.settings.config().Validate()) }

// Generate implements system.Live. On an error it restores the settings of the displayed run. If
// there is no displayed run, it prepares the run of the default settings.
func (l *Live) Generate() error {
	l.plan = nil
	err := l.Check()
	if err == nil {
		err = l.begin()
	}
	return l.recovered(err)
}

// begin begins the run described by the settings, or the relaxation before the run. The
// settings must be valid. On an error nothing changes except the settings.
func (l *Live) begin() error {
	state := l.relax.find(l.settings)
	if state == nil {
		return l.relax.begin(l.settings)
	}
	note := ""
	if n := len(l.plan); n > 0 {
		note = changedAt(l.plan[n-1].frame)
	}
	if err := l.run.simulate(l.settings.config(), *state, l.plan, note); err != nil {
		return err
	}
	l.plan = nil
	l.begun()
	l.arrived(l.run.sim.Config())
	return nil
}

// begun accepts the settings of the run that has just started.
func (l *Live) begun() {
	l.relax.cancel()
	l.good = l.settings
}

// simulated reports whether the displayed run is a simulation.
func (l *Live) simulated() bool { return l.Begun() && !l.Recorded() }

// recovered restores valid settings if new settings caused the error err. It returns err without
// the simulator's name.
func (l *Live) recovered(err error) error {
	switch {
	case err == nil:
	case l.Begun():
		l.relax.cancel()
		l.settings = l.good
	default:
		l.settings = defaults()
		_ = l.begin() // with the default settings a run can begin: a test checks this
	}
	return plain(err)
}

// Preparing implements system.Live.
func (l *Live) Preparing() (what string, share float64) {
	if !l.relax.under() {
		return "", 0
	}
	return "Relaxing the atoms from their lattice", l.relax.share()
}

// Prepare implements system.Live. On an error it restores valid settings, like Generate. The
// clock is also used to measure the steps per second.
func (l *Live) Prepare(clock func() time.Time, budget time.Duration) error {
	if !l.relax.under() {
		return nil
	}
	l.run.clock = clock
	ended, err := l.relax.advance(clock, budget)
	if err == nil && ended {
		err = l.begin()
	}
	return l.recovered(err)
}

// maxAtoms is the largest number of atoms in a run on the page.
const maxAtoms = 5000

// Record implements system.Live.
func (l *Live) Record(t *system.Trajectory, note string) {
	about := system.Run{Dt: cmp.Or(t.Interval, System().Interval), Note: note, Variables: variables}
	about.Lo, about.Hi = bounds(t.Points)
	l.Replay(t, float64(playedSteps)/recordEvery, about)
	l.begun()
}

// bounds returns the corners of the smallest box with integer coordinates that contains the origin
// and all positions (T, N, 2).
func bounds(positions []float32) (lo, hi [2]float64) {
	for i, v := range positions {
		lo[i%dim], hi[i%dim] = min(lo[i%dim], float64(v)), max(hi[i%dim], float64(v))
	}
	for k := range hi {
		lo[k], hi[k] = math.Floor(lo[k]), max(math.Ceil(hi[k]), lo[k]+1)
	}
	return lo, hi
}

// Run implements system.Live. While atoms relax, the result describes the next run at its
// start. The result is valid until the next call.
func (l *Live) Run() *system.Run {
	d := l.Core.Run()
	if l.relax.under() {
		c := &l.relax.cfg
		d.Particles, d.Horizon, d.Known, d.Dt, d.Note = l.relax.sim.N(), l.settings.frames, 0, c.Dt*float64(c.Every), ""
		d.Lo, d.Hi = [2]float64{}, [2]float64{c.Width, c.Height}
	}
	return d
}

// Frame implements system.Live.
func (l *Live) Frame(dst *system.Frame, k int) {
	l.Core.Frame(dst, k)
	if !l.Recorded() {
		dst.Params = append(dst.Params[:0], assigned(&l.run.tuned[k])...)
	}
}

// onShow returns the displayed atoms (N, 2) and their mixing ratios. The displayed picture can
// lie between two frames.
func (l *Live) onShow() (x []float32, ratios []float64) {
	if l.Recorded() {
		return l.Now(), l.Macro(l.Player().Now())
	}
	l.run.look()
	return l.run.x, l.run.measure.Ratios[:]
}

// Shown implements system.Live. Its result is valid until the next call.
func (l *Live) Shown(dst *system.Frame) (places []int) {
	x, _ := l.onShow()
	dst.BySpecies(x, l.Frames.Species, dim, 2)
	l.places = l.places[:0]
	for s := range dst.Ends {
		for i, k := range l.Frames.Species {
			if int(k) == s+1 {
				l.places = append(l.places, i)
			}
		}
	}
	return l.places
}

// The tools of the pointer. The second tool is also a command: "boundary x" means that the
// boundary was dragged to x.
const (
	lookTool     = "look"
	boundaryTool = "boundary"
)

// Edit implements system.Live.
func (l *Live) Edit(command, value string) (handled bool, err error) {
	if command != boundaryTool {
		return false, nil
	}
	return true, l.Set("boundary", value)
}

// retuned reports whether the parameters of the run have changed between frame 0 and the
// displayed frame.
func (l *Live) retuned() bool {
	r := &l.run
	tuned := r.tuned[:min(r.now+1, len(r.tuned))]
	return slices.ContainsFunc(tuned, func(c lj.Config) bool { return c != tuned[0] })
}

// Put implements system.Live. It adds the rows time, x (N, 2), kind (N) and ratios (frames so far,
// 2). The kind of an atom is its species, 1 or 2. For a simulation Put also adds the rows boundary,
// temperature and energy. Temperature and energy have one number for each frame so far. While atoms
// relax, Put adds only four rows: boundary, x, kind and relaxing. The kind of every atom is then 1.
// The row relaxing contains the finished share of the relaxation.
func (l *Live) Put(f *wire.Frame) {
	if !l.Recorded() || l.relax.under() { // a recording has no boundary; its species are in the file
		f.Put("boundary", float32(l.settings.boundary))
	}
	if l.relax.under() {
		l.putRelaxing(f)
		return
	}
	if !l.Begun() {
		return
	}
	x, _ := l.onShow()
	g, known, kinds := l.Run().Generation, l.Run().Known, l.Frames.Species
	f.Put("time", float32(l.Time()))
	f.Put("x", x...)
	l.putKinds(f, len(kinds), func(i int) float32 { return float32(kinds[i]) })
	f.Extend("ratios", g, len(variables)*(known+1), func(i int) float32 { return float32(l.Frames.Macro[i]) })
	if l.Recorded() {
		return
	}
	seen := l.run.seen[:known+1]
	f.Extend("temperature", g, len(seen), func(i int) float32 { return float32(seen[i].Temperature) })
	f.Extend("energy", g, len(seen), func(i int) float32 { return float32(seen[i].Potential / float64(len(kinds))) })
}

// Time returns the time of the displayed picture.
func (l *Live) Time() float64 {
	if l.Recorded() {
		return l.Core.Time()
	}
	return float64(l.run.sim.Index()) * l.run.cfg.Dt
}

func (l *Live) putRelaxing(f *wire.Frame) {
	sim := l.relax.sim
	f.Put("relaxing", float32(l.relax.share()))
	l.numbers = slices.Grow(l.numbers[:0], dim*sim.N())[:dim*sim.N()]
	sim.Positions(l.numbers)
	f.Put("x", l.numbers...)
	l.putKinds(f, sim.N(), func(int) float32 { return 1 })
}

// putKinds adds the kinds of n particles. The kind of particle i is the result of `at` for i.
func (l *Live) putKinds(f *wire.Frame, n int, at func(i int) float32) {
	l.numbers = l.numbers[:0]
	for i := range n {
		l.numbers = append(l.numbers, at(i))
	}
	f.Put("kind", l.numbers...)
}

// Measures lists the names of the quantities that are measured in every frame of a simulation
// in addition to the mixing ratios. A recording has none.
func (l *Live) Measures() []string {
	if !l.simulated() {
		return nil
	}
	return []string{"temperature", "potential_energy_per_atom", "pressure", "conserved"}
}

// Measure returns the values of Measures for frame k, in reduced units.
func (l *Live) Measure(k int) []float64 {
	o := &l.run.seen[k]
	return []float64{o.Temperature, o.Potential / float64(l.About.Particles), o.Pressure, o.Conserved}
}
