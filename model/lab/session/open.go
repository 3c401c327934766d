package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"macroscope/model/lab"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/training"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// The struct `opens` is a cache. It holds the choices with which the lab opens, and the lab's list of figures,
// so that they are made only once.
type opens struct {
	usual   *doc.Sheet
	link    *doc.Sheet // the document of the last link, see linked
	learns  bool
	figures []wire.Figure
}

// newOpens makes the cache of a lab with the run that `live` plays.
func newOpens(of *lab.Lab, live system.Live) opens {
	usual := of.System.Live()
	return opens{doc.NewSheet(of, usual), doc.NewSheet(of, live), of.Learns(), lab.Figures(of, usual)}
}

// Fragment implements wire.Session.
func (s *Session) Fragment() string { return s.view().fragment() }

// document returns the visitor's present choices, except those about the training and the file.
func (s *Session) document() *doc.Sheet {
	d := s.doc
	d.Run, d.Frame, d.Tool, d.KeepAs = s.run.Work(), s.run.Frame(), s.run.Tool(), s.models.Shelf.KeepAs
	d.A, d.B = s.models.Shelf.Wanted(s.on().Now)
	return d
}

// adopt makes the choices of another document the visitor's. If `anew` is true, the run begins anew, and nothing that was
// asked of the present models and the training is waited for. Otherwise only what differs changes. The kept models and the
// training stay. The error names the choices that could not be carried out.
func (s *Session) adopt(d *doc.Sheet, anew bool) error {
	was, system, recipe := s.document().Doc, s.doc.System.Texts(), s.given().Recipe()
	if anew {
		if s.lab.Describe != nil { // without its file, a system of the user's own has no run
			s.file.Drop()
		}
		s.train.Unwait()
		s.train.RunTo = training.Place{}
		s.models.Unask()
		s.models.Shelf.Retry()
	}
	s.doc.Doc = d.Doc
	s.models.Shelf.KeepAs = d.KeepAs
	if anew || was.All != d.All {
		s.models.Hide(&s.doc.Settings, false)
	}
	_, wrong := s.run.SetTool(d.Tool)
	errs := []error{wrong}
	if !anew && was.Members != d.Members {
		errs = append(errs, s.after(s.models.Again(s.on())))
	}
	errs = append(errs, s.after(s.models.ExpectSaved(s.on(), d.A, d.B)))
	if anew || !slices.Equal(system, d.System.Texts()) || !was.Run.SameParticles(&d.Run) {
		if recording := s.lab.Timed() && s.run.Live().Recorded(); anew || !recording { // a recording has no settings
			errs = append(errs, s.after(s.run.Open(d.System, d.Run, d.Frame)))
		}
	}
	if !anew && s.given().Recipe() != recipe {
		errs = append(errs, s.recall())
	}
	s.settle(effect.Changed())
	return errors.Join(errs...)
}

// follow opens a link, unless the session already has the link's state.
func (s *Session) follow(name, fragment string) *wire.Notice {
	if name == wire.Door {
		fragment += s.lab.Opening
	}
	if "#"+s.Fragment() == "#"+strings.TrimPrefix(fragment, "#") {
		return nil
	}
	d, err := doc.Read(&s.lab, fragment)
	d.Run.Note, d.Tool, d.KeepAs = run.FromLink, s.run.Tool(), s.models.Shelf.KeepAs // a link does not say these
	_, d.B = s.models.Called()
	adopted := s.adopt(d, true)
	if d.Model == lab.Trained {
		adopted = errors.Join(adopted, s.repeat(d.Phase, d.Step))
	}
	if err == nil && adopted != nil {
		err = fmt.Errorf("the link was read in part: %w", adopted)
	}
	return effect.Failure(err)
}

// repeat starts the training that a link describes. It runs this training up to a step of a phase.
func (s *Session) repeat(phase, step int) error {
	to := training.Place{Phase: max(1, phase), Step: step}
	onCodes := s.given().OnCodes()
	if !s.lab.Timed() {
		if err := s.scratch(); err != nil || step == 0 {
			return err
		}
	} else if phase == 0 && !onCodes {
		return nil
	}
	s.doc.From = lab.FromScratch
	if onCodes {
		to.Phase = 2
	}
	if err := s.start(); err != nil {
		return err
	}
	if step == 0 && to.Phase <= 1 {
		to = training.Place{}
	}
	s.train.RunTo = to
	return nil
}
