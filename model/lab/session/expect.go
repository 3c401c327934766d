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
	of   next
	live *fit.Live // the training that says so, and does not begin; nil if that cannot be told
}

// next is what Train would begin. Another one takes another time.
type next struct {
	recipe
	coded     bool
	halted    *halted
	from      *experiment.Model // that it takes its first weights from, nil for none
	fresh     bool              // a sampler's begins from scratch
	particles int               // of a sampler's sets
}

// next returns what Train would begin if it went on with nothing.
func (t *trainer) next() next {
	n, a := next{recipe: t.recipe(), coded: t.plan().OnCodes(), halted: t.halted}, t.s.display.a
	n.Eps, n.Seed = 0, 0 // which cost no time, but by what there are codes for
	switch {
	case t.s.lab.IsSampler():
		n.fresh, n.particles = follower{t}.fresh(), t.s.live.Run().Particles
	case a != nil && n.From == lab.FromModel:
		n.from = a.Model
	}
	return n
}

// expected returns a training like the one that Train would begin.
func (t *trainer) expected(of next) (*fit.Live, error) {
	s := t.s
	if h := of.halted; h != nil {
		var codes *experiment.Codes
		if h.Coded {
			codes = fit.StandIn(h.Model)
		}
		return fit.ResumeLive(s.lab.Systems(), h.file, s.own.recorded(), codes, s.now)
	}
	l, err := t.plan().Expected(of.from)
	if err == nil && s.lab.IsSampler() && !of.fresh {
		l.Restart(refitSteps, refitShare)
	}
	return l, err
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

// timed returns the training that says how long Train would take, or what remains of the
// one that it goes on with; nil while there is none, or it trains already.
func (t *trainer) timed() *fit.Live {
	switch e := &t.expects; {
	case t.status == wire.Training || t.eager:
	case t.goesOn():
		return t.live
	case e.of == t.next():
		return e.live
	}
	return nil
}

// takes returns how many seconds Train would take; NaN where that is not known.
func (t *trainer) takes() float64 {
	if l := t.timed(); l != nil {
		return l.Left(min(t.s.settings.Worker, t.s.cores))
	}
	return math.NaN()
}

// Spare implements wire.Sparing: it measures how long Train would take, and then how long
// the sweep would.
func (s *Session) Spare(most time.Duration) (more bool) {
	t := &s.trainer
	if !s.lab.Learns() || s.wantsShipped || t.status == wire.Training || t.eager || s.own.reading != nil {
		return false
	}
	e := &t.expects
	if of := t.next(); !t.goesOn() && e.of != of {
		if e.live != nil {
			e.live.Close()
		}
		e.of = of
		e.live, _ = t.expected(of) // Train says what is wrong
		return true
	}
	if l := t.timed(); l != nil && math.IsNaN(l.Left(1)) {
		if l.Measure(most) {
			return true
		}
		s.stateStale = true
	}
	return sweeps{s}.expect(most)
}
