package fit

import (
	"fmt"
	"math"
	"time"

	"macroscope/model/system/play"
)

// Progress is the progress of a training.
type Progress struct {
	Stage       Stage
	Doing       string  // the present work, in words
	Staged      bool    // whether Doing begins with the number of a stage
	Step, Steps int     // steps of the phase: done, and in total
	Share       float64 // share of the whole training that is done, from 0 to 1
	Loss        float64 // loss of the last step; NaN before the first step of a phase
	Rate        float64 // samples or trajectories per second, averaged over ten seconds
	Unit        string
	SoFar       int     // number of trajectories available so far, if more will come; otherwise 0
	SecsLeft    float64 // seconds for the rest of the training; NaN while unknown
	Measured    bool    // whether SecsLeft is good enough to show
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

// Progress returns the progress of the training.
func (l *Live) Progress() Progress {
	p := Progress{Stage: l.Stage(), Share: 1, Loss: math.NaN(), Rate: l.samples.PerSecond, Unit: "sets", Doing: "trained"}
	if tr := l.trainer; tr != nil {
		p.Step, p.Steps, p.Loss = l.Step(), l.Steps(), tr.Loss()
	}
	phase := l.Phase()
	if phase == nil {
		return p
	}
	p.Share, p.SecsLeft, p.Measured = l.estimate.Share(), l.estimate.Left(), l.estimate.Settled()
	p.Unit = phase.What
	p.Doing, p.Staged = l.doing(phase)
	q := &l.intake.queue
	switch initial := l.Model.Config.Data.Available(0, q.n); {
	case l.intake.behind() && (phase.Stage != Autoencoder || q.first < initial):
		p.Unit, p.Rate = "trajectories", l.trajectories.PerSecond
	case q.count < q.n:
		p.SoFar = q.count
	}
	return p
}

// doing returns a description of the present work. staged reports whether it begins with the number of a
// stage.
func (l *Live) doing(p *Phase) (text string, staged bool) {
	c, in := &l.Model.Config, l.intake
	q, verb := &in.queue, "simulating"
	if c.Data.Recorded {
		verb = "reading"
	}
	switch {
	case in.behind() && p.Stage == Autoencoder && q.first < c.Data.Available(0, q.n):
		return fmt.Sprintf("%s the first trajectories, %d of %d", verb, q.first, c.Data.Available(0, q.n)), false
	case in.behind() && p.Stage != Autoencoder:
		return fmt.Sprintf("%s and encoding trajectories for the dynamics, %d of %d", verb, q.count, q.n), false
	case l.Measuring():
		return fmt.Sprintf("stage II: measuring the dynamics on %d trajectories for validation", len(l.validator.validation.first)), true
	}
	return p.Doing + l.Try(), c.HasDynamics()
}
