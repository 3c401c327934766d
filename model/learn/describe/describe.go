// Package describe finds out from a file of trajectories what the system of a user's own is.
package describe

import (
	"slices"
	"strconv"

	"macroscope/model/learn/measure"
	"macroscope/model/system"
	"macroscope/model/system/own"
	"macroscope/model/work"
)

// System says what a system of the user's own is, and why.
type System struct {
	own.Spec
	Facts   string   // what was read
	Moves   string   // how the variables move, and so whether the dynamics have noise; "": a line says it
	Reasons []string // how the data decided what no line says, Moves too; parts of sentences
}

// File opens a file of trajectories and finds out what their system is. Lines that describe the system count more than
// the data; those in the file count least. Then the function `choose` may leave out parameters. The caller closes the
// source. For workers, see work.Each.
func File(pause work.Pause, f system.File, more []own.Line, choose func(*own.Spec), workers int) (d *System, src system.Recorded, err error) {
	d = new(System)
	var lines []own.Line
	if d.Spec, lines, err = own.Find(f, more); err != nil {
		return nil, nil, err
	}
	lines = append(lines, more...)
	now, late := lines, []own.Line(nil)
	if !d.Named() && !own.Says(lines, "axes") { // what turns is known when the velocities are
		isTurns := func(l own.Line) bool { return l.Name == "turns" }
		now, late = slices.DeleteFunc(slices.Clone(lines), isTurns), slices.DeleteFunc(slices.Clone(lines), func(l own.Line) bool { return !isTurns(l) })
	}
	if err := d.Apply(now); err != nil {
		return nil, nil, err
	}
	choose(&d.Spec)
	if src, err = d.System().Open(f, ""); err != nil {
		return nil, nil, err
	}
	d.Frames, d.Facts, d.Reasons = src.Shape().Frames, src.Facts().InWords(src.Shape()), d.Remarks()
	of, err := measure.RegularityOf(pause, src, len(d.Observables), workers)
	if err != nil {
		src.Close()
		return nil, nil, err
	}
	if !own.Says(lines, "noise") {
		d.Noise, d.Moves = of.Noise, of.InWords()
		d.Reasons = append(d.Reasons, d.Moves)
	}
	if !own.Says(lines, "keep") {
		d.SetKeep(of.Keep)
		d.Reasons = append(d.Reasons, "stage I takes more frames where the observables change faster: keep")
	}
	if !own.Says(lines, "dt") {
		d.Dt, _ = strconv.ParseFloat(strconv.FormatFloat(src.Facts().Time(), 'g', 7, 64), 64) // without the rounding errors of a mean
	}
	if d.Noise && !own.Says(lines, "stride") {
		d.Stride = of.Stride
		d.Reasons = append(d.Reasons, of.StrideInWords())
	}
	if !own.Says(lines, "axes") {
		if !d.Named() { // names of columns say which are velocities
			rates, err := velocities(pause, src, d.Axes, workers)
			if err != nil {
				src.Close()
				return nil, nil, err
			}
			if kinds(&d.Spec, rates) {
				d.Reasons = append(d.Reasons, "some coordinates change as others say, so those are velocities: axes")
			}
		}
		if err := d.Apply(late); err != nil {
			src.Close()
			return nil, nil, err
		}
		d.SetCentre(of.Mean)
	}
	return d, src, nil
}
