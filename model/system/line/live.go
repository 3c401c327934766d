package line

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/system/play"
	"macroscope/model/wire"
	"macroscope/sim/gauss"
	"macroscope/sim/rng"
)

const (
	gridPoints = 512
	// viewLow and viewHigh bound the displayed interval, which contains every mixture with its
	// tails. Users can add particles inside it.
	viewLow, viewHigh = -1.8, 1.8

	stepsPerSecond = 60  // steps per second of a moving mixture
	stepsToNext    = 240 // steps from one mixture to the next, in 4 s
)

// Live is the displayed set: the user's data, or a set drawn from the seed's random stream. When a
// drawn set plays, its mixture moves towards the mixture of the next set by one step per frame. A
// Live is not safe for concurrent use.
type Live struct {
	core.Core
	settings settings

	step     int // number of steps taken from the set's mixture towards the next
	mixture  gauss.Mixture
	unit     unit    // converts the set's points from the model's coordinate to the user's
	position float64 // place where Press adds or removes a particle

	src       *rng.Source
	grid, row []float32 // (gridPoints): equidistant places, and the density of the mixture there
	shown     []float32 // the points in the user's coordinate
}

var _ system.Live = (*Live)(nil)

func newLive() *Live {
	l := &Live{
		settings: settings{N: 200, Seed: 1}, unit: unit{0, 1}, src: rng.New(0, ""),
		grid: make([]float32, gridPoints), row: make([]float32, gridPoints),
	}
	l.Core = core.New(System(), l.settings.table(), core.Kind{Page: pageTexts, Max: MaxParticles, Called: "particles"})
	l.begin()
	for i := range l.grid {
		l.grid[i] = viewLow + (viewHigh-viewLow)*float32(i)/(gridPoints-1)
	}
	return l
}

// begin begins a run at the mixture of the set. The run's Lo and Hi are in the model's coordinate.
func (l *Live) begin() {
	l.step = 0
	l.Play((*walk)(l), system.Run{Dt: 1.0 / stepsPerSecond, Lo: [2]float64{viewLow}, Hi: [2]float64{viewHigh}})
}

// Set implements system.Live. It also accepts "position", the place on the axis at which Press
// adds or removes a particle. Links do not contain the position.
func (l *Live) Set(name, value string) error {
	if name == "position" {
		at, err := parsePosition(value)
		if err == nil {
			l.position = at
		}
		return err
	}
	was := l.settings
	if err := l.Table.Set(name, value); err != nil || l.settings == was {
		return err
	}
	switch name {
	case "set":
		l.release()
	case "drift":
		l.release()
		if !l.settings.Drift {
			l.Player().Pause()
			return nil
		}
		return l.Player().Play()
	default:
		if l.Edited == nil {
			l.changed()
		}
	}
	return nil
}

// Values adds the values of two controls. The position is not a setting. The number of displayed
// particles differs from its setting if the set is the user's.
func (l *Live) Values(values map[string]string) {
	values["n"] = strconv.Itoa(l.About.Particles)
	values["position"] = strconv.FormatFloat(l.position, 'g', -1, 32)
}

// Generate implements system.Live. If the setting Drift is on, the mixture begins to move.
func (l *Live) Generate() error {
	l.begin()
	l.release()
	if l.settings.Drift {
		return l.Player().Play()
	}
	return nil
}

// release drops the user's set and displays the set described by the settings.
func (l *Live) release() {
	if l.Edited != nil {
		l.Frames.Points = nil // Save may have returned the old points, so they must not be overwritten
	}
	l.Edited, l.About.Note, l.unit = nil, "", unit{0, 1}
	l.changed()
}

// The method `changed` displays the set for the new settings.
func (l *Live) changed() {
	l.Changed()
	l.show()
}

// show computes the displayed set and its mixture.
func (l *Live) show() {
	l.About.Particles = l.settings.N
	points, _ := l.Keep(0)
	l.mixture = l.draw(points, l.step)
}

// draw computes the set that is reached after `step` steps. It writes the set to `points` and
// returns the set's mixture.
func (l *Live) draw(points []float32, step int) gauss.Mixture {
	from := l.settings.Set + step/stepsToNext
	part := float64(step%stepsToNext) / stepsToNext
	m := l.mixtureAt(from).Blend(l.mixtureAt(from+1), part*part*(3-2*part))
	// All steps use the same random numbers, so particles move with their mixture instead of
	// jumping to new places.
	l.src.Seed(l.settings.Seed, "demo shown particles", uint64(l.settings.Set))
	m.Sample(points, l.src.Rand)
	return m
}

func (l *Live) mixtureAt(index int) gauss.Mixture {
	l.src.Seed(l.settings.Seed, "demo shown mixtures", uint64(index))
	return gauss.Draw(l.src.Rand)
}

// Record implements system.Live. The points are in the user's unit. If they lie outside the
// range of training, they are shifted and scaled for the model.
func (l *Live) Record(t *system.Trajectory, note string) {
	u := unitOf(t.Points)
	points := make([]float32, len(t.Points), len(t.Points)+2)
	for i, v := range t.Points {
		points[i] = u.model(v)
	}
	l.take(append(points, u.shift, u.scale), note)
}

// take displays the user's points, given in the form that Save returns. It keeps the slice
// itself, not a copy.
func (l *Live) take(own []float32, note string) {
	l.Player().Pause()
	l.settings.Drift = false
	n := len(own) - 2
	l.Frames.Points, l.About.Particles, l.unit, l.About.Note, l.Edited = own[:n:n], n, unit{own[n], own[n+1]}, note, own
	l.Changed()
}

