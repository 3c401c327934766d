package training

import (
	"fmt"
	"math"
	"time"

	"macroscope/model/learn/fit"
	"macroscope/model/learn/model"
	"macroscope/model/wire"
)

// expectation is a training like the one that the button Train would begin. It is used only to
// estimate the duration on this machine.
type expectation struct {
	of   next
	live *fit.Live // this training; nil if the duration cannot be estimated
}

// next contains everything on which the duration of the next training depends.
type next struct {
	recipe
	coded     bool // whether the training is on codes
	halted    *halted
	from      *model.Model // model from which the weights come; nil for none
	steps     int          // number of steps in a schedule after a change of the target; 0: the preset's number
	particles int          // number of particles in a single set
}

// next describes the training that the button Train would begin or resume in place of the present
// training.
func (t *Training) next(g *Given) next {
	n := next{recipe: t.recipe(g), coded: t.OnCodes(g), halted: t.halted}
	n.Eps, n.Seed = 0, 0 // the duration depends on ε only through n.coded, and not on the seed
	t.policy.expected(t, g, &n)
	return n
}

// expected returns a training like the one that Start would begin.
func (t *Training) expected(g *Given, of next) (*fit.Live, error) {
	if h := of.halted; h != nil {
		var codes *model.Codes
		if h.Coded {
			codes = fit.StandIn(h.Model)
		}
		return fit.ResumeLive(t.lab.Systems(), h.file, g.Data, codes, t.now)
	}
	codes := t.codes
	if of.coded && !t.ready(g) {
		if g.Coded == nil { // the shipped model has not been fetched, so an untrained model of the same speed replaces it
			c, err := t.Config(g)
			if err != nil {
				return nil, err
			}
			like := *g
			like.Coded, g = model.New(c, t.lab.System), &like
		}
		codes = fit.StandIn(g.Coded)
	}
	l, _, err := t.make(g, of.from, codes)
	if err == nil && of.steps > 0 {
		l.Restart(of.steps, 1)
	}
	return l, err
}

// goesOn reports whether the button Train would continue the present training.
func (t *Training) goesOn(g *Given) bool {
	return t.live != nil && t.halted == nil && t.policy.goesOn(t, g)
}

// timed returns the training from which Takes computes a duration. It is the training
// that the button Train would continue. If there is none, it is a trial of the training that the
// button would begin. The result is nil if this trial does not exist. It is also nil while a
// training runs or waits for data.
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

// Takes returns the duration in seconds of the training that the button Train would begin. If the
// button would continue a training, Takes returns the rest of that training's duration. The result
// is NaN if the duration is unknown, and while a training is running.
func (t *Training) Takes(g *Given) float64 {
	if l := t.timed(g); l != nil {
		return l.Left(min(g.Set.Worker, g.Cores))
	}
	return math.NaN()
}

// Expect does a piece of the trial that estimates how long a training takes. `more` is true if work
// remains. `learned` is true if the estimate is new.
func (t *Training) Expect(g *Given, most time.Duration) (more, learned bool) {
	e := &t.expects
	if of := t.next(g); !t.goesOn(g) && e.of != of {
		if e.live != nil {
			e.live.Close()
		}
		e.of = of
		e.live, _ = t.expected(g, of) // Start will return the error
		return true, false
	}
	if l := t.timed(g); l != nil && math.IsNaN(l.Left(1)) {
		more = l.Measure(most)
		return more, !more
	}
	return false, false
}

// Measuring reports whether the duration that Takes returns is still being measured.
func (t *Training) Measuring(g *Given) bool {
	switch e := &t.expects; {
	case t.status == wire.Training || t.waits:
		return false
	case t.goesOn(g):
		return !t.live.Tried()
	case e.of == t.next(g):
		return e.live != nil && !e.live.Tried()
	}
	return true
}

// longest is the duration in seconds above which the page recommends the command line.
const longest = 600

// Recommends recommends the command line for a training that takes long here. The result is a
// sentence with the command, or "" for a shorter training.
func (t *Training) Recommends(g *Given) string {
	secs := t.Takes(g)
	c, err := t.Config(g)
	if !(secs > longest) || err != nil || c.Recorded || t.goesOn(g) {
		return ""
	}
	command := fmt.Sprintf("bin/macroscope train -experiment %s -seed %d -set eps=%g -set encoder.zdim=%d", c.Spec, c.Seed, c.Eps(), c.ZDim())
	if names := c.Dynamics.Params.Names(); names != "" {
		command += " -params " + names
	}
	return fmt.Sprintf("This training takes about %.0f minutes here. The command line is made for it: %s -out model.safetensors. Open its file here.", math.Ceil(secs/60), command)
}
