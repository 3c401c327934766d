package training

import (
	"math"
	"time"

	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

// expectation is a training like the one that Train would begin. It estimates the duration on
// this machine, and is not trained.
type expectation struct {
	of   next
	live *fit.Live // nil if the duration cannot be estimated
}

// next describes the training that Train would begin, as far as its duration depends on it.
type next struct {
	recipe
	coded     bool // on codes
	halted    *halted
	from      *experiment.Model // source of the initial weights, nil for none
	steps     int               // of a schedule that follows a new target; 0 means the preset's
	particles int               // of single sets
}

// next describes the training that Train would begin, instead of continuing one.
func (t *Training) next(g *Given) next {
	n := next{recipe: t.recipe(g), coded: t.OnCodes(g), halted: t.halted}
	n.Eps, n.Seed = 0, 0 // they affect the duration only where they select codes
	t.policy.expected(t, g, &n)
	return n
}

// expected returns a training like the one that Start would begin, nil if its codes are
// unknown.
func (t *Training) expected(g *Given, of next) (*fit.Live, error) {
	if h := of.halted; h != nil {
		var codes *experiment.Codes
		if h.Coded {
			codes = fit.StandIn(h.Model)
		}
		return fit.ResumeLive(t.lab.Systems(), h.file, g.Data, codes, t.now)
	}
	codes := t.codes
	if of.coded && !t.ready(g) {
		if g.Coded == nil {
			return nil, nil
		}
		codes = fit.StandIn(g.Coded)
	}
	l, err := t.make(g, of.from, codes)
	if err == nil && of.steps > 0 {
		l.Restart(of.steps, refitShare)
	}
	return l, err
}

// goesOn says whether Train would continue the present training.
func (t *Training) goesOn(g *Given) bool {
	return t.live != nil && t.halted == nil && t.policy.goesOn(t, g)
}

// timed returns the training that estimates Train's duration, or the remaining duration of a
// continued training; nil if there is none, or if it trains already.
func (t *Training) timed(g *Given) *fit.Live {
	switch e := &t.expects; {
	case t.status == wire.Training || t.waits:
	case t.goesOn(g):
		return t.live
	case e.of == t.next(g):
		return e.live
	}
	return nil
}

// Takes returns Train's duration in seconds, or the rest of the training that it would
// continue; NaN if unknown, or if it trains already.
func (t *Training) Takes(g *Given) float64 {
	if l := t.timed(g); l != nil {
		return l.Left(min(g.Set.Worker, g.Cores))
	}
	return math.NaN()
}

// Expect measures Train's duration for a moment. more says that measuring is incomplete,
// learned that the result is new.
func (t *Training) Expect(g *Given, most time.Duration) (more, learned bool) {
	e := &t.expects
	if of := t.next(g); !t.goesOn(g) && e.of != of {
		if e.live != nil {
			e.live.Close()
		}
		e.of = of
		e.live, _ = t.expected(g, of) // Start reports the error
		return true, false
	}
	if l := t.timed(g); l != nil && math.IsNaN(l.Left(1)) {
		more = l.Measure(most)
		return more, !more
	}
	return false, false
}
