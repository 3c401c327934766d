package fit

import (
	"fmt"
	"math"
)

// Progress is the progress of a training.
type Progress struct {
	Phase       Stage
	Doing       string  // the present work, in words
	Step, Steps int     // steps of the phase: done, and in total
	Share       float64 // share of the whole training that is done, from 0 to 1
	Loss        float64 // loss of the last step; NaN before the first step of a phase
	Rate        float64 // samples or trajectories per second, averaged over ten seconds
	Unit        string
	SoFar       int     // number of trajectories available so far, if more will come; otherwise 0
	SecsLeft    float64 // seconds for the rest of the training; NaN while unknown
	Measured    bool    // whether SecsLeft is good enough to show
}

// Progress returns the progress of the training.
func (l *Live) Progress() Progress {
	p := Progress{Phase: l.Phase(), Share: 1, Loss: math.NaN(), Rate: l.estimate.samples.PerSecond, Unit: "sets", Doing: "trained"}
	if tr := l.run.trainer; tr != nil {
		p.Step, p.Steps, p.Loss = tr.Step(), tr.Steps(), tr.Loss()
	}
	phase := l.run.Current()
	if phase == nil {
		return p
	}
	p.Share, p.SecsLeft, p.Measured = l.estimate.share(), l.estimate.left(), l.estimate.passed >= settled
	p.Unit, p.Doing = phase.What, l.doing(phase)
	q := &l.intake.queue
	switch initial := l.run.Model.Config.Available(0, q.n); {
	case l.intake.behind() && (phase.Stage != Autoencoder || q.first < initial):
		p.Unit, p.Rate = "trajectories", l.estimate.trajectories.PerSecond
	case q.count < q.n:
		p.SoFar = q.count
	}
	return p
}

// doing returns a description of the present work.
func (l *Live) doing(p *Phase) string {
	c, in := &l.run.Model.Config, l.intake
	q, verb := &in.queue, "simulating"
	if c.Recorded {
		verb = "reading"
	}
	n, measuring := l.Measuring()
	switch {
	case in.behind() && p.Stage == Autoencoder && q.first < c.Available(0, q.n):
		return fmt.Sprintf("%s the first trajectories, %d of %d", verb, q.count, c.Available(0, q.n))
	case in.behind() && p.Stage != Autoencoder:
		return fmt.Sprintf("%s and encoding trajectories for the dynamics, %d of %d", verb, q.count, q.n)
	case measuring:
		return fmt.Sprintf("stage II: measuring the dynamics on %d trajectories for validation", n)
	}
	return p.Doing
}
