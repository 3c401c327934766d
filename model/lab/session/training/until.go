package training

import (
	"errors"
	"fmt"

	"macroscope/model/learn/experiment"
	"macroscope/model/setting"
)

// The figures that can stop a training.
const (
	byLoss    = "loss"
	byMeasure = "measure" // on the validation set, see fit.Curves.Measure
)

// Place is where a training pauses: at a step of a phase or, if Of selects a figure, as soon
// as that figure is no higher than Most; a byMeasure figure must come from a later step. The
// zero Place is none.
type Place struct {
	Phase, Step int
	Of          string // byLoss or byMeasure
	Most        float64
}

// until is the user's stopping point.
type until struct {
	step int
	of   string // byLoss or byMeasure
	most float64
}

// Until lists the controls of the stopping point. No link carries them.
func (t *Training) Until() setting.Table {
	u := &t.until
	return setting.Table{
		{Name: "runto", What: "the step to run to", Value: &u.step, Low: 1, High: experiment.MaxStep},
		{Name: "untilof", What: "what stops the training", Value: &u.of, Options: setting.Choices(byMeasure, byLoss)},
		{Name: "untilat", What: "the figure to stop at", Value: &u.most, Low: -mostFigure, High: mostFigure},
	}
}

// mostFigure bounds the figure that a user can set as a goal.
const mostFigure = 1e6

// ToStep returns the place at which Train then pauses, the user's step. A training with a
// schedule for its target alone gets a longer one.
func (t *Training) ToStep() (Place, error) {
	step := t.until.step
	if t.live != nil && step <= t.live.Step() {
		return Place{}, fmt.Errorf("training is at step %d already; give a later one, or reset first", t.live.Step())
	}
	if t.Follows() && t.live != nil && step > t.live.Steps() {
		t.live.Restart(step-t.live.Step(), refitShare)
	}
	return Place{Step: step}, nil
}

// ToFigure returns the place at which Train then pauses: a figure as low as the user wants it.
func (t *Training) ToFigure(g *Given) (Place, error) {
	u := &t.until
	refitting := t.Refitting(g.Set)
	if t.live != nil && !t.live.Finished() && !refitting && t.figure(u.of) <= u.most {
		return Place{}, fmt.Errorf("%s is %.3g already; give a lower value", t.figureName(u.of), t.figure(u.of))
	}
	return Place{Of: u.of, Most: u.most}, nil
}

// PauseAt makes the started training pause at a place of the present stage, or of the first
// one.
func (t *Training) PauseAt(to Place, g *Given) error {
	switch {
	case t.live != nil:
		to.Phase = int(t.live.Phase())
	case !t.waits: // it waits for the model, not for data
		return errors.New("the model is still on its way; wait for it")
	case t.needsCodes(g):
		to.Phase = 2
	default:
		to.Phase = 1
	}
	if t.live != nil && to.Of == byMeasure {
		to.Step = t.live.Curves().Measure().At()
	}
	t.runTo = to
	return nil
}

// RunTo says where the training pauses, and SetRunTo changes that.
func (t *Training) RunTo() Place { return t.runTo }

// SetRunTo makes the training pause at a place.
func (t *Training) SetRunTo(to Place) { t.runTo = to }

// figure returns the latest value of the figure that stops a training, NaN before the first.
func (t *Training) figure(of string) float64 {
	c := t.live.Curves()
	if of == byLoss {
		return c.Loss[t.live.Phase()].Last()
	}
	return c.Measure().Last()
}

// reachedPlace says whether the training is at or beyond the place of its pause.
func (t *Training) reachedPlace() bool {
	phase := int(t.live.Phase())
	switch to := &t.runTo; to.Of {
	case byMeasure: // measured after the start
		return t.live.Curves().Measure().At() != to.Step && t.figure(to.Of) <= to.Most
	case byLoss:
		return phase > to.Phase || t.figure(to.Of) <= to.Most
	default:
		return phase > to.Phase || phase == to.Phase && t.live.Step() >= to.Step
	}
}

// figureName returns the name of the figure that stops a training.
func (t *Training) figureName(of string) string {
	if of == byLoss {
		return "the loss"
	}
	return "the " + t.lab.Measure()
}

// goal describes where the training will pause; "" is nowhere.
func (t *Training) goal(phase int) string {
	switch to := &t.runTo; {
	case to.Of != "":
		return fmt.Sprintf(" until %s is at most %.3g", t.figureName(to.Of), to.Most)
	case to.Step > 0 && to.Phase == phase:
		return fmt.Sprintf(" up to step %d", to.Step)
	}
	return ""
}
