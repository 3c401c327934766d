package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/training"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Operations that involve both the training and the models: how a training begins, when it is kept
// as a run, and which run is displayed after a change of the settings.

// The method `start` begins or continues a training. If data for the training are missing, the
// training begins after the data have been fetched.
func (w *workspace) start() error {
	n, goes, err := w.train.Start(w.given())
	if err != nil || !goes {
		w.models.Shelf.Retry()
		w.settle(effect.Restated())
		return err
	}
	if n != nil {
		if err := w.putOnShow(n); err != nil {
			return err
		}
	}
	w.train.Go()
	if n != nil && n.Says != "" {
		w.announce(n.Says)
	}
	w.settle(effect.Effect{Frame: true, Panel: true})
	return nil
}

// announce shows the user a text, followed by the news that wait to be sent.
func (w *workspace) announce(text string) {
	n := &wire.Notice{Text: text}
	if last := w.page.news.notice; last != nil {
		n.Text, n.Action, n.Press = text+" "+last.Text, last.Action, last.Press
	}
	w.settle(effect.News(n, w.page.news.undo))
}

// put makes n the present training. The old one is kept as a run.
func (w *workspace) put(n *training.Item) {
	if n.Run != nil {
		w.models.TakeUp(n.Run)
	}
	w.leave()
	if n.Model != "" {
		w.doc.Model = n.Model
	}
	w.train.Put(n, w.given())
}

// putOnShow makes n the present training, and displays it. If model A is not in training and predicts, it stays
// on show: for a stochastic system the training becomes model B, otherwise model A becomes model B.
func (w *workspace) putOnShow(n *training.Item) error {
	w.put(n)
	a := w.picture.A()
	if w.lab.System.Traits.Stochastic && a != nil && !a.Training {
		w.models.Shelf.Pin(a.Name)
		return w.after(w.models.Compare(w.on(), runs.Training))
	}
	if err := w.after(w.models.Show(w.on(), runs.Training)); err != nil || !a.Predicts() || a.Training || w.picture.B() != nil {
		return err
	}
	return w.after(w.models.Compare(w.on(), a.Name))
}

// scratch replaces the present training by a paused one with the seed's initial weights.
func (w *workspace) scratch() error {
	n, err := w.train.Scratch(w.given())
	if err != nil {
		return err
	}
	return w.putOnShow(n)
}

// leave ends the present training and keeps it as a run.
func (w *workspace) leave() {
	w.setAside()
	w.closeTraining()
}

// closeTraining ends the present training if there is one.
func (w *workspace) closeTraining() {
	if w.train.Live == nil {
		return
	}
	w.helpers.release()
	w.train.Close()
	w.models.EndTraining()
}

// close ends all work.
func (w *workspace) close() {
	w.helpers.release()
	w.train.Close()
	w.sweeps.End()
	w.file.End()
}

// setAside keeps the present training automatically as a run, unless a run has the same
// weights.
func (w *workspace) setAside() {
	if !w.train.Worth() || w.models.Shelf.Kept.Of(w.train.Live.Model) != nil {
		return
	}
	r, err := w.train.Snapshot(w.models.Shelf.Kept.Free(w.train.Called()))
	if err != nil {
		w.settle(effect.News(effect.Failure(fmt.Errorf("what was trained so far cannot be kept: %w", err)), nil))
		return
	}
	w.keepAuto(r)
}

// keepAuto keeps a run automatically, and tells the user. Undo stops the training that has taken the
// run's place, and returns to the run.
func (w *workspace) keepAuto(r runs.Run) {
	n, err := w.models.KeepAuto(r)
	if err != nil {
		w.settle(effect.News(effect.Failure(err), nil))
		return
	}
	w.settle(effect.News(n, func() error {
		w.stop()
		return w.show(r.Name)
	}))
}

// forgetHalted drops the halted training. It keeps the run of this training, unless the run is
// kept already.
func (w *workspace) forgetHalted() {
	if r := w.train.Forget(w.models.Shelf.Kept.Free); r != nil {
		w.keepAuto(*r)
	}
}

// stop pauses the training.
func (w *workspace) stop() {
	w.train.Stop()
	w.settle(effect.Changed())
}

