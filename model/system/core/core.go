// Package core holds the run that a page displays, for all systems.
package core

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/play"
)

// Core holds the displayed run and implements the part of Live that all systems share. The run
// is a trajectory, either recorded or simulated as it plays. A Live embeds a Core, made by
// New, and adds its own physics, settings, page and sentences. By default runs need no
// preparation and cannot be edited.
type Core struct {
	Table  setting.Table     // table of the settings
	Frames system.Trajectory // the known frames of the run; all particles have one species unless the Live writes species
	// About describes the run. Its fields Generation, Horizon and Known are not used.
	About  system.Run
	Edited []float32 // frame 0 (N, Dim) if the user has edited it, otherwise nil

	of         *system.System
	dim        int
	kind       Kind
	generation uint64
	recorded   bool
	player     play.Player
	run        play.Run    // the displayed run, as the player plays it
	frames     play.Frames // the run, if it is a recording or was begun by Simulate
	sim        system.Simulation
	every      int
	described  system.Run
	places     []int
}

// Kind describes a system's page and the kind of particles in a run.
type Kind struct {
	Page      func() *system.Page // texts and controls of the page, made once
	Max       int                 // largest number of particles on a page
	Called    string              // what the particles are called: "beads"
	Simulator string              // name of the simulator's package. The simulator's errors begin with the name, and users see the errors without the name
}

// New returns a Core without a run.
func New(of *system.System, table setting.Table, kind Kind) Core {
	return Core{Table: table, of: of, dim: of.Dim, kind: kind}
}

// PerSecond is the number of frames played per second at speed 1.
const PerSecond = 30

// Simulate begins a run, which `about` describes. `sim` is at frame 0 and simulates the frames
// up to about.Horizon. Two frames are `every` steps apart. The player checks its time budget
// after at most `piece` steps.
func (c *Core) Simulate(sim system.Simulation, every, piece int, about system.Run) {
	c.sim, c.every = sim, every
	c.frames = play.Frames{Last: about.Horizon, PerSecond: PerSecond, Pieces: (every + piece - 1) / piece, Make: c.next}
	c.Play(&c.frames, about)
	sim.Frame(c.Keep(0))
}

// Resume continues a run that Simulate has begun from the displayed frame, at which `sim` is. It drops all later frames.
func (c *Core) Resume(sim system.Simulation) {
	now := c.player.Now()
	c.sim, c.frames.Made = sim, now
	c.player.Forget()
	f := &c.Frames
	f.Points, f.Macro = f.Points[:(now+1)*c.About.Particles*c.dim], f.Macro[:(now+1)*len(c.About.Variables)]
	c.Changed()
}

// Play begins a run that the Live itself simulates. The Live stores the run's frames with Keep.
func (c *Core) Play(run play.Run, about system.Run) {
	if c.recorded { // the frames in c.Frames belong to the caller of Replay
		c.Frames = system.Trajectory{}
	}
	c.recorded = false
	c.begin(run, about)
	f := &c.Frames
	f.Params = nil
	f.Points, f.Macro = roomFor(f.Points, (about.Horizon+1)*about.Particles*c.dim), roomFor(f.Macro, (about.Horizon+1)*len(about.Variables))
	if len(f.Species) != about.Particles {
		f.Species = slices.Repeat([]uint8{1}, about.Particles)
	}
}

// roomFor returns an empty slice with capacity for at least the given number of elements. A new
// slice has an eighth more, for particles that are added one by one.
func roomFor[T float32 | float64](v []T, numbers int) []T {
	if cap(v) < numbers {
		return make([]T, 0, numbers+numbers/8)
	}
	return v[:0]
}

