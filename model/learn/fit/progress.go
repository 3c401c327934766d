package fit

import (
	"fmt"
	"math"
	"time"

	"macroscope/model/learn/experiment"
	"macroscope/model/system/play"
)

// Progress is how far a training is.
type Progress struct {
	Phase       Phase
	Doing       string  // what is being done, in words
	Step, Steps int     // of the phase
	Share       float64 // of the whole training, from 0 to 1
	Loss        float64 // of the last step, NaN before the first of a phase
	Rate        float64 // units a second
	Unit        string
	SecsLeft    float64 // of the whole training; NaN while nothing is known of it
	Measured    bool    // SecsLeft is by how fast this training has been, not by an estimate alone
}

// meter says how far a training is, and measures how fast it goes.
type meter struct {
	run    *Run
	intake *intake
	gauge  *gauge
	pool   *Pool
	rates  rates

	from                time.Time
	before, all         float64 // effort at from: that was done, and that there was
	phase               Phase   // at from
	trajectories, steps int     // of the phase, at from
	rate                float64 // units a second
	speed               float64 // effort a second, smoothed; 0 while nothing is known of it
	measured            int     // how often speed has been; 0 while it is an estimate's
}

// progress says how far the training is.
func (m *meter) progress() Progress {
	p := Progress{Phase: m.run.phase, Share: 1, Loss: math.NaN(), Rate: m.rate, Unit: "sets"}
	if tr := m.run.trainer; tr != nil {
		p.Step, p.Steps, p.Loss = tr.Step(), tr.Steps(), tr.Loss()
	}
	if m.run.phase == Done {
		p.Doing = "trained"
		return p
	}
	done, all := m.effort()
	p.Share, p.SecsLeft = min(1, done/all), max(0, all-done)/m.speed
	if p.Measured = m.measured > 0; m.speed == 0 {
		p.SecsLeft = math.NaN()
	}
	_, p.Unit, _ = m.run.phase.Batch(&m.run.Model.Config)
	if m.intake.behind() {
		p.Unit = "trajectories"
	}
	p.Doing = m.doing()
	return p
}

// doing says in words what is being done.
func (m *meter) doing() string {
	c, q, stageOne := &m.run.Model.Config, &m.intake.queue, m.run.phase == Autoencoder
	verb := "simulating"
	if c.Recorded {
		verb = "reading"
	}
	n, measuring := m.gauge.measuring()
	switch behind := m.intake.behind(); {
	case behind && stageOne:
		return fmt.Sprintf("%s trajectories to begin with, %d of %d", verb, q.count, m.intake.needed())
	case behind:
		return fmt.Sprintf("%s and encoding trajectories for the dynamics, %d of %d", verb, q.count, q.n)
	case measuring:
		return fmt.Sprintf("stage II: measuring the dynamics on %d trajectories for validation", n)
	case !c.HasDynamics():
		return "the autoencoder learns the density"
	case stageOne:
		doing := "stage I: the autoencoder learns to restore the sets"
		switch {
		case !c.Decoder.Restores():
			doing = "stage I: the encoder learns what makes the next moment predictable"
		case c.Decoder.Density():
			doing = "stage I: the autoencoder learns the density"
		}
		if c.Decoder.Step.On() && c.Decoder.Restores() {
			doing += " and to predict"
		}
		if q.count < q.n {
			doing += fmt.Sprintf(" of %d trajectories so far", c.Available(m.run.step(), q.n))
		}
		return doing
	case c.Traits.Stochastic:
		return "stage II: the dynamics learn how z moves"
	case m.run.phase == Velocity:
		return "stage II: the dynamics learn the velocity of z"
	}
	return "stage II: the dynamics learn long stretches"
}

// part is the time that a phase takes: for its data, and for its steps with what
// measures them. The unit is a second, roughly: what counts is how the parts compare.
type part struct{ data, steps float64 }

// rates are how fast the machine works: pairs of particles a second, and parameters
// times what passes through them, in the wide networks of stage I and in the dynamics'.
type rates struct{ pair, wide, narrow float64 }

// usualRates were measured under Node.
var usualRates = rates{6e8, 9e9, 5e9}

