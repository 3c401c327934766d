package training

import (
	"fmt"

	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
)

// The figures whose values can make a training pause (see Place).
const (
	byLoss    = "loss"
	byMeasure = "measure" // the validation measure (see curve.Curves.Measure)
)

// Place says where a training pauses. If `Of` is "", it pauses at step `Step` of phase `Phase`.
// Otherwise it pauses as soon as the loss or the validation measure is at most `Most`. For
// byMeasure, a value counts only if it was measured after step `Step`. A training with the zero
// Place does not pause.
type Place struct {
	Phase, Step int
	Of          string // byLoss or byMeasure
	Most        float64
}

// until is the place selected by the user.
type until struct {
	step int
	of   string // byLoss or byMeasure
	most float64
}

// The method Until lists the controls with which the user selects where the training stops. Links
// do not contain these controls.
func (t *Training) Until() setting.Table {
	u := &t.until
	return setting.Table{
		{Name: "runto", What: "the step to run to", Value: &u.step, Low: 1, High: method.MaxStep},
		{Name: "untilof", What: "what stops the training", Value: &u.of, Options: setting.Choices(byMeasure, byLoss)},
		{Name: "untilat", What: "the figure to stop at", Value: &u.most, Low: -mostFigure, High: mostFigure},
	}
}

// mostFigure is the largest value of a figure that a user can select.
const mostFigure = 1e6

// ToStep returns the user's step as a Place. It returns an error if the training is past this step.
func (t *Training) ToStep() (Place, error) {
	step := t.until.step
	if t.live != nil && step <= t.live.Step() {
		return Place{}, fmt.Errorf("training is at step %d already; give a later one, or reset first", t.live.Step())
	}
	return Place{Step: step}, nil
}

// ToFigure returns the Place at which a figure reaches a value. The user has selected both. The
// figure is the loss or the validation measure. ToFigure returns an error if the figure has reached
// the value already.
func (t *Training) ToFigure(g *Given) (Place, error) {
	u := &t.until
	if t.live != nil && t.live.Stage() != fit.Done && t.figure(u.of) <= u.most {
		return Place{}, fmt.Errorf("%s is %.3g already; give a lower value", t.figureName(u.of), t.figure(u.of))
	}
	return Place{Of: u.of, Most: u.most}, nil
}

// PauseAt sets the place at which the started training pauses. The place is in the present stage.
// If the training still waits for data, the place is in its first stage: stage II if the training
// is on codes, otherwise stage I.
func (t *Training) PauseAt(to Place, g *Given) {
	switch {
	case t.live != nil:
		to.Phase = int(t.live.Stage())
	case t.needsCodes(g):
		to.Phase = 2
	default:
		to.Phase = 1
	}
	if t.live != nil && to.Of == byMeasure {
		to.Step = t.live.Curves.Measure().At()
	}
	t.runTo = to
}

// RunTo returns the place at which the training pauses.
func (t *Training) RunTo() Place { return t.runTo }

// SetRunTo makes the training pause at a place.
func (t *Training) SetRunTo(to Place) { t.runTo = to }

// figure returns the latest value of a figure, or NaN before the first value.
func (t *Training) figure(of string) float64 {
	c := &t.live.Curves
	if of == byLoss {
		return c.Loss[t.live.Stage()].Last()
	}
	return c.Measure().Last()
}

// reachedPlace reports whether the training has reached the place at which it pauses.
func (t *Training) reachedPlace() bool {
	phase := int(t.live.Stage())
	switch to := &t.runTo; to.Of {
	case byMeasure: // only a value measured after the call of PauseAt counts
		return t.live.Curves.Measure().At() != to.Step && t.figure(to.Of) <= to.Most
	case byLoss:
		return phase > to.Phase || t.figure(to.Of) <= to.Most
	default:
		return phase > to.Phase || phase == to.Phase && t.live.Step() >= to.Step
	}
}

// figureName returns the name of a figure on the page.
func (t *Training) figureName(of string) string {
	if of == byLoss {
		return "the loss"
	}
	return "the " + t.lab.Measure()
}
