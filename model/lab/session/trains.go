package session

import (
	"cmp"
	"errors"
	"fmt"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/training"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Operations that involve both the training and the models: how a training begins, when it is kept
// as a run, and which run is displayed after a change of the settings.

// The method `start` begins or continues a training. If data for the training are missing, the
// training begins after the data have been fetched.
func (s *Session) start() error {
	n, goes, err := s.train.Start(s.given())
	if err != nil || !goes {
		s.models.Shelf.Retry()
		s.settle(effect.Restated())
		return err
	}
	if n != nil {
		if err := s.putOnShow(n); err != nil {
			return err
		}
	}
	s.train.Go()
	if n != nil && n.Says != "" {
		s.announce(n.Says)
	}
	s.settle(effect.Effect{Frame: true, Panel: true})
	return nil
}

// announce shows the user a text, followed by the news that wait to be sent.
func (s *Session) announce(text string) {
	n := &wire.Notice{Text: text}
	if s.news != nil {
		n.Text, n.Action, n.Press = text+" "+s.news.Text, s.news.Action, s.news.Press
	}
	s.settle(effect.News(n, s.undo))
}

// put makes n the present training. The old one is kept as a run.
func (s *Session) put(n *training.Next) {
	if n.Taken != nil {
		s.models.TakeUp(n.Taken)
	}
	s.leave()
	if n.Model != "" {
		s.doc.Model = n.Model
	}
	s.train.Put(n, s.given())
}

// putOnShow makes n the present training, and displays it. If model A is not in training and predicts, it stays
// on show: for a stochastic system the training becomes model B, otherwise model A becomes model B.
func (s *Session) putOnShow(n *training.Next) error {
	s.put(n)
	a := s.models.A()
	if s.lab.System.Traits.Stochastic && a != nil && !a.Training {
		s.models.Shelf.Pin(a.Name)
		return s.after(s.models.Compare(s.on(), runs.Training))
	}
	if err := s.after(s.models.Show(s.on(), runs.Training)); err != nil || !a.Predicts() || a.Training || s.models.B() != nil {
		return err
	}
	return s.after(s.models.Compare(s.on(), a.Name))
}

// scratch replaces the present training by a paused one with the seed's initial weights.
func (s *Session) scratch() error {
	n, err := s.train.Scratch(s.given())
	if err != nil {
		return err
	}
	return s.putOnShow(n)
}

// leave ends the present training and keeps it as a run.
func (s *Session) leave() {
	s.setAside()
	s.closeTraining()
}

// closeTraining ends the present training if there is one.
func (s *Session) closeTraining() {
	if s.train.Live() == nil {
		return
	}
	s.helpers.release()
	s.train.Close()
	s.models.EndTraining()
}

// Close ends all work of the session.
func (s *Session) Close() {
	s.helpers.release()
	s.train.Close()
	s.sweeps.End()
	s.file.End()
}

// setAside keeps the present training automatically as a run, unless a run has the same
// weights.
func (s *Session) setAside() {
	if !s.train.Worth() || s.models.Shelf.Kept.Of(s.train.Live().Model) != nil {
		return
	}
	r, err := s.train.Snapshot(s.models.Shelf.Kept.Free(s.train.Called()))
	if err != nil {
		s.settle(effect.News(effect.Failure(fmt.Errorf("what was trained so far cannot be kept: %w", err)), nil))
		return
	}
	s.keepAuto(r)
}

// keepAuto keeps a run automatically, and tells the user. Undo stops the training that has taken the
// run's place, and returns to the run.
func (s *Session) keepAuto(r runs.Run) {
	n, err := s.models.KeepAuto(r)
	if err != nil {
		s.settle(effect.News(effect.Failure(err), nil))
		return
	}
	s.settle(effect.News(n, func() error {
		s.stop()
		return s.show(r.Name)
	}))
}

// forgetHalted drops the halted training. It keeps the run of this training, unless the run is
// kept already.
func (s *Session) forgetHalted() {
	if r := s.train.Forget(s.models.Shelf.Kept.Free); r != nil {
		s.keepAuto(*r)
	}
}

// stop pauses the training.
func (s *Session) stop() {
	s.train.Stop()
	s.settle(effect.Changed())
}

// toggleTraining starts or stops training.
func (s *Session) toggleTraining() error {
	if s.train.Trains() || s.train.Waits() {
		s.stop()
		return nil
	}
	return s.start()
}

// startToStep trains up to the user's step of the present stage.
func (s *Session) startToStep() error { return s.startTo(s.train.Until.ToStep(s.train.Live())) }

// startToFigure trains until a figure is as low as the user requests.
func (s *Session) startToFigure() error { return s.startTo(s.train.Until.ToFigure(s.train.Live())) }

// startTo trains up to a place in the present stage or, if no training has begun, in the first
// stage.
func (s *Session) startTo(to training.Place, err error) error {
	if err == nil {
		err = s.start()
	}
	if err == nil {
		s.train.PauseAt(to, s.given())
	}
	return err
}

// step takes a single step and pauses.
func (s *Session) step() effect.Effect {
	if s.train.Trains() {
		s.stop()
	}
	if s.models.Shelf.Coming(s.on().Now) {
		return effect.Effect{} // there is no model to train yet
	}
	if err := s.start(); err != nil || s.train.Live() == nil {
		return effect.Failed(err)
	}
	n := s.learned(s.train.Step())
	if n == nil && s.train.Trains() {
		s.stop()
	}
	return effect.Effect{Notice: n}
}

// learned handles the result of a piece of training: the picture shows the new weights, and a
// fully trained model is kept.
func (s *Session) learned(o training.Outcome) *wire.Notice {
	switch {
	case o.Learned:
		s.settle(s.models.Learn(s.on(), o.Whole))
	case o.Told:
		s.settle(effect.Restated())
	}
	if o.Ended {
		return s.trained()
	}
	if says := s.train.Recommends(); says != "" {
		s.announce(says)
	}
	return effect.Failure(o.Err)
}

// When a training has ended, `trained` keeps the model.
func (s *Session) trained() *wire.Notice {
	named := s.models.Shelf.KeepAs != ""
	r, err := s.train.Snapshot(s.models.Shelf.Kept.Free(cmp.Or(s.models.Shelf.KeepAs, s.train.Called())))
	if err == nil && (!named || s.models.Shelf.Kept.Keep(r) != nil) { // Keep fails if the list has no room for another named run
		s.keepAuto(r)
	}
	if err != nil {
		return &wire.Notice{Text: fmt.Sprintf("Training has ended: %s. It was not kept: %v.", r.Reached, err), Error: true}
	}
	s.models.Shelf.KeepAs, s.news = "", nil
	show := func(v *view.Shown, show func(picture.On, string) (effect.Effect, error)) {
		if err == nil && v != nil && v.Training {
			err = s.after(show(s.on(), r.Name))
		}
	}
	show(s.models.A(), s.models.Show)
	show(s.models.B(), s.models.Compare)
	if err != nil {
		return effect.Failure(err)
	}
	return &wire.Notice{Text: fmt.Sprintf("Training has ended: %s. The model is kept as %q.", r.Reached, r.Name)}
}

// show displays a run as model A at the user's request. If the run has a training, the button
// Train will continue it, and the settings change to the settings of this training.
func (s *Session) show(name string) error {
	if of, ok := s.models.Shelf.Ships(name); ok {
		s.doc.Method = ordinary(of.Method)
		if asked, _ := s.lab.Find(s.doc.Asked()); of == asked {
			return s.showShipped()
		}
		return s.after(s.models.Show(s.on(), name))
	}
	r, err := s.models.Shelf.Find(s.on().Now, name)
	if err != nil {
		return err
	}
	idle := !s.train.Trains() && !s.train.Waits()
	if err := s.after(s.models.Show(s.on(), name)); err != nil || !idle {
		return err
	}
	method := s.models.A().Method()
	if runs.IsShipped(name) {
		method = ordinary(method)
	}
	if _, offered := s.lab.Find(lab.Model{Method: method}); offered { // the setting Method can only be a method with a shipped model
		s.doc.Method = method
	}
	s.forgetHalted()
	switch {
	case name == runs.Training:
		by := s.train.Trained()
		s.takeSettings(&by)
	case r.Resumes() && r.Recipe != (runs.Recipe{}):
		s.takeSettings(&r.Recipe)
		return s.train.Halt(r)
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
func (s *Session) takeSettings(by *runs.Recipe) {
	table := s.doc.Own()
	for name, text := range map[string]string{
		"method": by.Method, "scope": by.Scope, "size": by.Size, "law": by.Form, "g": cmp.Or(by.Drift, lab.PlainDrift), "params": cmp.Or(by.Params, lab.NoParams), "from": by.From,
		"eps": fmt.Sprint(by.Eps), "zdim": fmt.Sprint(by.ZDim), "tseed": fmt.Sprint(by.Seed),
	} {
		if f := table.Find(name); f != nil {
			_ = f.Set(text) // an invalid text leaves the field unchanged
		}
	}
	set := func(name, text string) {
		e, err := s.run.Do(func(live system.Live) error { return live.Set(name, text) })
		_ = s.after(e, err)
	}
	if s.lab.System.Traits.Forces != nil && !s.run.Live().Recorded() && by.Force != s.given().Recipe().Force { // a recording has its own force
		set("force", by.Force)
	}
	if seed := fmt.Sprint(by.Seed); !s.lab.Timed() && seed != fmt.Sprint(s.run.Seed()) {
		set("seed", seed)
	}
	s.settle(effect.Changed())
}

// recall looks for a run that was trained with the present settings. The button Train will continue
// the training of the found run.
func (s *Session) recall() (err error) {
	s.forgetHalted()
	g := s.given()
	r := s.models.Shelf.Kept.Trained(g.Recipe(), g.OnCodes(), g.Data != nil)
	if r == nil || s.train.IsAsked(g) || s.train.Trains() || s.train.Waits() {
		return nil
	}
	name, text := r.Name, fmt.Sprintf("With these settings %q was trained.", r.Name)
	if r.Resumes() {
		text += " Train goes on with it."
		err = s.train.Halt(r)
	}
	s.settle(effect.News(&wire.Notice{Text: text, Action: "Show it", Press: "undo"}, func() error { return s.show(name) }))
	return err
}

// The method `fit` handles a change of the method, ε, the number of closure variables or the
// parameters. A training continues unchanged. If none is running, the shipped model is displayed if it fits the settings better than
// model A. In no case does a training begin.
func (s *Session) fit() error {
	if s.models.A() == nil || s.train.Trains() || !s.models.Shelf.Fitter(&s.doc.Settings, s.models.A()) { // without a model A, the shipped model is being fetched
		return nil
	}
	return s.showShipped()
}

// showShipped displays the shipped model for the settings as soon as it is loaded. It pauses the
// training.
func (s *Session) showShipped() error {
	if _, ok := s.lab.Find(s.doc.Asked()); !ok {
		return errors.New("no model of this method is shipped with this lab")
	}
	s.stop()
	return s.after(s.models.FollowSettings(s.on()))
}
