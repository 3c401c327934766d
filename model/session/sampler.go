package session

import (
	"context"
	"errors"
	"fmt"

	"macroscope/model/fit"
	"macroscope/model/lab"
	"macroscope/model/runs"
	"macroscope/model/setting"
	"macroscope/model/view"
	"macroscope/model/wire"
)

// A model of single sets is trained in seconds, so that it follows what the
// visitor turns: another ε makes it go on training, another latent dimension
// begins with another model.
const (
	refitSteps = 1500 // after the target has changed
	refitShare = 0.35 // of the peak learning rate, when weights are not new
)

// follower trains a model of single sets, which follows what the visitor turns.
type follower struct{ *trainer }

// scratch begins with the weights that the seed draws, and does not train yet.
func (t follower) scratch() error {
	c, err := plan{t.trainer}.config()
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
	c, err := plan{t.trainer}.config()
	if err != nil {
		return err
	}
	c.Encoder, c.Decoder.Flow, c.Decoder.Matching = a.Model.Config.Encoder, a.Model.Config.Decoder.Flow, a.Model.Config.Decoder.Matching
	live, err := fit.NewLive(c, t.s.lab.System, nil, nil, t.s.now)
	if err != nil {
		return err
	}
	live.Model().Take(a.Model)
	if kl, err := live.Model().KL(context.Background(), c.Eps(), fit.KLSets, fit.KLSamples, c.Seed); err == nil {
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
	if v.Name == runs.Shipped {
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
	case t.live == nil && a == nil:
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
	if t.s.settings.Model == lab.Trained {
		t.origin = fmt.Sprintf("trained here from scratch, seed %d", plan{t.trainer}.seed())
		if a := t.s.display.a; a != nil && a.Training {
			a.Origin = t.origin
		}
	}
	t.goOn()
	return nil
}

// refitting says whether the model has yet to follow a change of ε.
func (t follower) refitting() bool { return t.fitEps != t.s.settings.Eps }

// retarget follows a change of ε: the model goes on training for the new target,
// unless the visitor has paused it.
func (t follower) retarget() error {
	if t.s.display.a == nil {
		return nil // the shipped model for the new ε is fetched
	}
	was := t.status
	if was != wire.Training {
		if found, err := t.recall(); found {
			return err
		}
	}
	if t.live == nil || !t.s.display.a.Training {
		if err := t.from(); err != nil {
			return err
		}
		t.itself = true
		t.goOn()
		return nil
	}
	if t.fitEps == t.live.Model().Config.Eps() || t.live.Step()-t.begun >= leastSteps {
		t.setAside() // what it was trained for
	}
	t.live.Model().SetEps(t.s.settings.Eps)
	t.trains, t.begun = plan{t.trainer}.recipe(), t.live.Step()
	if was == wire.Training && t.live.FirstCycle() {
		return nil // a first training is under way and goes on with the new target
	}
	t.live.Restart(refitSteps, refitShare)
	if was != wire.Paused && was != wire.Idle {
		t.goOn()
	}
	return nil
}

// renew follows a change of the number of particles in a set, which the training
// goes on with.
func (t follower) renew() error {
	if t.live == nil {
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

// redim follows a change of the latent dimension: to the shipped model of that
// dimension if there is one, else to one that is trained from scratch.
func (t follower) redim() error {
	s := t.s
	paused := t.status == wire.Paused
	if found, err := t.recall(); found {
		return err
	}
	if (opening{s}).wantShipped() {
		s.settings.Model = lab.Shipped
		t.end()
		s.display.a, s.display.b = nil, nil
		s.changed()
		return nil
	}
	if err := t.scratch(); err != nil {
		return err
	}
	t.itself = true
	if !paused {
		return t.follow()
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

// trainTo trains up to a step of the present phase, then pauses.
func (t follower) trainTo(step int) error {
	if t.live != nil && step <= t.live.Step() {
		return fmt.Errorf("training is at step %d already; give a later one, or reset first", t.live.Step())
	}
	if t.s.lab.IsSampler() && t.live != nil && step > t.live.Steps() {
		t.live.Restart(step-t.live.Step(), refitShare)
	}
	if err := t.train(); err != nil {
		return err
	}
	if t.live == nil {
		return errors.New("the model is still on its way; wait for it")
	}
	t.runTo = place{int(t.live.Phase()), step}
	return nil
}