// toggleTraining starts or stops training.
func (w *workspace) toggleTraining() error {
	if w.train.Trains() || w.train.Waits() {
		w.stop()
		return nil
	}
	return w.start()
}

// startTo trains up to a place in the present stage or, if no training has begun, in the first
// stage.
func (w *workspace) startTo(to doc.Place, err error) error {
	if err == nil {
		err = w.start()
	}
	if err == nil {
		w.train.PauseAt(to, w.given())
	}
	return err
}

// step takes a single step and pauses.
func (w *workspace) step() effect.Effect {
	if w.train.Trains() {
		w.stop()
	}
	if w.models.Shelf.Coming(w.on().Now) {
		return effect.Effect{} // there is no model to train yet
	}
	if err := w.start(); err != nil || w.train.Live == nil {
		return effect.Failed(err)
	}
	n := w.learned(w.train.Step())
	if n == nil && w.train.Trains() {
		w.stop()
	}
	return effect.Effect{Notice: n}
}

// learned handles the result of a piece of training: the picture shows the new weights, and a
// fully trained model is kept.
func (w *workspace) learned(o training.Outcome) *wire.Notice {
	switch {
	case o.Learned:
		w.settle(w.picture.Learn(w.on(), o.Whole))
	case o.Told:
		w.settle(effect.Restated())
	}
	if o.Ended {
		return w.trained()
	}
	if says := w.train.Recommends(); says != "" {
		w.announce(says)
	}
	return effect.Failure(o.Err)
}

// When a training has ended, `trained` keeps the model.
func (w *workspace) trained() *wire.Notice {
	named := w.models.Shelf.KeepAs != ""
	r, err := w.train.Snapshot(w.models.Shelf.Kept.Free(cmp.Or(w.models.Shelf.KeepAs, w.train.Called())))
	if err == nil && (!named || w.models.Shelf.Kept.Keep(r) != nil) { // Keep fails if the list has no room for another named run
		w.keepAuto(r)
	}
	if err != nil {
		return &wire.Notice{Text: fmt.Sprintf("Training has ended: %s. It was not kept: %v.", r.Reached, err), Error: true}
	}
	w.models.Shelf.KeepAs, w.page.news.notice = "", nil
	show := func(v *view.Shown, show func(picture.On, string) (effect.Effect, error)) {
		if err == nil && v != nil && v.Training {
			err = w.after(show(w.on(), r.Name))
		}
	}
	show(w.picture.A(), w.models.Show)
	show(w.picture.B(), w.models.Compare)
	if err != nil {
		return effect.Failure(err)
	}
	return &wire.Notice{Text: fmt.Sprintf("Training has ended: %s. The model is kept as %q.", r.Reached, r.Name)}
}

// show displays a run as model A at the user's request. If the run has a training, the button
// Train will continue it, and the settings change to the settings of this training.
func (w *workspace) show(name string) error {
	if of, ok := w.models.Shelf.Ships(name); ok {
		w.doc.Method = ordinary(of.Method)
		if asked, _ := w.lab.Find(w.doc.Asked()); of == asked {
			return w.showShipped()
		}
		return w.after(w.models.Show(w.on(), name))
	}
	r, err := w.models.Shelf.Find(w.on().Now, name)
	if err != nil {
		return err
	}
	idle := !w.train.Trains() && !w.train.Waits()
	if err := w.after(w.models.Show(w.on(), name)); err != nil || !idle {
		return err
	}
	method := w.picture.A().Method()
	if runs.IsShipped(name) {
		method = ordinary(method)
	}
	if _, offered := w.lab.Find(lab.Model{Method: method}); offered { // the setting Method can only be a method with a shipped model
		w.doc.Method = method
	}
	w.forgetHalted()
	switch {
	case name == runs.Training:
		w.takeSettings(&w.train.By)
	case r.Resumes() && r.Recipe != (runs.Recipe{}):
		w.takeSettings(&r.Recipe)
		return w.train.Halt(r)
	}
	return nil
}

// ordinary returns the value of the setting Method for a displayed shipped model: the model's own
// method, unless it is tunable. A tunable model is displayed as one of the ordinary models that it
// contains, and the button Train then trains such an ordinary model.
func ordinary(name string) string {
	if name == method.Tunable {
		return method.Untuned
	}
	return name
}

