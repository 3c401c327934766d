package polymer

import (
	"fmt"
	"slices"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/play"
	"macroscope/model/wire"
	"macroscope/sim/polymer"
)

// Live is a chain as it is played on the page, of marked beads. It is not safe for
// concurrent use.
type Live struct {
	system.Basic
	settings settings
	table    setting.Table
	player   play.Player

	run        run
	generation uint64
	note       string
	described  system.Run
	otherKicks bool      // than the run of the settings has
	start      []float32 // that the visitor has pulled (N, 3); nil: that of the settings
	places     []int
	numbers    []float32
}

var _ system.Live = (*Live)(nil)

// Live implements system.System. Pictures have no page of their own.
func (s System) Live() system.Live {
	if s.video {
		return nil
	}
	l := &Live{settings: defaults()}
	l.table = l.settings.table()
	return l
}

// Use makes the named form of the simulator's loops serve until restore is called, see
// polymer.Use.
func Use(form string) (restore func(), err error) { return polymer.Use(form) }

// Settings implements system.Live.
func (l *Live) Settings() setting.Table { return l.table }

// Set implements system.Live. What the run depends on begins it anew.
func (l *Live) Set(name, value string) error {
	was, start := l.settings, l.start
	err := l.table.Set(name, value)
	if shown := name == "beside" || name == "film" || name == "picture"; err == nil && !shown && (l.settings != was || l.Recorded()) {
		if !outlives(name) {
			l.start = nil
		}
		err = l.simulate()
	}
	if err != nil {
		l.settings, l.start = was, start
	}
	return err
}

// Check implements system.Live.
func (l *Live) Check() error {
	c := l.settings.config()
	if err := c.Validate(); err != nil {
		return plain(err)
	}
	return system.CheckPlayed(c.N, dim, c.Frames-1)
}

// Generate implements system.Live. A chain that the visitor has pulled is none of the
// settings'.
func (l *Live) Generate() error {
	pulled := l.start
	l.start = nil
	err := l.simulate()
	if err != nil {
		l.start = pulled
	}
	return err
}

// simulate begins the run of the settings, from the chain that the visitor has pulled if
// there is one.
func (l *Live) simulate() error {
	if err := l.Check(); err != nil {
		return err
	}
	c := l.settings.config()
	start := l.Start()
	noise := uint64(l.settings.set)
	if l.otherKicks {
		noise += maxSet
	}
	if err := l.run.simulate(c, polymer.NewKey(l.settings.seed, noise), start); err != nil {
		return err
	}
	note := ""
	if l.start != nil {
		note = pulledNote
	}
	l.begun(note)
	return nil
}

// Start returns where the run begins (N, 3).
func (l *Live) Start() []float32 {
	if len(l.start) == dim*l.settings.beads {
		return slices.Clone(l.start)
	}
	l.start = nil // which was of another chain
	start := make([]float32, dim*l.settings.beads)
	l.settings.begin(start, l.settings.config())
	return start
}

// begun follows the beginning of every run.
func (l *Live) begun(note string) {
	l.note = note
	l.generation++
	l.player.Begin(&l.run)
}

// Playable says why recorded trajectories cannot be shown on the page.
func (*Live) Playable(s system.Shape) error {
	if s.Particles > maxBeads {
		return fmt.Errorf("the chains have %d beads, and the page has room for %d; the command line takes more", s.Particles, maxBeads)
	}
	return system.CheckPlayed(s.Particles, dim, s.Frames-1)
}

// Record implements system.Live.
func (l *Live) Record(t *system.Trajectory, note string) {
	l.start = nil
	l.run.record(t)
	l.begun(note)
}

// Recorded implements system.Live.
func (l *Live) Recorded() bool { return l.run.recorded() }

// Player implements system.Live.
func (l *Live) Player() *play.Player { return &l.player }

// Run implements system.Live. What it returns holds until the next call.
func (l *Live) Run() *system.Run {
	r := &l.run
	l.described = system.Run{
		Generation: l.generation, Particles: r.beads, Horizon: r.horizon, Known: r.known, Dt: r.frameTime,
		Lo: r.low, Hi: r.high, Note: l.note, Variables: System{}.Variables(""),
	}
	return &l.described
}

// Frame implements system.Live.
func (l *Live) Frame(dst *system.Frame, k int) { System{}.Unpack(dst, l.run.frame(k)) }

// Packed fills dst with the beads of frame k as they lie in space.
func (l *Live) Packed(dst *system.Frame, k int) { dst.One(l.run.frame(k), dim) }

// Shown implements system.Live.
func (l *Live) Shown(dst *system.Frame) (places []int) {
	if !l.run.begun() {
		dst.One(nil, dim)
		return nil
	}
	l.Frame(dst, l.run.now)
	for len(l.places) < l.run.beads {
		l.places = append(l.places, len(l.places))
	}
	return l.places[:l.run.beads]
}

// Macro implements system.Live.
func (l *Live) Macro(k int) []float64 { return l.run.extension[k : k+1] }

// anotherButton begins another run of the same seed.
const anotherButton = "another"

// Press implements system.Live.
func (l *Live) Press(id string) (handled bool, err error) {
	if id != anotherButton {
		return false, nil
	}
	return true, l.Set("set", fmt.Sprint((l.settings.set+1)%maxSet))
}

// Idle names the settings that mean nothing to the run on show: all, if it is a
// recording, but for those of its film.
func (l *Live) Idle() (names []string) {
	if !l.Recorded() {
		return nil
	}
	return slices.DeleteFunc(l.table.Names(), func(name string) bool { return name == "film" || name == "picture" })
}

// Put implements system.Live: the beads seen along z, x (N, 2), and the extension of
// the frames so far (K); of a simulation the rate of the flow.
func (l *Live) Put(f *wire.Frame) {
	r := &l.run
	if !r.begun() {
		return
	}
	f.Put("x", l.Places()...)
	if !l.Recorded() {
		f.Put("rate", float32(l.settings.rate))
	}
	f.Extend("extension", l.generation, r.known+1, func(k int) float32 { return float32(r.extension[k]) })
}
