package method

import (
	"fmt"
	"unicode/utf8"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Data says which trajectories train a model, and how the model sees their frames.
type Data struct {
	Observable string // observable that gives z̄; "" means the system's default

	Trajectories int     // number of trajectories for stage I
	Initial      int     // number of trajectories that are available when stage I begins; 0: all
	Every        int     // steps of stage I until the next trajectory becomes available
	Thin         int     // stage I uses every Thin-th of the frames that the system selects
	Turn         bool    // whether training turns or mirrors frames at random, if the system allows it
	Recorded     bool    // whether the trajectories are the user's own and not simulated
	Origin       Origin  // what the user's trajectories said about themselves
	KeptOut      KeptOut // the part of the user's trajectories that is not for training
	Wide         bool    // whether simulations start from a wider range of first frames, see system.Choice
	Views        int     // number of turned or mirrored copies of frame 0 from which predictions start; a deterministic prediction is the mean over the copies

	// Stretch lets stage I show each frame to the encoder with its last coordinate multiplied by a
	// random factor from 1-Stretch to 1+Stretch. The decoder learns to restore the frame itself, so ẑ
	// keeps little of how the particles lie in this direction. 0: never
	Stretch float64
	// Centred makes positions relative to the centre of their frame, see model.Model.Centre. The motion must not
	// depend on where a frame is.
	Centred bool
	// Unseen is the number of a coordinate, from 1, that the encoder does not see. 0: it sees all. The
	// decoder learns to restore this coordinate as well. ẑ then keeps none of it, and has room for more
	// of the others.
	Unseen int
	// Listed gives an encoder that depends on the order of particles always the same one, as a file has it (see model.List).
	// Otherwise training shuffles the particles.
	Listed bool
}

// Available returns from how many trajectories stage I draws at a step. count is their total number. A tab simulates
// the others meanwhile. A terminal has all of them, and draws from the same ones for the same bits.
func (d *Data) Available(step, count int) int {
	if d.Initial == 0 {
		return count
	}
	return min(count, d.Initial+step/d.Every)
}

// Frames lists the indices of the frames of a trajectory that stage I uses.
func (d *Data) Frames(sys *system.System, frames int) (chosen []int) {
	k := 0
	for t := range frames {
		if !sys.Keep.Has(t) {
			continue
		}
		if k%d.Thin == 0 {
			chosen = append(chosen, t)
		}
		k++
	}
	return chosen
}

// Disguises reports whether stage I shows the encoder other points than the decoder learns to restore.
func (d *Data) Disguises() bool { return d.Stretch > 0 || d.Unseen > 0 }

// Interval returns the time between two frames of the trajectories that the model was trained on, or
// 0 if it is not known. `simulated` is the time between the frames of the system's simulations.
func (d *Data) Interval(simulated float64) float64 {
	if d.Recorded {
		return d.Origin.Interval
	}
	return simulated
}

// Reading returns how to read a file of trajectories that the model is to predict: with the offset of
// the data that trained it. `dim` is the number of coordinates of a particle.
func (d *Data) Reading(r system.Reading, dim int) system.Reading {
	if d.Recorded {
		if r.Offset = d.Origin.Offset; r.Offset == nil {
			r.Offset = make([]float64, dim)
		}
	}
	return r
}

// Doubt returns a sentence for a model whose validation was on trajectories that trained it, as in older
// checkpoints, or "".
func (d *Data) Doubt() string {
	if d.Recorded && !d.KeptOut.Any() {
		return d.KeptOut.InWords()
	}
	return ""
}

// unturn switches off the turning of sets. A system that mirrors its sets in some ways has no turning, so nothing
// changes.
func (d *Data) unturn(mirrors int) {
	if mirrors == 0 {
		d.Turn, d.Views = false, 1
	}
}

// table lists the settings of the data of a system. `near` is a setting of the shape of its frames.
func (d *Data) table(of *system.Traits, near *float64) setting.Table {
	t := setting.Table{
		{Name: "trajectories", Value: &d.Trajectories, Low: 1, High: MaxTrajectories},
		{Name: "warm", Value: &d.Initial, High: MaxTrajectories, Absent: "0"}, {Name: "every", Value: &d.Every, Low: 1, High: MaxStep, Absent: "1"},
		{Name: "thin", Value: &d.Thin, Low: 1, High: MaxThin}, {Name: "recorded", Value: &d.Recorded, Follows: true},
		{Name: "wide", Value: &d.Wide, Absent: "false"}, {Name: "rotate", Value: &d.Turn}, {Name: "views", Value: &d.Views, Low: 1, High: 1000},
		{Name: "stretch", Value: &d.Stretch, High: 0.9, Absent: "0"}, {Name: "unseen", Value: &d.Unseen, High: 3, Absent: "0"},
		{Name: "listed", Value: &d.Listed, Absent: "false"},
	}
	if of.Positions != nil { // a system that says which coordinates are positions
		t = append(t, setting.Table{{Name: "near", Value: near, High: 1000, Absent: "0"}, {Name: "centred", Value: &d.Centred, Absent: "false"}}...)
	}
	if d.Observable != "" { // a system with several observables
		t = append(t, setting.Field{Name: "macro", Value: &d.Observable})
	}
	t = append(t, d.KeptOut.table()...)
	if d.Initial == 0 {
		t.Find("every").Needs = "warm above 0"
	}
	return t
}

// check returns an error if a system that moves, whose particles have dim coordinates, has no such data.
func (d *Data) check(of *system.Traits, dim int) error {
	switch {
	case len(d.Observable) > 200:
		return fmt.Errorf("the observable's name has %d letters; use 200 at most", len(d.Observable))
	case !utf8.ValidString(d.Observable):
		return fmt.Errorf("the observable's name %q is not UTF-8 text, so no checkpoint could hold it; rename it", d.Observable)
	case of.Mirrors > 0 && d.Views > 1<<of.Mirrors:
		return fmt.Errorf("predictions from %d views, and sets can be mirrored in %d ways; use at most as many", d.Views, 1<<of.Mirrors)
	case (d.Turn || d.Views > 1) && of.Mirrors == 0 && (dim != of.Dim || of.Vectors == nil):
		return fmt.Errorf("only particles in the plane or in space whose dynamics know no direction can be turned, and these are not")
	case d.Unseen > dim || d.Unseen > 0 && d.Turn && of.Mirrors == 0:
		return fmt.Errorf("the encoder cannot leave out coordinate %d of %d; use a lower number, and 0 if sets are turned", d.Unseen, dim)
	case d.Stretch > 0 && d.Turn:
		return fmt.Errorf("sets that are turned cannot be stretched for the encoder; leave out stretch, or set rotate to false")
	}
	return nil
}
