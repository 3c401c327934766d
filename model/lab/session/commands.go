package session

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/run"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// commands contains the handlers of the page's commands, by kind. Edits of the run go to
// system.Live.Edit.
var commands map[string]func(*Session, wire.Command) *wire.Notice

// buttons contains the handlers of the session's buttons, by name; stills contains the handlers
// in a lab of single sets. The system's own buttons go to system.Live.Press.
var buttons, stills map[string]button

type button func(*Session) effect.Effect

// controls contains the handlers of controls that are not settings, by name.
var controls map[string]func(*Session, string) error

func init() {
	commands = map[string]func(*Session, wire.Command) *wire.Notice{
		wire.Set:     func(s *Session, c wire.Command) *wire.Notice { return s.setControl(c.Name, c.Value) },
		wire.Press:   func(s *Session, c wire.Command) *wire.Notice { return s.press(c.Name) },
		wire.Link:    func(s *Session, c wire.Command) *wire.Notice { return s.follow(c.Name, c.Value) },
		wire.File:    func(s *Session, c wire.Command) *wire.Notice { return s.take(c.Name, c.Data) },
		wire.Restore: func(s *Session, c wire.Command) *wire.Notice { return s.restore(c.Data, c.Value, c.Name) },
		wire.Train:   func(s *Session, _ wire.Command) *wire.Notice { return effect.Failure(s.start()) },
		wire.Pause: func(s *Session, _ wire.Command) *wire.Notice {
			s.stop()
			return nil
		},
		"seek": func(s *Session, c wire.Command) *wire.Notice { return effect.Failure(s.seek(c.Value)) },
		"hold": func(s *Session, c wire.Command) *wire.Notice { return effect.Failure(s.hold(s.models.Hold(c.Value))) },
		"holdz": func(s *Session, c wire.Command) *wire.Notice {
			if s.models.A() == nil {
				return effect.Failure(s.models.Shelf.Missing())
			}
			return effect.Failure(s.hold(s.models.HoldNumber(c.Value)))
		},
	}
	buttons = map[string]button{
		wire.Accept: (*Session).accept,
		wire.Cancel: (*Session).cancel,
		"play":      moving((*run.Run).Toggle),
		"step":      moving((*run.Run).Next),
		"restart":   moving((*run.Run).Restart),
		"shuffle":   (*Session).shuffle,
		"trainstep": (*Session).step,
		"encode":    changing(func(s *Session) error { return s.reveal(1, picture.Code) }),
		"decode":    changing(func(s *Session) error { return s.reveal(2, picture.Density) }),
		"rollout":   changing(func(s *Session) error { return s.reveal(3, picture.Prediction) }),
		"train":     changing((*Session).toggleTraining),
		"go":        changing((*Session).startToStep),
		"until":     changing((*Session).startToFigure),
		"reset":     changing(func(*Session) error { return nil }),
		"shipped":   changing((*Session).backToShipped),
		"wider":     changing(func(s *Session) error { return s.compare(s.models.Shelf.WiderName()) }),
		"undo":      (*Session).undoLast,
		"back":      (*Session).undoChange,
		"forth":     (*Session).redoChange,
		"release":   changing((*Session).release),
		"sweeprun":  changing((*Session).toggleSweep),
		"keep":      changing((*Session).keep),
		"simulate":  changing((*Session).simulate),
	}
	stills = maps.Clone(buttons)
	maps.Copy(stills, map[string]button{
		"step":    (*Session).step,
		"reset":   changing((*Session).scratch),
		"newseed": (*Session).newSeed,
	})
	controls = map[string]func(*Session, string) error{
		"preset":     func(s *Session, value string) error { return s.after(s.run.SetSystem(value)) },
		"example":    (*Session).openExample,
		"tool":       func(s *Session, value string) error { return s.after(s.run.SetTool(value)) },
		"at":         (*Session).seek,
		"runA":       (*Session).show,
		"runB":       (*Session).compare,
		"dropRun":    (*Session).drop,
		"sweeppoint": (*Session).showPoint,
		"name": func(s *Session, value string) error {
			s.models.Shelf.KeepAs = strings.TrimSpace(value)
			return nil
		},
		"play": func(s *Session, value string) error { return s.after(s.run.SetPlaying(value == "on")) },
	}
}

// Apply implements wire.Session.
func (s *Session) Apply(c wire.Command) *wire.Notice {
	work, before, offers := s.run.Work(), s.document().Past(), s.history.offers
	n := s.do(c)
	offered := s.history.offers != offers
	s.offer(&work, &before, c)
	s.record(c, before, offered)
	s.history.offered = s.history.offers != offers
	s.settle(effect.Restated())
	return s.answer(n)
}

