package session

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/lab/session/runs"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// seekCommand is given by the picture, beside the commands of wire: a frame. Those
// that change the run are the system's, see system.Live.Edit.
const seekCommand = "seek"

// commands carries out what the visitor asks for.
type commands struct{ *Session }

// Apply implements wire.Session.
func (s *Session) Apply(c wire.Command) *wire.Notice {
	defer func() { s.stateStale = true }()
	made := s.made(c)
	n := commands{s}.do(c)
	s.offer(made, c)
	return s.toldWith(n)
}

func (s commands) do(c wire.Command) *wire.Notice {
	if r := s.own.reading; c.Kind == wire.File && r != nil && r.restores {
		s.own.waiting = &c // lest the file that comes back is lost
		return &wire.Notice{Text: fmt.Sprintf("%s is opened as soon as %s is here again.", setting.Quote(c.Name), setting.Quote(r.of.From.Name))}
	}
	switch c.Kind {
	case wire.Link, wire.File, wire.Restore: // which lead elsewhere
		s.asked.drop()
		s.own.stop()
	}
	switch c.Kind {
	case wire.Set:
		switch c.Name {
		case "trajectory":
			return s.own.choose(c.Value)
		case "observable":
			return s.own.observe(c.Value)
		case "play":
			return s.setPlaying(c.Value == "on")
		}
		return failure(s.set(c.Name, c.Value))
	case wire.Press:
		return s.press(c.Name)
	case seekCommand:
		return failure(s.seek(c.Value))
	case holdCommand:
		return failure(s.latent.hold(c.Value))
	case wire.Link:
		if c.Name == wire.Door {
			c.Value += s.lab.Opening
		}
		return failure(s.follow(c.Value))
	case wire.File:
		return files{s.Session}.file(c.Name, c.Data)
	case wire.Restore:
		return store{s.Session}.restore(c.Data)
	case wire.Train:
		return failure(s.trainer.train())
	case wire.Pause:
		s.trainer.stop()
		return nil
	}
	var handled bool
	err := s.act(func() (err error) {
		handled, err = s.live.Edit(c.Kind, c.Value)
		return err
	})
	if !handled {
		return failure(fmt.Errorf("the lab has no command called %s", setting.Quote(c.Kind)))
	}
	return failure(err)
}

// act lets the system do something to the run, which may begin another one. That
// plays if the last did, or had ended.
func (s commands) act(do func() error) error {
	what, _ := s.live.Preparing()
	p := s.live.Player()
	plays := what != "" && s.run.begin < 0 || what == "" && (p.Playing() || p.AtEnd())
	err := do()
	if next, _ := s.live.Preparing(); next != "" && what == "" || plays && s.live.Player().Now() == 0 {
		s.run.begin = 0
		if plays {
			s.run.begin = -1
		}
	}
	s.run.look()
	return err
}

// follow opens a link, unless it is what is on show.
func (s commands) follow(fragment string) error {
	if "#"+s.Fragment() == "#"+strings.TrimPrefix(fragment, "#") {
		return nil
	}
	l, err := opening{s.Session}.parse(fragment)
	positions, damaged := opening{s.Session}.brought(fragment)
	opened := opening{s.Session}.open(l, positions)
	turned := opening{s.Session}.turn(fragment, l.Frame)
	for _, other := range []error{damaged, opened, turned} {
		if err == nil && other != nil {
			err = fmt.Errorf("the link was read in part: %w", other)
		}
	}
	return err
}

// setPlaying plays or pauses the run on show, or the one that is being prepared: unlike
// the button, whatever it does at present.
func (s commands) setPlaying(on bool) *wire.Notice {
	switch what, _ := s.live.Preparing(); {
	case what == "" && s.live.Player().Playing() != on:
		return s.press("play")
	case what != "" && on:
		s.run.begin = -1
	case what != "":
		s.run.begin = max(0, s.run.begin)
	}
	return nil
}

// press follows a button.
func (s commands) press(id string) *wire.Notice {
	p := s.live.Player()
	switch id {
	case wire.Accept:
		s.changed()
		return s.asked.accept()
	case wire.Cancel:
		s.asked.drop()
		return s.own.cancel()
	case "play", "step", "restart", "shuffle":
		if !s.run.playable() && !(s.lab.IsSampler() && id == "step") {
			return failure(s.run.notPlayable())
		}
	}
	var err error
	switch id {
	case "play":
		if p.Playing() {
			p.Pause()
		} else {
			err = p.Play()
		}
		s.run.moved()
	case "step":
		if s.lab.IsSampler() {
			return follower{&s.trainer}.step()
		}
		p.Next()
		s.run.moved()
	case "trainstep":
		return follower{&s.trainer}.step()
	case "restart":
		playing := p.Playing()
		if err = p.Seek(0); err == nil && playing {
			err = p.Play()
		}
		s.run.moved()
	case "encode":
		err = s.display.reveal(1, revealCode)
	case "decode":
		err = s.display.reveal(2, revealDensity)
	case "rollout":
		err = s.display.reveal(3, revealPrediction)
	case "shuffle":
		err = s.order.shuffle()
	case "train":
		if s.trainer.status == wire.Training || s.trainer.eager {
			s.trainer.stop()
		} else {
			err = s.trainer.train()
		}
	case "go":
		err = s.trainer.goTo(s.until.step)
	case "until":
		err = s.trainer.goUntil()
	case "reset":
		if s.lab.IsSampler() {
			err = follower{&s.trainer}.scratch()
		}
	case "shipped":
		err = s.backToShipped()
	case "undo":
		undo := s.undo
		if s.undo = nil; undo == nil {
			return failure(errors.New("there is nothing left to undo"))
		}
		err = undo()
	case "release":
		if err = s.latent.free(); err == nil {
			s.latent.release()
		}
	case "sweeprun":
		err = sweeps{s.Session}.press()
	case "keep":
		err = s.library.keepShown()
	case "simulate":
		err = s.own.leave()
	default:
		var handled bool
		err = s.act(func() (err error) {
			handled, err = s.live.Press(id)
			return err
		})
		switch {
		case !handled:
			return failure(fmt.Errorf("the lab has no button called %s", setting.Quote(id)))
		case err == nil && id == "newseed" && s.lab.IsSampler():
			err = follower{&s.trainer}.scratch()
		case s.live.Run().Blank && s.toolNumber("draw") >= 0:
			s.tool = "draw" // on what has been cleared
		}
	}
	s.changed()
	return failure(err)
}

