package session

import (
	"errors"
	"fmt"

	"macroscope/model/lab"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/run"
	"macroscope/model/wire"
)

// follow opens a link.
func (a *arrivals) follow(fragment string) *wire.Notice {
	d, err := doc.Read(&a.w.lab, fragment)
	d.Run.Note, d.Tool, d.KeepAs = run.FromLink, a.w.run.Tool(), a.w.models.Shelf.KeepAs // a link does not say these
	_, d.B = a.w.picture.Called()
	adopted := a.w.adopt(d, true)
	if d.Model == lab.Trained {
		adopted = errors.Join(adopted, a.repeat(d.Phase, d.Step))
	}
	if err == nil && adopted != nil {
		err = fmt.Errorf("the link was read in part: %w", adopted)
	}
	return effect.Failure(err)
}

// repeat starts the training that a link describes. It runs this training up to a step of a phase.
func (a *arrivals) repeat(phase, step int) error {
	to := doc.Place{Phase: max(1, phase), Step: step}
	onCodes := a.w.given().OnCodes()
	if !a.w.lab.Timed() {
		if err := a.w.scratch(); err != nil || step == 0 {
			return err
		}
	} else if phase == 0 && !onCodes {
		return nil
	}
	a.w.doc.From = lab.FromScratch
	if onCodes {
		to.Phase = 2
	}
	if err := a.w.start(); err != nil {
		return err
	}
	if step == 0 && to.Phase <= 1 {
		to = doc.Place{}
	}
	a.w.train.To = to
	return nil
}
