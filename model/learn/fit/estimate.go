package fit

import (
	"math"
	"time"

	"macroscope/model/system"
	"macroscope/model/system/play"
	"macroscope/model/work"
)

// estimate predicts how long a training still takes on this machine. It has a list of works: one
// for each kind of work in each phase. A work consists of units that take equally long. A trial
// measures the duration of a unit. For this, the trial does a few pieces of each work and discards
// the results. After the trial, the estimate compares the speed of each work in the training with
// the speed of this work in the trial.
type estimate struct {
	live  *Live
	costs []cost

	known bool          // whether the trial has measured the seconds of all works
	tried int           // number of works that the trial has finished
	piece int           // next piece of the work that is being tried
	secs  float64       // seconds that the tried pieces took: their sum if work.pieces is 0, otherwise their minimum
	last  time.Duration // duration of the last call of try

	reading  *work.Pieces      // reads the trajectory in the trial and makes an item; nil if it does not
	t        system.Trajectory // the trajectory in the trial
	checking *validation       // the validation in the trial; nil before the first piece
	whole    bool              // whether the whole trajectory has been read
	read     float64           // seconds taken so far to read the trajectory

	looked time.Time
	shared bool    // whether the worker also has other work that will soon end (see Live.Share)
	window float64 // seconds since the speed was last measured, without pauses and other work
	was    float64 // expected duration of all finished work at the last measurement of the speed, in seconds
	speed  float64 // expected seconds of work per real second. This speed applies to each work that has no measured speed
	speeds int     // how many times the speed has been measured
	passed float64 // seconds since the training began, without pauses
	shown  float64 // progress that was last displayed, from 0 to 1. It never falls
	// The rates in Progress, averaged over ten seconds: samples and trajectories per second.
	samples, trajectories rate
}

// rate measures how fast a count rises.
type rate struct {
	play.Rate
	count int
}

// rateSeconds is the time over which a displayed rate is averaged.
const rateSeconds = 10

// look updates the rate with the present count. The count may have started again from zero.
func (r *rate) look(count int, now time.Time) {
	r.Over = rateSeconds
	r.Add(max(0, count-r.count))
	r.count = count
	r.Look(now)
}

// cost describes how long one kind of work in a phase takes.
type cost struct {
	phase int
	kind  kind
	units float64
	secs  float64 // seconds per unit for one worker. Before the end of the trial: 1 for steps, 0 for other work
	found float64 // seconds per unit according to the trial
	// The function `try` carries out piece k of the trial, and reports whether more pieces follow.
	// If `pieces` is 0, the time of a unit is the sum of the times of all tried pieces. Otherwise
	// every unit consists of `pieces` equal pieces, and the time of a unit is `pieces` times the
	// shortest time of a tried piece.
	try    func(k int) (more bool, err error)
	pieces float64

	was     float64 // expected duration of the finished units at the last measurement of the speed, in seconds
	speed   float64 // speed of this work: expected seconds of work per real second
	windows float64 // number of measurements of this speed; a measurement that includes other work counts as a fraction
}

type kind int

const (
	reads  kind = iota // trajectories that are simulated or read, and turned into items
	steps              // optimiser steps
	checks             // frames that validations predict
)

const (
	// tries is how many times a piece is tried. The first tries are slower, because code is
	// compiled and memory is allocated.
	tries = 4
	// pieceTime is the time that a call of estimate.try spends on short pieces.
	pieceTime = 5 * time.Millisecond
	// mostPieces is the largest number of short pieces in a call of estimate.try. If the clock
	// stands still, only this number ends the call.
	mostPieces = 300
	// usualShare is the default share of a worker's time for training while its lab is
	// displayed and paused. The worker needs the rest of the time for drawing.
	usualShare = 0.8
	// leastWeight is the smallest weight of a new measurement in the smoothed speed. At first
	// all measurements have equal weights, so a slow beginning is soon forgotten.
	leastWeight = 0.2
	// pause is the duration without work after which a training counts as paused.
	pause = 10 * time.Second
	// settled is the number of seconds after which a training's estimate is good enough to show.
	settled = 6
)

