package fit

import (
	"macroscope/model/learn/experiment"
)

// Phase is a part of a training.
type Phase int

// The phases, in their order, by the numbers that checkpoints have for them. A
// training has no Velocity without dynamics, and no Rollout unless its
// configuration asks for steps of it.
const (
	Autoencoder Phase = 1 // stage I
	Velocity    Phase = 2 // stage II, from neighbouring frames or by the likelihood
	Rollout     Phase = 3 // the same through long stretches
	Done        Phase = 4
)

// next returns the phase that follows p.
func (p Phase) next(c *experiment.Config) Phase {
	switch {
	case p == Autoencoder && !c.HasDynamics():
		return Done
	case p == Velocity && c.Dynamics.Roll.Steps == 0:
		return Done
	}
	return min(p+1, Done)
}

// Training returns how a phase of stage II is trained.
func (p Phase) Training(c *experiment.Config) experiment.Training {
	if p == Rollout {
		return c.Dynamics.Roll
	}
	return c.Dynamics.Fit
}

// Rate returns the peak learning rate of a phase.
func (p Phase) Rate(c *experiment.Config) float64 {
	if p == Autoencoder {
		return c.Rate
	}
	return p.Training(c).Rate
}

// RateName returns the name that the configuration has for it.
func (p Phase) RateName(c *experiment.Config) string {
	switch {
	case p == Autoencoder:
		return "rate"
	case c.Traits.Stochastic:
		return "law.rate"
	case p == Rollout:
		return "law.roll.rate"
	}
	return "law.fit.rate"
}

// Batch returns how many of what a step of the phase takes, and the unit of its
// loss; "" is none.
func (p Phase) Batch(c *experiment.Config) (count int, what, unit string) {
	t := p.Training(c)
	switch {
	case p == Autoencoder:
		count, what = c.Batch, "sets"
		if c.Sets() > 1 {
			what = "frames"
		}
		unit = c.Decoder.Unit()
	case c.Traits.Stochastic:
		count, what, unit = t.Batch*t.Window, "transitions", "nats a transition"
	case p == Rollout:
		count, what = t.Batch, "rollouts"
	default:
		count, what = t.Batch, "pairs"
	}
	return count, what, unit
}

// Title says what the phase does, in a few words.
func (p Phase) Title(c *experiment.Config) string {
	switch {
	case p == Done:
		return "trained"
	case !c.HasDynamics():
		return "training"
	case p == Autoencoder:
		return "stage I"
	case c.Dynamics.Roll.Steps == 0:
		return "stage II"
	case p == Rollout:
		return "stage II, rollouts"
	}
	return "stage II, velocity"
}
