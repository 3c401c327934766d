package mixing

import (
	"fmt"
	"slices"
	"time"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/play"
	"macroscope/model/wire"
	"macroscope/sim/lj"
)

// Live is a run of the mixing on the page. Before its first frame the atoms have
// to relax, see Prepare. It is not safe for concurrent use.
type Live struct {
	system.Basic
	settings settings
	good     settings // those of the run on show
	plan     []turn   // what the next run is changed to in mid-run
	table    setting.Table

	relax  relaxation
	run    run
	player play.Player

	generation uint64
	note       string
	described  system.Run
	places     []int
	numbers    []float32
}

var _ system.Live = (*Live)(nil)

// Live implements system.System.
func (System) Live() system.Live {
	l := &Live{settings: defaults(), good: defaults()}
	l.table = l.settings.table()
	l.run.clock = time.Now
	l.run.arrived = l.arrived
	return l
}

// arrived takes the settings that hold from the frame on show on, where those of
// frames before a change are others.
func (l *Live) arrived(c lj.Config) {
	l.good.tune(c)
	if !l.relax.under() { // else the settings are those of the run to come
		l.settings.tune(c)
	}
}

// Settings implements system.Live.
func (l *Live) Settings() setting.Table { return l.table }

// Set implements system.Live. The temperature and the depths of the wells change
// in mid-run; at frame 0, and for all else, the run begins anew.
func (l *Live) Set(name, value string) error {
	return l.change(func() error { return l.table.Set(name, value) })
}

