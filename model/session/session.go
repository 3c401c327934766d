package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/fit"
	"macroscope/model/lab"
	"macroscope/model/points"
	"macroscope/model/runs"
	"macroscope/model/system"
	"macroscope/model/view"
	"macroscope/model/wire"
)

// Session is a lab as a visitor drives it. It is not safe for concurrent use.
type Session struct {
	lab      lab.Lab
	others   List // labs of the program
	traits   system.Traits
	live     system.Live
	settings lab.Settings
	tool     string
	keepAs   string // what the next run that is kept is to be called
	aim      int    // step that the visitor wants to train to
	now      func() time.Time
	cores    int

	run     playback
	display display
	trainer trainer
	library library
	own     own
	order   order
	asked   asked
	points  points.Encoder

	wantsShipped bool   // the model that comes with the lab is on its way
	shippedFile  string // that came last
	instead      bool   // it is to be shown in place of model A, as soon as it is there
	noShipped    string // why there is none
	beside       string // run to be put beside A as soon as it is there
	ahead        bool   // the shipped model is to be A, and what is on show B, as soon as it is there

	frame                  wire.Frame
	frameStale, stateStale bool
	news                   *wire.Notice // that the page has yet to be told
	undo                   func() error // what was done last, nil if it cannot be
}

// opening begins with the settings of a link or a first visit, and with the shipped
// model.
type opening struct{ *Session }

func newSession(of lab.Lab, now func() time.Time) *Session {
	s := &Session{lab: of, traits: of.System.Traits(), live: of.System.Live(), now: now, cores: 1, aim: 1000}
	s.run.s = s
	s.display, s.trainer, s.library, s.own, s.order = newDisplay(s), trainer{s: s}, library{s: s}, own{s: s}, order{s: s, Orders: view.NewOrders(s.traits.Dim)}
	if page := s.live.Page(); len(page.Tools) > 0 {
		s.tool = page.Tools[0].Value
		if page.Tool != "" {
			s.tool = page.Tool
		}
	}
	opening{s}.openSettings(s.defaults())
	return s
}

// openSettings takes all settings at once, as a link or a first visit does; those
// of the system are there already. The run begins, and the shipped model is
// wanted.
func (s opening) openSettings(l lab.Settings) {
	s.settings = l
	s.beside, s.ahead, s.instead = "", false, false
	s.own.drop()
	s.trainer.eager, s.trainer.runTo, s.trainer.fitEps = false, place{}, l.Eps
	s.display.hide(false)
	s.wantsShipped = s.shippedName() != "" && (s.lab.IsSampler() || s.library.shipped() == nil)
	s.run.begin = l.Frame
	s.failed(s.live.Generate())
	s.run.look()
}

// open is openSettings of a link, and of its particles, if it has any. What it
// returns is why they cannot be used, or a training of the link cannot be repeated.
func (s opening) open(l lab.Settings, positions []float32) error {
	if s.lab.IsSampler() {
		s.trainer.end()
		s.display.a, s.display.b = nil, nil
		s.library.kept.Drop(runs.Shipped)
	}
	s.openSettings(l)
	var placed error
	if positions != nil {
		placed = s.place(positions, fromLink, l.Frame)
	}
	var err error
	if l.Model == lab.Trained {
		err = s.repeat(l)
	} else if s.library.shipped() != nil {
		err = s.display.choose(runs.Shipped, false)
	}
	return errors.Join(placed, err)
}

// repeat trains what a link says was trained, up to where it stood.
func (s opening) repeat(l lab.Settings) error {
	t := &s.trainer
	to := place{max(1, l.Phase), l.Step}
	if s.lab.IsSampler() {
		if err := (follower{t}).scratch(); err != nil || l.Step == 0 {
			return err
		}
	} else if l.Phase == 0 && !(plan{t}).onCodes() {
		return nil
	}
	s.settings.From = lab.FromScratch
	if (plan{t}).onCodes() {
		to.phase = 2
	}
	if err := t.train(); err != nil {
		return err
	}
	if t.runTo = to; l.Step == 0 && to.phase <= 1 {
		t.runTo = place{}
	}
	return nil
}

// shippedName names the shipped model of the settings; "" is none.
func (s opening) shippedName() string {
	m, _ := s.lab.Nearest(s.settings.Eps, s.settings.ZDim)
	return m.File
}

