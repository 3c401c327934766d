package session

import (
	"context"
	"fmt"

	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// A model of single sets is trained in seconds, so that its training follows ε as
// the visitor turns it.
const (
	refitSteps = 300  // after the target has changed: see BenchmarkWarmStart
	refitShare = 0.35 // of the peak learning rate, when weights are not new
)

// follower trains a model of single sets, which follows what the visitor turns.
type follower struct{ *trainer }

// scratch begins with the weights that the seed draws, and does not train yet.
func (t follower) scratch() error {
	c, err := t.plan().Config()
	if err != nil {
		return err
	}
	live, err := fit.NewLive(c, t.s.lab.System, nil, nil, t.s.now)
	if err != nil {
		return err
	}
	t.s.settings.Model, t.s.wantsShipped = lab.Trained, false
	t.adopt(live, fmt.Sprintf("untrained, seed %d", c.Seed))
	t.fitEps = t.s.settings.Eps
	return t.s.display.choose(runs.Training, false)
}

// from begins with the weights of the model on show, under the settings of the
// session, and does not train yet.
func (t follower) from() error {
	a := t.s.display.a
	t.s.settings.Method = a.Model.Config.Spec.Method // which the weights are of
	c, err := t.plan().Config()
	if err != nil {
		return err
	}
	c = c.WithZDim(a.Model.Config.ZDim())
	c.Encoder, c.Decoder.Kind = a.Model.Config.Encoder, a.Model.Config.Decoder.Kind
	live, err := fit.NewLive(c, t.s.lab.System, nil, nil, t.s.now)
	if err != nil {
		return err
	}
	live.Model().Take(a.Model)
	if kl, err := live.Model().KL(context.Background(), c.Eps(), fit.KLSets, fit.KLSamples, c.Seed); err == nil && kl == kl {
		live.Curves().KL.Add(0, kl) // where it begins
	}
	live.Restart(refitSteps, refitShare)
	eps := a.Model.Config.Eps()
	t.adopt(live, "trained on here from "+nameInWords(a))
	t.fitEps = eps
	return t.s.display.choose(runs.Training, false)
}

// nameInWords says which model is on show.
func nameInWords(v *view.Shown) string {
	if runs.IsShipped(v.Name) {
		return "the shipped model"
	}
	return setting.Quote(v.Name)
}

// follow trains, or goes on training; a shipped model that is on its way comes
// first.
func (t follower) follow() error {
	if t.s.wantsShipped {
		t.eager = true
		return nil
	}
	a := t.s.display.a
	switch {
	case t.fresh():
		if err := t.scratch(); err != nil {
			return err
		}
	case a != nil && !a.Training && t.s.library.kept.Find(a.Name) != nil && t.s.library.kept.Find(a.Name).Resumes():
		if err := t.back(*t.s.library.kept.Find(a.Name)); err != nil {
			return err
		}
	case t.live == nil || a != nil && !a.Training:
		if err := t.from(); err != nil {
			return err
		}
	case t.live.Finished() || t.status == wire.Done:
		t.live.Restart(refitSteps, refitShare)
	case t.status == wire.Diverged:
		t.live.Restart(refitSteps, refitShare/4)
	}
	t.aim()
	if t.s.settings.Model == lab.Trained {
		t.origin = fmt.Sprintf("trained here from scratch, seed %d", t.plan().Seed)
		if a := t.s.display.a; a != nil && a.Training {
			a.Origin = t.origin
		}
	}
	t.goOn()
	return nil
}

// fresh says whether other networks are asked for than there are: by the settings, or
// by a set of another number of particles than the networks are for.
func (t follower) fresh() bool {
	a := t.s.display.a
	if a == nil {
		return t.live == nil
	}
	c := &a.Model.Config
	return c.ZDim() != t.s.settings.ZDim || c.Spec.Method != t.s.settings.Method || !t.fits(c)
}

// fits says whether networks can be trained on sets like the one on show.
func (t follower) fits(c *experiment.Config) bool {
	return c.Trains([]int{t.s.live.Run().Particles}) == nil
}

// refitting says whether the model has yet to follow a change of ε.
func (t follower) refitting() bool { return t.fitEps != t.s.settings.Eps }

// aim makes the training one for the ε of the settings, if it is not. What it was
// trained for becomes a run.
func (t follower) aim() {
	if t.live.Model().Config.Eps() == t.s.settings.Eps {
		return
	}
	if t.fitEps == t.live.Model().Config.Eps() || t.live.Step()-t.begun >= leastSteps {
		t.setAside()
	}
	t.live.Model().SetEps(t.s.settings.Eps)
	t.trains, t.begun = t.recipe(), t.live.Step()
	if !t.live.FirstCycle() { // a first training goes on with the new target
		t.live.Restart(refitSteps, refitShare)
	}
}

// renew follows a change of the number of particles in a set, which the training
// goes on with if its networks can; the next one begins from scratch if they cannot.
func (t follower) renew() error {
	if t.live == nil || !t.fits(&t.live.Model().Config) {
		return nil
	}
	c := t.live.Model().Config.WithParticles(t.s.live.Run().Particles)
	live, err := t.live.With(c)
	if err != nil {
		return err
	}
	status, origin, runTo, onShow := t.status, t.origin, t.runTo, t.s.display.a != nil && t.s.display.a.Training
	t.close() // the same weights go on
	t.adopt(live, origin)
	t.status, t.runTo = status, runTo
	if onShow {
		return t.s.display.choose(runs.Training, false)
	}
	return nil
}

// step takes a single step and stays where it is.
func (t follower) step() *wire.Notice {
	if t.status == wire.Training {
		t.stop()
	}
	if t.s.wantsShipped {
		return nil // there is no model to step yet
	}
	if err := t.train(); err != nil || t.live == nil {
		return failure(err)
	}
	for was, phase := t.live.Step(), t.live.Phase(); t.live.Step() == was && t.live.Phase() == phase && t.status == wire.Training; {
		if n := t.after(t.live.Work(0)); n != nil {
			return n
		}
		if t.live.Pool().Helpers() > 0 {
			break // what others work on comes in its time
		}
	}
	if t.status == wire.Training {
		t.stop()
	}
	return nil
}