// Replay begins a recorded run. It uses t without a copy and plays perSecond frames a second at
// speed 1. It panics if Playable returns an error.
func (c *Core) Replay(t *system.Trajectory, perSecond float64, about system.Run) {
	last := t.Frames(len(about.Variables)) - 1
	about.Particles = len(t.Points) / ((last + 1) * c.dim)
	if err := c.Playable(system.Shape{Trajectories: 1, Frames: last + 1, Particles: about.Particles, Dim: c.dim}); err != nil {
		panic("system: " + err.Error())
	}
	c.frames = play.Frames{Last: last, Made: last, PerSecond: perSecond, Pieces: 1}
	c.Frames, c.recorded, c.Edited = *t, true, nil
	c.begin(&c.frames, about)
}

func (c *Core) begin(run play.Run, about system.Run) {
	c.run, c.About = run, about
	c.generation++
	c.player.Begin(run)
}

// The method Changed begins another generation of the run. Code that has read frames of the run
// then reads all known frames again.
func (c *Core) Changed() { c.generation++ }

// Keep returns memory for the particles (N, Dim) and macroscopic variables (M) of frame k, and
// drops all later frames.
func (c *Core) Keep(k int) (points []float32, macro []float64) {
	size, m := c.About.Particles*c.dim, len(c.About.Variables)
	f := &c.Frames
	f.Points, f.Macro = slices.Grow(f.Points[:k*size], size)[:(k+1)*size], slices.Grow(f.Macro[:k*m], m)[:(k+1)*m]
	return f.Points[k*size:], f.Macro[k*m:]
}

// next simulates one piece of the frame after the last known frame.
func (c *Core) next(piece int) error {
	k := c.frames.Made
	for c.sim.Index() < k*c.every+(piece+1)*c.every/c.frames.Pieces {
		if err := c.sim.Step(); err != nil {
			return Plain(err, c.kind.Simulator)
		}
	}
	if piece == c.frames.Pieces-1 {
		c.sim.Frame(c.Keep(k + 1))
	}
	return nil
}

// Points returns the particles (N, Dim) of frame k. Frame k must be known.
func (c *Core) Points(k int) []float32 {
	size := c.About.Particles * c.dim
	return c.Frames.Points[k*size : (k+1)*size]
}

// Now returns the particles of the displayed frame (N, Dim).
func (c *Core) Now() []float32 { return c.Points(c.player.Now()) }

// Begun reports whether there is a run.
func (c *Core) Begun() bool { return c.run != nil }

// Time returns the time of the displayed frame.
func (c *Core) Time() float64 { return float64(c.player.Now()) * c.About.Dt }

// Page implements Live.
func (c *Core) Page() *system.Page { return c.kind.Page() }

// Settings implements Live.
func (c *Core) Settings() setting.Table { return c.Table }

// Player implements Live.
func (c *Core) Player() *play.Player { return &c.player }

// Run implements Live. Its result is valid until the next call.
func (c *Core) Run() *system.Run {
	c.described = c.About
	c.described.Generation = c.generation
	if c.run != nil {
		c.described.Horizon, c.described.Known = c.run.Horizon(), c.run.Known()
	}
	return &c.described
}

// Frame implements Live.
func (c *Core) Frame(dst *system.Frame, k int) { c.of.Frame(dst, &c.Frames, k, c.dim) }

// Shown implements Live. It fills dst with the displayed frame. Particle i of dst is particle i
// of the run.
func (c *Core) Shown(dst *system.Frame) (places []int) {
	if c.run == nil {
		dst.One(nil, c.dim)
		return nil
	}
	c.Frame(dst, c.player.Now())
	return c.Order(c.About.Particles)
}

// Order returns the numbers 0 to n-1. The result is valid until the next call.
func (c *Core) Order(n int) []int {
	for len(c.places) < n {
		c.places = append(c.places, len(c.places))
	}
	return c.places[:n]
}

// Macro implements Live.
func (c *Core) Macro(k int) []float64 { return c.Frames.At(k, len(c.About.Variables)) }

// Recorded implements Live.
func (c *Core) Recorded() bool { return c.recorded }

