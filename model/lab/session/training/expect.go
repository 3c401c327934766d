package training

import (
	"math"
	"time"

	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

// expectation is a training like the one that Train would begin. It says how long that takes
// on this machine, and is not trained.
type expectation struct {
	of   next
	live *fit.Live // nil if that cannot be told
}

// next is what Train would begin. Another one takes another time.
type next struct {
	recipe
	coded     bool // on codes
	halted    *halted
	from      *experiment.Model // whose weights it begins with, nil for none
	steps     int               // of a schedule that follows a new target; 0 are the preset's
	particles int               // of single sets
}

// next returns what Train would begin if it went on with nothing.
func (t *Training) next(g *Given) next {
	n := next{recipe: t.recipe(g), coded: t.OnCodes(g), halted: t.halted}
	n.Eps, n.Seed = 0, 0 // which cost no time, but where they decide on codes
	t.policy.expected(t, g, &n)
	return n
}

// expected returns a training like the one that Start would begin, nil where its codes are
// not known.
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

// goesOn says whether Train goes on with the training that there is.
func (t *Training) goesOn(g *Given) bool {
	return t.live != nil && t.halted == nil && t.policy.goesOn(t, g)
}

// timed returns the training that says how long Train would take, or what remains of the one
// that it goes on with; nil while there is none, or it trains already.
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

// Takes returns how many seconds Train would take, or what remains of the training that it
// goes on with; NaN where that is not known, or it trains already.
func (t *Training) Takes(g *Given) float64 {
	if l := t.timed(g); l != nil {
		return l.Left(min(g.Set.Worker, g.Cores))
	}
	return math.NaN()
}

// Expect measures for a moment how long Train would take. more says that there is more to
// measure, learned that it has just been found out.
func (t *Training) Expect(g *Given, most time.Duration) (more, learned bool) {
	e := &t.expects
	if of := t.next(g); !t.goesOn(g) && e.of != of {
		if e.live != nil {
			e.live.Close()
		}
		e.of = of
		e.live, _ = t.expected(g, of) // Start says what is wrong
		return true, false
	}
	if l := t.timed(g); l != nil && math.IsNaN(l.Left(1)) {
		more = l.Measure(most)
		return more, !more
	}
	return false, false
}