// backToShipped shows the model that comes with the lab again.
func (s commands) backToShipped() error {
	if err := (opening{s.Session}).back(); err != nil {
		return err
	}
	if !s.lab.IsSampler() {
		return s.library.show(runs.Shipped)
	}
	return opening{s.Session}.showShipped()
}

// set changes a control.
func (s commands) set(id, value string) error {
	switch id {
	case "preset":
		return s.setSystem(value)
	case "tool":
		if s.toolNumber(value) < 0 {
			return fmt.Errorf("the pointer’s tool cannot be %s", setting.Quote(value))
		}
		s.tool, s.frameStale = value, true
		return nil
	case "at":
		return s.seek(value)
	case "runA":
		return s.library.show(value)
	case "runB":
		return s.library.compare(value)
	case "dropRun":
		return s.library.drop(value)
	case "name":
		s.keepAs = strings.TrimSpace(value)
		return nil
	}
	if id == "sweeppoint" {
		return sweeps{s.Session}.show(value)
	}
	if f := s.until.table().Find(id); f != nil {
		return f.Set(value)
	}
	if handled, err := s.sweeper.Set(id, value, sweeps{s.Session}.given()); handled {
		return err
	}
	if f := s.settings.Table(&s.lab).Find(id); f != nil {
		return s.setOwn(f, value)
	}
	f := s.live.Settings().Find(id)
	was := ""
	if f != nil {
		was = f.Text()
	}
	err := s.act(func() error { return s.live.Set(id, value) })
	if err == nil && f != nil && f.Text() != was {
		switch {
		case id == "force":
			_, err = s.trainer.recall()
		case !s.lab.IsSampler():
		case id == "n":
			err = follower{&s.trainer}.renew()
		case id == "seed":
			var found bool
			if found, err = s.trainer.recall(); !found {
				err = follower{&s.trainer}.scratch()
			}
		}
	}
	return err
}

// setOwn changes a setting that every lab has.
func (s commands) setOwn(f *setting.Field, value string) error {
	was := f.Text()
	if err := f.Set(value); err != nil || f.Text() == was {
		return err
	}
	s.changed()
	switch f.Name {
	case "all":
		s.display.hide(false)
	case "frame":
		return s.seek(value)
	case "members":
		return s.again()
	case "eps", "zdim", "method", "params":
		if f.Name != "eps" || s.trainer.status != wire.Training || !s.lab.IsSampler() {
			if found, err := s.trainer.recall(); found || err != nil {
				return err
			}
		}
		return opening{s.Session}.nearest()
	case "scope", "size", "law", "g", "tseed", "from":
	default:
		return nil
	}
	_, err := s.trainer.recall()
	return err
}

// again puts the models on show anew, which predict with another number of
// members.
func (s commands) again() error {
	a, b := s.display.a.Called(), s.display.b.Called()
	s.display.b = nil
	for _, name := range []string{a, b} {
		if name != "" {
			if err := s.display.choose(name, name == b && name != a); err != nil {
				return err
			}
		}
	}
	return nil
}

// setSystem plays a system by name. If it cannot be played, all stays as it is.
func (s commands) setSystem(name string) error {
	presets := s.live.Page().Systems
	i := slices.IndexFunc(presets, func(p system.Preset) bool { return p.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no system called %s", setting.Quote(name))
	}
	table := s.live.Settings()
	was := table.Texts()
	return s.act(func() error {
		var err error
		for name, value := range presets[i].Values {
			err = errors.Join(err, table.Set(name, value))
		}
		if err == nil {
			err = s.live.Check()
		}
		if err == nil {
			err = s.live.Generate()
		}
		if err != nil {
			for i, text := range was {
				_ = table[i].Set(text) // which it had
			}
			return err
		}
		if s.live.Player().Begun() && !s.traits.Stochastic {
			return s.live.Player().Play()
		}
		return nil
	})
}

// played returns the name of the system that the settings are, "own" if none.
func (s commands) played() string {
	table := s.live.Settings()
	for _, p := range s.live.Page().Systems {
		same := true
		for name, value := range p.Values {
			f := table.Find(name)
			same = same && f != nil && f.Text() == value
		}
		if same && !s.live.Recorded() {
			return p.Name
		}
	}
	return "own"
}

func (s commands) seek(value string) error {
	if !s.run.playable() {
		return s.run.notPlayable()
	}
	k, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return fmt.Errorf("the frame cannot be %s: give a whole number from 0 to %d", setting.Quote(value), s.live.Run().Horizon)
	}
	if err := s.live.Player().Seek(k); err != nil {
		return err
	}
	s.display.asked = 0 // it was of another
	s.run.moved()
	return nil
}

// toolNumber returns the place of a tool of the pointer; that of none is 0 where
// there are no tools, else -1.
func (s commands) toolNumber(name string) int {
	tools := s.live.Page().Tools
	if len(tools) == 0 && name == "" {
		return 0
	}
	return slices.IndexFunc(tools, func(o setting.Option) bool { return o.Value == name })
}
