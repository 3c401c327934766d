package session

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"macroscope/model/compute/kernel"
	"macroscope/model/lab"
	"macroscope/model/lab/extras"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/models"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/survey"
	"macroscope/model/lab/session/sweeps"
	"macroscope/model/lab/session/training"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// View is a read-only view of a session. State and Fill take a View and do not change the
// session.
type View struct {
	lab    *lab.Lab
	traits system.Traits
	timed  bool
	learns bool
	doc    *doc.Sheet
	opens  *opens

	live    system.Live
	run     *run.Run
	models  *models.Models
	picture *picture.Picture
	on      picture.On
	train   *training.Training
	words   training.Words // describe the training
	given   *training.Given
	file    *ownfile.OwnFile
	sweeps  *sweeps.Sweeps
	swept   bool // whether the sweep is running now
	survey  *survey.Survey
	asks    *survey.Given // the data on which the survey depends
	extras  *extras.Parts
	ask     wire.Ask
	now     func() time.Time
}

// view returns a View of the session.
func (s *Session) view() *View {
	w, g := s.w, s.w.given()
	return &View{
		lab: &w.lab, traits: w.lab.System.Traits, timed: w.lab.Timed(), learns: w.opens.learns, doc: w.document(), opens: &w.opens,
		live: w.run.Live(), run: w.run, models: w.models, picture: w.picture, on: w.on(), train: w.train, words: w.train.Words(g), given: g, file: w.file,
		sweeps: w.sweeps, swept: w.sweeping(), survey: s.jobs.survey, asks: s.jobs.forSurvey(), extras: s.jobs.extras, ask: s.arrivals.asked.Ask, now: w.now,
	}
}

// status returns the training's status. In a lab of single sets, a displayed model that is not in
// training counts as done.
func (v *View) status() wire.Status {
	if !v.timed && v.train.Live == nil && v.picture.A() != nil {
		return wire.Done
	}
	return v.train.Status
}

// repeats reports whether a link repeats the training.
func (v *View) repeats() bool { return v.doc.Model == lab.Trained && v.train.Repeats(v.given) }

// linked returns the settings that a link contains. They are valid until the next call.
func (v *View) linked() *doc.Sheet {
	l := v.opens.link
	l.Settings = v.doc.Settings
	l.Frame, l.Phase, l.Step, l.Model = v.run.Frame(), 0, 0, lab.Shipped
	if live := v.train.Live; v.repeats() {
		l.Model, l.Phase, l.Step = lab.Trained, int(live.Stage()), live.Step()
	}
	turned, ok := v.run.Turned()
	if l.Run.Turned = turned; !ok {
		l.Run.Turned = ""
	}
	return l
}

// fragment returns all settings as a URL fragment, without '#'.
func (v *View) fragment() string { return v.linked().Fragment(v.opens.usual, v.run.Points()) }

// knows returns the ranges of ε and ẑ dim for which model A was trained. A method without a density has no ε.
func (v *View) knows() map[string][]float64 {
	a := v.picture.A()
	if a == nil {
		return nil
	}
	low, high, zdims := cmp.Or(a.Tunable, a.Model).Config.Tuning().Range()
	of := map[string][]float64{"zdim": {float64(slices.Min(zdims)), float64(slices.Max(zdims))}}
	if a.Density != nil {
		of["eps"] = []float64{low, high}
	}
	return of
}

