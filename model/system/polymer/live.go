package polymer

import (
	"cmp"
	"slices"

	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/system/play"
	"macroscope/model/wire"
	"macroscope/sim/polymer"
)

// Live is a run of a chain of labelled beads on the page. It is not safe for concurrent use.
type Live struct {
	core.Core
	settings   settings
	otherKicks bool // whether this is a second chain that differs from the first only in its noise
	numbers    []float32
}

var _ system.Live = (*Live)(nil)

func newLive(s settings) *Live {
	l := &Live{settings: s}
	l.Core = core.New(System(), l.settings.table(), core.Kind{Page: pageTexts, Max: maxBeads, Called: "beads", Simulator: simulator})
	return l
}

// simulator is the name of the simulator's package.
const simulator = "polymer"

// plain removes the simulator's name from an error.
func plain(err error) error { return core.Plain(err, simulator) }

// Set implements system.Live. A change of the physics restarts the run.
func (l *Live) Set(name, value string) error {
	was, edited := l.settings, l.Edited
	err := l.Table.Set(name, value)
	if shown := name == "beside" || name == "film" || name == "picture"; err == nil && !shown && (l.settings != was || l.Recorded()) {
		if !outlives(name) {
			l.Edited = nil
		}
		err = l.simulate()
	}
	if err != nil {
		l.settings, l.Edited = was, edited
	}
	return err
}

// Check implements system.Live.
func (l *Live) Check() error {
	c := l.settings.config()
	if err := c.Validate(); err != nil {
		return plain(err)
	}
	return play.CheckRoom(c.N, dim, c.Frames-1)
}

// Generate implements system.Live. It drops a chain that the user has pulled.
func (l *Live) Generate() error {
	pulled := l.Edited
	l.Edited = nil
	err := l.simulate()
	if err != nil {
		l.Edited = pulled
	}
	return err
}

// simulate begins the run described by the settings. If the user has pulled the chain, the run
// starts from the pulled chain.
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
	sim, err := polymer.New(c, polymer.Chain{Key: polymer.NewKey(l.settings.seed, noise), Positions: start})
	if err != nil {
		return plain(err)
	}
	about := system.Run{Particles: c.N, Horizon: c.Frames - 1, Dt: float64(c.Every) * c.Dt, Variables: extensionAlone}
	// The picture is as wide as an unfolded chain and as high as a coil.
	long := 0.45 * float64(c.N)
	about.Lo, about.Hi = window([2]float64{-long, -long / 4}, [2]float64{long, long / 4})
	if l.Edited != nil {
		about.Note = pulledNote
	}
	// The extension is computed from beads rounded to float32, as in a file. A saved run therefore
	// opens unchanged.
	l.Simulate(simulation{sim, labelled, 0, true}, c.Every, stepsAPiece, about)
	return nil
}

// window returns the corners of the picture. Its height is at least a quarter of its width.
func window(low, high [2]float64) (lo, hi [2]float64) {
	if flat := (high[0]-low[0])/4 - (high[1] - low[1]); flat > 0 {
		low[1], high[1] = low[1]-flat/2, high[1]+flat/2
	}
	return low, [2]float64{high[0] + 1e-3, high[1] + 1e-3}
}

// Start returns the first frame of the run (N, 3).
func (l *Live) Start() []float32 {
	if len(l.Edited) == dim*l.settings.beads {
		return slices.Clone(l.Edited)
	}
	l.Edited = nil // the pulled chain has a different number of beads
	start := make([]float32, dim*l.settings.beads)
	l.settings.begin(start, l.settings.config())
	return start
}

// Record implements system.Live. The frames of a recording without times get the time step of
// training.
func (l *Live) Record(t *system.Trajectory, note string) {
	c := chain(len(t.Species))
	low, high := [2]float64{}, [2]float64{}
	for i, v := range t.Points {
		if axis := i % dim; axis < len(low) {
			low[axis], high[axis] = min(low[axis], float64(v)), max(high[axis], float64(v))
		}
	}
	about := system.Run{Dt: cmp.Or(t.Interval, float64(c.Every)*c.Dt), Note: note, Variables: extensionAlone}
	about.Lo, about.Hi = window(low, high)
	l.Replay(t, core.PerSecond, about)
}

// Packed fills dst with the beads of frame k (N, 3).
func (l *Live) Packed(dst *system.Frame, k int) { dst.One(l.Points(k), dim) }

// Idle lists the settings that do not apply to the displayed run. For a recording these are all
// settings except `film` and `picture`.
func (l *Live) Idle() (names []string) {
	return slices.DeleteFunc(l.Core.Idle(), func(name string) bool { return name == "film" || name == "picture" })
}

// Put implements system.Live. It adds x (N, 2), the positions of the beads as seen along z. It adds
// the chain's extension in every frame so far (K). For a simulation it also adds the rate of the
// flow.
func (l *Live) Put(f *wire.Frame) {
	if !l.Begun() {
		return
	}
	f.Put("x", l.Places()...)
	if !l.Recorded() {
		f.Put("rate", float32(l.settings.rate))
	}
	f.Extend("extension", l.Run().Generation, len(l.Frames.Macro), func(k int) float32 { return float32(l.Frames.Macro[k]) })
}
