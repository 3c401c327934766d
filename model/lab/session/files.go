package session

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/export"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// take handles a dropped file: a bundle, a saved session, a checkpoint, trajectories, or several files in one.
func (s *Session) take(name string, b []byte) *wire.Notice {
	switch lower := strings.ToLower(name); {
	case system.IsJoined(b):
	case strings.HasSuffix(lower, system.ObservablesFile) && s.lab.Timed():
		return effect.Failure(fmt.Errorf("%s was not opened: it is a table of observables; choose or drop it together with its text files, or their folder", setting.Quote(name)))
	case strings.HasSuffix(name, ".json"):
		return effect.Failure(fmt.Errorf("%s was not opened: a table of a sweep is for other programs; “Save everything” makes a file that brings the sweep back", setting.Quote(name)))
	case export.IsCurves(b):
		return effect.Failure(fmt.Errorf("%s was not opened: a table of curves is for other programs; the lab opens the file of “Run as NPZ” or “Set as NPZ”, and of “Save everything”", setting.Quote(name)))
	case bundle.Is(b) || strings.HasSuffix(name, bundle.Ending):
		return s.openBundle(name, b)
	case saved.Is(b): // a session that the page has saved
		return s.openSaved(name, b)
	case isSafetensors(name, b):
		return s.openCheckpoint(name, b)
	}
	return s.readFile(&ownfile.File{Name: name, Bytes: b}, 0, ownfile.Dropped, run.Playing)
}

// The struct `coming` contains the source of the file that is being read. The source is a bundle or
// a saved session. For a dropped file, both fields are nil.
type coming struct {
	bundle *proposal      // a bundle that the user has not accepted yet
	saved  *saved.Session // a saved session that the user has accepted
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
		return s.readBundled(s.coming.bundle, r)
	case ownfile.Restored:
		return s.readRestored(s.coming.saved, r)
	}
	if r.Err != nil && s.lab.Describe == nil && hasRuns(r.From) {
		s.askElsewhere(ownLab, "Open it as your own system?",
			fmt.Sprintf("%s was not opened here: %v. The lab **Your system** takes runs of any particles. Nothing that is here is lost.", setting.Quote(r.From.Name), r.Err))
		return nil
	}
	if r.Err != nil {
		return effect.Failure(fmt.Errorf("%s was not opened: %w", setting.Quote(r.From.Name), r.Err))
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
	r.Index = min(of.Trajectory, r.From.Source.Shape().Trajectories-1)
	if of.Edited { // the saved session's edited set is already displayed
		s.file.Use(r.From, r.Index)
		return
	}
	s.showOwn(r, of.Begin())
}

// readRestored is called after the file of a saved session has been read. It makes this file the
// user's file again. If a training waits for the file, the training goes on. A paused training on the
// file is paused again.
func (s *Session) readRestored(of *saved.Session, r *ownfile.Read) *wire.Notice {
	if r.Err != nil {
		s.settle(effect.Effect{})
		return goesOnWithout(of.Data, r.Err)
	}
	waits := s.train.Unwait()
	s.restoreOwn(of, r)
	if waits {
		return effect.Failure(s.start())
	}
	if _, _, halted := s.train.Halted(); halted && wire.Status(of.Status) == wire.Paused {
		return effect.Failure(s.resume())
	}
	return nil
}

// goesOnWithout returns a notice that the file of a saved session is missing.
func goesOnWithout(name string, err error) *wire.Notice {
	return &wire.Notice{Text: fmt.Sprintf("The lab goes on without your file %s: %v.", setting.Quote(name), err)}
}

func isSafetensors(name string, b []byte) bool {
	return strings.HasSuffix(name, ".safetensors") || len(b) > 8 && b[8] == '{'
}

// withoutEnding returns a file's name without its extension.
func withoutEnding(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		return name[:i]
	}
	return name
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

// hasRuns reports whether a file is several in one, or a NumPy archive of trajectories of any shape. It only looks for the name of the
// array, so that the first program needs no reader of archives.
func hasRuns(f *ownfile.File) bool {
	return system.IsJoined(f.Bytes) || bytes.HasPrefix(f.Bytes, []byte("PK")) && bytes.Contains(f.Bytes, []byte(system.TrajectoriesArray+".npy"))
}

// elsewhere asks whether to open a checkpoint of another lab in that lab. If the checkpoint
// belongs to this lab, it asks nothing and returns false.
func (s *Session) elsewhere(name string, f *ckpt.File) bool {
	spec, err := model.SpecOf(f)
	if err != nil || spec.System == s.lab.System.Traits.Name || len(method.MethodsFor(spec.System)) == 0 {
		return false
	}
	of := s.others.of(spec.System)
	s.askElsewhere(of, "This is a model of another lab",
		fmt.Sprintf("%s holds a model of the lab **%s**. Nothing that is here is lost: the model opens there, as one of the runs, and this lab stays as it is.", setting.Quote(name), inWords(of)))
	return true
}

// askElsewhere offers to open the last file in another lab.
func (s *Session) askElsewhere(lab, title, text string) {
	s.asked.put(asked{Ask: wire.Ask{Title: title, Text: text, Accept: "Open it there", Lab: lab}})
}