// Recorded implements system.Live.
func (l *Live) Recorded() bool { return l.Edited != nil }

// Idle lists the settings that do not apply to the displayed set. For the user's set this is
// the number of particles.
func (l *Live) Idle() []string {
	if l.Edited != nil {
		return []string{"n"}
	}
	return nil
}

// walk plays the steps between mixtures. It continues only while the setting Drift is on.
type walk Live

var _ play.Run = (*walk)(nil)

func (w *walk) wanders() bool { return w.settings.Drift && w.Edited == nil }

// Horizon implements play.Run.
func (w *walk) Horizon() int {
	if w.wanders() {
		return math.MaxInt32
	}
	return w.step
}

// Known implements play.Run.
func (w *walk) Known() int { return w.step }

// At implements play.Run.
func (w *walk) At() (frame int, between bool) { return w.step, false }

// Forward implements play.Run.
func (w *walk) Forward() error {
	w.step++
	(*Live)(w).show()
	return nil
}

// Show implements play.Run. If nothing moves, the set stays as it is.
func (w *walk) Show(k int) error {
	if w.wanders() {
		w.step = k
		(*Live)(w).show()
	}
	return nil
}

// Pace implements play.Run.
func (w *walk) Pace() (perSecond float64, burst int) { return stepsPerSecond, 1 }

// Frame implements system.Live. It draws the set after k steps, even if step k was not played.
func (l *Live) Frame(dst *system.Frame, k int) {
	dst.One(l.Frames.Points, 1)
	if l.Edited == nil && k != l.step {
		l.draw(dst.Points, k)
	}
}

// Put implements system.Live. It adds three rows: the particles (n) in the user's coordinate, the
// unit (shift, scale), and a switch that is on for the user's data. The user's coordinate is shift
// plus scale times the model's coordinate. For a drawn set Put also adds the density of the mixture
// from viewLow to viewHigh.
func (l *Live) Put(f *wire.Frame) {
	l.shown = l.shown[:0]
	for _, x := range l.Frames.Points {
		l.shown = append(l.shown, l.unit.user(x))
	}
	f.Put("x", l.shown...)
	f.Put("unit", l.unit.shift, l.unit.scale)
	if l.Edited != nil {
		f.Put("ownData", 1)
		f.Put("mixture")
		return
	}
	f.Put("ownData", 0)
	density(l.row, l.grid, l.mixture)
	f.Put("mixture", l.row...)
}

// Restore implements system.Live. positions are as Save returns them: the user's particles in
// the model's unit, followed by shift and scale.
func (l *Live) Restore(positions []float32, note string) error {
	n := len(positions) - 2
	if n < 1 || n > MaxParticles || slices.ContainsFunc(positions, func(v float32) bool { return v-v != 0 }) {
		return errors.New("its particles cannot be used")
	}
	if scale := positions[n+1]; !(scale > 0) {
		return errors.New("its unit of length cannot be used")
	}
	l.take(positions, note)
	return nil
}

// Press implements system.Live. Button "newseed" displays a set of another seed. Button "add" adds a particle at l.position. Button
// "remove" removes the particle nearest to l.position.
func (l *Live) Press(id string) (handled bool, err error) {
	switch id {
	case "newseed":
		l.src.Seed(l.settings.Seed, "demo next seed")
		l.settings.Seed = l.src.Uint64() % 1_000_000
		if l.Edited == nil {
			l.changed()
		}
	case wire.Add, wire.Remove:
		return true, l.edit(id == wire.Add, l.position)
	default:
		return false, nil
	}
	return true, nil
}

// Edit implements system.Live. It adds a particle at a position in the user's coordinate, or
// removes the particle nearest to it.
func (l *Live) Edit(command, value string) (handled bool, err error) {
	if command != wire.Add && command != wire.Remove {
		return false, nil
	}
	at, err := parsePosition(value)
	if err == nil {
		err = l.edit(command == wire.Add, at)
	}
	return true, err
}

func parsePosition(value string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(value), 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("a particle cannot be at %s: give a number", setting.Quote(value))
	}
	return v, nil
}

// edit adds or removes a particle. The set then becomes the user's data.
func (l *Live) edit(add bool, v float64) error {
	x := l.unit.model(float32(v))
	at := slices.Clone(l.Frames.Points)
	switch {
	case add && len(at) >= MaxParticles:
		return fmt.Errorf("the set has %d particles and can hold no more", len(at))
	case add && (x < viewLow || x > viewHigh):
		return fmt.Errorf("a particle at %g lies outside the model's range, %g to %g", v, l.unit.user(viewLow), l.unit.user(viewHigh))
	case add:
		at = append(at, x)
	case len(at) <= 1:
		return errors.New("the last particle cannot be removed: a set needs at least one")
	default:
		i := nearest(at, x)
		at = slices.Delete(at, i, i+1)
	}
	note := l.About.Note
	if l.Edited == nil {
		note = "edited"
	}
	l.take(append(at, l.unit.shift, l.unit.scale), note)
	return nil
}

// nearest returns the index of the point nearest to x.
func nearest(points []float32, x float32) int {
	best := 0
	for i, p := range points {
		if math.Abs(float64(p-x)) < math.Abs(float64(points[best]-x)) {
			best = i
		}
	}
	return best
}
