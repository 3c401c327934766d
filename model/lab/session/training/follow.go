package training

import (
	"fmt"
	"math"

	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/wire"
)

const (
	refitSteps = 300 // number of steps after a change of the target

	// leastSteps is the smallest number of steps after which a training is kept as a run when ε
	// changes. Without it, every stop of the slider for ε would leave a run.
	leastSteps = 50
)

// FollowTarget is the policy for models of single sets. Their training takes seconds, so
// one training follows the user's changes of ε and of the number of particles.
var FollowTarget Policy = followTarget{}

type followTarget struct{}

func (followTarget) follows() bool        { return true }
func (followTarget) seed(g *Given) uint64 { return g.Seed }
func (followTarget) remedy() string {
	return "Train goes on more slowly, and New seed begins again"
}

// start starts or continues a training. If a shipped model has been requested, the training
// waits for this model.
func (followTarget) start(t *Training, g *Given) (n *Next, goes bool, err error) {
	if g.ModelComing {
		t.waits = true
		return nil, false, nil
	}
	another := g.A != nil && !g.A.Training
	switch {
	case t.fresh(g):
		n, err = t.Scratch(g)
	case another && g.Kept != nil && g.Kept.Resumes():
		n, err = t.Back(g.Kept)
	case t.live == nil || another:
		n, err = t.onward(g)
	case t.live.Stage() == fit.Done || t.status == wire.Done:
		t.live.Refit(refitSteps, t.live.Model.Config.Eps())
	case t.status == wire.Diverged:
		t.live.Restart(refitSteps, 0.025)
	}
	return n, err == nil, err
}

func (followTarget) goesOn(t *Training, g *Given) bool {
	return g.A != nil && g.A.Training && !t.fresh(g) && t.live.Stage() != fit.Done && t.status != wire.Done && t.status != wire.Diverged
}

func (followTarget) expected(t *Training, g *Given, n *next) {
	n.particles = g.Live.Run().Particles
	if !t.fresh(g) {
		n.steps = refitSteps
	}
}

func (followTarget) button(t *Training, g *Given) (label, task string) {
	if t.status == wire.Training {
		return "Pause", wire.Running
	}
	return "Train", ""
}

// Scratch returns a paused training that starts from the seed's initial weights.
func (t *Training) Scratch(g *Given) (*Next, error) {
	c, err := t.Config(g)
	if err != nil {
		return nil, err
	}
	live, err := fit.NewLive(c, t.lab.System, nil, nil, t.now)
	return &Next{Live: live, Origin: origin.Origin{Kind: origin.Untrained, Seed: c.Seed}, Model: lab.Trained, Forgoes: true, fitEps: c.Eps()}, err
}

// onward returns a paused training that starts from the displayed model's weights, with the
// present settings.
func (t *Training) onward(g *Given) (*Next, error) {
	a := g.A
	c, err := t.Config(g)
	if err != nil {
		return nil, err
	}
	if c, err = c.With(fmt.Sprint("encoder.zdim=", a.Model.Config.UsualZDim())); err != nil {
		return nil, err
	}
	c.Encoder, c.Decoder.Kind = a.Model.Config.Encoder, a.Model.Config.Decoder.Kind
	live, err := fit.NewLive(c, t.lab.System, nil, nil, t.now)
	if err != nil {
		return nil, err
	}
	live.Model.Take(a.Model)
	live.Refit(refitSteps, a.Model.Config.Eps())
	return &Next{Live: live, Origin: from(a), fitEps: a.Model.Config.Eps()}, nil
}

// InWords describes the displayed model as the source of a training's weights.
func InWords(v *view.Shown) string { return from(v).From() }

// from returns the origin of the weights of a training that begins with the displayed model.
func from(v *view.Shown) origin.Origin {
	switch {
	case runs.IsShipped(v.Name):
		return origin.Origin{Kind: origin.OnShipped}
	case v.Training: // the present training, which the new one replaces
		return origin.Origin{Kind: origin.OnEarlier}
	}
	return origin.Origin{Kind: origin.OnRun, Name: v.Name}
}

// Back returns a run's training, paused at its last step.
func (t *Training) Back(r *runs.Run) (*Next, error) {
	f, curves, err := r.Training()
	if err != nil {
		return nil, err
	}
	live, err := fit.ResumeLive(t.lab.Systems(), f, nil, nil, t.now)
	if err != nil {
		return nil, fmt.Errorf("the training cannot go on: %w", err)
	}
	live.Restore(curves, nil)
	taken := *r
	n := &Next{Live: live, Origin: r.Origin, Taken: &taken, Recalls: true, Forgoes: true, status: wire.Paused, fitEps: r.FitEps}
	if live.Step() >= live.Steps() {
		n.status = wire.Done
	}
	return n, nil
}

