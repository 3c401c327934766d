package session

import (
	"bytes"
	"fmt"
	"strings"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/session/export"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// files takes files and makes them.
type files struct{ *Session }

// file takes a dropped file: a checkpoint, or trajectories.
func (s files) file(name string, b []byte) *wire.Notice {
	switch {
	case bundle.Is(b) || strings.HasSuffix(name, bundle.Ending):
		return bundled{s.Session}.open(name, b)
	case saved.Is(b): // one that the page had set aside
		return bundled{s.Session}.openSaved(name, b)
	case isSafetensors(name, b):
		return s.openCheckpoint(name, b)
	}
	return s.own.file(name, b)
}

func isSafetensors(name string, b []byte) bool {
	const ending = ".safetensors"
	return len(name) >= len(ending) && name[len(name)-len(ending):] == ending || len(b) > 8 && b[8] == '{'
}

// withoutEnding is a file's name less its ending.
func withoutEnding(name string) string {
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}

// elsewhere offers to open a checkpoint in the lab that it is of, and says whether
// that is another one.
func (s files) elsewhere(name string, f *ckpt.File) bool {
	spec, err := experiment.SpecOf(f)
	if err != nil || spec.System == s.traits.Name || len(experiment.MethodsFor(spec.System)) == 0 {
		return false
	}
	s.askElsewhere(s.others.of(spec.System), "This is a model of another lab",
		fmt.Sprintf("%s holds a model of the lab **%s**. Nothing that is here is lost: the model opens there, as one of the runs, and this lab stays as it is.", setting.Quote(name), s.others.of(spec.System)))
	return true
}

// askElsewhere offers to open the last file in another lab.
func (s files) askElsewhere(lab, title, text string) {
	s.asked.put(asked{Ask: wire.Ask{Title: title, Text: text, Accept: "Open it there", Lab: lab}})
}

// openCheckpoint takes a dropped model, and the training that it may hold.
func (s files) openCheckpoint(name string, b []byte) *wire.Notice {
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err == nil && s.elsewhere(name, f) {
		return nil
	}
	var opened runs.Run
	goesOn := false
	if err == nil {
		opened.Model, err = s.library.open(f)
	}
	if err == nil {
		opened.Name, opened.Origin = s.library.kept.Free(withoutEnding(name)), "opened from "+setting.Quote(name)
		if goesOn = fit.Holds(f) && !s.lab.IsSampler(); goesOn {
			err = opened.Take(f, nil)
		}
	}
	if err == nil {
		err = s.library.kept.Keep(opened)
	}
	if err != nil {
		return failure(fmt.Errorf("%s was not opened: %w", setting.Quote(name), err))
	}
	if err := s.showTaken(opened.Name, opened.Model); err != nil {
		return failure(err)
	}
	text := fmt.Sprintf("Opened the model %s: %s.", setting.Quote(name), opened.Model.Detail())
	if s.trainer.forgetHalted(); goesOn {
		if err := s.trainer.halt(&opened); err != nil {
			return failure(err)
		}
		text += " It holds a training, with which Train goes on."
	}
	return &wire.Notice{Text: text}
}

// showTaken shows a run that has just been added, under the settings that its model is
// for.
func (s *Session) showTaken(name string, m *experiment.Model) error {
	if s.lab.IsSampler() {
		s.trainer.end()
	}
	c := &m.Config
	s.settings.ZDim, s.settings.Method, s.settings.Model = c.ZDim(), c.Spec.Method, lab.Shipped
	if c.Decoder.Density() {
		s.settings.Eps = c.Eps()
	}
	s.wantsShipped = s.wantsShipped && !s.lab.IsSampler()
	s.trainer.fitEps = s.settings.Eps
	return s.display.choose(name, false)
}

// Save implements wire.Session: the model on show with the training that it is
// in, the curves of the run, or the run itself.
func (s *Session) Save(what string) (name string, b []byte, err error) {
	var out bytes.Buffer
	base := "macroscope-" + s.lab.Link()
	switch {
	case what == wire.Bundle:
		return bundled{s}.save()
	case what == lab.SweepFile && s.sweeper.File() != "":
		return base + "-sweep.json", []byte(s.sweeper.File()), nil
	case what == wire.Model && s.display.a == nil:
		return "", nil, s.display.missing()
	case what == wire.Model:
		a := s.display.a
		f := a.Model.Checkpoint()
		if a.Training {
			f = s.trainer.live.Checkpoint()
		}
		name = fmt.Sprintf("%s-eps%g-z%d.safetensors", base, a.Model.Config.Eps(), a.Model.Config.ZDim())
		if !a.Model.Config.Decoder.Density() {
			name = fmt.Sprintf("%s-%s-z%d.safetensors", base, a.Model.Config.Spec.Method, a.Model.Config.ZDim())
		}
		err = ckpt.Encode(&out, f)
	case (what != lab.CurvesFile && what != lab.RunFile) || s.lab.IsSampler():
		return "", nil, fmt.Errorf("the lab makes no file called %s", setting.Quote(what))
	case !s.run.playable():
		return "", nil, s.run.notPlayable()
	case what == lab.CurvesFile:
		name = base + "-curves.csv"
		files{s}.run().CSV(&out)
	default:
		name = base + "-run.npz"
		err = files{s}.run().NPZ(&out)
	}
	return name, out.Bytes(), err
}

// run is the run on show as it is written for other programs.
func (s files) run() *export.Run {
	return &export.Run{Live: s.live, Dim: s.traits.Dim, Params: s.traits.Parameters, Forces: s.traits.Forces, Models: s.display.models(), Predicts: s.own.speaks}
}
