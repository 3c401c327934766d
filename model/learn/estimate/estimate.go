// Package estimate predicts how long a job still takes on this machine. The job is a list of works: a work
// consists of units that take equally long. A trial measures the duration of a unit: it does a few pieces of
// each work and discards the results. Later, the estimate compares the speed of each work in the job with the
// speed of this work in the trial.
package estimate

import (
	"math"
	"time"

	"macroscope/model/system/play"
	"macroscope/model/work"
)

// Work is one of the works of a job.
type Work struct {
	Kind   int                          // works of one kind are expected to have the same speed, relative to their trials
	Secs   float64                      // expected seconds of a unit for one worker: a guess before the end of the trial, for the share of the job
	Amount func() (done, all float64)   // number of units that are done, and of all units
	Wall   func(secs float64) float64   // seconds that all workers together need for a unit, if one worker needs secs
	Try    func(pause work.Pause) error // a trial of the work
	// If Pieces is 0, the time of a unit is the time of the whole trial. Otherwise every unit consists of
	// Pieces equal pieces, and the time of a unit is Pieces times the shortest time of the first pieces of the
	// trial; then the trial is given up.
	Pieces float64
	// Continues says whether the trial leaves out what the trial of the previous work of this kind has done.
	Continues bool

	found   float64 // seconds per unit according to the trial
	was     float64 // expected duration of the finished units at the last measurement of the speed, in seconds
	speed   float64 // speed of this work: expected seconds of work per real second
	windows float64 // number of measurements of this speed; a measurement that includes other work counts as a fraction
}

const (
	// tries is how many times a piece is tried. The first tries are slower, because code is
	// compiled and memory is allocated.
	tries = 4
	// pieceTime is the time that a call of Try spends on short pieces.
	pieceTime = 5 * time.Millisecond
	// mostPieces is the largest number of short pieces in a call of Try. If the clock
	// stands still, only this number ends the call.
	mostPieces = 300
	// usualShare is the default share of a worker's time for the job while its lab is
	// displayed and paused. The worker needs the rest of the time for drawing.
	usualShare = 0.8
	// leastWeight is the smallest weight of a new measurement in the smoothed speed. At first
	// all measurements have equal weights, so a slow beginning is soon forgotten.
	leastWeight = 0.2
	// pause is the duration without work after which a job counts as paused.
	pause = 10 * time.Second
	// settled is the number of seconds after which an estimate is good enough to show.
	settled = 2
)

// Estimate is the estimate of a job. It is not safe for concurrent use.
type Estimate struct {
	Works []Work

	now   func() time.Time
	known bool         // whether the trial has measured the seconds of all works
	tried int          // number of works that the trial has finished
	piece int          // next piece of the work that is being tried
	secs  float64      // seconds that the tried pieces took: their sum if Pieces is 0, otherwise their minimum
	trial *work.Pieces // the trial of a work; nil before its first piece

	looked time.Time
	window float64 // seconds since the speed was last measured, without pauses and other work
	was    float64 // expected duration of all finished work at the last measurement of the speed, in seconds
	speed  float64 // expected seconds of work per real second. This speed applies to each work that has no measured speed
	speeds int     // how many times the speed has been measured
	passed float64 // seconds since the job began, without pauses
	shown  float64 // share that was last displayed, from 0 to 1. It never falls
}

// New returns the estimate of a job that consists of works.
func New(works []Work, now func() time.Time) *Estimate {
	return &Estimate{Works: works, now: now, speed: usualShare, was: math.NaN()}
}

// Close gives up the trial.
func (e *Estimate) Close() {
	if e.trial != nil {
		e.trial.Close()
		e.trial = nil
	}
}

// next does a piece of the trial of a work, and reports whether more pieces follow.
func (e *Estimate) next(w *Work) (more bool, err error) {
	if e.trial == nil {
		e.trial = work.Begin(w.Try)
	}
	more, err = e.trial.Next()
	if e.piece++; w.Pieces > 0 && e.piece == tries {
		more = false
	}
	return more, err
}

// Try does pieces of the trial and reports whether there are more. An error ends the trial; the job will have
// the same error.
func (e *Estimate) Try() (more bool) {
	if e.Tried() {
		return false
	}
	w, began := &e.Works[e.tried], e.now()
	again, err := e.next(w)
	for again && w.Pieces == 0 && e.piece%mostPieces != 0 && e.now().Sub(began) < pieceTime {
		again, err = e.next(w)
	}
	switch secs := e.now().Sub(began).Seconds(); {
	case err != nil:
		e.Close()
		e.tried = len(e.Works)
		return false
	case w.Pieces > 0 && e.piece > 1:
		e.secs = min(e.secs, secs)
	default:
		e.secs += secs
	}
	if again {
		return true
	}
	e.measured(w)
	return !e.Tried()
}

