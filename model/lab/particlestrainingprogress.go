package lab

import (
	"fmt"
	"math"
	"time"
)

// trainingProgress is how far a training is.
type trainingProgress struct {
	Stage       int
	Task        string  // what is being done, in words
	Step, Steps int     // of the stage
	Share       float64 // of the whole training, from 0 to 1
	Loss        float64 // of the last step, NaN before the first of a stage
	Rate        float64 // units a second
	Unit        string
	SecsLeft    float64 // of the whole training; NaN while nothing is known of it
	MRE         float64 // of the trajectories held out, NaN before it is measured
}

// Progress says how far the training is.
func (t *particlesTraining) Progress() trainingProgress {
	p := trainingProgress{
		Stage: t.run.stage, Share: 1, Loss: math.NaN(), Rate: t.meter.rate, Unit: "sets", MRE: t.curves.mre.last(),
	}
	if t.Finished() {
		p.Task = "trained"
		return p
	}
	tr, c := t.run.trainer, &t.run.Model.Config
	p.Step, p.Steps, p.Loss = tr.Step(), tr.Steps(), tr.Loss()
	done, all := t.effort()
	p.Share, p.SecsLeft = done/all, (all-done)/t.meter.speed
	if t.meter.speed == 0 {
		p.SecsLeft = math.NaN()
	}
	verb := "simulating"
	if c.Recorded {
		verb = "reading"
	}
	switch reads := t.queue.first < t.needed(); {
	case reads && t.run.stage == StageFit:
		p.Task = fmt.Sprintf("%s trajectories to begin with, %d of %d", verb, t.queue.count, t.needed())
	case reads:
		p.Task = fmt.Sprintf("%s and encoding trajectories for the law, %d of %d", verb, t.queue.count, t.queue.n)
	case t.run.stage == StageFit:
		p.Task = "stage I: the autoencoder learns the density"
		if t.queue.count < t.queue.n {
			p.Task += fmt.Sprintf(" of %d trajectories, and more join", c.available(tr.Step(), t.queue.n))
		}
	case t.run.stage == StageLaw:
		p.Task, p.Unit = "stage II: the law learns the velocity of z", "pairs"
	default:
		p.Task, p.Unit = "stage II: the law learns long stretches", "stretches"
	}
	if t.queue.first < t.needed() {
		p.Unit = "trajectories"
	}
	return p
}

// unitsAStep is what Rate counts.
func (t *particlesTraining) unitsAStep() int {
	if t.run.stage == StageFit {
		return t.run.Model.Config.Batch
	}
	return t.run.Model.lawTraining(t.run.stage).Batch
}

// effort returns how much work is done and how much there is altogether. Its
// unit is a second of one core in a tab, roughly: what counts is how the parts
// compare.
func (t *particlesTraining) effort() (done, all float64) {
	m := t.run.Model
	c, s := &m.Config, t.run.src.Shape()
	// Measured under Node: pairs of particles a second, and parameters times what
	// passes through them, in the wide networks of stage I and in the law's.
	const pairs, wide, narrow = 6e8, 9e9, 5e9
	frames, n := float64(s.Frames), float64(s.Particles)
	read := frames * n * n / pairs
	encoder, flow, law := 0.0, 0.0, float64(len(m.LawParams))
	for _, p := range m.Layout.Params() {
		if p.Name[0] == 'e' {
			encoder += float64(p.Len())
		} else {
			flow += float64(p.Len())
		}
	}
	encode := n * encoder / wide
	held := float64(len(t.held.first))
	measure := 4 * frames * held * float64(c.Views) * law / narrow
	fitStep := float64(c.Batch) * 3 * (encode + float64(c.Samples)*flow/wide)
	lawStep := func(l LawTraining) float64 {
		stages := 8.0 // four of RK4, found once more on the way back
		if l.Window == 1 {
			stages = 1
		}
		return 3 * stages * float64(l.Batch*l.Window) * law / narrow
	}
	first := float64(min(c.Trajectories, s.Trajectories)) * read
	second := float64(min(c.Law.Trajectories, s.Trajectories))*(read+frames*encode) + held*read
	parts := [...]struct{ data, steps float64 }{
		StageFit:  {first, float64(c.Steps) * fitStep},
		StageLaw:  {second, float64(c.Law.Fit.Steps)*lawStep(c.Law.Fit) + measurements*measure},
		StageRoll: {0, 0},
	}
	if c.Law.Roll.Steps > 0 {
		parts[StageRoll].steps = float64(c.Law.Roll.Steps)*lawStep(c.Law.Roll) + measurements*measure
	}
	for stage, p := range parts {
		all += p.data + p.steps
		switch {
		case stage < t.run.stage:
			done += p.data + p.steps
		case stage == t.run.stage && t.run.trainer != nil:
			tr := t.run.trainer
			done += p.data*float64(t.queue.count)/float64(t.queue.n) + p.steps*float64(tr.Step())/float64(tr.Steps())
		}
	}
	return done, all
}

// meter measures how fast a training goes.
type meter struct {
	trajectories, steps int // since from

	from   time.Time
	before float64 // effort at from
	stage  int
	rate   float64 // units a second
	speed  float64 // effort a second, smoothed
}

// look brings the figures up to date, about once a second.
func (m *meter) look(t *particlesTraining) {
	now := t.now()
	secs := now.Sub(m.from).Seconds()
	if !m.from.IsZero() && secs < rateWindow.Seconds() && m.stage == t.run.stage {
		return
	}
	done, _ := t.effort()
	if !m.from.IsZero() && m.stage == t.run.stage && secs > 0 && secs < 10 { // not after a pause
		m.rate = float64(m.steps*t.unitsAStep()) / secs
		if t.queue.first < t.needed() {
			m.rate = float64(m.trajectories) / secs
		}
		const weight = 0.2
		speed := max(done-m.before, 0) / secs
		if m.speed == 0 {
			m.speed = speed
		}
		m.speed += weight * (speed - m.speed)
	}
	m.from, m.before, m.stage, m.trajectories, m.steps = now, done, t.run.stage, 0, 0
}
