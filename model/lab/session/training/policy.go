package training

import (
	"macroscope/model/lab"
	"macroscope/model/wire"
)

// Policy decides how a training reacts to the user's changes. There are two: OnTrajectories
// and FollowTarget.
type Policy interface {
	// follows reports whether the training follows changes of its target. If not, it learns
	// from trajectories, and its target is fixed.
	follows() bool
	// seed returns the seed of the next training.
	seed(g *Given) uint64
	// start implements Training.Start if nothing is being trained.
	start(t *Training, g *Given) (next *Next, goes bool, err error)
	// goesOn reports whether the button Train would continue the present training.
	goesOn(t *Training, g *Given) bool
	// The method `expected` sets the fields of n that depend on the policy. The duration of the
	// next training is estimated from n.
	expected(t *Training, g *Given, n *next)
	// remedy says what the user can do after a training has diverged.
	remedy() string
	// button returns the label of the button Train, and the state of its task (see wire.State.Tasks).
	button(t *Training, g *Given) (label, task string)
}

// OnTrajectories is the policy for models of trajectories. A change of the settings does not
// affect the present training; the button Train then begins another one.
var OnTrajectories Policy = onTrajectories{}

type onTrajectories struct{}

func (onTrajectories) follows() bool        { return false }
func (onTrajectories) seed(g *Given) uint64 { return g.Set.Seed }
func (onTrajectories) remedy() string {
	return "choose another seed for the training, and train again"
}

func (onTrajectories) start(t *Training, g *Given) (n *Next, goes bool, err error) {
	switch {
	case g.DataComing:
		t.waits = true
		return nil, false, nil
	case t.halted != nil:
		t.halted.status = wire.Training
		n, err = t.Resume(g)
		return n, n != nil, err
	case t.paused(g):
		return nil, true, nil
	case !t.ready(g) || g.Set.From == lab.FromModel && g.ModelComing:
		t.waits = true
		return nil, false, nil
	}
	n, err = t.begin(g)
	return n, true, err
}

// paused reports whether the present training is paused and is the one that the settings
// request.
func (t *Training) paused(g *Given) bool {
	return t.status == wire.Paused && t.live != nil && t.recipe(g) == t.trains
}

func (onTrajectories) goesOn(t *Training, g *Given) bool { return t.paused(g) }

func (onTrajectories) expected(t *Training, g *Given, n *next) {
	if n.From == lab.FromModel {
		n.from = g.A.Weights()
	}
}

func (onTrajectories) button(t *Training, g *Given) (label, task string) {
	switch {
	case t.status == wire.Training || t.waits:
		return "Stop", wire.Running
	case t.halted != nil || t.status == wire.Paused && t.recipe(g) == t.trains:
		return "Go on", wire.Stopped
	}
	return "Train", ""
}