// newEstimate lists the work of a training.
func newEstimate(l *Live) *estimate {
	e, run := &estimate{live: l, speed: usualShare, was: math.NaN()}, l.run
	for i := range run.phases {
		p := &run.phases[i]
		if run.src == nil && i < run.at {
			continue // a training on encoded trajectories does none of the earlier phases
		}
		kept := i > 0 && i != run.at && p.Source.keeps == run.phases[i-1].Source.keeps
		if run.src != nil && !kept {
			n := min(p.Source.Trajectories, run.src.Shape().Trajectories)
			if p.Stage != Autoencoder {
				n += len(l.intake.validation.first)
			}
			e.costs = append(e.costs, cost{phase: i, kind: reads, units: float64(n), try: e.tryRead(p)})
		}
		e.costs = append(e.costs, cost{phase: i, kind: steps, units: float64(p.Training.Schedule.Steps), secs: 1, try: l.tryShard(p), pieces: float64(p.Training.Shards)})
		if p.Stage != Autoencoder {
			e.costs = append(e.costs, cost{phase: i, kind: checks, units: float64(measurements * l.intake.validation.frames), try: e.tryCheck, pieces: 1})
		}
	}
	return e
}

// tryRead returns a trial that reads a trajectory and makes the phase's item from it. It uses
// the trajectory of an earlier trial if there is one.
func (e *estimate) tryRead(p *Phase) func(int) (bool, error) {
	run := e.live.run
	return func(int) (more bool, err error) {
		if e.reading == nil {
			e.reading = work.Begin(func(pause work.Pause) error {
				if !e.whole {
					if err := run.src.Make(&e.t, 0, pause); err != nil {
						return err
					}
					e.whole = true
				}
				return stores[p.Source.keeps](run.Model, system.Shape{Frames: run.src.Shape().Frames}).item().fill(&e.t, 0, pause)
			})
		}
		if more, err = e.reading.Next(); !more {
			e.reading = nil
		}
		return more, err
	}
}

// close gives up the trial.
func (e *estimate) close() {
	if e.reading != nil {
		e.reading.Close()
		e.reading = nil
	}
	if e.checking != nil {
		e.checking.close()
		e.checking = nil
	}
}

// tryShard returns a trial that computes the gradient of a phase's shard several times.
func (l *Live) tryShard(p *Phase) func(int) (bool, error) {
	var w shardWorker
	var grads []float32
	params := p.params(l.run.Model)
	return func(k int) (bool, error) {
		if k == 0 {
			w, grads = p.Loss(l.run.Model, nil), make([]float32, len(params))
			w.invent()
		}
		w.gradient(params, grads)
		return k+1 < tries, nil
	}
}

// tryCheck advances the predictions of a validation by one frame.
func (e *estimate) tryCheck(k int) (more bool, err error) {
	if l := e.live; k == 0 {
		e.checking = newValidation(l.run.Model, len(l.intake.validation.first), l.intake.validation.frames)
		e.checking.begin(1)
	}
	if _, whole := e.checking.advance(); !whole && k+1 < tries {
		return true, nil
	}
	e.close()
	return false, nil
}

// try does pieces of the trials and reports whether there are more. If the next piece is expected
// to take longer than the given time, try does nothing.
func (e *estimate) try(most time.Duration) (more bool) {
	if e.tried == len(e.costs) || e.last > most {
		return e.tried < len(e.costs)
	}
	w, began := &e.costs[e.tried], e.live.now()
	again, err := w.try(e.piece)
	for e.piece++; again && err == nil && w.pieces == 0 && e.piece%mostPieces != 0 && e.live.now().Sub(began) < pieceTime; e.piece++ {
		again, err = w.try(e.piece)
	}
	e.last = e.live.now().Sub(began)
	switch secs := e.last.Seconds(); {
	case err != nil: // the training will have the same error and report it
		e.tried = len(e.costs)
		return false
	case w.pieces > 0 && e.piece > 1:
		e.secs = min(e.secs, secs)
	default:
		e.secs += secs
	}
	if e.piece == 1 {
		e.last = 0 // the first piece includes preparations, so its time says nothing about the next piece
	}
	if again {
		return true
	}
	if w.found = e.secs * max(1, w.pieces); w.kind == reads {
		w.found += e.read
		e.read = w.found
	}
	w.try, e.piece, e.secs, e.last = nil, 0, 0, 0
	if e.tried++; e.tried < len(e.costs) {
		return true
	}
	e.know(e.costs)
	return false
}

