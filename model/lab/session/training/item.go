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
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/wire"
)

// Item is a training: what a saved session says of it, and the training itself. The training runs, is paused or has ended
// (then Live has it), or it is halted (then it is in a file).
type Item struct {
	doc.Training
	Live  *fit.Live // the caller must not change it
	Model string    // value of the setting Model in links that repeat the training; "" keeps the present value
	Run   *runs.Run // the kept run that the training continues; nil if there is none
	Says  string    // a sentence for the user when the training begins, or ""

	data   data
	unlike *measure.Mismatch // how the data move, see Given; nil if nothing is wrong with them
	rest   *rest             // nil if the training is not halted
}

// rest is the file of a halted training.
type rest struct {
	file   *ckpt.File
	curves *curve.Curves
	items  [][]byte     // simulated data
	model  *model.Model // the weights in the file
}

// After a call of Halt, the button Train continues the training of the kept run r.
func (t *Training) Halt(r *runs.Run) error {
	f, curves, err := r.Training()
	if err == nil {
		kept := *r
		t.halted = &Item{
			Training: doc.Training{Origin: r.Origin, OnCodes: r.Coded, Status: wire.Paused, By: r.Recipe},
			Run:      &kept, rest: &rest{file: f, curves: curves, model: r.Model},
		}
	}
	return err
}

// Halted reports whether there is a halted training.
func (t *Training) Halted() bool { return t.halted != nil }

// Drop drops the halted training if it belongs to the kept run with this name, which is deleted.
func (t *Training) Drop(name string) {
	if h := t.halted; h != nil && h.Run != nil && h.Run.Name == name {
		t.halted = nil
	}
}

// Forget drops the halted training, because the user has selected something else. It returns
// the run that must be kept now, or nil if the training belongs to a kept run.
func (t *Training) Forget(free func(name string) string) *runs.Run {
	h := t.halted
	if t.halted = nil; h == nil || h.Run != nil {
		return nil
	}
	m := h.rest.model
	r := &runs.Run{Name: free(runs.NameOf(&m.Config, "")), Origin: h.Origin, Model: m, Recipe: h.By, Coded: h.OnCodes}
	if r.Take(h.rest.file, h.rest.curves) != nil {
		return nil
	}
	return r
}

// Resume returns the halted training, ready to continue. It returns nil until the codes of the
// training have arrived.
func (t *Training) Resume(g *Given) (*Item, error) {
	h := t.halted
	var codes *model.Codes
	if t.lab.Codes != "" && h.OnCodes {
		if t.codes == nil {
			t.waits = true
			return nil, nil
		}
		codes = t.codes
	}
	live, err := fit.ResumeLive(t.lab.Systems(), h.rest.file, g.Data, codes, t.now)
	if err != nil {
		return nil, fmt.Errorf("the training cannot go on: %w", err)
	}
	live.Restore(h.rest.curves, h.rest.items)
	t.halted = nil
	n := *h
	n.Live, n.rest, n.OnCodes, n.data = live, nil, codes != nil, g.data()
	n.Says = live.Model.Config.Data.Doubt()
	if n.Origin == (origin.Origin{}) || n.Run != nil && n.By == (runs.Recipe{}) {
		n.Origin = origin.Origin{Kind: origin.OnCheckpoint}
	}
	if n.Run != nil {
		n.By = g.Recipe()
	}
	return &n, nil
}

// Restore reads the halted training from a saved session. m is the training's model. `goes` reports
// whether the training can continue at once. A training on codes can always continue. Any other
// training cannot continue at once if it needs the user's file. A training on trajectories cannot
// continue if it has ended. Restore drops a training on trajectories that has ended.
func (t *Training) Restore(r *saved.Session, m *model.Model) (goes bool) {
	t.halted = &Item{Training: r.Trained, rest: &rest{r.Training, r.Curves, r.Items, m}}
	done := r.Trained.Status == wire.Done
	if !r.Trained.OnCodes && (m.Config.Data.Recorded || done) {
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
	h := t.halted
	switch {
	case t.Live != nil:
		return t.Item.Training, t.Live.Checkpoint(), &t.Live.Curves, t.Live.Items()
	case h == nil || h.Run != nil: // the run is saved with the kept runs
		return t.Item.Training, nil, nil, nil
	}
	for _, b := range h.rest.items {
		items = append(items, wire.Part{Key: wire.Key(b, nil), Bytes: func() []byte { return b }})
	}
	return h.Training, h.rest.file, h.rest.curves, items
}

// Worth reports whether there is a training with results worth keeping.
func (t *Training) Worth() bool {
	switch {
	case t.Live == nil:
		return false
	case t.Live.Stage() > fit.Autoencoder && !t.OnCodes:
		return true
	}
	return t.Live.Step() > 0
}

// Called returns a name for the training, made from its kind and progress.
func (t *Training) Called() string {
	c, form := &t.Live.Model.Config, ""
	if t.OnCodes {
		form = t.By.Form
	}
	return runs.NameOf(c, form) + runs.Progress(c, form, t.Live.Stage(), t.Live.Step())
}

// Snapshot returns the present training as a run, with all state that it needs to continue.
func (t *Training) Snapshot(name string) (runs.Run, error) {
	r := runs.Run{
		Name: name, Origin: t.Item.Origin, Reached: result(&t.Live.Curves), Model: t.Live.Model.Clone(),
		Recipe: t.By, Coded: t.OnCodes, Link: t.Model,
	}
	if loss := t.Live.Progress().Loss; r.Reached == "" && loss == loss {
		r.Reached = fmt.Sprintf("loss %.4g", loss)
	}
	return r, r.Take(t.Live.Checkpoint(), &t.Live.Curves)
}

// IsAsked reports whether the present training is the one that the settings request.
func (t *Training) IsAsked(g *Given) bool {
	return t.Live != nil && t.By == g.Recipe() && t.data == g.data()
}
