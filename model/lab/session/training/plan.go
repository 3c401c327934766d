package training

import (
	"fmt"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/system"
)

// Plan is a training that could begin now: which configuration Train begins with, and on
// what.
type Plan struct {
	Lab      *lab.Lab
	Settings *lab.Settings
	Live     system.Live       // what is played: its force, and the sets of a sampler
	Data     system.Recorded   // trajectories of the visitor's own; nil if there are none
	Coded    *experiment.Model // whose encoder made the lab's codes; nil before it is there
	Codes    *experiment.Codes // nil before they are there
	Seed     uint64
	Now      func() time.Time
}

// Recipe returns what Train would begin with, but for the data.
func (p *Plan) Recipe() runs.Recipe {
	l := p.Settings
	r := runs.Recipe{Method: l.Method, Scope: l.Scope, Size: l.Size, Form: l.Form, From: l.From, Eps: l.Eps, ZDim: l.ZDim, Seed: p.Seed}
	if l.Drift != lab.PlainDrift {
		r.Drift = l.Drift
	}
	r.Params = l.Asked().Params
	if of := p.Lab.System.Traits().Forces; of != nil {
		if f := p.Live.Settings().Find("force").Text(); f != of.Force() {
			r.Force = p.putIn(of, f)
		}
	}
	return r
}

// putIn returns the force that is played with its parameters as numbers in it, unless the
// dynamics are given them.
func (p *Plan) putIn(of system.Forced, force string) string {
	all := p.Lab.System.Traits().Parameters
	var values []float64
	for _, parameter := range all {
		values = append(values, *p.Live.Settings().Find(parameter.Name).Value.(*float64))
	}
	given, _ := all.Parse(p.Settings.Asked().Params) // which is one of the settings' choices
	return system.Played(of, force, values, given)
}

// Config returns the configuration of the whole model.
func (p *Plan) Config() (experiment.Config, error) {
	l, traits := p.Settings, p.Lab.System.Traits()
	c, err := p.Lab.Systems().Preset(traits.Name + "/" + l.Method + "@" + l.Size)
	if err != nil {
		return c, err
	}
	c = c.WithZDim(l.ZDim).WithEps(l.Eps)
	c.Seed = p.Seed
	if traits.Stochastic {
		c = c.WithJoint(l.Form == lab.Joint)
	}
	c = c.WithDrift(l.Drift)
	if c, err = c.WithParams(l.Params); err != nil {
		return c, err
	}
	if of := p.Recipe().Force; of != "" {
		if err := c.Set("force", of); err != nil {
			return c, fmt.Errorf("for the usual a and b, which trainings have, %w", err)
		}
	}
	switch {
	case !p.Lab.Timed():
		c = c.WithParticles(p.Live.Run().Particles)
	case p.Data != nil:
		c = c.ForData(p.Data, len(p.Lab.System.Variables(p.Data.Observable())))
	}
	return c, c.Validate()
}

// OnCodes says whether it is of dynamics alone, on what the encoder of
// the shipped model made: of those that ship, that is nearest to the settings.
func (p *Plan) OnCodes() bool {
	coded, ok := p.Lab.Coded()
	if !ok || p.Settings.Scope != lab.DynamicsAlone || p.Data != nil {
		return false
	}
	m, _ := p.Lab.Nearest(p.Settings.Asked())
	return m == coded
}

// Ready says whether what the training learns from is there.
func (p *Plan) Ready() bool { return !p.OnCodes() || p.Coded != nil && p.Codes != nil }

// Begin begins the training, which must be Ready, with the weights of a model, or with
// those that the seed draws if from is nil.
func (p *Plan) Begin(from *experiment.Model) (*fit.Live, error) {
	if !p.OnCodes() {
		c, err := p.Config()
		if err != nil {
			return nil, err
		}
		return fit.NewLive(c, p.Lab.System, p.Data, from, p.Now)
	}
	c, err := p.dynamics(from)
	if err != nil {
		return nil, err
	}
	return fit.NewLiveDynamics(c, p.Coded, from, p.Codes, p.Now)
}

// Estimate returns what finds out how long Begin's training would take, of so many steps of
// stage I where steps is not 0. It is nil where that is not known yet.
func (p *Plan) Estimate(from *experiment.Model, steps int) (*fit.Estimate, error) {
	if p.OnCodes() {
		if p.Coded == nil {
			return nil, nil
		}
		c, err := p.dynamics(from)
		if err != nil {
			return nil, err
		}
		return fit.NewDynamicsEstimate(c, p.Lab.System, p.Now)
	}
	c, err := p.Config()
	if err != nil {
		return nil, err
	}
	if steps > 0 {
		c.Steps = steps
	}
	return fit.NewEstimate(c, p.Lab.System, p.Data, from, p.Now)
}

// dynamics returns the configuration of dynamics that a tab trains in a minute or two on
// the codes of Coded, as far as it is known without these.
func (p *Plan) dynamics(from *experiment.Model) (experiment.Config, error) {
	c := p.Coded.Config
	small, err := p.Lab.Systems().Preset(c.Spec.System + "/" + c.Spec.Method + "@browser")
	if err != nil {
		return c, err
	}
	share, dt := c.Dynamics.Share, c.Dynamics.Dt
	c.Dynamics = small.Dynamics
	// Found on validation runs: as many steps as the preset has learn the few
	// trajectories by heart, and bands become too narrow.
	c.Dynamics.Fit.Steps, c.Dynamics.Fit.Decay = 3000, 0.1
	c.Dynamics.Dt, c.Dynamics.Share, c.Seed = dt, share, p.Seed
	if k := p.Codes; k != nil {
		c.Dynamics.Trajectories = k.Trajectories - k.Validation
		c.Dynamics.Fit.Window = min(c.Dynamics.Fit.Window, k.Frames-1)
	}
	c = c.WithDrift(p.Settings.Drift).WithJoint(p.Settings.Form == lab.Joint)
	if from == nil {
		return c, nil
	}
	return c.Retrained(&from.Config)
}
