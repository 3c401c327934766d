package method

import (
	"fmt"
	"slices"

	"macroscope/model/net/encoder"
)

// Retrained returns c, changed for a training that starts from the weights of another model. The
// other model has the configuration `from`. The result has the networks of `from`. It has fewer
// steps and lower learning rates than c.
func (c Config) Retrained(from *Config) (Config, error) {
	switch {
	case from.Encoder.Name() != c.Encoder.Name() || from.Decoder.Name() != c.Decoder.Name():
		return c, fmt.Errorf("the weights are of another method; train from scratch")
	case from.Dim() != c.Dim():
		return c, fmt.Errorf("the weights are for particles of %d coordinates and these have %d; train from scratch", from.Dim(), c.Dim())
	case from.ZDim() != c.ZDim():
		return c, fmt.Errorf("the weights are for %d closure variables and %d are asked for; train from scratch", from.ZDim(), c.ZDim())
	case c.Encoder.Ordered() && from.Particles != c.Particles:
		return c, fmt.Errorf("the weights are for sets of %v particles and these have %v; train from scratch", from.Shape.SetSizes(), c.Shape.SetSizes())
	case c.HasDynamics() && (from.Dynamics.Joint != c.Dynamics.Joint || from.Dynamics.Share != c.Dynamics.Share || !slices.Equal(from.Dynamics.Params, c.Dynamics.Params) || !slices.Equal(from.Dynamics.Memory, c.Dynamics.Memory) || from.Dynamics.Drift.Form != c.Dynamics.Drift.Form):
		return c, fmt.Errorf("the dynamics to begin with have another form than those to be trained; choose their form, or train from scratch")
	}
	eps, samples, preset := c.Decoder.Eps, c.Decoder.Samples, c.Encoder
	c.Encoder, c.Decoder, c.Dynamics.Drift, c.Dynamics.Noise = from.Encoder, from.Decoder, from.Dynamics.Drift, from.Dynamics.Noise
	if e, ok := preset.(*encoder.Tunable); ok { // the number of nodes changes the time of a step, and not the networks
		to := *from.Encoder.(*encoder.Tunable)
		to.Nodes, c.Encoder = e.Nodes, &to
	}
	c.Decoder.Eps, c.Decoder.Samples = eps, samples
	c.Dynamics.Tries = 1 // others would not begin from the weights of `from`
	// These values were chosen with the shipped particles model. If `gentler` is 0.35, the
	// retrained model is worse than the shipped one for half of stage I. If `gentler` is 0.05, ẑ
	// changes so much that the MRE rises by an eighth. If `rolloutGentler` is 0.1, the rollouts
	// first raise the MRE by half. At 0.03 they do not raise the MRE.
	const shorter, gentler, velocityGentler, rolloutGentler = 3, 0.03, 0.1, 0.03
	c.Steps, c.Rate = max(1, c.Steps/shorter), c.Rate*gentler
	fit, roll := &c.Dynamics.Velocity, &c.Dynamics.Rollout
	fit.Rate, roll.Rate = fit.Rate*velocityGentler, roll.Rate*rolloutGentler
	for _, t := range []*DynamicsTraining{fit, roll} {
		if t.Steps > 0 {
			t.Steps = max(1, t.Steps/shorter)
		}
	}
	if !c.Data.Recorded { // in a tab, simulations take most of the time
		c.Data.Trajectories = min(c.Data.Trajectories, max(1, c.Data.Initial, min(c.Data.Available(c.Steps, c.Data.Trajectories), c.Data.Trajectories/2)))
		c.Dynamics.Trajectories = min(c.Dynamics.Trajectories, max(1, c.Dynamics.Trajectories/2))
	}
	return c, nil
}