// takeSettings copies a run's recipe to the settings.
func (w *workspace) takeSettings(by *runs.Recipe) {
	table := w.doc.Own()
	for name, text := range map[string]string{
		"method": by.Method, "scope": by.Scope, "size": by.Size, "law": by.Form, "g": cmp.Or(by.Drift, lab.PlainDrift), "params": cmp.Or(by.Params, lab.NoParams), "from": by.From,
		"eps": fmt.Sprint(by.Eps), "zdim": fmt.Sprint(by.ZDim), "tseed": fmt.Sprint(by.Seed),
	} {
		if f := table.Find(name); f != nil {
			_ = f.Set(text) // an invalid text leaves the field unchanged
		}
	}
	set := func(name, text string) {
		e, err := w.run.Do(func(live system.Live) error { return live.Set(name, text) })
		_ = w.after(e, err)
	}
	if w.lab.System.Traits.Forces != nil && !w.run.Live().Recorded() && by.Force != w.given().Recipe().Force { // a recording has its own force
		set("force", by.Force)
	}
	if seed := fmt.Sprint(by.Seed); !w.lab.Timed() && seed != fmt.Sprint(w.run.Seed()) {
		set("seed", seed)
	}
	w.settle(effect.Changed())
}

// recall looks for a run that was trained with the present settings. The button Train will continue
// the training of the found run.
func (w *workspace) recall() (err error) {
	w.forgetHalted()
	g := w.given()
	r := w.models.Shelf.Kept.Trained(g.Recipe(), g.OnCodes(), g.Data != nil)
	if r == nil || w.train.IsAsked(g) || w.train.Trains() || w.train.Waits() {
		return nil
	}
	name, text := r.Name, fmt.Sprintf("With these settings %q was trained.", r.Name)
	if r.Resumes() {
		text += " Train goes on with it."
		err = w.train.Halt(r)
	}
	w.settle(effect.News(&wire.Notice{Text: text, Action: "Show it", Press: "undo"}, func() error { return w.show(name) }))
	return err
}

// The method `fit` handles a change of the method, ε, the number of closure variables or the
// parameters. A training continues unchanged. If none is running, the shipped model is displayed if it fits the settings better than
// model A. In no case does a training begin.
func (w *workspace) fit() error {
	if w.picture.A() == nil || w.train.Trains() || !w.models.Shelf.Fitter(&w.doc.Settings, w.picture.A()) { // without a model A, the shipped model is being fetched
		return nil
	}
	return w.showShipped()
}

// showShipped displays the shipped model for the settings as soon as it is loaded. It pauses the
// training.
func (w *workspace) showShipped() error {
	if _, ok := w.lab.Find(w.doc.Asked()); !ok {
		return errors.New("no model of this method is shipped with this lab")
	}
	w.stop()
	return w.after(w.models.FollowSettings(w.on()))
}

// showTaken displays a run that has just been added, and copies the method, ẑ dim and ε of its
// model m to the settings. From a tunable model, it copies the usual ẑ dim and ε.
func (w *workspace) showTaken(name string, m *model.Model) error {
	c := &m.Usual().Config
	w.doc.ZDim, w.doc.Method, w.doc.Model = c.ZDim(), c.Spec.Method, lab.Shipped
	if c.Decoder.Density() {
		w.doc.Eps = c.Eps()
	}
	return w.after(w.models.Show(w.on(), name))
}

// showPoint displays the model for a point of the sweep.
func showPoint(w *workspace, point string) error {
	b, err := w.sweeps.Model(point)
	if err != nil {
		return err
	}
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		return err
	}
	m, err := w.models.Shelf.Open(f)
	if err != nil {
		return err
	}
	r := w.models.Shelf.Kept.Of(m)
	if r == nil {
		r = &runs.Run{Name: w.models.Shelf.Kept.Free(runs.NameOf(&m.Config, "") + ", of the sweep"), Origin: origin.Origin{Kind: origin.Swept}, Model: m}
		if _, err := w.models.KeepAuto(*r); err != nil {
			return errors.Unwrap(err)
		}
	}
	return w.showTaken(r.Name, m)
}
