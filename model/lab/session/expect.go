package session

import (
	"math"
	"time"

	"macroscope/model/lab"
	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

var _ wire.Sparing = (*Session)(nil)

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
	fresh     bool              // a sampler's begins from scratch
	particles int               // of a sampler's sets
}

// next returns what Train would begin if it went on with nothing.
func (t *trainer) next() next {
	n, a := next{recipe: t.recipe(), halted: t.halted}, t.s.display.a
	n.Eps, n.Seed = 0, 0 // which cost no time
	switch {
	case t.s.lab.IsSampler():
		n.fresh, n.particles = follower{t}.fresh(), t.s.live.Run().Particles
	case a != nil && n.From == lab.FromModel:
		n.from = a.Model
	}
	return n
}

// estimate returns the estimate of what Train would begin.
func (t *trainer) estimate(of next) (*fit.Estimate, error) {
	s := t.s
	switch h := of.halted; {
	case h != nil:
		return fit.ResumeEstimate(s.lab.Systems(), h.file, s.own.recorded(), h.Coded, s.now)
	case s.lab.IsSampler() && !of.fresh:
		return t.plan().Estimate(of.from, refitSteps)
	}
	return t.plan().Estimate(of.from, 0)
}

// goesOn says whether Train goes on with the training that there is.
func (t *trainer) goesOn() bool {
	if t.live == nil || t.halted != nil {
		return false
	}
	if t.s.lab.IsSampler() {
		a := t.s.display.a
		return a != nil && a.Training && !(follower{t}).fresh() && !t.live.Finished() && t.status != wire.Done && t.status != wire.Diverged
	}
	return t.status == wire.Paused && t.recipe() == t.trains
}

// takes returns how many seconds Train would take, or what remains of the training
// that it goes on with; NaN where that is not known, or it trains already.
func (t *trainer) takes() float64 {
	switch e := &t.expects; {
	case t.status == wire.Training || t.eager:
	case t.goesOn():
		return t.live.Progress().SecsLeft
	case e.estimate != nil && e.of == t.next():
		return e.estimate.Left(min(t.s.settings.Worker, t.s.cores))
	}
	return math.NaN()
}

// Spare implements wire.Sparing: it measures how long Train would take.
func (s *Session) Spare(most time.Duration) (more bool) {
	t := &s.trainer
	if !s.lab.Learns() || s.wantsShipped || t.status == wire.Training || t.eager || s.own.reading != nil {
		return false
	}
	e := &t.expects
	if of := t.next(); e.of != of {
		e.of = of
		e.estimate, _ = t.estimate(of) // Train says what is wrong
		return e.estimate != nil
	}
	if e.estimate == nil || !math.IsNaN(e.estimate.Left(1)) {
		sweeps{s}.expect()
		return false
	}
	if more = e.estimate.Work(most); !more {
		s.stateStale = true
		sweeps{s}.expect()
		if t.live != nil {
			t.live.Expect(e.estimate)
		}
	}
	return more
}
