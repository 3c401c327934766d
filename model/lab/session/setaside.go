package session

import (
	"cmp"
	"fmt"

	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

// leastSteps is how many steps a training is kept for between two values of ε: it
// follows a slider, and leaves a run behind at every stop.
const leastSteps = 50

// worthKeeping says whether there is a training that has come to something.
func (t *trainer) worthKeeping() bool {
	switch {
	case t.live == nil:
		return false
	case t.live.Phase() > fit.Autoencoder && !t.coded:
		return true
	}
	return t.live.Step() > 0
}

// setAside keeps the training as it is now among the runs, by itself, unless one
// of them has the same weights.
func (t *trainer) setAside() {
	if !t.worthKeeping() || t.s.library.kept.Of(t.live.Model()) != nil {
		return
	}
	r, err := t.snapshot(t.s.library.kept.Free(t.called()))
	if err != nil {
		t.s.tell(failure(fmt.Errorf("what was trained so far cannot be kept: %w", err)), nil)
		return
	}
	t.s.library.keepAuto(r)
}

// called names the training by what it is and how far it has come.
func (t *trainer) called() string {
	c, form := &t.live.Model().Config, ""
	if t.coded {
		form = t.trains.Form
	}
	return runs.NameOf(c, form) + runs.Progress(c, form, t.live.Phase(), t.live.Step())
}

// snapshot returns the training as it is now as a run, with all that it needs to
// go on.
func (t *trainer) snapshot(name string) (runs.Run, error) {
	m := t.live.Model()
	r := runs.Run{
		Name: name, Origin: t.origin, Reached: t.reached(), Model: m.Clone(),
		Recipe: t.trains.Recipe, Coded: t.coded, FitEps: t.fitEps, Link: t.link,
	}
	if loss := t.live.Progress().Loss; r.Reached == "" && loss == loss {
		r.Reached = fmt.Sprintf("loss %.4g", loss)
	}
	return r, r.Take(t.live.Checkpoint(), t.live.Curves())
}

// keepAuto keeps a run by itself, and says so.
func (l *library) keepAuto(r runs.Run) {
	s := l.s
	gone, err := l.kept.KeepAuto(r, s.display.a.Called(), s.display.b.Called())
	if err != nil {
		s.tell(failure(fmt.Errorf("what was trained so far cannot be kept: %w", err)), nil)
		return
	}
	text := fmt.Sprintf("What was trained so far is kept among the runs as %q.", r.Name)
	if len(gone) > 0 {
		text += fmt.Sprintf(" The oldest without a name of yours, %q, went: %d of these are kept.", gone[0], runs.MaxAuto)
	}
	s.tell(&wire.Notice{Text: text, Action: "Undo", Press: "undo"}, func() error { return l.show(r.Name) })
}

// show puts a run on show as model A, as the visitor asks. Train goes on with its
// training, if it has one, under the settings that it has had.
func (l *library) show(name string) error {
	if method, ok := runs.ShippedMethod(name); ok && l.ships(name) {
		l.s.settings.Method = method
		return opening{l.s}.showShipped()
	}
	r, err := l.get(name)
	if err != nil {
		return err
	}
	t := &l.s.trainer
	idle := t.status != wire.Training && !t.eager
	if idle && r.Resumes() && l.s.lab.IsSampler() {
		return follower{t}.back(*r)
	}
	if err := l.s.display.choose(name, false); err != nil || !idle {
		return err
	}
	l.s.settings.Method = r.Model.Config.Spec.Method
	t.forgetHalted()
	switch {
	case name == runs.Training && !l.s.lab.IsSampler():
		l.settings(&runs.Run{Recipe: t.trains.Recipe})
	case r.Resumes() && r.Recipe != (runs.Recipe{}):
		l.settings(r)
		return t.halt(r)
	}
	return nil
}

// settings makes the settings those that a run was trained with.
func (l *library) settings(r *runs.Run) {
	by, s := &r.Recipe, l.s
	table := s.settings.Table(&s.lab)
	for name, text := range map[string]string{
		"method": by.Method, "scope": by.Scope, "size": by.Size, "law": by.Form, "g": cmp.Or(by.Drift, lab.PlainDrift), "params": cmp.Or(by.Params, lab.NoParams), "from": by.From,
		"eps": fmt.Sprint(by.Eps), "zdim": fmt.Sprint(by.ZDim), "tseed": fmt.Sprint(by.Seed),
	} {
		if f := table.Find(name); f != nil {
			_ = f.Set(text) // it keeps its value where a file says something odd
		}
	}
	if s.traits.Forces != nil && !s.live.Recorded() && by.Force != s.trainer.recipe().Force { // a recording has its own
		_ = commands{s}.act(func() error { return s.live.Set("force", by.Force) })
	}
	if seed := fmt.Sprint(by.Seed); s.lab.IsSampler() && seed != fmt.Sprint(s.run.seed()) {
		_ = commands{s}.act(func() error { return s.live.Set("seed", seed) })
	}
	s.changed()
}

// back goes on from where a training stood, which does not train yet.
func (t follower) back(r runs.Run) error {
	f, curves, err := r.Training()
	if err != nil {
		return err
	}
	live, err := fit.ResumeLive(t.s.lab.Systems(), f, nil, nil, t.s.now)
	if err != nil {
		return fmt.Errorf("the training cannot go on: %w", err)
	}
	live.RestoreCurves(*curves)
	t.s.library.takeUp(&r)
	t.end()
	t.s.library.settings(&r)
	t.adopt(live, r.Origin)
	t.fitEps, t.status, t.s.wantsShipped = r.FitEps, wire.Paused, false
	if live.Step() >= live.Steps() {
		t.status = wire.Done
	}
	if t.s.settings.Model = r.Link; r.Link == "" {
		t.s.settings.Model = lab.Shipped
	}
	if err := t.s.display.choose(runs.Training, false); err != nil {
		return err
	}
	if n := t.s.live.Run().Particles; n != live.Model().Config.Particles {
		return t.renew()
	}
	return nil
}

// recall looks for a run that was trained with the settings as they have become.
// The model of single sets goes back to it; elsewhere Train goes on with it.
func (t *trainer) recall() (found bool, err error) {
	s := t.s
	if t.forgetHalted(); t.live != nil && t.trains == t.recipe() {
		return false, nil
	}
	r := s.library.kept.Trained(t.recipe().Recipe, t.plan().OnCodes(), s.own.data != nil && !s.lab.IsSampler())
	switch {
	case r == nil:
		return false, nil
	case s.lab.IsSampler():
		if !r.Resumes() {
			return false, nil
		}
		return true, follower{t}.back(*r)
	case t.status == wire.Training || t.eager:
		return false, nil
	}
	name, text := r.Name, fmt.Sprintf("With these settings %q was trained.", r.Name)
	if r.Resumes() {
		text += " Train goes on with it."
		err = t.halt(r)
	}
	s.tell(&wire.Notice{Text: text, Action: "Show it", Press: "undo"}, func() error { return s.library.show(name) })
	return true, err
}

// forgetHalted lets a training go that Train would go on with: the visitor wants
// something else. One that no run keeps becomes a run.
func (t *trainer) forgetHalted() {
	h := t.halted
	if t.halted = nil; h == nil || h.inList {
		return
	}
	r := h.Run
	if r.Name = t.s.library.kept.Free(r.Name); r.Take(h.file, h.curves) == nil {
		t.s.library.keepAuto(r)
	}
}