// measured is called when the trial of a work has ended.
func (e *Estimate) measured(w *Work) {
	e.Close()
	w.found = e.secs * max(1, w.Pieces)
	for i := e.tried - 1; w.Continues && i >= 0; i-- {
		if of := &e.Works[i]; of.Kind == w.Kind {
			w.found += of.found
			break
		}
	}
	w.Try, e.piece, e.secs = nil, 0, 0
	if e.tried++; e.Tried() {
		e.know()
	}
}

// Tried reports whether the trial has ended.
func (e *Estimate) Tried() bool { return e.tried == len(e.Works) }

// know replaces the expected times of the works by the times that the trials measured, unless
// the clock stood still.
func (e *Estimate) know() {
	for i := range e.Works {
		e.known = e.known || e.Works[i].found > 0
	}
	if !e.known {
		return
	}
	for i := range e.Works {
		w := &e.Works[i]
		w.Secs, w.windows = w.found, 0
	}
	e.speeds, e.speed, e.was = 0, usualShare, math.NaN()
}

// time returns the expected seconds of the work done so far, and of the work left.
func (e *Estimate) time() (done, left float64) {
	for i := range e.Works {
		w := &e.Works[i]
		n, all := w.Amount()
		done, left = done+n*w.Wall(w.Secs), left+(all-n)*w.Wall(w.Secs)
	}
	return done, left
}

// Share returns the share of the job that is done. It does not fall.
func (e *Estimate) Share() float64 {
	done, left := e.time()
	return max(e.shown, done/(done+left))
}

// Settled reports whether the job runs long enough for an estimate that is good enough to show.
func (e *Estimate) Settled() bool { return e.passed >= settled }

// Left returns how many more seconds the job takes. It is NaN while this is unknown.
func (e *Estimate) Left() float64 {
	left := 0.0
	for i := range e.Works {
		w := &e.Works[i]
		n, all := w.Amount()
		left += (all - n) * w.Wall(w.Secs) / e.speedOf(w)
	}
	if !e.Tried() || !e.known && e.speeds == 0 || left <= 0 {
		return math.NaN()
	}
	return left
}

// speedOf returns the expected speed of a work. This is the measured speed of the work, otherwise
// the measured speed of another work of the same kind. If both are unknown, it is the
// speed of all works together.
func (e *Estimate) speedOf(w *Work) float64 {
	if w.windows >= 1 {
		return w.speed
	}
	for i := range e.Works {
		if of := &e.Works[i]; of.Kind == w.Kind && of.windows >= 1 {
			return of.speed
		}
	}
	return e.speed
}

// Resume is called when the job goes on after a break, in which its worker had other work or was idle. If
// this other work will soon end (shared), the measured speed does not include the break.
func (e *Estimate) Resume(now time.Time, shared bool) {
	if shared {
		e.pass(now)
	}
}

// The method pass adds the time since e.looked to e.passed, unless this time is `pause` or longer.
func (e *Estimate) pass(now time.Time) {
	if gap := now.Sub(e.looked); gap < pause {
		e.passed += gap.Seconds()
	}
	e.looked = now
}

// Look is called after every piece of the job, with shared as for Resume. About once a second it measures the
// speed.
func (e *Estimate) Look(now time.Time, shared bool) {
	was := e.passed
	e.pass(now)
	if secs := e.passed - was; shared {
		e.window += secs / usualShare // after the other work has ended, the job will get usualShare of the time
	} else {
		e.window += secs
	}
	e.shown = e.Share()
	done, _ := e.time()
	switch {
	case !(done >= e.was): // the first call, or the expected times have changed
	case done == e.was || e.window < play.RateWindow.Seconds():
		return
	default:
		e.speeds++
		speed := (done - e.was) / e.window
		e.speed += max(leastWeight, 1/float64(e.speeds)) * (speed - e.speed)
		for i := range e.Works {
			w := &e.Works[i]
			n, _ := w.Amount()
			share := (n*w.Wall(w.Secs) - w.was) / (done - e.was)
			w.windows += share
			w.speed += share * max(leastWeight, 1/max(1, w.windows)) * (speed - w.speed)
		}
	}
	e.window, e.was = 0, done
	for i := range e.Works {
		w := &e.Works[i]
		n, _ := w.Amount()
		w.was = n * w.Wall(w.Secs)
	}
}