// change lets set change the settings, and what is played with them. On an error
// all stays as it was.
func (l *Live) change(set func() error) error {
	was := l.settings
	err := set()
	if tuned := was; err == nil && (l.settings != was || l.Recorded()) {
		tuned.tune(l.settings.config())
		started := l.run.sim != nil && !l.relax.under() && (l.run.now > 0 || l.run.between())
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

// retune lets the run go on under the settings' temperature and pair table.
func (l *Live) retune() error {
	if err := l.run.retune(l.settings.config()); err != nil {
		return err
	}
	l.player.Forget()
	l.good, l.note = l.settings, changedAt(l.run.now)
	l.generation++
	return nil
}

func changedAt(frame int) string { return fmt.Sprintf("changed at frame %d", frame) }

// Check implements system.Live. A run whose time step is too long begins, and
// stops when an atom flies off.
func (l *Live) Check() error { return plain(l.settings.config().Validate()) }

// Generate implements system.Live. On an error the settings are again those of
// the run on show; if there is none, the system's own are prepared.
func (l *Live) Generate() error {
	l.plan = nil
	err := l.Check()
	if err == nil {
		err = l.begin()
	}
	return l.recovered(err)
}

// begin begins the run of the settings, which must be valid, or the relaxation
// that comes before it. On an error all but the settings is as it was.
func (l *Live) begin() error {
	state := l.relax.find(l.settings)
	if state == nil {
		return l.relax.begin(l.settings)
	}
	if err := l.run.simulate(l.settings.config(), *state, l.plan); err != nil {
		return err
	}
	note := ""
	if n := len(l.plan); n > 0 {
		note = changedAt(l.plan[n-1].frame)
	}
	l.plan = nil
	l.begun(note)
	l.arrived(l.run.sim.Config())
	return nil
}

// begun follows the beginning of every run.
func (l *Live) begun(note string) {
	l.relax.cancel()
	l.good, l.note = l.settings, note
	l.generation++
	l.player.Begin(&l.run)
}

// recovered goes back to settings that can be played after an error of those that
// were tried.
func (l *Live) recovered(err error) error {
	switch {
	case err == nil:
	case l.player.Begun():
		l.relax.cancel()
		l.settings = l.good
	default:
		l.settings = defaults()
		_ = l.begin() // which a test begins
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

// Prepare implements system.Live. Its error is that of Generate. The clock is
// also the one that steps a second are measured with.
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

// maxAtoms is how many a run on the page may have.
const maxAtoms = 5000

// Playable says why recorded trajectories cannot be shown on the page: they are
// too large.
func (*Live) Playable(s system.Shape) error {
	if s.Particles > maxAtoms {
		return fmt.Errorf("the trajectories have %d atoms, and the page has room for %d; the command line takes more", s.Particles, maxAtoms)
	}
	return system.CheckPlayed(s.Particles, dim, s.Frames-1)
}

// Record implements system.Live. It panics where Playable has an error.
func (l *Live) Record(t *system.Trajectory, note string) {
	if err := l.Playable(system.Shape{Trajectories: 1, Frames: t.Frames(variables), Particles: len(t.Species), Dim: dim}); err != nil {
		panic("mixing: " + err.Error())
	}
	l.run.record(t)
	l.begun(note)
}

// Recorded implements system.Live.
func (l *Live) Recorded() bool { return l.run.recorded != nil }

// Player implements system.Live.
func (l *Live) Player() *play.Player { return &l.player }

// Run implements system.Live. While atoms relax it is the run to come, at its
// beginning. It holds until the next call.
func (l *Live) Run() *system.Run {
	r, d := &l.run, &l.described
	*d = system.Run{
		Generation: l.generation, Particles: len(r.species), Horizon: r.horizon, Known: r.known, Dt: r.dt,
		Lo: r.lo, Hi: r.hi, Note: l.note, Variables: System{}.Variables(""),
	}
	if l.relax.under() {
		c := &l.relax.cfg
		d.Particles, d.Horizon, d.Known, d.Dt, d.Note = l.relax.sim.N(), l.settings.frames, 0, c.Dt*float64(c.Every), ""
		d.Lo, d.Hi = [2]float64{}, [2]float64{c.Width, c.Height}
	}
	return d
}

// Frame implements system.Live.
func (l *Live) Frame(dst *system.Frame, k int) {
	r := &l.run
	l.numbers = slices.Grow(l.numbers[:0], len(r.x))[:len(r.x)]
	r.frame(l.numbers, k)
	dst.BySpecies(l.numbers, r.species, dim, 2)
	if r.recorded != nil {
		dst.Params = append(dst.Params[:0], r.recorded.Params...)
		return
	}
	dst.Params = append(dst.Params[:0], assigned(&r.tuned[k])...)
}

// Shown implements system.Live. The places hold until the next call.
func (l *Live) Shown(dst *system.Frame) (places []int) {
	r := &l.run
	r.look()
	dst.BySpecies(r.x, r.species, dim, 2)
	l.places = l.places[:0]
	for s := range dst.Ends {
		for i, k := range r.species {
			if int(k) == s+1 {
				l.places = append(l.places, i)
			}
		}
	}
	return l.places
}

// Macro implements system.Live.
func (l *Live) Macro(k int) []float64 { return l.run.seen[k].Ratios[:] }

// The tools of the pointer. The second is also the command that it gives: the
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

// anotherButton begins a run from other first velocities.
const anotherButton = "another"

// Press implements system.Live.
func (l *Live) Press(id string) (handled bool, err error) {
	if id != anotherButton {
		return false, nil
	}
	return true, l.change(func() error {
		l.settings.set = (l.settings.set + 1) % maxSet
		return nil
	})
}

// Idle names the settings that mean nothing to the run on show: all, if it is a
// recording.
func (l *Live) Idle() (names []string) {
	if l.Recorded() {
		return l.table.Names()
	}
	return nil
}

// retuned says whether what is on show came about under other parameters than those
// that the run began with, or goes on with others.
func (l *Live) retuned() bool {
	r := &l.run
	tuned := r.tuned[:min(r.now+1, len(r.tuned))]
	return slices.ContainsFunc(tuned, func(c lj.Config) bool { return c != tuned[0] })
}

// Put implements system.Live: the rows x (N, 2), kind (N) of 1 and 2, of a simulation
// boundary, time, and of the frames so far ratios (K, 2), temperature (K) and energy (K),
// the latter two of a simulation alone. While atoms relax there are relaxing, the
// share of that, and x and kind, of one species yet.
func (l *Live) Put(f *wire.Frame) {
	r := &l.run
	if !l.Recorded() || l.relax.under() { // the species of a recording are its own
		f.Put("boundary", float32(l.settings.boundary))
	}
	if l.relax.under() {
		l.putRelaxing(f)
		return
	}
	if !l.player.Begun() {
		return
	}
	r.look()
	f.Put("time", float32(r.time()))
	f.Put("x", r.x...)
	l.put(f, "kind", len(r.species), func(i int) float32 { return float32(r.species[i]) })
	seen := r.seen[:r.known+1]
	f.Extend("ratios", l.generation, variables*len(seen), func(i int) float32 { return float32(seen[i/variables].Ratios[i%variables]) })
	if r.sim == nil {
		return
	}
	f.Extend("temperature", l.generation, len(seen), func(i int) float32 { return float32(seen[i].Temperature) })
	f.Extend("energy", l.generation, len(seen), func(i int) float32 { return float32(seen[i].Potential / float64(len(r.species))) })
}

func (l *Live) putRelaxing(f *wire.Frame) {
	sim := l.relax.sim
	f.Put("relaxing", float32(l.relax.share()))
	l.numbers = slices.Grow(l.numbers[:0], dim*sim.N())[:dim*sim.N()]
	sim.Positions(l.numbers)
	f.Put("x", l.numbers...)
	l.put(f, "kind", sim.N(), func(int) float32 { return 1 })
}

// put adds a row of n numbers.
func (l *Live) put(f *wire.Frame, name string, n int, at func(i int) float32) {
	l.numbers = l.numbers[:0]
	for i := range n {
		l.numbers = append(l.numbers, at(i))
	}
	f.Put(name, l.numbers...)
}

// Measures names what else is known of a simulated frame; of a recording, nothing.
func (l *Live) Measures() []string {
	if l.run.sim == nil {
		return nil
	}
	return []string{"temperature", "potential_energy_per_atom", "pressure", "conserved"}
}

// Measure returns them of frame k, in reduced units.
func (l *Live) Measure(k int) []float64 {
	o := &l.run.seen[k]
	return []float64{o.Temperature, o.Potential / float64(len(l.run.species)), o.Pressure, o.Conserved}
}
