//go:build !first

package model

import (
	"macroscope/model/learn/method"
	"macroscope/model/net/dynamics"
)

// Objective is the loss of stage II over stretches of trajectories, summed over the equations.
// For a stochastic system it is the negative log-likelihood in nats per transition. For a
// deterministic system it is the error of the velocity or of a rollout. It is not safe for
// concurrent use.
type Objective struct {
	model      *Model
	window     int
	dt         float64
	loss       []*dynamics.Loss[float32]       // one for each equation, if the system is deterministic
	likelihood []*dynamics.Likelihood[float32] // one for each equation, if the system is stochastic
	equation   []float32                       // variables of one equation (B, K+1, D)
}

// NewObjective makes an Objective for a part of stage II, for up to `rows` stretches in one call of
// Gradient.
func (m *Model) NewObjective(t method.DynamicsTraining, rows int) *Objective {
	o := &Objective{model: m, window: t.Window, dt: m.Config.Dynamics.Dt * float64(t.Stride)}
	o.equation = make([]float32, rows*(t.Window+1)*m.Config.States())
	for i := range m.Weights.net.Equations {
		e := &m.Weights.net.Equations[i]
		if e.Noise != nil {
			drift := e.NewDrift(rows * t.Window)
			if n := t.Substeps; n > 1 {
				drift = dynamics.NewSubsteps(drift, n, o.dt/float64(n), rows*t.Window)
			}
			o.likelihood = append(o.likelihood, dynamics.NewLikelihood(drift, e.NewDiffusion(rows*t.Window, method.Unnoticed(m.Config.Dynamics.Dt)), t.Window, rows))
			continue
		}
		integrate := dynamics.RK4
		if t.Window == 1 {
			integrate = dynamics.Euler // the loss of one Euler step compares velocities, as in the paper
		}
		l := dynamics.NewLoss(e.NewDrift(rows), integrate, t.Window, rows)
		l.Power, l.Macro, l.Macros = t.Power, t.Macro, e.Macro
		o.loss = append(o.loss, l)
	}
	return o
}

// Gradient adds the gradient of the mean loss of stretches z (rows, Window+1, V)
// to grads and returns the loss.
func (o *Objective) Gradient(params, grads, z []float32, rows int) float64 {
	loss := 0.0
	for i := range o.model.Weights.net.Equations {
		o.model.Weights.net.Equations[i].Gather(o.equation, z, rows*(o.window+1), o.model.Config.States())
		if o.loss != nil {
			loss += o.loss[i].Gradient(params, grads, o.equation, rows, o.dt)
		} else {
			loss += o.likelihood[i].Gradient(nil, params, grads, o.equation, rows, o.dt)
		}
	}
	return loss
}
