package mixing

import (
	"time"

	"macroscope/sim/lj"
)

// relaxed lists the settings on which a relaxation depends. It does not contain the boundary
// and the pair table, which apply only after the relaxation.
type relaxed struct {
	height, temperature, dt float64
	seed                    uint64
	set                     int
}

func (s settings) relaxed() relaxed {
	return relaxed{s.height, s.temperature, s.dt, s.seed, s.set}
}

// relaxation brings atoms from their lattice to the start of mixing, in short pieces of work.
// It keeps the last few results, so a changed boundary needs no new relaxation.
type relaxation struct {
	sim   *lj.Simulation // nil unless a relaxation is running
	cfg   lj.Config
	what  relaxed
	known []relaxedState // the most recent result last
}

type relaxedState struct {
	what  relaxed
	state lj.State
}

// maxRelaxed is the number of results that are kept. A result takes 25 kB.
const maxRelaxed = 8

// find returns the result for these settings, or nil if there is none.
func (r *relaxation) find(s settings) *lj.State {
	what := s.relaxed()
	for i := range r.known {
		if r.known[i].what == what {
			return &r.known[i].state
		}
	}
	return nil
}

// begin starts a relaxation for valid settings. If a suitable relaxation is running, begin lets
// it continue. The atoms start as in the command line's trajectory with the same seed and
// index.
func (r *relaxation) begin(s settings) error {
	if r.under() && r.what == s.relaxed() {
		return nil
	}
	c := s.config()
	// The boundary applies only after the relaxation. Package lj requires a boundary with atoms
	// on both sides from the start.
	c.Boundary = c.Width / 2
	sim, err := lj.Start(c, s.seed, s.set)
	if err == nil {
		r.sim, r.cfg, r.what = sim, c, s.relaxed()
	}
	return err
}

// cancel ends the current relaxation.
func (r *relaxation) cancel() { r.sim = nil }

// under reports whether a relaxation is running.
func (r *relaxation) under() bool { return r.sim != nil }

// share returns how much of the current relaxation is done, from 0 to 1.
func (r *relaxation) share() float64 { return 1 + float64(r.sim.Index())/float64(r.cfg.Relaxation) }

// advance continues the relaxation for about the given time. It reports whether the relaxation has
// ended. If it has ended without an error, the method `find` returns the result.
func (r *relaxation) advance(clock func() time.Time, budget time.Duration) (ended bool, err error) {
	began := clock()
	for taken := 1; r.sim.Index() < 0; taken++ {
		if taken%stepsAPiece == 0 && clock().Sub(began) >= budget {
			return false, nil
		}
		if err := r.sim.Step(); err != nil {
			r.sim = nil
			return true, err
		}
	}
	if len(r.known) == maxRelaxed {
		r.known = append(r.known[:0], r.known[1:]...)
	}
	r.known = append(r.known, relaxedState{what: r.what})
	r.sim.Save(&r.known[len(r.known)-1].state)
	r.sim = nil
	return true, nil
}