// do carries out a command and returns its answer.
func (s *Session) do(c wire.Command) *wire.Notice {
	if name, restores := s.file.Restoring(); restores && c.Kind == wire.File {
		s.file.Wait(c) // the file must wait: opening it would end the reading of the restored file
		return &wire.Notice{Text: fmt.Sprintf("%s is opened as soon as %s is here again.", setting.Quote(c.Name), setting.Quote(name))}
	}
	switch c.Kind {
	case wire.Link, wire.File, wire.Restore: // these commands withdraw a question that waits for an answer
		s.asked.drop()
		s.stopReading()
	}
	if command := commands[c.Kind]; command != nil {
		return command(s, c)
	}
	e, handled, err := s.run.Edit(c.Kind, c.Value)
	s.settle(e)
	if !handled {
		err = fmt.Errorf("the lab has no command called %s", setting.Quote(c.Kind))
	}
	return effect.Failure(err)
}

// stopReading ends the reading of a file if there is one.
func (s *Session) stopReading() {
	s.file.Stop()
	s.settle(effect.Effect{})
}

// offer lets the user undo a command that has replaced the user's own work on the run, unless the user was asked before.
func (s *Session) offer(work *run.Work, before *doc.Past, c wire.Command) {
	text := ""
	switch c.Kind {
	case wire.Set, wire.Press, wire.Link:
		if c.Name != wire.Accept {
			text = s.run.Gone(work, c.Name)
		}
	}
	if text == "" {
		return
	}
	if s.news != nil {
		text = s.news.Text + " " + text
	}
	after := s.document().Past()
	s.settle(effect.News(&wire.Notice{Text: text, Action: "Undo", Press: "undo"}, func() error {
		d := s.document().Clone()
		_, err := d.Return(&after, before)
		d.Frame = before.Frame
		return errors.Join(err, s.adopt(d, false))
	}))
}

// changing returns a button for a function that always changes the picture.
func changing(press func(*Session) error) button {
	return func(s *Session) effect.Effect {
		err := press(s)
		return effect.Changed().And(effect.Failed(err))
	}
}

// moving returns a button for a function that moves the run. The run must be playable.
func moving(move func(*run.Run) (effect.Effect, error)) button {
	return func(s *Session) effect.Effect {
		if !s.run.Playable() {
			return effect.Failed(s.run.NotPlayable())
		}
		e, err := move(s.run)
		return e.And(effect.Failed(err))
	}
}

// press handles a button.
func (s *Session) press(id string) *wire.Notice {
	all := buttons
	if !s.lab.Timed() {
		all = stills
	}
	press := all[id]
	if press == nil {
		press = func(s *Session) effect.Effect { return s.pressSystem(id) }
	}
	e := press(s)
	s.settle(e)
	return e.Notice
}

// pressSystem handles a button that belongs to the system.
func (s *Session) pressSystem(id string) effect.Effect {
	e, handled, err := s.run.Press(id)
	if !handled {
		err = fmt.Errorf("the lab has no button called %s", setting.Quote(id))
	}
	return e.And(effect.Failed(err))
}

// accept carries out the confirmed action.
func (s *Session) accept() effect.Effect {
	s.settle(effect.Changed())
	return effect.Effect{Notice: s.asked.accept()}
}

// cancel drops the question and ends the reading of a file.
func (s *Session) cancel() effect.Effect {
	s.asked.drop()
	return s.file.Cancel()
}

// newSeed starts again with another seed, which means other initial weights and data.
func (s *Session) newSeed() effect.Effect {
	e := s.pressSystem("newseed")
	if s.settle(e); e.Notice != nil {
		return effect.Effect{Notice: e.Notice}
	}
	return changing((*Session).scratch)(s)
}

func (s *Session) seek(value string) error { return s.after(s.run.Seek(value)) }

// hold is called when the user has dragged z in the latent portrait, or a bar of ẑ. Playback
// stops.
func (s *Session) hold(e effect.Effect, err error) error {
	if err == nil {
		s.run.Pause()
	}
	return s.after(e, err)
}

// release makes z follow the particles again.
func (s *Session) release() error {
	if err := s.models.Free(); err != nil {
		return err
	}
	s.settle(s.models.Release())
	return nil
}

// shuffle permutes the labels of the particles.
func (s *Session) shuffle() effect.Effect {
	if !s.run.Playable() {
		return effect.Failed(s.run.NotPlayable())
	}
	s.doc.Colours = true // without colours a shuffle is invisible
	return s.models.Shuffle(s.on())
}

// reveal pauses the run and runs one stage of the model (encode, decode or predict) on the
// displayed picture. If a requested frame has not arrived yet, the stage runs when the frame
// arrives.
func (s *Session) reveal(stage, bit int) error {
	if s.models.A() == nil {
		return s.models.Shelf.Missing()
	}
	on := s.on()
	e, err := s.models.Reveal(on, s.now(), stage, bit)
	if err == nil && !on.Coming {
		s.run.Pause()
	}
	return s.after(e, err)
}

