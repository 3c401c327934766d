package session

import (
	"fmt"

	"macroscope/model/lab/session/door"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// The struct `coming` contains the source of the file that is being read. The source is a bundle or
// a saved session. For a dropped file, both fields are nil.
type coming struct {
	brought *door.Proposal // everything that a lab has saved, which the user has not accepted yet
	saved   *saved.Session // a saved session that the user has accepted
}

// take returns the source of the file that has been read, and forgets it.
func (c *coming) take() (of coming) {
	of, *c = *c, coming{}
	return of
}

// readFile begins to read a trajectory of a file.
func (a *arrivals) readFile(f *ownfile.File, index int, why ownfile.Purpose, begin int) *wire.Notice {
	return a.reading(a.w.file.Read(f, index, why, begin), nil)
}

// The method `reading` acts on the results of a call that begins to read a file. r is the complete
// Read. It is nil if there was an error, or if more of the file remains to be read.
func (a *arrivals) reading(r *ownfile.Read, err error) *wire.Notice {
	if err != nil {
		return effect.Failure(err)
	}
	var n *wire.Notice
	if r != nil {
		n = a.read(r)
	}
	a.w.settle(effect.Restated())
	return n
}

// The method `read` acts on a complete Read. The action depends on the purpose r.For.
func (a *arrivals) read(r *ownfile.Read) *wire.Notice {
	switch r.For {
	case ownfile.Chosen:
		if r.Err == nil {
			a.showOwn(r, run.Playing)
		}
		return effect.Failure(r.Err)
	case ownfile.Bundled:
		return a.readBrought(a.coming.take().brought, r)
	case ownfile.Restored:
		return a.readRestored(a.coming.take().saved, r)
	}
	if r.Err != nil && a.w.lab.Describe == nil && door.HasRuns(r.From) {
		a.askElsewhere(ownLab, "Open it as your own system?",
			fmt.Sprintf("%s was not opened here: %v. The lab **Your system** takes runs of any particles. Nothing that is here is lost.", setting.Quote(r.From.Name), r.Err))
		return nil
	}
	if r.Err != nil {
		return notOpened(r.From.Name, r.Err)
	}
	var shown *model.Model
	if a := a.w.picture.A(); a != nil {
		shown = a.Model
	}
	points := a.w.file.Points(r, shown)
	if r.From.System != nil {
		points = append(points, a.gone()...)
	}
	a.asked.put(asked{
		Ask:      wire.Ask{Title: "Use these data?", Facts: a.w.file.Facts(r), Points: points, Dots: a.w.file.Dots(r), Accept: "Use these data"},
		accepted: func() *wire.Notice { return a.useOwn(r) },
		dropped:  r.From.Close,
	})
	return nil
}

// useOwn replaces the user's file by the file of r, and displays the trajectory in r.
func (a *arrivals) useOwn(r *ownfile.Read) *wire.Notice {
	if of := r.From.System; of != nil {
		a.become(of)
		r.From.System = nil
	}
	a.showOwn(r, run.Playing)
	shape := r.From.Source.Shape()
	what := shape.InWords()
	switch {
	case a.w.lab.Describe != nil:
		what = a.inWords(shape)
	case !a.w.lab.Timed():
		what = setting.Count(shape.Particles, "particle", "particles")
	}
	return &wire.Notice{Text: ownfile.Taken(r.From, what)}
}

// showOwn displays a copy of the trajectory in r. `begin` is the frame at which the run begins, or
// run.Playing.
func (a *arrivals) showOwn(r *ownfile.Read, begin int) {
	kept := r.First.Clone()
	a.w.file.Use(r.From, r.Index)
	of, note := r.From.Source, r.From.Name
	if n := of.Shape().Trajectories; n > 1 || a.w.lab.Timed() {
		note = fmt.Sprintf("%s, trajectory %d of %d", note, r.Index+1, n)
	}
	a.w.settle(a.w.run.Record(kept, of.Observable(), of.Facts().Force, note, begin))
}

// A saved session contains the user's file. restoreOwn restores this file. r is the trajectory that
// the saved session displayed.
func (a *arrivals) restoreOwn(of *saved.Session, r *ownfile.Read) {
	r.Index = min(of.File.Trajectory, r.From.Source.Shape().Trajectories-1)
	if of.Run.Particles != nil { // the saved session's edited set is already displayed
		a.w.file.Use(r.From, r.Index)
		return
	}
	a.showOwn(r, of.Frame)
}

// readRestored is called after the file of a saved session has been read. It makes this file the
// user's file again. If a training waits for the file, the training goes on. A paused training on the
// file is paused again.
func (a *arrivals) readRestored(of *saved.Session, r *ownfile.Read) *wire.Notice {
	if r.Err != nil {
		a.w.settle(effect.Effect{})
		return goesOnWithout(of.File.Name, r.Err)
	}
	waits := a.w.train.Unwait()
	a.restoreOwn(of, r)
	if waits {
		return effect.Failure(a.w.start())
	}
	if a.w.train.Halted() && of.Trained.Status == wire.Paused {
		return effect.Failure(a.w.resume())
	}
	return nil
}

// goesOnWithout returns a notice that the file of a saved session is missing.
func goesOnWithout(name string, err error) *wire.Notice {
	return &wire.Notice{Text: fmt.Sprintf("The lab goes on without your file %s: %v.", setting.Quote(name), err)}
}

// ownLab is the link of the lab of the user's own system, which not every program contains.
const ownLab = "own"

// inWords names a lab, given its link.
func inWords(lab string) string {
	if lab == ownLab {
		return "Your system"
	}
	return lab
}