// State returns the state of the panel.
func State(v *View) wire.State {
	p := v.live.Player()
	fragment := v.fragment()
	train, task := v.words.Button()
	st := wire.State{
		Lab: v.lab.Link(), Status: v.status().String(), Playing: p.Busy() || v.run.Preparing(),
		Values: map[string]string{"preset": v.run.System(), "tool": v.run.Tool(), "at": strconv.Itoa(p.Now()), "name": v.models.Shelf.KeepAs},
		Labels: map[string]string{"play": "Play", "train": train}, Tasks: map[string]string{}, Off: map[string]string{},
		Max:     map[string]float64{"at": float64(max(1, v.live.Run().Horizon))},
		Summary: v.lab.Say("headline", v.headline()), Figures: v.figures(), Warning: v.warn(), Fragment: fragment, Short: v.opens.usual.Short(fragment),
		Kernel: kernel.Name(), Runs: v.models.List(v.train), Model: v.models.About(), Swept: v.models.Swept(), Ask: v.ask, Hidden: v.run.Hidden(),
	}
	st.Knows = v.knows()
	if task != "" {
		st.Tasks["train"] = task
	}
	if st.Ask.Title == "" {
		st.Ask = v.file.Ask()
	}
	st.Hidden["release"] = v.picture.Free() != nil
	st.Carries, st.Leaves = v.run.Share(v.file.Name())
	st.Leaves = append(st.Leaves, v.models.Unlinked(&v.doc.Settings, v.train, v.repeats(), len(st.Leaves) > 0)...)
	st.Task, st.Progress, st.SecsLeft = v.task()
	for _, f := range v.live.Settings() {
		st.Values[f.Name] = f.Text()
	}
	for _, f := range v.doc.Own() {
		if !f.Hidden {
			st.Values[f.Name] = f.Text()
		}
	}
	for _, f := range v.train.Until.Table() {
		st.Values[f.Name] = f.Text()
	}
	v.file.Fill(&st)
	v.sweeps.Fill(&st, forSweeps(v.given))
	v.survey.Fill(&st, v.asks)
	if l, ok := v.live.(interface{ Values(map[string]string) }); ok { // adds the values of controls that are not settings
		l.Values(st.Values)
	}
	switch {
	case p.Playing():
		st.Labels["play"], st.Tasks["play"] = "Pause", wire.Running
	case v.on.Playable && p.AtEnd():
		st.Labels["play"] = "Play again"
	}
	v.off(st.Off)
	return st
}

// off adds the reasons why controls are disabled.
func (v *View) off(off map[string]string) {
	say := func(err error, ids ...string) {
		for _, id := range ids {
			off[id] = effect.Sentence(err.Error())
		}
	}
	if err := v.models.Shelf.OnShow(v.on.Now, v.picture.A()); err != nil {
		say(err, "shipped")
	}
	if err := v.picture.Free(); err != nil {
		say(err, "release")
	}
	if !v.timed || !v.learns {
		return
	}
	if !v.on.Playable {
		say(v.run.NotPlayable(), "play", "step", "restart", "at", "shuffle")
	}
	if v.lacksRuns() {
		say(errors.New("there are no runs to learn from; open a file of them first"), "train", "go", "until")
	}
	if v.file.File() == nil {
		say(ownfile.ErrNone, "trajectory", "observable", "simulate")
	}
	switch a := v.picture.A(); {
	case a == nil || a.Density != nil:
	case a.Points != nil:
		say(errors.New("the model’s method restores points and learns no density"), "samples")
	default:
		say(errors.New("the model’s method decodes nothing"), "decode", "source", "samples")
	}
	switch coded, ok := v.lab.Coded(); {
	case !ok:
	case v.given.OnCodes():
		say(errors.New("the dynamics alone learn from ẑ of the shipped encoder; train everything to choose this"), "size", "workers")
	case v.doc.Scope == lab.DynamicsAlone:
		say(fmt.Errorf("there is ẑ of one shipped encoder alone, of the deep set with ε %g and ẑ dim %d; with another, or your trajectories, everything is trained", coded.Eps, coded.ZDim), "scope")
	}
	switch {
	case v.picture.A() == nil:
		say(v.models.Shelf.Missing(), "encode", "decode", "rollout", "keep")
	case v.doc.All:
		say(errors.New("every stage follows every frame; switch off Run all stages first"), "encode", "decode", "rollout")
	case !v.picture.Encoded():
		say(errors.New("this stage works on ẑ, so encode first"), "decode", "rollout")
	}
}

// lacksRuns reports whether there are no data to learn from.
func (v *View) lacksRuns() bool { return v.lab.Describe != nil && v.given.Data == nil }

// task describes the task for which the user is waiting. share is the finished part, from 0 to 1.
// left is the remaining time in seconds.
func (v *View) task() (text string, share, left float64) {
	what, prepared := v.live.Preparing()
	switch {
	case what != "":
		return what, prepared, 0
	case v.file.Reading():
		text, share = v.file.Task()
	case v.train.Waits() && !v.train.Trains():
		return "Fetching what is needed to train", 0, 0
	case v.swept:
		text, share, left = v.sweeps.Task()
	default:
		if text, share, left = v.words.Task(); text != "" {
			if v.sweeps.Running() {
				text += "; the sweep begins when the training stops"
			}
			break
		}
		if text, share = v.file.Task(); text == "" {
			text, share, left = v.extras.Task(v.now())
		}
	}
	return effect.UpperFirst(text), share, left
}
