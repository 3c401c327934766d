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
func (a *arrivals) take(name string, b []byte) *wire.Notice {
	p, err := door.Open(&a.w.lab, name, b)
	away := new(door.Elsewhere)
	switch {
	case errors.As(err, &away) && away.System != "":
		of := a.others.of(away.System)
		a.askElsewhere(of, "This is a model of another lab",
			fmt.Sprintf("%s holds a model of the lab **%s**. Nothing that is here is lost: the model opens there, as one of the runs, and this lab stays as it is.", setting.Quote(name), inWords(of)))
		return nil
	case errors.As(err, &away):
		a.askElsewhere(away.Lab, "This was saved in another lab",
			fmt.Sprintf("%s was saved in the lab **%s** and opens there. This lab stays as it is.", setting.Quote(name), inWords(away.Lab)))
		return nil
	case err == nil && p.Visit != nil && a.w.run.ToolNumber(p.Visit.Tool) < 0:
		err = errors.New("its pointer's tool is unknown")
	}
	switch {
	case err != nil:
		return notOpened(name, err)
	case p.Model != nil:
		return a.offerModel(p)
	case p.Visit == nil:
		return a.readFile(p.Data, 0, ownfile.Dropped, run.Playing)
	case p.Data != nil:
		a.coming.brought = p
		return a.readFile(p.Data, p.Visit.File.Trajectory, ownfile.Bundled, run.Playing)
	}
	return a.offerVisit(p)
}

// notOpened says that a file cannot be opened, and why.
func notOpened(name string, err error) *wire.Notice {
	return effect.Failure(fmt.Errorf("%s was not opened: %w", setting.Quote(name), err))
}

// askElsewhere offers to open the last file in another lab.
func (a *arrivals) askElsewhere(lab, title, text string) {
	a.asked.put(asked{Ask: wire.Ask{Title: title, Text: text, Accept: "Open it there", Lab: lab}})
}

// readBrought continues with a saved session after its displayed trajectory has been read.
func (a *arrivals) readBrought(p *door.Proposal, r *ownfile.Read) *wire.Notice {
	if r.Err != nil {
		return notOpened(p.Name, fmt.Errorf("its file %s: %w", setting.Quote(p.Data.Name), r.Err))
	}
	p.First = r
	return a.offerVisit(p)
}

// offerVisit asks whether to open everything that a lab has saved.
func (a *arrivals) offerVisit(p *door.Proposal) *wire.Notice {
	var data []wire.Entry
	if p.First != nil {
		data = a.w.file.Facts(p.First)[1:]
	}
	a.asked.put(asked{
		Ask:      wire.Ask{Title: "Open everything in this file?", Facts: p.Facts(data), Points: a.replaced(p), Accept: "Open it"},
		accepted: func() *wire.Notice { return a.adoptVisit(p) },
		dropped:  func() { p.Data.Close() },
	})
	return nil
}

// replaced says what happens to the present session when it is adopted.
func (a *arrivals) replaced(p *door.Proposal) []string {
	points := []string{"Settings and the run on show become those of the file. The models that you have stay among the runs, and so does what was trained."}
	if p.System != nil {
		points = a.gone()
	}
	if positions, _ := a.w.run.Live().Save(); positions != nil && a.w.file.File() == nil {
		points = append(points, "The particles that you drew or edited go; save everything first to keep them.")
	}
	if d := a.w.file.File(); d != nil {
		points = append(points, fmt.Sprintf("Your file %s is closed.", setting.Quote(d.Name)))
	}
	if p.Visit.Sweep != nil && a.w.sweeps.File() != "" {
		points = append(points, sweepGoes)
	}
	return points
}

