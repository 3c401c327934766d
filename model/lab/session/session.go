package session

import (
	"time"

	"macroscope/model/file/points"
	"macroscope/model/lab"
	"macroscope/model/lab/extras"
	"macroscope/model/lab/session/sweeper"
	"macroscope/model/lab/view"
	"macroscope/model/setting"
	"macroscope/model/system"
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
	until    until
	now      func() time.Time
	cores    int

	run     playback
	display display
	trainer trainer
	library library
	own     own
	order   order
	latent  latent
	asked   asked
	aside   aside
	sweeper *sweeper.Sweeper
	points  points.Encoder

	wantsShipped bool              // the model of the settings that comes with the lab is on its way
	shippedFiles map[string]string // by runs: that came last
	foreseen     foreseen
	opensWith    setting.Table // the system's settings
	instead      bool          // it is to be shown in place of model A, as soon as it is there
	noShipped    string        // why there is none
	beside       string        // run to be put beside A as soon as it is there
	ahead        bool          // the shipped model is to be A, and what is on show B, as soon as it is there

	frame                  wire.Frame
	frameStale, stateStale bool
	changes                uint         // how often another picture was to be made
	news                   *wire.Notice // that the page has yet to be told
	undo                   func() error // what was done last, nil if it cannot be
}

func newSession(of lab.Lab, now func() time.Time) *Session {
	s := &Session{lab: of, traits: of.System.Traits(), live: of.System.Live(), now: now, cores: 1, until: until{1000, byMeasure, of.Goal()}, shippedFiles: make(map[string]string), foreseen: make(foreseen)}
	s.run.s = s
	s.display, s.trainer, s.library, s.own, s.order = newDisplay(s), trainer{s: s}, library{s: s}, own{s: s}, order{s: s, Orders: view.NewOrders(s.traits.Dim)}
	s.latent, s.sweeper = latent{s: s}, sweeper.New(of, now, func() { desk{&s.trainer}.release() })
	var parts extras.Part
	if of.Beside != nil {
		parts = of.Beside(s.live)
	}
	s.aside = aside{s, extras.NewParts(parts)}
	s.opensWith = of.System.Live().Settings()
	if page := s.live.Page(); len(page.Tools) > 0 {
		s.tool = page.Tools[0].Value
		if page.Tool != "" {
			s.tool = page.Tool
		}
	}
	opening{s}.openSettings(s.defaults())
	return s
}

// changed says that another picture is to be made.
func (s *Session) changed() {
	s.display.painted, s.frameStale, s.stateStale = false, true, true
	s.changes++
}

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
	if s.Training() {
		share = left / 2
	}
	behind := false
	for _, m := range s.display.models() {
		behind = s.display.follow(m, from, share) || behind
	}
	behind = s.aside.work(share) || behind
	followed := s.changes
	measures, n := s.own.work(from, share)
	if n == nil {
		n = s.trainer.work(from, left)
	}
	if n == nil {
		n = sweeps{s}.work(share)
	}
	if notice == nil {
		notice = n
	}
	what, _ := s.live.Preparing()
	return what != "" || s.live.Player().Busy() || behind || measures || s.display.active != 0 || s.Training() || s.changes != followed, s.toldWith(notice)
}

// Lab implements wire.Session.
func (s *Session) Lab() string { return s.lab.Link() }

// Panel implements wire.Session.
func (s *Session) Panel() *wire.Panel { return lab.Panel(&s.lab, s.live, &s.settings) }

// Status implements wire.Session.
func (s *Session) Status() wire.Status {
	if s.lab.IsSampler() && s.trainer.live == nil && s.display.a != nil {
		return wire.Done // the model of a file, which could be trained on
	}
	return s.trainer.status
}

// Training implements wire.Session.
func (s *Session) Training() bool { return s.trainer.status == wire.Training || s.sweeper.Running() }

// StateChanged implements wire.Session.
func (s *Session) StateChanged() bool { return s.stateStale }
