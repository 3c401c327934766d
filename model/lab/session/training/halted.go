package training

import (
	"fmt"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/curve"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/model"
	"macroscope/model/wire"
)

// halted is a training that the button Train would continue. It belongs to a kept run, to a file,
// or to a saved session that waits for its data.
type halted struct {
	runs.Run
	file   *ckpt.File
	curves *curve.Curves
	items  [][]byte // simulated data of the saved session
	inList bool     // whether the run is one of the kept runs
	status wire.Status
	runTo  Place
}

// After a call of Halt, the button Train continues the training of the kept run r.
func (t *Training) Halt(r *runs.Run) error {
	f, curves, err := r.Training()
	if err == nil {
		t.halted = &halted{Run: *r, file: f, curves: curves, inList: true, status: wire.Paused}
	}
	return err
}

// Halted returns the name of the halted training's run. inList reports whether this run is one
// of the kept runs. ok is false if there is no halted training.
func (t *Training) Halted() (name string, inList, ok bool) {
	if t.halted == nil {
		return "", false, false
	}
	return t.halted.Name, t.halted.inList, true
}

// Forget drops the halted training, because the user has selected something else. It returns
// the run that must be kept now, or nil if the run has already been kept.
func (t *Training) Forget(free func(name string) string) *runs.Run {
	h := t.halted
	if t.halted = nil; h == nil || h.inList {
		return nil
	}
	r := h.Run
	if r.Name = free(r.Name); r.Take(h.file, h.curves) != nil {
		return nil
	}
	return &r
}

// Resume returns the halted training, ready to continue. It returns nil until the codes of the
// training have arrived.
func (t *Training) Resume(g *Given) (*Next, error) {
	h := t.halted
	var codes *model.Codes
	if t.lab.Codes != "" && h.Coded {
		if t.codes == nil {
			t.waits = true
			return nil, nil
		}
		codes = t.codes
	}
	live, err := fit.ResumeLive(t.lab.Systems(), h.file, g.Data, codes, t.now)
	if err != nil {
		return nil, fmt.Errorf("the training cannot go on: %w", err)
	}
	live.Restore(h.curves, h.items)
	t.halted = nil
	n := &Next{Live: live, Origin: h.Origin, coded: codes != nil, status: h.status, runTo: h.runTo}
	n.Says = live.Model.Config.Data.Doubt()
	if h.inList {
		n.Taken = &h.Run
	} else {
		r := g.recipe()
		r.Recipe = h.Recipe
		n.trains = &r
	}
	if n.Origin == (origin.Origin{}) || h.inList && h.Recipe == (runs.Recipe{}) {
		n.Origin = origin.Origin{Kind: origin.OnCheckpoint}
	}
	return n, nil
}

// Restore reads the halted training from a saved session. m is the training's model. `goes` reports
// whether the training can continue at once. A training on codes can always continue. Any other
// training cannot continue at once if it needs the user's file. A training on trajectories cannot
// continue if it has ended. Restore drops a training on trajectories that has ended.
func (t *Training) Restore(r *saved.Session, m *model.Model) (goes bool) {
	d := &r.Trained
	status := wire.Status(d.Status)
	t.halted = &halted{
		Run:  runs.Run{Name: runs.NameOf(&m.Config, ""), Origin: d.Origin, Model: m, Recipe: d.By, Coded: d.OnCodes},
		file: r.Training, curves: r.Curves, items: r.Items, status: status, runTo: Place{d.Phase, d.Step, d.Until, d.Most},
	}
	done := status == wire.Done
	if !d.OnCodes && (m.Config.Data.Recorded || done) {
		if done {
			t.halted = nil
		}
		return false
	}
	return true
}

// Save returns the training for a saved session: what the document says of it, the file
// from which the training can continue, the curves, and the simulated data. file is nil if there is no such file.
func (t *Training) Save() (d doc.Training, file *ckpt.File, curves *curve.Curves, items []wire.Part) {
	d = doc.Training{Origin: t.origin, Status: int(t.status), By: t.trains.Recipe}
	to := t.RunTo
	h := t.halted
	switch {
	case t.live != nil:
		d.OnCodes = t.coded
		file, curves, items = t.live.Checkpoint(), &t.live.Curves, t.live.Items()
	case h != nil && !h.inList: // if inList is true, the run is saved with the kept runs
		d = doc.Training{Origin: h.Origin, OnCodes: h.Coded, Status: int(h.status), By: h.Recipe}
		file, curves, to = h.file, h.curves, h.runTo
		for _, b := range h.items {
			items = append(items, wire.Part{Key: wire.Key(b, nil), Bytes: func() []byte { return b }})
		}
	}
	d.Phase, d.Step, d.Until, d.Most = to.Phase, to.Step, to.Of, to.Most
	return d, file, curves, items
}

// Worth reports whether there is a training with results worth keeping.
func (t *Training) Worth() bool {
	switch {
	case t.live == nil:
		return false
	case t.live.Stage() > fit.Autoencoder && !t.coded:
		return true
	}
	return t.live.Step() > 0
}

// Called returns a name for the training, made from its kind and progress.
func (t *Training) Called() string {
	c, form := &t.live.Model.Config, ""
	if t.coded {
		form = t.trains.Form
	}
	return runs.NameOf(c, form) + runs.Progress(c, form, t.live.Stage(), t.live.Step())
}

// Snapshot returns the present training as a run, with all state that it needs to continue.
func (t *Training) Snapshot(name string) (runs.Run, error) {
	r := runs.Run{
		Name: name, Origin: t.origin, Reached: reached(&t.live.Curves), Model: t.live.Model.Clone(),
		Recipe: t.trains.Recipe, Coded: t.coded, Link: t.link,
	}
	if loss := t.live.Progress().Loss; r.Reached == "" && loss == loss {
		r.Reached = fmt.Sprintf("loss %.4g", loss)
	}
	return r, r.Take(t.live.Checkpoint(), &t.live.Curves)
}

// Trained returns the recipe of the present training.
func (t *Training) Trained() runs.Recipe { return t.trains.Recipe }

// IsAsked reports whether the present training is the one that the settings request.
func (t *Training) IsAsked(g *Given) bool { return t.live != nil && t.trains == g.recipe() }