// adoptVisit replaces the session with the contents of a saved one. The kept models of the session
// stay, unless the saved one is of another system.
func (a *arrivals) adoptVisit(p *door.Proposal) *wire.Notice {
	r := p.Visit
	if p.System != nil { // before anything goes, its models must have room
		if _, _, err := new(runs.List).With(r.Runs); err != nil {
			p.Data.Close()
			return notOpened(p.Name, err)
		}
		a.become(p.System)
	}
	a.w.setAside()
	a.w.forgetHalted()
	all, names, err := a.w.models.Shelf.Kept.With(r.Runs)
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
	if err := a.takeSaved(r); err != nil {
		p.Data.Close()
		return effect.Failure(fmt.Errorf("%s was opened in part: %w", setting.Quote(p.Name), err))
	}
	if r.Sweep != nil && a.w.sweeps.Running() {
		a.w.sweeps.Stop() // stopped until the user continues
	}
	if p.Data != nil {
		a.restoreOwn(r, p.First)
		if r.Training != nil {
			a.w.doc.Model = lab.Shipped // a link cannot repeat a training on the user's file
		}
	}
	return &wire.Notice{Text: fmt.Sprintf("Opened %s.", setting.Quote(p.Name))}
}

// offerModel adopts a model. It asks first if the model is of another system and something would be lost. A file that can be
// of this system stays open.
func (a *arrivals) offerModel(p *door.Proposal) *wire.Notice {
	d := a.w.file.File()
	if p.System == nil {
		return a.adoptModel(p)
	}
	stays := d != nil && p.System.Alike(a.w.lab.System)
	open := func() *wire.Notice {
		a.become(p.System)
		n := a.adoptModel(p)
		if stays {
			if more := a.readFile(d.As(""), d.Trajectory, ownfile.Chosen, run.Playing); more != nil {
				return more
			}
		}
		return n
	}
	points := a.gone()
	if d != nil && !stays {
		points = append(points, fmt.Sprintf("Your file %s is closed.", setting.Quote(d.Name)))
	}
	if points == nil {
		return open()
	}
	a.asked.put(asked{Ask: wire.Ask{Title: "Open a model of another system?", Points: points, Accept: "Open it"}, accepted: open})
	return nil
}

// adoptModel keeps a model as a run and displays it. Trajectories that came with it are read, and then offered.
func (a *arrivals) adoptModel(p *door.Proposal) *wire.Notice {
	opened, goesOn := *p.Model, fit.Holds(p.File)
	opened.Name = a.w.models.Shelf.Kept.Free(opened.Name)
	var err error
	if goesOn {
		err = opened.Take(p.File, nil)
	}
	if err == nil {
		err = a.w.models.Shelf.Kept.Keep(opened)
	}
	if err != nil {
		return notOpened(p.Name, err)
	}
	if err := a.w.showTaken(opened.Name, opened.Model); err != nil {
		return effect.Failure(err)
	}
	text := fmt.Sprintf("Opened the model %s: %s.", setting.Quote(p.Name), opened.Model.Detail())
	if a.w.forgetHalted(); goesOn {
		if err := a.w.train.Halt(&opened); err != nil {
			return effect.Failure(err)
		}
		if text += " It holds a training, with which Train goes on."; a.w.train.Trains() {
			text += " Stop the present training first."
		}
	}
	if p.Data != nil {
		if n := a.readFile(p.Data, 0, ownfile.Dropped, run.Playing); n != nil {
			return n
		}
	}
	return &wire.Notice{Text: strings.Join(append([]string{text}, p.Doubts...), " ")}
}

// become begins a session of another system of this lab.
func (a *arrivals) become(of *system.System) {
	a.w.close()
	a.w.file.Drop()
	a.renew(a.w.lab.With(of))
	a.w.page.frame, a.w.page.state = true, true
}

// gone returns a sentence about the models that are lost when another system replaces the session's system. It returns
// nil if there are none.
func (a *arrivals) gone() []string {
	n := len(a.w.models.List(a.w.train))
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("This is another system than the one here. What you have trained or opened here goes: %s. Save everything first to keep it.", setting.Count(n, "model", "models"))}
}
