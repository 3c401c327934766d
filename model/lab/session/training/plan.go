package training

import (
	"errors"
	"fmt"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
)

// Recipe returns the recipe of the next training, without its data.
func (g *Given) Recipe() runs.Recipe {
	if g.made != nil {
		return *g.made
	}
	l := g.Set
	r := runs.Recipe{Method: l.Method, Scope: l.Scope, Size: l.Size, Form: l.Form, From: l.From, Eps: l.Eps, ZDim: l.ZDim, Seed: g.seed()}
	if l.Method == method.Tunable { // a tunable model is trained for every ε and ẑ dim, so all settings give the same recipe
		if c, err := g.preset(); err == nil {
			r.Eps, r.ZDim = c.Eps(), c.Tuning().Usual()
		}
	}
	if l.Drift != lab.PlainDrift {
		r.Drift = l.Drift
	}
	r.Params = l.Asked().Params
	if of := g.Lab.System.Traits.Forces; of != nil {
		if f := g.Live.Settings().Find("force").Text(); f != of.Usual() {
			r.Force = g.putIn(f)
		}
	}
	g.made = &r
	return r
}

// putIn returns the run's force with its parameters replaced by numbers, except the parameters
// that are inputs of the dynamics.
func (g *Given) putIn(force string) string {
	all := g.Lab.System.Parameters
	var values []float64
	for _, parameter := range all {
		values = append(values, *g.Live.Settings().Find(parameter.Name).Value.(*float64))
	}
	given, _ := all.Parse(g.Set.Asked().Params) // a value offered by the settings is valid
	return g.Lab.System.Played(force, values, given)
}

// preset returns the preset of the settings.
func (g *Given) preset() (method.Config, error) {
	return g.Lab.Systems().Preset(g.Lab.System.Traits.Name + "/" + g.Set.Method + "@" + g.Set.Size)
}

// Config returns the configuration of a training of the whole model.
func (g *Given) Config() (method.Config, error) {
	l := g.Set
	c, err := g.preset()
	if err == nil && g.Lab.Describe != nil && g.Data == nil {
		err = errors.New("there are no runs to learn from; open a file of them first")
	}
	if err != nil {
		return c, err
	}
	of := g.Recipe()
	c.Seed = g.seed()
	c, err = c.With(fmt.Sprint("encoder.zdim=", of.ZDim), fmt.Sprint("eps=", of.Eps), "dynamics.params="+l.Params, "law.form="+l.Drift, fmt.Sprint("law.joint=", l.Form == lab.Joint))
	if err != nil {
		return c, err
	}
	if of.Force != "" {
		if err := c.Set("force", of.Force); err != nil {
			return c, fmt.Errorf("for the usual a and b, which trainings have, %w", err)
		}
	}
	switch {
	case !g.Lab.Timed():
		c.Particles = g.Live.Run().Particles
	case g.Data != nil:
		c = c.ForData(g.Data, len(g.Lab.System.Variables(g.Data.Observable())))
	}
	return c, c.Validate()
}

// OnCodes reports whether the next training trains only the dynamics, on codes that a shipped
// encoder for these settings made.
func (g *Given) OnCodes() bool {
	coded, ok := g.Lab.Coded()
	if !ok || g.Set.Scope != lab.DynamicsAlone || g.Data != nil {
		return false
	}
	asked := g.Set.Asked()
	asked.File = coded.File
	return asked == coded
}

// The method make returns a new training. The training uses the codes if OnCodes returns true. It
// begins with the weights of the model `from`. If `from` is nil or its weights do not fit, the
// training begins with the seed's initial weights. The error `cannot` says why the weights do not
// fit.
func (g *Given) make(now func() time.Time, from *model.Model, codes *model.Codes) (live *fit.Live, cannot, err error) {
	if from != nil {
		if live, cannot = g.makeFrom(now, from, codes); cannot == nil {
			return live, nil, nil
		}
	}
	live, err = g.makeFrom(now, nil, codes)
	return live, cannot, err
}

// makeFrom returns a new training with the weights of a model, or with the seed's initial
// weights if the model is nil.
func (g *Given) makeFrom(now func() time.Time, from *model.Model, codes *model.Codes) (*fit.Live, error) {
	if !g.OnCodes() {
		c, err := g.Config()
		if err != nil {
			return nil, err
		}
		return fit.NewLive(c, g.Lab.System, g.Data, from, now)
	}
	c, err := g.dynamics(from, codes)
	if err != nil {
		return nil, err
	}
	return fit.NewLiveDynamics(c, g.Coded, from, codes, now)
}

// dynamics returns the configuration for training only the dynamics, on codes. Such a training
// takes a minute or two in a tab.
func (g *Given) dynamics(from *model.Model, k *model.Codes) (method.Config, error) {
	c := g.Coded.Config
	small, err := g.Lab.Systems().Preset(c.Spec.System + "/" + c.Spec.Method + "@browser")
	if err != nil {
		return c, err
	}
	share, dt := c.Dynamics.Share, c.Dynamics.Dt
	c.Dynamics = small.Dynamics
	// With the preset's number of steps the dynamics overfit the few trajectories: bands
	// become too narrow on validation runs.
	c.Dynamics.Velocity.Steps, c.Dynamics.Velocity.Decay = 3000, 0.1
	c.Dynamics.Dt, c.Dynamics.Share, c.Seed = dt, share, g.seed()
	c.Dynamics.Trajectories = k.Trajectories - k.Validation
	c.Dynamics.Velocity.Window = min(c.Dynamics.Velocity.Window, k.Frames-1)
	c, err = c.With("law.form="+g.Set.Drift, fmt.Sprint("law.joint=", g.Set.Form == lab.Joint))
	if err != nil || from == nil {
		return c, err
	}
	return c.Retrained(&from.Config)
}

// seed returns the seed of the next training. The seed of single sets is also the seed of their
// training.
func (g *Given) seed() uint64 {
	if g.Lab.Timed() {
		return g.Set.Seed
	}
	return g.Seed
}

// data identifies what a training learns from: the file of the user's data, and the number of particles in a single set.
type data struct {
	file      any
	particles int // 0 for time series
}

// data identifies the data of the next training.
func (g *Given) data() data {
	d := data{file: g.File}
	if !g.Lab.Timed() {
		d.particles = g.Live.Run().Particles
	}
	return d
}
