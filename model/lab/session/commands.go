package session

import (
	"fmt"
	"maps"
	"strings"

	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/run"
	"macroscope/model/setting"
	"macroscope/model/system"
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
var controls map[string]func(*workspace, string) error

func init() {
	commands = map[string]func(*Session, wire.Command) *wire.Notice{
		wire.Set:   func(s *Session, c wire.Command) *wire.Notice { return s.setControl(c.Name, c.Value) },
		wire.Press: func(s *Session, c wire.Command) *wire.Notice { return s.press(c.Name) },
		wire.Link: func(s *Session, c wire.Command) *wire.Notice {
			fragment := c.Value
			if c.Name == wire.Door {
				fragment += s.w.lab.Opening
			}
			if s.Fragment() == strings.TrimPrefix(fragment, "#") { // the session has the link's state
				return nil
			}
			return s.arrivals.follow(fragment)
		},
		wire.File:    func(s *Session, c wire.Command) *wire.Notice { return s.arrivals.take(c.Name, c.Data) },
		wire.Restore: func(s *Session, c wire.Command) *wire.Notice { return s.arrivals.restore(c.Data, c.Value, c.Name) },
		wire.Train:   func(s *Session, _ wire.Command) *wire.Notice { return effect.Failure(s.w.start()) },
		wire.Pause: func(s *Session, _ wire.Command) *wire.Notice {
			s.w.stop()
			return nil
		},
		"seek": func(s *Session, c wire.Command) *wire.Notice { return effect.Failure(seek(s.w, c.Value)) },
		"hold": func(s *Session, c wire.Command) *wire.Notice { return hold(s.w, (*picture.Picture).Hold, c.Value) },
		"holdz": func(s *Session, c wire.Command) *wire.Notice {
			return hold(s.w, (*picture.Picture).HoldNumber, c.Value)
		},
	}
	buttons = map[string]button{
		wire.Accept: accept,
		wire.Cancel: cancel,
		"play":      moving((*run.Run).Toggle),
		"step":      moving((*run.Run).Next),
		"restart":   moving((*run.Run).Restart),
		"shuffle":   shuffle,
		"trainstep": func(s *Session) effect.Effect { return s.w.step() },
		"encode":    changing(func(w *workspace) error { return reveal(w, 1, picture.Code) }),
		"decode":    changing(func(w *workspace) error { return reveal(w, 2, picture.Density) }),
		"rollout":   changing(func(w *workspace) error { return reveal(w, 3, picture.Prediction) }),
		"train":     changing((*workspace).toggleTraining),
		"go":        changing(func(w *workspace) error { return w.startTo(w.train.Until.ToStep(w.train.Live)) }),
		"until":     changing(func(w *workspace) error { return w.startTo(w.train.Until.ToFigure(w.train.Live)) }),
		"reset":     changing(func(*workspace) error { return nil }),
		"shipped":   changing(backToShipped),
		"wider":     changing(func(w *workspace) error { return compare(w, w.models.Shelf.WiderName()) }),
		"undo":      func(s *Session) effect.Effect { return s.history.undoLast() },
		"back":      func(s *Session) effect.Effect { return s.history.undoChange() },
		"forth":     func(s *Session) effect.Effect { return s.history.redoChange() },
		"release":   changing(release),
		"sweeprun":  toggleSweep,
		"keep":      changing(keep),
		"simulate":  changing(simulate),
	}
	stills = maps.Clone(buttons)
	maps.Copy(stills, map[string]button{
		"step":    buttons["trainstep"],
		"reset":   changing((*workspace).scratch),
		"newseed": newSeed,
	})
	controls = map[string]func(*workspace, string) error{
		"preset":     func(w *workspace, value string) error { return w.after(w.run.SetSystem(value)) },
		"tool":       func(w *workspace, value string) error { return w.after(w.run.SetTool(value)) },
		"at":         seek,
		"runA":       (*workspace).show,
		"runB":       compare,
		"dropRun":    drop,
		"sweeppoint": showPoint,
		"name": func(w *workspace, value string) error {
			w.models.Shelf.KeepAs = strings.TrimSpace(value)
			return nil
		},
		"play": func(w *workspace, value string) error { return w.after(w.run.SetPlaying(value == "on")) },
	}
}

// Apply implements wire.Session.
func (s *Session) Apply(c wire.Command) *wire.Notice {
	before, offers := s.w.document().Past(), s.w.page.news.offers
	n := s.do(c)
	h, offered := s.history, s.w.page.news.offers != offers
	h.offer(&before, c)
	h.record(c, before, offered)
	if h.offered = 0; s.w.page.news.offers != offers {
		h.offered = s.w.page.news.number
	}
	s.w.settle(effect.Restated())
	return s.answer(n)
}

// do carries out a command and returns its answer.
func (s *Session) do(c wire.Command) *wire.Notice {
	if name, restores := s.w.file.Restoring(); restores && c.Kind == wire.File {
		s.w.file.Wait(c) // the file must wait: opening it would end the reading of the restored file
		return &wire.Notice{Text: fmt.Sprintf("%s is opened as soon as %s is here again.", setting.Quote(c.Name), setting.Quote(name))}
	}
	switch c.Kind {
	case wire.Link, wire.File, wire.Restore: // these commands withdraw a question that waits for an answer
		s.arrivals.clear()
	}
	if command := commands[c.Kind]; command != nil {
		return command(s, c)
	}
	e, handled, err := s.w.run.Edit(c.Kind, c.Value)
	s.w.settle(e)
	if !handled {
		err = fmt.Errorf("the lab has no command called %s", setting.Quote(c.Kind))
	}
	return effect.Failure(err)
}

// changing returns a button for a function that always changes the picture.
func changing(press func(*workspace) error) button {
	return func(s *Session) effect.Effect {
		err := press(s.w)
		return effect.Changed().And(effect.Failed(err))
	}
}

// moving returns a button for a function that moves the run. The run must be playable.
func moving(move func(*run.Run) (effect.Effect, error)) button {
	return func(s *Session) effect.Effect {
		if !s.w.run.Playable() {
			return effect.Failed(s.w.run.NotPlayable())
		}
		e, err := move(s.w.run)
		return e.And(effect.Failed(err))
	}
}

// press handles a button.
func (s *Session) press(id string) *wire.Notice {
	all := buttons
	if !s.w.lab.Timed() {
		all = stills
	}
	press := all[id]
	if press == nil {
		press = pressSystem(id)
	}
	e := press(s)
	s.w.settle(e)
	return e.Notice
}

// pressSystem returns a button that belongs to the system.
func pressSystem(id string) button {
	return func(s *Session) effect.Effect {
		e, handled, err := s.w.run.Press(id)
		if !handled {
			err = fmt.Errorf("the lab has no button called %s", setting.Quote(id))
		}
		return e.And(effect.Failed(err))
	}
}

// accept carries out the confirmed action.
func accept(s *Session) effect.Effect {
	s.w.settle(effect.Changed())
	return effect.Effect{Notice: s.arrivals.asked.accept()}
}

// cancel drops the question and ends the reading of a file.
func cancel(s *Session) effect.Effect {
	s.arrivals.asked.drop()
	return s.w.file.Cancel()
}

// newSeed starts again with another seed, which means other initial weights and data.
func newSeed(s *Session) effect.Effect {
	e := pressSystem("newseed")(s)
	if s.w.settle(e); e.Notice != nil {
		return effect.Effect{Notice: e.Notice}
	}
	return changing((*workspace).scratch)(s)
}

// seek goes to a frame.
func seek(w *workspace, value string) error { return w.after(w.run.Seek(value)) }

// hold replaces ẑ by what the user has dragged it to, in the latent portrait or as a bar. Playback stops.
func hold(w *workspace, set func(*picture.Picture, string) (effect.Effect, error), value string) *wire.Notice {
	if w.picture.A() == nil {
		return effect.Failure(w.models.Shelf.Missing())
	}
	e, err := set(w.picture, value)
	if err == nil {
		w.run.Pause()
	}
	return effect.Failure(w.after(e, err))
}

// release makes z follow the particles again.
func release(w *workspace) error {
	if err := w.picture.Free(); err != nil {
		return err
	}
	w.settle(w.picture.Release())
	return nil
}

// shuffle permutes the labels of the particles. If no model B is displayed, the lab's list encoder becomes B. A run that
// plays and a set that wanders stop, so that nothing but the labels changes.
func shuffle(s *Session) effect.Effect {
	if !s.w.run.Playable() {
		return effect.Failed(s.w.run.NotPlayable())
	}
	s.w.doc.Colours = true // without colours a shuffle is invisible
	s.w.run.Pause()
	if f := s.w.run.Live().Settings().Find("drift"); f != nil && f.Text() == "on" {
		if err := s.w.after(s.w.run.Do(func(live system.Live) error { return live.Set("drift", "off") })); err != nil {
			return effect.Failed(err)
		}
	}
	e := s.w.models.Shuffle(s.w.on())
	list := s.w.models.ListEncoder(s.w.run.Live().Run().Particles)
	if list == "" {
		return e
	}
	more, err := s.w.models.Compare(s.w.on(), list)
	if err != nil {
		return e.And(effect.Failed(err))
	}
	return e.And(more)
}

// reveal pauses the run and runs one stage of the model (encode, decode or predict) on the
// displayed picture. If a requested frame has not arrived yet, the stage runs when the frame
// arrives.
func reveal(w *workspace, stage, bit int) error {
	if w.picture.A() == nil {
		return w.models.Shelf.Missing()
	}
	on := w.on()
	e, err := w.picture.Reveal(on, w.now(), stage, bit)
	if err == nil && !on.Coming {
		w.run.Pause()
	}
	return w.after(e, err)
}

// simulate closes the user's file, and displays a simulated run again.
func simulate(w *workspace) error {
	if w.file.File() == nil {
		return ownfile.ErrNone
	}
	w.file.Drop()
	return w.after(w.run.Generate(run.Playing))
}

// toggleSweep starts, stops or continues the sweep.
func toggleSweep(s *Session) effect.Effect {
	if !s.w.sweeps.Running() {
		s.w.helpers.release() // helpers may still have jobs for the old sweep
	}
	begin, err := s.w.sweeps.Press(forSweeps(s.w.given()))
	if begin != nil {
		s.arrivals.asked.put(asked{Ask: wire.Ask{Title: "Run another sweep?", Points: []string{sweepGoes}, Accept: "Run it"}, accepted: func() *wire.Notice {
			s.w.helpers.release()
			begin()
			return nil
		}})
	}
	return effect.Changed().And(effect.Failed(err))
}

// sweepGoes says what happens to the present sweep when another one replaces it.
const sweepGoes = "The sweep that you have goes, with its models, but for those of them that you have shown; save everything first to keep it."

// setControl changes a control and returns the answer.
func (s *Session) setControl(id, value string) *wire.Notice {
	switch id {
	case "trajectory":
		return s.arrivals.reading(s.w.file.Choose(value))
	case "observable":
		return s.arrivals.reading(s.w.file.Observe(value))
	case "example":
		return effect.Failure(s.arrivals.openExample(value))
	}
	return effect.Failure(setValue(s.w, id, value))
}

// setValue changes a control or a setting.
func setValue(w *workspace, id, value string) error {
	if control := controls[id]; control != nil {
		return control(w, value)
	}
	if f := w.train.Until.Table().Find(id); f != nil {
		return f.Set(value)
	}
	if handled, err := w.sweeps.Set(id, value, forSweeps(w.given())); handled {
		return err
	}
	if f := w.doc.Own().Find(id); f != nil {
		return setOwn(w, f, value)
	}
	e, changed, err := w.run.Set(id, value)
	w.settle(e)
	if err != nil || !changed {
		return err
	}
	if id == "force" || !w.lab.Timed() && (id == "n" || id == "seed") { // these are part of the recipe of a training
		err = w.recall()
	}
	return err
}

// setOwn changes a setting that every lab has. The shipped model for the new settings is displayed if
// it fits them better than model A does, see shelf.Fitter.
func setOwn(w *workspace, f *setting.Field, value string) error {
	was, recipe := w.doc.Settings, w.given().Recipe()
	if err := f.Set(value); err != nil || w.doc.Settings == was {
		return err
	}
	if f.Name == "frame" {
		return seek(w, value)
	}
	err := w.derive(&was, recipe)
	if err == nil && w.doc.Asked() != was.Asked() {
		err = w.fit()
	}
	return err
}

// drop deletes a kept run and its halted training.
func drop(w *workspace, name string) error {
	e, err := w.models.Drop(name)
	if err == nil {
		w.train.Drop(name)
	}
	return w.after(e, err)
}

// compare displays the named run next to A. A shipped run is displayed as soon as it arrives.
// An empty name ends the comparison.
func compare(w *workspace, name string) error {
	return w.after(w.models.Compare(w.on(), name))
}

// keep keeps the displayed training, or model A if no training is displayed, under the name that
// the user typed.
func keep(w *workspace) error {
	if w.train.Live == nil || !w.picture.InTraining() {
		return w.after(w.models.KeepShown())
	}
	r, err := w.train.Snapshot(w.models.Shelf.Kept.Free(w.models.Shelf.KeepAs))
	if err != nil {
		return err
	}
	return w.after(w.models.Keep(r))
}

// backToShipped displays the shipped model again.
func backToShipped(w *workspace) error {
	if err := w.models.Shelf.OnShow(w.on().Now, w.picture.A()); err != nil {
		return err
	}
	return w.showShipped()
}
