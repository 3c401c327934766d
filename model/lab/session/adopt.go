package session

import (
	"errors"
	"fmt"
	"strings"

	"macroscope/model/lab"
	"macroscope/model/lab/session/door"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/fit"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// What a user brings in a file becomes part of the session: the door reads the file, the user is asked if something would
// be lost, and then the session adopts what the door has read.

// take handles a dropped file.
func (s *Session) take(name string, b []byte) *wire.Notice {
	p, err := door.Open(&s.lab, name, b)
	away := new(door.Elsewhere)
	switch {
	case errors.As(err, &away) && away.System != "":
		of := s.others.of(away.System)
		s.askElsewhere(of, "This is a model of another lab",
			fmt.Sprintf("%s holds a model of the lab **%s**. Nothing that is here is lost: the model opens there, as one of the runs, and this lab stays as it is.", setting.Quote(name), inWords(of)))
		return nil
	case errors.As(err, &away):
		s.askElsewhere(away.Lab, "This was saved in another lab",
			fmt.Sprintf("%s was saved in the lab **%s** and opens there. This lab stays as it is.", setting.Quote(name), inWords(away.Lab)))
		return nil
	case err == nil && p.Visit != nil && s.run.ToolNumber(p.Visit.Tool) < 0:
		err = errors.New("its pointer's tool is unknown")
	}
	switch {
	case err != nil:
		return notOpened(name, err)
	case p.Model != nil:
		return s.offerModel(p)
	case p.Visit == nil:
		return s.readFile(p.Data, 0, ownfile.Dropped, run.Playing)
	case p.Data != nil:
		s.coming.brought = p
		return s.readFile(p.Data, p.Visit.File.Trajectory, ownfile.Bundled, run.Playing)
	}
	return s.offerVisit(p)
}

// notOpened says that a file cannot be opened, and why.
func notOpened(name string, err error) *wire.Notice {
	return effect.Failure(fmt.Errorf("%s was not opened: %w", setting.Quote(name), err))
}

// askElsewhere offers to open the last file in another lab.
func (s *Session) askElsewhere(lab, title, text string) {
	s.asked.put(asked{Ask: wire.Ask{Title: title, Text: text, Accept: "Open it there", Lab: lab}})
}

// readBrought continues with a saved session after its displayed trajectory has been read.
func (s *Session) readBrought(p *door.Proposal, r *ownfile.Read) *wire.Notice {
	if r.Err != nil {
		return notOpened(p.Name, fmt.Errorf("its file %s: %w", setting.Quote(p.Data.Name), r.Err))
	}
	p.First = r
	return s.offerVisit(p)
}

// offerVisit asks whether to open everything that a lab has saved.
func (s *Session) offerVisit(p *door.Proposal) *wire.Notice {
	var data []wire.Entry
	if p.First != nil {
		data = s.file.Facts(p.First)[1:]
	}
	s.asked.put(asked{
		Ask:      wire.Ask{Title: "Open everything in this file?", Facts: p.Facts(data), Points: s.replaced(p), Accept: "Open it"},
		accepted: func() *wire.Notice { return s.adoptVisit(p) },
		dropped:  func() { p.Data.Close() },
	})
	return nil
}

// replaced says what happens to the present session when it is adopted.
func (s *Session) replaced(p *door.Proposal) []string {
	points := []string{"Settings and the run on show become those of the file. The models that you have stay among the runs, and so does what was trained."}
	if p.System != nil {
		points = s.gone()
	}
	if positions, _ := s.run.Live().Save(); positions != nil && s.file.File() == nil {
		points = append(points, "The particles that you drew or edited go; save everything first to keep them.")
	}
	if d := s.file.File(); d != nil {
		points = append(points, fmt.Sprintf("Your file %s is closed.", setting.Quote(d.Name)))
	}
	if p.Visit.Sweep != nil && s.sweeps.File() != "" {
		points = append(points, sweepGoes)
	}
	return points
}

// adoptVisit replaces the session with the contents of a saved one. The kept models of the session
// stay, unless the saved one is of another system.
func (s *Session) adoptVisit(p *door.Proposal) *wire.Notice {
	r := p.Visit
	if p.System != nil { // before anything goes, its models must have room
		if _, _, err := new(runs.List).With(r.Runs); err != nil {
			p.Data.Close()
			return notOpened(p.Name, err)
		}
		s.become(p.System)
	}
	s.setAside()
	s.forgetHalted()
	all, names, err := s.models.Shelf.Kept.With(r.Runs)
	if err != nil {
		p.Data.Close()
		return notOpened(p.Name, err)
	}
	r.Runs = all
	for _, on := range []*string{&r.A, &r.B} {
		if other, renamed := names[*on]; renamed {
			*on = other
		}
	}
	if err := s.takeSaved(r); err != nil {
		p.Data.Close()
		return effect.Failure(fmt.Errorf("%s was opened in part: %w", setting.Quote(p.Name), err))
	}
	if r.Sweep != nil && s.sweeps.Running() {
		s.sweeps.Stop() // stopped until the user continues
	}
	if p.Data != nil {
		s.restoreOwn(r, p.First)
		if r.Training != nil {
			s.doc.Model = lab.Shipped // a link cannot repeat a training on the user's file
		}
	}
	return &wire.Notice{Text: fmt.Sprintf("Opened %s.", setting.Quote(p.Name))}
}

// offerModel adopts a model. It asks first if the model is of another system and something would be lost. A file that can be
// of this system stays open.
func (s *Session) offerModel(p *door.Proposal) *wire.Notice {
	d := s.file.File()
	if p.System == nil {
		return s.adoptModel(p)
	}
	stays := d != nil && p.System.Alike(s.lab.System)
	open := func() *wire.Notice {
		s.become(p.System)
		n := s.adoptModel(p)
		if stays {
			if more := s.readFile(d.As(""), d.Trajectory, ownfile.Chosen, run.Playing); more != nil {
				return more
			}
		}
		return n
	}
	points := s.gone()
	if d != nil && !stays {
		points = append(points, fmt.Sprintf("Your file %s is closed.", setting.Quote(d.Name)))
	}
	if points == nil {
		return open()
	}
	s.asked.put(asked{Ask: wire.Ask{Title: "Open a model of another system?", Points: points, Accept: "Open it"}, accepted: open})
	return nil
}

// adoptModel keeps a model as a run and displays it. Trajectories that came with it are read, and then offered.
func (s *Session) adoptModel(p *door.Proposal) *wire.Notice {
	opened, goesOn := *p.Model, fit.Holds(p.File)
	opened.Name = s.models.Shelf.Kept.Free(opened.Name)
	var err error
	if goesOn {
		err = opened.Take(p.File, nil)
	}
	if err == nil {
		err = s.models.Shelf.Kept.Keep(opened)
	}
	if err != nil {
		return notOpened(p.Name, err)
	}
	if err := s.showTaken(opened.Name, opened.Model); err != nil {
		return effect.Failure(err)
	}
	text := fmt.Sprintf("Opened the model %s: %s.", setting.Quote(p.Name), opened.Model.Detail())
	if s.forgetHalted(); goesOn {
		if err := s.train.Halt(&opened); err != nil {
			return effect.Failure(err)
		}
		if text += " It holds a training, with which Train goes on."; s.train.Trains() {
			text += " Stop the present training first."
		}
	}
	if p.Data != nil {
		if n := s.readFile(p.Data, 0, ownfile.Dropped, run.Playing); n != nil {
			return n
		}
	}
	return &wire.Notice{Text: strings.Join(append([]string{text}, p.Doubts...), " ")}
}

// become begins a session of another system of this lab.
func (s *Session) become(of *system.System) {
	s.Close()
	s.file.Drop()
	s.begin(s.lab.With(of), s.now)
	s.stale.frame, s.stale.state = true, true
}

// gone returns a sentence about the models that are lost when another system replaces the session's system. It returns
// nil if there are none.
func (s *Session) gone() []string {
	n := len(s.models.List(s.train))
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("This is another system than the one here. What you have trained or opened here goes: %s. Save everything first to keep it.", setting.Count(n, "model", "models"))}
}