// parts returns the time of every phase.
func (m *meter) parts() (parts [Done + 1]part) {
	c, src := &m.run.Model.Config, m.run.src
	first, v := &parts[Autoencoder], m.gauge.validation
	if !c.HasDynamics() {
		steps := c.Steps
		if tr, from := m.run.trainer, m.run.resume; tr != nil {
			steps = tr.Steps() - tr.CycleStart
		} else if from != nil {
			steps = from.schedule.Steps
		}
		first.steps = (float64(steps) + 1e-9) * m.wideStep() / m.rates.wide
		return parts
	}
	if src != nil {
		s, read := src.Shape(), m.pairs()/m.rates.pair
		enc, _, _ := m.run.Model.Sizes()
		encode := float64(v.frames) * c.Encoder.Work(c.Shape, enc) / m.rates.wide
		first.data = m.shared(float64(min(c.Trajectories, s.Trajectories)) * read)
		parts[Velocity].data = m.shared(float64(min(c.Dynamics.Trajectories, s.Trajectories))*(read+encode) + float64(len(v.first))*read)
		first.steps = m.sharedSteps(c.Steps, float64(c.Steps)*m.wideStep()/m.rates.wide)
	}
	for _, p := range []Phase{Velocity, Rollout} {
		if steps := p.Training(c).Steps; p == Velocity || steps > 0 {
			_, _, dyn := m.run.Model.Sizes()
			measure := 4 * float64(v.frames) * float64(len(v.first)) * float64(v.forecast.Rows()*dyn)
			parts[p].steps = m.sharedSteps(steps, m.narrowSteps(p)/m.rates.narrow) + measurements*measure/m.rates.narrow
		}
	}
	return parts
}

// shared returns the time that the workers together take for what takes one of them so
// long.
func (m *meter) shared(secs float64) float64 {
	if m.pool == nil {
		return secs
	}
	return secs / float64(max(1, m.pool.Helpers()+1))
}

// sharedSteps is shared of so many steps, which must be worth it.
func (m *meter) sharedSteps(steps int, secs float64) float64 {
	if secs < float64(steps)*worthSharing.Seconds() {
		return secs
	}
	return m.shared(secs)
}

// pairs returns the work of reading a trajectory: the pairs of particles.
func (m *meter) pairs() float64 {
	n := float64(m.run.Model.Config.Particles)
	return float64(m.gauge.validation.frames) * n * n
}

// wideStep returns the work of a step of stage I, by networks of so many weights.
func wideStep(c *experiment.Config, encoder, dec int) float64 {
	encode, restore := c.Work(encoder, dec)
	return float64(c.Batch) * 3 * (encode + restore)
}

// narrowStep returns the work of a step of stage II, by dynamics of so many weights.
func narrowStep(c *experiment.Config, t *experiment.Training, weights int) float64 {
	stages := 8.0 // four of RK4, found once more on the way back
	if t.Window == 1 || c.Traits.Stochastic {
		stages = 1
	}
	return 3 * stages * float64(t.Batch) * float64(t.Window) * float64(weights)
}

// wideStep is wideStep of the run's model.
func (m *meter) wideStep() float64 {
	enc, dec, _ := m.run.Model.Sizes()
	return wideStep(&m.run.Model.Config, enc, dec)
}

// narrowSteps returns the work of all steps of a phase of stage II.
func (m *meter) narrowSteps(p Phase) float64 {
	c := &m.run.Model.Config
	_, _, dynamics := m.run.Model.Sizes()
	t := p.Training(c)
	return float64(t.Steps) * narrowStep(c, &t, dynamics)
}

// effort returns how much work is done and how much there is altogether.
func (m *meter) effort() (done, all float64) {
	for i, p := range m.parts() {
		all += p.data + p.steps
		switch phase := Phase(i); {
		case phase < m.run.phase:
			done += p.data + p.steps
		case phase == m.run.phase && m.run.trainer != nil:
			tr, q := m.run.trainer, &m.intake.queue
			if q.n > 0 {
				done += p.data * float64(q.count) / float64(q.n)
			}
			done += p.steps * float64(tr.Step()-tr.CycleStart) / float64(tr.Steps()-tr.CycleStart)
		case phase == m.run.phase && m.run.resume != nil:
			from := m.run.resume
			done += p.steps * float64(from.step-from.cycleStart) / float64(from.schedule.Steps)
		}
	}
	return done, all
}

// leastWeight is that of the latest measurement of the speed. The first ones have the same
// weight each: an estimate, and what is slow at the beginning, are soon forgotten.
const leastWeight = 0.2

// look brings the figures up to date, about once a second.
func (m *meter) look(now time.Time) {
	secs := now.Sub(m.from).Seconds()
	same := !m.from.IsZero() && m.phase == m.run.phase
	if same && secs < play.RateWindow.Seconds() {
		return
	}
	done, all := m.effort()
	trajectories, steps := m.intake.queue.count, m.run.step()
	if same && secs > 0 && secs < 10 { // not after a pause
		count, _, _ := m.run.phase.Batch(&m.run.Model.Config)
		m.rate = float64((steps-m.steps)*count) / secs
		if m.intake.behind() {
			m.rate = float64(trajectories-m.trajectories) / secs
		}
		if all == m.all && done >= m.before { // or it has been planned anew
			m.measured++
			m.speed += max(leastWeight, 1/float64(m.measured)) * ((done-m.before)/secs - m.speed)
		}
	}
	m.from, m.before, m.all, m.phase, m.trajectories, m.steps = now, done, all, m.run.phase, trajectories, steps
}
