package training

import (
	"math"
	"time"

	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

// expectation is how long a training takes on this machine, as far as that has been
// measured.
type expectation struct {
	of       next
	estimate *fit.Estimate // nil if that cannot be told
}

// next is what Train would begin. Another one takes another time.
type next struct {
	recipe
	halted    *halted
	from      *experiment.Model // whose weights it begins with, nil for none
	steps     int               // of a schedule that follows a new target; 0 are the preset's
	particles int               // of single sets
}

// next returns what Train would begin if it went on with nothing.
func (t *Training) next(g *Given) next {
	n := next{recipe: t.recipe(g), halted: t.halted}
	n.Eps, n.Seed = 0, 0 // which cost no time
	t.policy.expected(t, g, &n)
	return n
}

// Takes returns how many seconds Train would take, or what remains of the training that it
// goes on with; NaN where that is not known, or it trains already.
func (t *Training) Takes(g *Given) float64 {
	switch e := &t.expects; {
	case t.status == wire.Training || t.waits:
	case t.live != nil && t.halted == nil && t.policy.goesOn(t, g):
		return t.live.Progress().SecsLeft
	case e.estimate != nil && e.of == t.next(g):
		return e.estimate.Left(min(g.Set.Worker, g.Cores))
	}
	return math.NaN()
}

// Estimate returns how long trainings take here, nil if that cannot be told.
func (t *Training) Estimate() *fit.Estimate { return t.expects.estimate }

// Expect measures for a moment how long Train would take. more says that there is more to
// measure, learned that it has just been found out.
func (t *Training) Expect(g *Given, most time.Duration) (more, learned bool) {
	e := &t.expects
	if of := t.next(g); e.of != of {
		e.of = of
		if h := of.halted; h != nil {
			e.estimate, _ = fit.ResumeEstimate(t.lab.Systems(), h.file, g.Data, h.Coded, t.now)
		} else {
			e.estimate, _ = t.estimate(g, of.from, of.steps)
		}
		return e.estimate != nil, false // Start says what is wrong
	}
	if e.estimate == nil || !math.IsNaN(e.estimate.Left(1)) {
		return false, false
	}
	if more = e.estimate.Work(most); more {
		return true, false
	}
	if t.live != nil {
		t.live.Expect(e.estimate)
	}
	return false, true
}