// know replaces the expected times of the works by the times that the trials measured, unless
// the clock stood still.
func (e *estimate) know(costs []cost) {
	e.close()
	for i := range costs {
		e.known = e.known || costs[i].found > 0
	}
	if !e.known {
		return
	}
	for i := range costs {
		w := &e.costs[i]
		w.found, w.secs, w.windows = costs[i].found, costs[i].found, 0
	}
	e.tried, e.speeds, e.speed, e.was = len(costs), 0, usualShare, math.NaN()
}

// amount returns how many units of a work are done, and how many there are in total.
func (e *estimate) amount(w *cost) (done, all float64) {
	switch r := e.live.run; {
	case w.phase < r.at:
		return w.units, w.units
	case w.phase > r.at:
		return 0, w.units
	case w.kind == steps:
		step, of := r.position()
		return float64(step), float64(of)
	case w.kind == checks:
		return min(w.units, float64(e.live.validator.frames)), w.units
	}
	return float64(e.live.intake.queue.count), w.units
}

// wall returns the seconds that all workers together need for one unit of the work w.
func (e *estimate) wall(w *cost) float64 {
	if w.kind == checks || w.kind == steps && w.secs < worthSharing.Seconds() {
		return w.secs
	}
	return w.secs / float64(e.live.pool.Helpers()+1)
}

// time returns the expected seconds of the work done so far, and of the work left.
func (e *estimate) time() (done, left float64) {
	for i := range e.costs {
		w := &e.costs[i]
		n, all := e.amount(w)
		done, left = done+n*e.wall(w), left+(all-n)*e.wall(w)
	}
	return done, left
}

// share returns the share of the training that is done.
func (e *estimate) share() float64 {
	done, left := e.time()
	return max(e.shown, done/(done+left))
}

// left returns how many more seconds the training takes. It is NaN while this is unknown.
func (e *estimate) left() float64 {
	left := 0.0
	for i := range e.costs {
		w := &e.costs[i]
		n, all := e.amount(w)
		left += (all - n) * e.wall(w) / e.speedOf(w)
	}
	if e.tried < len(e.costs) || !e.known && e.speeds == 0 || left <= 0 {
		return math.NaN()
	}
	return left
}

// speedOf returns the expected speed of a work. This is the measured speed of the work, otherwise
// the measured speed of the same kind of work in another phase. If both are unknown, it is the
// speed of all works together.
func (e *estimate) speedOf(w *cost) float64 {
	if w.windows >= 1 {
		return w.speed
	}
	for i := range e.costs {
		if of := &e.costs[i]; of.kind == w.kind && of.windows >= 1 {
			return of.speed
		}
	}
	return e.speed
}

// resume is called when the training goes on after a break, in which the worker had other work or
// was idle. If there are no helpers, and the other work will soon end (see Live.Share), the
// measured speed does not include the break.
func (e *estimate) resume(now time.Time) {
	if e.shared && e.live.pool.Helpers() == 0 {
		e.pass(now)
	}
}

// The method pass adds the time since e.looked to e.passed, unless this time is `pause` or longer.
func (e *estimate) pass(now time.Time) {
	if gap := now.Sub(e.looked); gap < pause {
		e.passed += gap.Seconds()
	}
	e.looked = now
}

// look is called after every piece of work. About once a second it measures the speed.
func (e *estimate) look(now time.Time) {
	e.samples.look(e.live.Step()*e.live.run.last().Batch, now)
	e.trajectories.look(e.live.intake.queue.count, now)
	was := e.passed
	e.pass(now)
	if secs := e.passed - was; e.shared && e.live.pool.Helpers() == 0 {
		e.window += secs / usualShare // after the other work has ended, the training will get usualShare of the time
	} else {
		e.window += secs
	}
	e.shown = e.share()
	done, _ := e.time()
	switch {
	case !(done >= e.was): // the first call, or the expected times have changed
	case done == e.was || e.window < play.RateWindow.Seconds():
		return
	default:
		e.speeds++
		speed := (done - e.was) / e.window
		e.speed += max(leastWeight, 1/float64(e.speeds)) * (speed - e.speed)
		for i := range e.costs {
			w := &e.costs[i]
			n, _ := e.amount(w)
			share := (n*e.wall(w) - w.was) / (done - e.was)
			w.windows += share
			w.speed += share * max(leastWeight, 1/max(1, w.windows)) * (speed - w.speed)
		}
	}
	e.window, e.was = 0, done
	for i := range e.costs {
		w := &e.costs[i]
		n, _ := e.amount(w)
		w.was = n * e.wall(w)
	}
}
