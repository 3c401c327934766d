package session

import (
	"bytes"
	"errors"
	"fmt"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/door"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/runs"
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
func (s *Session) readFile(f *ownfile.File, index int, why ownfile.Purpose, begin int) *wire.Notice {
	return s.reading(s.file.Read(f, index, why, begin), nil)
}

// The method `reading` acts on the results of a call that begins to read a file. r is the complete
// Read. It is nil if there was an error, or if more of the file remains to be read.
func (s *Session) reading(r *ownfile.Read, err error) *wire.Notice {
	if err != nil {
		return effect.Failure(err)
	}
	var n *wire.Notice
	if r != nil {
		n = s.read(r)
	}
	s.settle(effect.Restated())
	return n
}

// The method `read` acts on a complete Read. The action depends on the purpose r.For.
func (s *Session) read(r *ownfile.Read) *wire.Notice {
	switch r.For {
	case ownfile.Chosen:
		if r.Err == nil {
			s.showOwn(r, run.Playing)
		}
		return effect.Failure(r.Err)
	case ownfile.Bundled:
		return s.readBrought(s.coming.take().brought, r)
	case ownfile.Restored:
		return s.readRestored(s.coming.take().saved, r)
	}
	if r.Err != nil && s.lab.Describe == nil && door.HasRuns(r.From) {
		s.askElsewhere(ownLab, "Open it as your own system?",
			fmt.Sprintf("%s was not opened here: %v. The lab **Your system** takes runs of any particles. Nothing that is here is lost.", setting.Quote(r.From.Name), r.Err))
		return nil
	}
	if r.Err != nil {
		return notOpened(r.From.Name, r.Err)
	}
	var shown *model.Model
	if a := s.models.A(); a != nil {
		shown = a.Model
	}
	points := s.file.Points(r, shown)
	if r.From.System != nil {
		points = append(points, s.gone()...)
	}
	s.asked.put(asked{
		Ask:      wire.Ask{Title: "Use these data?", Facts: s.file.Facts(r), Points: points, Dots: s.file.Dots(r), Accept: "Use these data"},
		accepted: func() *wire.Notice { return s.useOwn(r) },
		dropped:  r.From.Close,
	})
	return nil
}

// useOwn replaces the user's file by the file of r, and displays the trajectory in r.
func (s *Session) useOwn(r *ownfile.Read) *wire.Notice {
	if of := r.From.System; of != nil {
		s.become(of)
		r.From.System = nil
	}
	s.showOwn(r, run.Playing)
	shape := r.From.Source.Shape()
	what := shape.InWords()
	switch {
	case s.lab.Describe != nil:
		what = s.inWords(shape)
	case !s.lab.Timed():
		what = setting.Count(shape.Particles, "particle", "particles")
	}
	return &wire.Notice{Text: ownfile.Taken(r.From, what)}
}

// showOwn displays a copy of the trajectory in r. `begin` is the frame at which the run begins, or
// run.Playing.
func (s *Session) showOwn(r *ownfile.Read, begin int) {
	kept := r.First.Clone()
	s.file.Use(r.From, r.Index)
	of, note := r.From.Source, r.From.Name
	if n := of.Shape().Trajectories; n > 1 || s.lab.Timed() {
		note = fmt.Sprintf("%s, trajectory %d of %d", note, r.Index+1, n)
	}
	s.settle(s.run.Record(kept, of.Observable(), of.Facts().Force, note, begin))
	s.file.Measure(s.models.A())
}

// A saved session contains the user's file. restoreOwn restores this file. r is the trajectory that
// the saved session displayed.
func (s *Session) restoreOwn(of *saved.Session, r *ownfile.Read) {
	r.Index = min(of.File.Trajectory, r.From.Source.Shape().Trajectories-1)
	if of.Run.Particles != nil { // the saved session's edited set is already displayed
		s.file.Use(r.From, r.Index)
		return
	}
	s.showOwn(r, of.Frame)
}

// readRestored is called after the file of a saved session has been read. It makes this file the
// user's file again. If a training waits for the file, the training goes on. A paused training on the
// file is paused again.
func (s *Session) readRestored(of *saved.Session, r *ownfile.Read) *wire.Notice {
	if r.Err != nil {
		s.settle(effect.Effect{})
		return goesOnWithout(of.File.Name, r.Err)
	}
	waits := s.train.Unwait()
	s.restoreOwn(of, r)
	if waits {
		return effect.Failure(s.start())
	}
	if _, _, halted := s.train.Halted(); halted && wire.Status(of.Trained.Status) == wire.Paused {
		return effect.Failure(s.resume())
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

// showTaken displays a run that has just been added, and copies the method, ẑ dim and ε of its
// model m to the settings. From a tunable model, it copies the usual ẑ dim and ε.
func (s *Session) showTaken(name string, m *model.Model) error {
	c := &m.Usual().Config
	s.doc.ZDim, s.doc.Method, s.doc.Model = c.ZDim(), c.Spec.Method, lab.Shipped
	if c.Decoder.Density() {
		s.doc.Eps = c.Eps()
	}
	return s.after(s.models.Show(s.on(), name))
}

// showPoint displays the model for a point of the sweep.
func (s *Session) showPoint(point string) error {
	b, err := s.sweeps.Model(point)
	if err != nil {
		return err
	}
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		return err
	}
	m, err := s.models.Shelf.Open(f)
	if err != nil {
		return err
	}
	r := s.models.Shelf.Kept.Of(m)
	if r == nil {
		r = &runs.Run{Name: s.models.Shelf.Kept.Free(runs.NameOf(&m.Config, "") + ", of the sweep"), Origin: origin.Origin{Kind: origin.Swept}, Model: m}
		if _, err := s.models.KeepAuto(*r); err != nil {
			return errors.Unwrap(err)
		}
	}
	return s.showTaken(r.Name, m)
}