// showShipped shows the shipped model of the settings, as soon as it is there. A
// training of single sets ends.
func (s opening) showShipped() error {
	name := s.shippedName()
	if name == "" {
		return errors.New("no model is shipped with this lab")
	}
	t, d := &s.trainer, &s.display
	if t.stop(); s.lab.IsSampler() && t.live != nil {
		m, shown := t.live.Model(), d.a != nil && d.a.Training
		t.end()
		switch r := s.library.kept.Of(m); {
		case shown && r != nil:
			_ = d.choose(r.Name, false) // which there is
		case shown:
			d.a, d.b = nil, nil
		}
	}
	if s.shippedFile == name && s.library.shipped() != nil {
		return s.takeShipped()
	}
	s.wantsShipped, s.instead = true, true
	s.changed()
	return nil
}

// takeShipped shows the shipped model in place of model A.
func (s opening) takeShipped() error {
	s.instead = false
	if s.lab.IsSampler() {
		s.trainer.end()
		s.settings.Model, s.trainer.fitEps = lab.Shipped, s.library.shipped().Config.Eps()
	}
	return s.display.choose(runs.Shipped, false)
}

// nearest follows another ε or another number of closure variables. The nearest
// model comes on show, of the one that is and of those that are shipped; what is
// being trained stays, and follows ε if it is of single sets. Nothing begins to
// train.
func (s opening) nearest() error {
	t, a := &s.trainer, s.display.a
	trains := t.status == wire.Training
	if s.instead {
		s.wantsShipped, s.instead = false, false
	}
	switch {
	case a == nil:
		return nil // the nearest is on its way
	case trains && !s.lab.IsSampler():
		return nil
	case trains && a.Training && a.Model.Config.ZDim() == s.settings.ZDim:
		follower{t}.aim()
		return nil
	}
	m, ok := s.lab.Nearest(s.settings.Eps, s.settings.ZDim)
	is := lab.Model{Eps: a.Model.Config.Eps(), ZDim: a.Model.Config.ZDim()}
	if ok && (a.Name == runs.Shipped && m.File != s.shippedFile || a.Model.Config.Decoder.Density() && m.Nearer(is, s.settings.Eps, s.settings.ZDim)) {
		return s.showShipped()
	}
	return nil
}

// changed says that another picture is to be made.
func (s *Session) changed() { s.display.painted, s.frameStale, s.stateStale = false, true, true }

// tell lets the page know something that was not asked for, and how it is undone.
func (s *Session) tell(n *wire.Notice, undo func() error) { s.news, s.undo = n, undo }

// toldWith returns what there is to tell after a command: its own notice comes
// first.
func (s *Session) toldWith(n *wire.Notice) *wire.Notice {
	if n == nil {
		n, s.news = s.news, nil
	}
	return n
}

// failed says what went wrong.
func (s *Session) failed(err error) *wire.Notice {
	if err != nil {
		s.stateStale, s.frameStale = true, true
	}
	return failure(err)
}

// failure makes an error a sentence on the page.
func failure(err error) *wire.Notice {
	if err == nil {
		return nil
	}
	return &wire.Notice{Text: upperFirst(err.Error()) + ".", Error: true}
}

func upperFirst(text string) string {
	r := []rune(text)
	if len(r) > 0 && r[0] >= 'a' && r[0] <= 'z' {
		r[0] += 'A' - 'a'
	}
	return string(r)
}

// Work implements wire.Session.
func (s *Session) Work(budget time.Duration) (busy bool, notice *wire.Notice) {
	began := s.now()
	notice = s.run.play(budget)
	s.display.tick(began)
	// However long a step of the simulation takes, the rest has a share of the
	// time, and training half of what is left.
	from := s.now()
	left := max(budget/4, budget-from.Sub(began))
	share := left
	if s.trainer.status == wire.Training {
		share = left / 2
	}
	behind := false
	for _, m := range s.display.models() {
		behind = s.display.follow(m, from, share) || behind
	}
	measures, n := s.own.work(from, share)
	if n == nil {
		n = s.trainer.work(from, left)
	}
	if notice == nil {
		notice = n
	}
	what, _ := s.live.Preparing()
	return what != "" || s.live.Player().Busy() || behind || measures || s.display.active != 0 || s.trainer.status == wire.Training, s.toldWith(notice)
}