// undoLast undoes the last change.
func (s *Session) undoLast() effect.Effect {
	undo := s.undo
	if s.undo = nil; undo == nil {
		return effect.Failed(errors.New("there is nothing left to undo"))
	}
	if s.history.offered {
		s.history.drop()
	}
	err := undo()
	return effect.Changed().And(effect.Failed(err))
}

// simulate closes the user's file, and displays a simulated run again.
func (s *Session) simulate() error {
	if s.file.File() == nil {
		return ownfile.ErrNone
	}
	s.file.Drop()
	return s.after(s.run.Generate(run.Playing))
}

// toggleSweep starts, stops or continues the sweep.
func (s *Session) toggleSweep() error {
	if !s.sweeps.Running() {
		s.helpers.release() // helpers may still have jobs for the old sweep
	}
	begin, err := s.sweeps.Press(forSweeps(s.given()))
	if begin != nil {
		s.asked.put(asked{Ask: wire.Ask{Title: "Run another sweep?", Points: []string{sweepGoes}, Accept: "Run it"}, accepted: func() *wire.Notice {
			s.helpers.release()
			begin()
			return nil
		}})
	}
	return err
}

// sweepGoes says what happens to the present sweep when another one replaces it.
const sweepGoes = "The sweep that you have goes, with its models, but for those of them that you have shown; save everything first to keep it."

// setControl changes a control and returns the answer.
func (s *Session) setControl(id, value string) *wire.Notice {
	switch id {
	case "trajectory":
		return s.reading(s.file.Choose(value))
	case "observable":
		return s.reading(s.file.Observe(value))
	}
	return effect.Failure(s.setValue(id, value))
}

// setValue changes a control or a setting.
func (s *Session) setValue(id, value string) error {
	if control := controls[id]; control != nil {
		return control(s, value)
	}
	if f := s.train.Until.Table().Find(id); f != nil {
		return f.Set(value)
	}
	if handled, err := s.sweeps.Set(id, value, forSweeps(s.given())); handled {
		return err
	}
	if f := s.doc.Own().Find(id); f != nil {
		return s.setOwn(f, value)
	}
	e, changed, err := s.run.Set(id, value)
	s.settle(e)
	if err != nil || !changed {
		return err
	}
	if id == "force" || !s.lab.Timed() && (id == "n" || id == "seed") { // these are part of the recipe of a training
		err = s.recall()
	}
	return err
}

// setOwn changes a setting that every lab has. If ε, ẑ dim, the method or the parameters
// change, displayed tunable models move to the new values. Then setOwn recalls a run that was
// trained with the new settings; if there is none, Session.fit selects the displayed model.
func (s *Session) setOwn(f *setting.Field, value string) error {
	was := f.Text()
	if err := f.Set(value); err != nil || f.Text() == was {
		return err
	}
	s.settle(effect.Changed())
	switch f.Name {
	case "frame":
		return s.seek(value)
	case "all":
		s.models.Hide(&s.doc.Settings, false)
	case "members":
		return s.after(s.models.Again(s.on()))
	case "eps", "zdim", "method", "params":
		if err := s.after(s.models.Arrange(s.on())); err != nil {
			return err
		}
		if err := s.recall(); err != nil {
			return err
		}
		return s.fit()
	case "scope", "size", "law", "g", "tseed", "from":
		return s.recall()
	}
	return nil
}

// drop deletes a kept run and its halted training.
func (s *Session) drop(name string) error {
	e, err := s.models.Drop(name)
	if halted, inList, ok := s.train.Halted(); err == nil && ok && inList && halted == name {
		s.train.Forget(nil)
	}
	return s.after(e, err)
}

// compare displays the named run next to A. A shipped run is displayed as soon as it arrives.
// An empty name ends the comparison.
func (s *Session) compare(name string) error {
	return s.after(s.models.Compare(s.on(), name))
}

// keep keeps the displayed training, or model A if no training is displayed, under the name that
// the user typed.
func (s *Session) keep() error {
	if s.train.Live() == nil || !s.models.InTraining() {
		return s.after(s.models.KeepShown())
	}
	r, err := s.train.Snapshot(s.models.Shelf.Kept.Free(s.models.Shelf.KeepAs))
	if err != nil {
		return err
	}
	return s.after(s.models.Keep(r))
}

// backToShipped displays the shipped model again.
func (s *Session) backToShipped() error {
	if err := s.models.Shelf.OnShow(s.on().Now, s.models.A()); err != nil {
		return err
	}
	return s.showShipped()
}
