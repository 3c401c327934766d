package polymer

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"macroscope/model/setting"
	"macroscope/model/system/core"
)

const (
	// pullCommand is a command that the picture sends: "i x y" pulls bead i to (x, y).
	pullCommand = "drag"
	pulledNote  = "pulled by hand"
	// furthest is the largest distance of a pulled bead from the centre, in lengths of the
	// chain.
	furthest = 2
)

// Edit implements system.Live. It pulls one bead of the displayed chain, and a new run starts
// from the pulled chain.
func (l *Live) Edit(command, value string) (handled bool, err error) {
	if command != pullCommand {
		return false, nil
	}
	if !l.Begun() {
		return true, errors.New("there is no chain to pull yet")
	}
	at, err := core.Coordinates(value, furthest*maxBeads)
	if err == nil && len(at) != dim {
		err = fmt.Errorf("no bead can be pulled to %s: give its number and two coordinates", setting.Quote(value))
	}
	if err != nil {
		return true, err
	}
	i, beads := int(at[0]), l.About.Particles
	if beads < minBeads { // a link or a saved session could not contain the chain
		return true, fmt.Errorf("a chain of %d beads cannot be pulled: the page simulates %d at least", beads, minBeads)
	}
	if float64(i) != at[0] || i < 0 || i >= beads {
		return true, fmt.Errorf("there is no bead %g; there are %d", at[0], beads)
	}
	start := slices.Clone(l.Now())
	most := furthest * float64(beads)
	pull(start, i, math.Max(-most, math.Min(most, at[1])), math.Max(-most, math.Min(most, at[2])))
	centre(start)
	return true, l.begin(start, pulledNote)
}

// pull moves bead i of beads (N, 3) to (x, y) and keeps its z. The other beads follow: from
// bead i outwards, each bead moves to a distance of 1 from the bead before it.
func pull(beads []float32, i int, x, y float64) {
	beads[dim*i], beads[dim*i+1] = float32(x), float32(y)
	n := len(beads) / dim
	for j := i + 1; j < n; j++ {
		trail(beads[dim*j:dim*j+dim], beads[dim*j-dim:dim*j])
	}
	for j := i - 1; j >= 0; j-- {
		trail(beads[dim*j:dim*j+dim], beads[dim*j+dim:dim*j+2*dim])
	}
}

// trail moves a bead along the line through it and another bead until their distance is 1. If
// the two coincide, trail moves the bead along y.
func trail(bead, other []float32) {
	var d [dim]float64
	square := 0.0
	for axis := range d {
		d[axis] = float64(bead[axis]) - float64(other[axis])
		square += d[axis] * d[axis]
	}
	length := math.Sqrt(square)
	if length < 1e-6 {
		d, length = [dim]float64{0, 1, 0}, 1
	}
	for axis, v := range d {
		bead[axis] = float32(float64(other[axis]) + v/length)
	}
}

// begin starts a run with the present settings. The run starts from the user's chain (N, 3).
// begin keeps the slice itself, not a copy. If it returns an error, nothing has changed.
func (l *Live) begin(start []float32, note string) error {
	was, wasBeads := l.Edited, l.settings.beads
	l.Edited, l.settings.beads = start, len(start)/dim
	if err := l.simulate(); err != nil {
		l.Edited, l.settings.beads = was, wasBeads
		return err
	}
	l.About.Note = note
	return nil
}

// Restore implements system.Live. The caller restores the settings first.
func (l *Live) Restore(positions []float32, note string) error {
	if err := l.Restorable(positions, l.settings.beads); err != nil {
		return err
	}
	if err := l.begin(positions, note); err != nil {
		return fmt.Errorf("its chain cannot be used: %w", err)
	}
	l.Player().Pause()
	return nil
}

// The function `outlives` reports whether a chain that the user has pulled is kept when the named
// setting changes.
func outlives(name string) bool {
	return slices.Contains([]string{"rate", "temperature", "repulsion", "bonds", "frames"}, name)
}
