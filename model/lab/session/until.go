package session

import (
	"errors"
	"fmt"
	"math"
	"time"

	"macroscope/model/lab"
	"macroscope/model/learn/experiment"
	"macroscope/model/setting"
)

// What a training can be stopped by beside a step.
const (
	byLoss    = "loss"
	byMeasure = "measure" // on what is kept out of training, see fit.Curves.Measure
)

// until is what the visitor wants to train to.
type until struct {
	step int
	of   string // byLoss or byMeasure
	most float64
}

// table lists what of it controls set. It is in no link.
func (u *until) table() setting.Table {
	return setting.Table{
		{Name: "runto", What: "the step to run to", Value: &u.step, Low: 1, High: experiment.MaxStep},
		{Name: "untilof", What: "what stops the training", Value: &u.of, Options: setting.Choices(byMeasure, byLoss)},
		{Name: "untilat", What: "the figure to stop at", Value: &u.most, Low: -mostFigure, High: mostFigure},
	}
}

// mostFigure bounds the figure that can be trained to.
const mostFigure = 1e6

// goTo trains up to a step of the present stage, then pauses.
func (t *trainer) goTo(step int) error {
	if t.live != nil && step <= t.live.Step() {
		return fmt.Errorf("training is at step %d already; give a later one, or reset first", t.live.Step())
	}
	if t.s.lab.IsSampler() && t.live != nil && step > t.live.Steps() {
		t.live.Restart(step-t.live.Step(), refitShare)
	}
	return t.trainTo(place{step: step})
}

// goUntil trains until a figure is as low as the visitor wants it.
func (t *trainer) goUntil() error {
	u := &t.s.until
	if t.live != nil && !t.live.Finished() && !(follower{t}).refitting() && t.figure(u.of) <= u.most {
		return fmt.Errorf("%s is %.3g already; give a lower value", t.figureName(u.of), t.figure(u.of))
	}
	return t.trainTo(place{of: u.of, most: u.most})
}

// figure returns the latest value of what stops a training, NaN before the first.
func (t *trainer) figure(of string) float64 {
	c := t.live.Curves()
	if of == byLoss {
		return c.Loss[t.live.Phase()].Last()
	}
	return c.Measure().Last()
}

// trainTo trains up to a place of the stage that is under way, or comes first.
func (t *trainer) trainTo(to place) error {
	if err := t.train(); err != nil {
		return err
	}
	switch {
	case t.live != nil:
		to.phase = int(t.live.Phase())
	case !t.eager: // nor what it is to learn from
		return errors.New("the model is still on its way; wait for it")
	case t.needsCodes():
		to.phase = 2
	default:
		to.phase = 1
	}
	if t.live != nil && to.of == byMeasure {
		to.step = t.live.Curves().Measure().At()
	}
	t.runTo = to
	return nil
}

// reachedPlace says whether the training is where it is to pause, or beyond.
func (t *trainer) reachedPlace() bool {
	phase := int(t.live.Phase())
	switch to := &t.runTo; to.of {
	case byMeasure: // anew
		return t.live.Curves().Measure().At() != to.step && t.figure(to.of) <= to.most
	case byLoss:
		return phase > to.phase || t.figure(to.of) <= to.most
	default:
		return phase > to.phase || phase == to.phase && t.live.Step() >= to.step
	}
}

// figureName returns what stops a training in words.
func (t *trainer) figureName(of string) string {
	if of == byLoss {
		return "the loss"
	}
	return "the " + t.s.lab.Measure()
}

// goal says in words where the training is to pause; "" is nowhere.
func (t *trainer) goal(phase int) string {
	switch to := &t.runTo; {
	case to.of != "":
		return fmt.Sprintf(" until %s is at most %.3g", t.figureName(to.of), to.most)
	case to.step > 0 && to.phase == phase:
		return fmt.Sprintf(" up to step %d", to.step)
	}
	return ""
}

// learned says what the training has learned by what is kept out of it, beside the
// paper's figure, and when it will be as low if it goes on like that.
func (t *trainer) learned() string {
	c, of := t.live.Curves().Measure(), &t.s.lab
	v := c.Last()
	if math.IsNaN(v) {
		return ""
	}
	text := fmt.Sprintf("%s %.2g", of.Measure(), v)
	if of.Published == 0 || t.s.own.data != nil || !t.likePublished() {
		return text
	}
	if v <= of.Published {
		return fmt.Sprintf("%s, below the %.2g of %s", text, of.Published, of.PublishedBy)
	}
	text += fmt.Sprintf(", %.2g times that of %s", v/of.Published, of.PublishedBy)
	p := t.live.Progress()
	now, end := float64(p.Step), float64(p.Steps)
	at := c.Reaches(of.Published) - float64(c.At()) + now
	switch left := p.SecsLeft * (at - now) / (end - now); {
	case at > end:
		return text + ", not reached by the end if it goes on like this"
	case left > 0:
		return fmt.Sprintf("%s, reached in about %s if it goes on like this", text, time.Duration(math.Ceil(left))*time.Second)
	}
	return text
}

// likePublished says whether what is trained has the ε and the number of closure
// variables that the paper's figure is of.
func (t *trainer) likePublished() bool {
	c, usual := &t.live.Model().Config, lab.Defaults(&t.s.lab)
	return c.Eps() == usual.Eps && c.ZDim() == usual.ZDim
}