// Lab implements wire.Session.
func (s *Session) Lab() string { return s.lab.Link() }

// Wants implements wire.Session.
func (s *Session) Wants() string {
	switch t := &s.trainer; {
	case s.wantsShipped:
		return opening{s}.shippedName()
	case s.order.wants:
		return s.lab.Ordered
	case t.eager && t.codes == nil && (plan{t}.onCodes() || t.halted != nil && t.halted.Coded):
		return s.lab.Codes
	}
	return ""
}

// Fetched implements wire.Session.
func (s *Session) Fetched(name string, b []byte, err error) *wire.Notice {
	if name == "" || name != s.Wants() {
		return nil // the visitor has gone on to something else
	}
	s.stateStale = true
	switch {
	case s.wantsShipped:
		return s.toldWith(opening{s}.fetchedShipped(b, err))
	case s.order.wants:
		return s.order.fetched(b, err)
	}
	return s.toldWith(s.trainer.fetchedCodes(b, err))
}

// fetchedShipped keeps the model that comes with the lab, and shows it unless
// another is on show.
func (s opening) fetchedShipped(b []byte, err error) *wire.Notice {
	s.wantsShipped = false
	r := runs.Run{Origin: "shipped with the lab"}
	var f *ckpt.File
	if err == nil {
		f, err = ckpt.Decode(bytes.NewReader(b))
	}
	if err == nil {
		r.Model, err = s.library.open(f)
	}
	if err != nil {
		return s.missedShipped(err)
	}
	s.library.kept.Ship(r)
	s.shippedFile = s.shippedName()
	s.noShipped = ""
	switch a := s.display.a; {
	case s.instead:
		err = s.takeShipped()
	case a == nil || s.ahead:
		if err = s.display.choose(runs.Shipped, false); err == nil && a != nil {
			err = s.display.choose(a.Name, true)
		}
	case s.beside == runs.Shipped:
		err = s.display.choose(runs.Shipped, true)
	}
	s.beside, s.ahead = "", false
	t := &s.trainer
	switch {
	case err != nil:
	case s.lab.IsSampler() && s.display.a.Name == runs.Shipped:
		t.fitEps = r.Model.Config.Eps()
		t.shippedKL, _ = r.Model.KL(context.Background(), t.fitEps, fit.KLSets, fit.KLSamples, s.run.seed())
		if t.eager {
			t.eager = false
			err = follower{t}.follow()
		}
	case t.eager && t.codes != nil:
		t.eager = false
		err = t.train()
	}
	return failure(err)
}

// missedShipped goes on without the model that comes with the lab: a sampler's
// begins untrained.
func (s opening) missedShipped(err error) *wire.Notice {
	s.trainer.eager, s.instead = false, false
	if s.lab.IsSampler() && s.display.a == nil {
		if begun := (follower{&s.trainer}).scratch(); begun == nil {
			return failure(fmt.Errorf("the shipped model could not be opened, so the one on show is untrained; press Train: %w", err))
		}
	}
	if s.display.a == nil {
		s.noShipped = "There is no model to predict with; open one, train one, or reload the page."
	}
	return failure(fmt.Errorf("the shipped model could not be opened; train one here, open one of your own, or reload the page: %w", err))
}

// Panel implements wire.Session.
func (s *Session) Panel() *wire.Panel { return lab.Panel(&s.lab, s.live, &s.settings) }

// Status implements wire.Session.
func (s *Session) Status() wire.Status {
	if s.lab.IsSampler() && s.trainer.live == nil && s.display.a != nil {
		return wire.Done // the model of a file, which could be trained on
	}
	return s.trainer.status
}

// StateChanged implements wire.Session.
func (s *Session) StateChanged() bool { return s.stateStale }

// Fragment implements wire.Session.
func (s *Session) Fragment() string {
	fragment := opening{s}.fragment(opening{s}.linked())
	if text, _, err := (opening{s}).carried(); err == nil && text != "" {
		fragment += "&" + lab.Particles + "=" + text
	}
	if turned := (opening{s}).turned(); len(turned) <= maxTurned {
		fragment += turned
	}
	return fragment
}