// fresh reports whether the training needs new networks: because of the settings, or because
// the present networks do not accept the set's number of particles.
func (t *Training) fresh(g *Given) bool {
	if g.A == nil {
		return t.live == nil
	}
	c := &g.A.Model.Config
	if g.A.Training && g.A.Tunable != nil { // the model is trained for every ε and ẑ dim
		c = &g.A.Tunable.Config
	} else if c.ZDim() != g.Set.ZDim {
		return true
	}
	return c.Spec.Method != g.Set.Method || !fits(c, g)
}

// fits reports whether networks with this configuration can be trained on sets like the
// displayed one.
func fits(c *method.Config, g *Given) bool {
	return c.Trains([]int{g.Live.Run().Particles}) == nil
}

// Fit says how far the training of a displayed model has come in fitting its target.
type Fit struct {
	Status      wire.Status // Idle for a model that is not in training
	Unfinished  bool        // whether the model was never fully trained for its target
	From        float64     // ε of the model from which the training started; 0: from scratch
	Step, Steps int
}

// FitOf returns the fit of a displayed model.
func (t *Training) FitOf(a *view.Shown, set *lab.Settings) (f Fit) {
	if !a.Training {
		return f
	}
	if f.Status = t.status; !t.Follows() {
		return f
	}
	f.Step, f.Steps = t.live.Step(), t.live.Steps()
	first, eps := t.live.FirstCycle(), t.live.Model.Config.Eps()
	f.Unfinished = t.fitEps != eps || first && t.status != wire.Done && eps != set.Eps
	if !first {
		f.From = t.fitEps
	}
	return f
}

// Refitting reports whether the displayed model is still following a change of ε.
func (t *Training) Refitting(a *view.Shown, set *lab.Settings) bool {
	return a != nil && a.Tunable == nil && (a.Model.Config.Eps() != set.Eps || t.FitOf(a, set).Unfinished)
}

// Aims reports whether the training must change its target to the settings' ε, and whether its
// result for the old ε should be kept as a run.
func (t *Training) Aims(set *lab.Settings) (aims, keeps bool) {
	if !t.Follows() || t.live == nil {
		return false, false
	}
	c := &t.live.Model.Config
	if c.Tunable() {
		return false, false
	}
	eps := c.Eps()
	return eps != set.Eps, t.fitEps == eps || t.live.Step()-t.begun >= leastSteps
}

// Aim changes the training's target to the settings' ε.
func (t *Training) Aim(g *Given) {
	t.trains, t.begun = t.recipe(g), t.live.Step()
	t.live.Aim(g.Set.Eps, refitSteps)
	t.strays()
}

// The method `strays` is called when the target changes. It notes this in t.origin if the training has
// taken steps.
func (t *Training) strays() {
	if t.live.Step() > 0 {
		t.origin.Retargeted = true
	}
}

// Claim is called when a training from scratch begins or continues. Before its first step, Claim
// sets the origin of the weights.
func (t *Training) Claim(g *Given) {
	if t.live.Step() == 0 {
		t.origin = origin.Origin{Kind: origin.Scratch, Seed: t.policy.seed(g)}
	}
}

// Renew returns the present training, adapted to the number of particles in the run. It returns
// nil if the networks do not accept this number; the next training then starts from scratch.
func (t *Training) Renew(g *Given) (*Next, error) {
	if t.live == nil || !fits(&t.live.Model.Config, g) {
		return nil, nil
	}
	c := t.live.Model.Config
	c.Particles = g.Live.Run().Particles
	live, err := t.live.With(c)
	t.strays()
	return &Next{Live: live, Origin: t.origin, status: t.status, runTo: t.runTo, fitEps: t.fitEps}, err
}

// Fits reports whether the training is for the number of particles in the run.
func (t *Training) Fits(g *Given) bool {
	return t.live.Model.Config.Particles == g.Live.Run().Particles
}

// Shipped returns the KL in nats of model A on validation sets. ok is false if there is a
// training, if A is not a shipped model, or if A was not measured for the current ε.
func (t *Training) Shipped(a *view.Shown, set *lab.Settings) (kl float64, ok bool) {
	if t.live != nil || a == nil || !runs.IsShipped(a.Name) || t.Refitting(a, set) {
		return math.NaN(), false
	}
	return a.Validated, a.Validated == a.Validated
}
