package training

import (
	"fmt"

	"macroscope/model/lab"
	"macroscope/model/lab/session/doc"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
)

// The figures whose values can make a training pause (see doc.Place).
const (
	byLoss    = "loss"
	byMeasure = "measure" // the validation measure (see curve.Curves.Measure)
)

// Until is the place selected by the user. Links do not contain it.
type Until struct {
	lab  *lab.Lab
	step int
	of   string // byLoss or byMeasure
	most float64
}

// Table lists the controls with which the user selects where the training stops.
func (u *Until) Table() setting.Table {
	return setting.Table{
		{Name: "runto", What: "the step to run to", Value: &u.step, Low: 1, High: method.MaxStep},
		{Name: "untilof", What: "what stops the training", Value: &u.of, Options: setting.Choices(byMeasure, byLoss)},
		{Name: "untilat", What: "the figure to stop at", Value: &u.most, Low: -mostFigure, High: mostFigure},
	}
}

// mostFigure is the largest value of a figure that a user can select.
const mostFigure = 1e6

// ToStep returns the user's step as a place. It returns an error if the training `live` is past this step; nil: there is no
// training.
func (u *Until) ToStep(live *fit.Live) (doc.Place, error) {
	if live != nil && u.step <= live.Step() {
		return doc.Place{}, fmt.Errorf("training is at step %d already; give a later one, or reset first", live.Step())
	}
	return doc.Place{Step: u.step}, nil
}

// ToFigure returns the place at which a figure reaches a value. The user has selected both. The
// figure is the loss or the validation measure. ToFigure returns an error if the figure has reached
// the value already.
func (u *Until) ToFigure(live *fit.Live) (doc.Place, error) {
	if live != nil && live.Stage() != fit.Done && figure(live, u.of) <= u.most {
		return doc.Place{}, fmt.Errorf("%s is %.3g already; give a lower value", u.name(u.of), figure(live, u.of))
	}
	return doc.Place{Of: u.of, Most: u.most}, nil
}

// PauseAt sets the place at which the started training pauses. The place is in the present stage.
// If the training still waits for data, the place is in its first stage: stage II if the training
// is on codes, otherwise stage I.
func (t *Training) PauseAt(to doc.Place, g *Given) {
	switch {
	case t.Live != nil:
		to.Phase = int(t.Live.Stage())
	case t.needsCodes(g):
		to.Phase = 2
	default:
		to.Phase = 1
	}
	if t.Live != nil && to.Of == byMeasure {
		to.Step = t.Live.Curves.Measure().At()
	}
	t.To = to
}

// figure returns the latest value of a figure, or NaN before the first value.
func figure(live *fit.Live, of string) float64 {
	c := &live.Curves
	if of == byLoss {
		return c.Loss[live.Stage()].Last()
	}
	return c.Measure().Last()
}

// reached reports whether a training has reached a place. For byMeasure, a value counts only if it was measured after
// step `Step`.
func reached(to *doc.Place, live *fit.Live) bool {
	phase := int(live.Stage())
	switch to.Of {
	case byMeasure:
		return live.Curves.Measure().At() != to.Step && figure(live, to.Of) <= to.Most
	case byLoss:
		return phase > to.Phase || figure(live, to.Of) <= to.Most
	default:
		return phase > to.Phase || phase == to.Phase && live.Step() >= to.Step
	}
}

// name returns the name of a figure on the page.
func (u *Until) name(of string) string {
	if of == byLoss {
		return "the loss"
	}
	return "the " + u.lab.Measure()
}