// openCheckpoint handles a dropped checkpoint: a model, which may include its training.
func (s *Session) openCheckpoint(name string, b []byte) *wire.Notice {
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err == nil && s.elsewhere(name, f) {
		return nil
	}
	if err == nil {
		var of *system.System
		if of, err = s.otherSystem(f.Metadata); of != nil {
			return s.openDescribed(name, b, of)
		}
	}
	var opened runs.Run
	goesOn := false
	if err == nil {
		opened.Model, err = s.models.Shelf.Open(f)
	}
	if err == nil {
		opened.Name, opened.Origin = s.models.Shelf.Kept.Free(withoutEnding(name)), origin.Origin{Kind: origin.Opened, Name: name}
		if goesOn = fit.Holds(f); goesOn {
			err = opened.Take(f, nil)
		}
	}
	if err == nil {
		err = s.models.Shelf.Kept.Keep(opened)
	}
	if err != nil {
		return effect.Failure(fmt.Errorf("%s was not opened: %w", setting.Quote(name), err))
	}
	if err := s.showTaken(opened.Name, opened.Model); err != nil {
		return effect.Failure(err)
	}
	text := fmt.Sprintf("Opened the model %s: %s.", setting.Quote(name), opened.Model.Detail())
	if s.forgetHalted(); goesOn {
		if err := s.train.Halt(&opened); err != nil {
			return effect.Failure(err)
		}
		if text += " It holds a training, with which Train goes on."; s.train.Trains() {
			text += " Stop the present training first."
		}
	}
	for _, doubt := range []string{f.Unchecked, fit.Doubt(f, opened.Model)} {
		if doubt != "" {
			text += " " + doubt
		}
	}
	return &wire.Notice{Text: text}
}

// showTaken displays a run that has just been added, and copies the method, ẑ dim and ε of its
// model m to the settings. From a tunable model, it copies the usual ẑ dim and ε.
func (s *Session) showTaken(name string, m *model.Model) error {
	c := &m.Usual().Config
	s.set.ZDim, s.set.Method, s.set.Model = c.ZDim(), c.Spec.Method, lab.Shipped
	if c.Decoder.Density() {
		s.set.Eps = c.Eps()
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

// Save implements wire.Session. The argument selects the file: the whole session, the results of
// the sweep, the displayed model with its training, the curves of the run, or the run itself.
func (s *Session) Save(what string) (name string, b []byte, err error) {
	var out bytes.Buffer
	base, a := "macroscope-"+s.lab.Link(), s.models.A()
	switch {
	case what == wire.Bundle:
		return s.saveBundle()
	case what == lab.SweepFile && s.sweeps.File() != "":
		return base + "-sweep.json", []byte(s.sweeps.File()), nil
	case what == wire.Model && a == nil:
		return "", nil, s.models.Shelf.Missing()
	case what == wire.Model:
		of := a.Model
		if a.Tunable != nil && !runs.IsShipped(a.Name) { // a tunable model of the user is saved whole, not only for the displayed ε and ẑ dim
			of = a.Tunable
		}
		f := of.Checkpoint()
		if a.Training {
			f = s.train.Live().Checkpoint()
		}
		name = fmt.Sprintf("%s-eps%g-z%d.safetensors", base, a.Model.Config.Eps(), a.Model.Config.ZDim())
		switch {
		case of == a.Tunable:
			name = fmt.Sprintf("%s-%s.safetensors", base, of.Config.Spec.Method)
		case !a.Model.Config.Decoder.Density():
			name = fmt.Sprintf("%s-%s-z%d.safetensors", base, a.Model.Config.Spec.Method, a.Model.Config.ZDim())
		}
		err = ckpt.Encode(&out, f)
	case what != lab.CurvesFile && what != lab.RunFile:
		return "", nil, fmt.Errorf("the lab makes no file called %s", setting.Quote(what))
	case !s.run.Playable():
		return "", nil, s.run.NotPlayable()
	case !s.lab.Timed():
		s.settle(effect.Effect{Panel: s.models.Paint(s.on())})
		var f wire.Frame
		Fill(&f, s.view())
		name, err = exportSet(&out, base, what, &f)
	case what == lab.CurvesFile:
		name = base + "-curves.csv"
		s.exported().CSV(&out)
	default:
		name = base + "-run.npz"
		err = s.exported().NPZ(&out)
	}
	return name, out.Bytes(), err
}

// exportSet writes a displayed set of particles on a line, and returns the name of the file. If
// `what` is lab.RunFile, the file contains particles, ẑ and densities as NPZ, otherwise the
// densities as CSV.
func exportSet(out *bytes.Buffer, base, what string, f *wire.Frame) (name string, err error) {
	set := export.NewSet(f)
	if what == lab.RunFile {
		return base + "-set.npz", set.NPZ(out)
	}
	set.CSV(out)
	return base + "-curves.csv", nil
}

// exported returns the displayed run in the form that other programs read.
func (s *Session) exported() *export.Run {
	return &export.Run{Live: s.run.Live(), Of: &s.lab.System.Traits, Models: s.models.Shown(), Predicts: s.file.Predicts}
}