// Idle lists the settings that do not apply to the displayed run. For a recording these are all
// settings.
func (c *Core) Idle() []string {
	if c.recorded {
		return c.Table.Names()
	}
	return nil
}

// Playable returns an error if recorded trajectories cannot be shown on the page.
func (c *Core) Playable(s system.Shape) error {
	switch {
	case s.Dim != c.dim:
		shows := fmt.Sprintf("with %d", c.dim)
		if names := [...]string{1: "on a line", 2: "in the plane", 3: "in space"}; c.dim < len(names) {
			shows = names[c.dim]
		}
		return fmt.Errorf("the particles have %d coordinates, and the page shows those %s; the command line trains on others", s.Dim, shows)
	case s.Particles > c.kind.Max:
		return fmt.Errorf("the trajectories have %d %s, and the page has room for %d; the command line takes more", s.Particles, c.kind.Called, c.kind.Max)
	}
	return play.CheckRoom(s.Particles, s.Dim, s.Frames-1)
}

// Record implements Live for a system that reads no files.
func (c *Core) Record(*system.Trajectory, string) {}

// Check implements Live. It accepts all settings.
func (c *Core) Check() error { return nil }

// Preparing implements Live. A run begins without preparation.
func (c *Core) Preparing() (what string, share float64) { return "", 0 }

// Prepare implements Live.
func (c *Core) Prepare(func() time.Time, time.Duration) error { return nil }

// Edit implements Live. Nothing can be edited.
func (c *Core) Edit(command, value string) (handled bool, err error) { return false, nil }

// Press implements Live. There are no own buttons.
func (c *Core) Press(id string) (handled bool, err error) { return false, nil }

// Figures implements Live. There are no figures.
func (c *Core) Figures(map[string]string) {}

// Foreign implements Live. Models apply to every run.
func (c *Core) Foreign(recorded bool) string { return "" }

// Save implements Live.
func (c *Core) Save() (positions []float32, note string) {
	if c.Edited == nil || c.About.Blank {
		return nil, ""
	}
	return c.Edited, c.About.Note
}

// Restore implements Live for particles that cannot be edited.
func (c *Core) Restore(positions []float32, note string) error {
	if len(positions) > 0 {
		return errors.New("particles of this system cannot be edited, and the saved state has positions of such; start anew")
	}
	return nil
}

// Restorable returns an error if positions returned by Save cannot be frame 0 of n particles.
func (c *Core) Restorable(positions []float32, n int) error {
	if len(positions) != c.dim*n || slices.ContainsFunc(positions, func(v float32) bool { return v-v != 0 }) {
		return fmt.Errorf("its %s cannot be used", c.kind.Called)
	}
	return nil
}

// Press carries out the action of a button. The button "another" begins another run of the same seed: it adds 1
// to the index of the run, the setting "set". Other buttons are the system's own, see Live.Press.
func Press(l system.Live, id string) (handled bool, err error) {
	if f := l.Settings().Find("set"); f != nil && id == "another" {
		return true, l.Set(f.Name, strconv.Itoa((*f.Value.(*int)+1)%int(f.High)))
	}
	return l.Press(id)
}

// maxCoordinates is the largest count of numbers in a command that the picture sends.
const maxCoordinates = 4096

// Coordinates reads the numbers in a command that the picture sends. They are separated by
// spaces, and each lies between -furthest and furthest.
func Coordinates(text string, furthest float64) ([]float64, error) {
	words := strings.Fields(text)
	if len(words) > maxCoordinates {
		return nil, fmt.Errorf("a stroke of %d numbers is too long; at most %d can be read", len(words), maxCoordinates)
	}
	numbers := make([]float64, len(words))
	for i, word := range words {
		v, err := strconv.ParseFloat(word, 32)
		if err != nil || !(math.Abs(v) <= furthest) {
			return nil, fmt.Errorf("a particle cannot be at %s: give numbers from %g to %g", setting.Quote(word), -furthest, furthest)
		}
		numbers[i] = v
	}
	return numbers, nil
}
