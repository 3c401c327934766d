package session

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/fit"
	"macroscope/model/play"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Session is a lab as a visitor drives it. It is not safe for concurrent use.
type Session struct {
	lab      Lab
	traits   system.Traits
	live     system.Live
	settings settings
	tool     string
	keepAs   string // what the next run that is kept is to be called
	aim      int    // step that the visitor wants to train to
	now      func() time.Time
	cores    int

	begin      int    // frame that a run shows once it has begun; -1 lets it play
	generation uint64 // of the run that the parts below know

	display display
	trainer trainer
	library library
	own     own
	order   order

	wantsShipped bool   // the model that comes with the lab is on its way
	noShipped    string // why there is none
	beside       string // run to be put beside A as soon as it is there
	ahead        bool   // the shipped model is to be A, and what is on show B, as soon as it is there

	frame                  wire.Frame
	frameStale, stateStale bool
	generations            uint32 // that have been given out, see newGeneration
	warning                string // why the last run stopped, or could not begin
	numbers                []float32
}

// opening begins with the settings of a link or a first visit, and with the shipped
// model.
type opening struct{ *Session }

func newSession(lab Lab, now func() time.Time) *Session {
	s := &Session{lab: lab, traits: lab.System.Traits(), live: lab.System.Live(), now: now, cores: 1, aim: 1000}
	s.display, s.trainer, s.library, s.own, s.order = newDisplay(s), trainer{s: s}, library{s: s}, own{s: s}, order{s: s}
	s.order.forget()
	if page := s.live.Page(); len(page.Tools) > 0 {
		s.tool = page.Tools[0].Value
		if page.Tool != "" {
			s.tool = page.Tool
		}
	}
	opening{s}.openSettings(defaults(&s.lab))
	return s
}

// Link returns the lab's name in links.
func (l *Lab) Link() string {
	if t := l.System.Traits(); t.Link != "" {
		return t.Link
	}
	return l.System.Traits().Name
}

// openSettings takes all settings at once, as a link or a first visit does; those
// of the system are there already. The run begins, and the shipped model is
// wanted.
func (s opening) openSettings(l settings) {
	s.settings = l
	s.beside, s.ahead = "", false
	s.own.drop()
	s.trainer.eager, s.trainer.runTo, s.trainer.fitEps = false, place{}, l.Eps
	s.display.hide(false)
	s.wantsShipped = s.shippedName() != "" && (s.lab.isSampler() || s.library.find(shippedRun) < 0)
	s.begin = l.Frame
	s.failed(s.live.Generate())
	s.look()
}

// open is openSettings of a link. What it returns is why a training of the link
// cannot be repeated.
func (s opening) open(l settings) error {
	if s.lab.isSampler() {
		s.trainer.end()
		s.display.a, s.display.b = nil, nil
		s.library.runs = slices.DeleteFunc(s.library.runs, func(r run) bool { return r.name == shippedRun })
	}
	s.openSettings(l)
	if l.Model == origins[1] {
		return s.repeat(l)
	}
	if s.library.find(shippedRun) >= 0 {
		return s.display.choose(shippedRun, false)
	}
	return nil
}

// repeat trains what a link says was trained, up to where it stood.
func (s opening) repeat(l settings) error {
	t := &s.trainer
	to := place{max(1, l.Phase), l.Step}
	if s.lab.isSampler() {
		if err := (follower{t}).scratch(); err != nil || l.Step == 0 {
			return err
		}
	} else if l.Phase == 0 && !(plan{t}).onCodes() {
		return nil
	}
	s.settings.From = beginnings[0]
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
	if s.lab.Shipped == nil {
		return ""
	}
	return s.lab.Shipped(s.settings.Eps, s.settings.ZDim)
}

// wantShipped asks for the shipped model of the settings, and reports whether
// there is one.
func (s opening) wantShipped() bool {
	s.wantsShipped = s.shippedName() != ""
	return s.wantsShipped
}

// trainingSeed is that of what is trained next: a sampler's sets and weights have
// one seed.
func (s *Session) trainingSeed() uint64 {
	if s.lab.isSampler() {
		return s.seed()
	}
	return s.settings.Seed
}

// seed is that of the run on show.
func (s *Session) seed() uint64 {
	if f := s.live.Settings().Find("seed"); f != nil {
		if v, ok := f.Value.(*uint64); ok {
			return *v
		}
	}
	return 1
}

// playable says whether there is a run on show whose frames can be used.
func (s *Session) playable() bool {
	what, _ := s.live.Preparing()
	return what == "" && s.live.Player().Begun() && !s.live.Run().Blank
}

// notPlayable says why there is none.
func (s *Session) notPlayable() error {
	if what, _ := s.live.Preparing(); what != "" {
		return errors.New("the run is still being prepared; wait a moment")
	}
	return errors.New("there are too few particles to move; draw more first")
}

// noModel says why there is no model on show.
func (s *Session) noModel() error {
	if s.noShipped != "" {
		return errors.New("there is no model; open one, or reload the page")
	}
	return errors.New("the model is still on its way")
}

// look follows whatever may have begun another run, or changed the one on show.
func (s *Session) look() {
	s.changed()
	if what, _ := s.live.Preparing(); what != "" || !s.live.Player().Begun() {
		return
	}
	r := s.live.Run()
	if r.Generation == s.generation {
		for _, m := range s.display.models() {
			if !m.begun && s.playable() { // it was chosen while another run was prepared, which could not begin
				m.begin(s)
			}
		}
		return
	}
	s.generation = r.Generation
	if r.Blank {
		s.begin = 0 // what is drawn next stands still
		return
	}
	p := s.live.Player()
	if p.Now() > 0 && !s.live.Recorded() && s.begin == 0 { // the same run goes on, otherwise from here on
		for _, m := range s.display.models() {
			m.forget(r.Known)
		}
		return
	}
	if !s.live.Recorded() && s.own.data != nil && !s.lab.isSampler() {
		s.own.drop()
	}
	s.warning = ""
	s.order.reset(r.Particles)
	s.display.restart()
	switch {
	case s.lab.isSampler():
	case s.begin < 0:
		s.failed(p.Play())
	case s.begin > 0:
		s.failed(p.Seek(min(s.begin, r.Horizon)))
	}
	s.begin = 0
}

// newGeneration returns a number for Frame.Extend that nothing else has, however
// often view.NextGeneration is added.
func (s *Session) newGeneration() uint64 {
	s.generations++
	return uint64(s.generations)
}

// changed says that another picture is to be made.
func (s *Session) changed() { s.display.painted, s.frameStale, s.stateStale = false, true, true }

// moved follows every change of the picture on show.
func (s *Session) moved() {
	s.display.hide(true)
	s.changed()
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
	notice = s.play(budget)
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
	return what != "" || s.live.Player().Busy() || behind || measures || s.display.active != 0 || s.trainer.status == wire.Training, notice
}

// play lets time pass, or goes on with what comes before the run.
func (s *Session) play(budget time.Duration) *wire.Notice {
	if what, _ := s.live.Preparing(); what != "" {
		err := s.live.Prepare(s.now, budget)
		s.frameStale, s.stateStale = true, true
		s.look()
		return s.failed(err)
	}
	share := budget / 2
	if s.traits.Stochastic { // its particles come first: what is made of them can wait
		share = budget * 4 / 5
	}
	moved, err := s.live.Player().Advance(s.now, s.settings.Speed, share)
	if moved {
		s.moved()
	}
	if err == nil {
		return nil
	}
	s.stateStale, s.frameStale = true, true
	if errors.Is(err, play.ErrEnded) || s.warning != "" {
		return nil
	}
	s.warning = err.Error()
	return failure(err)
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
	case t.eager && t.codes == nil && (plan{t}.onCodes() || t.pausedBy.onCodes):
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
		return opening{s}.fetchedShipped(b, err)
	case s.order.wants:
		return s.order.fetched(b, err)
	}
	return s.trainer.fetchedCodes(b, err)
}

// fetchedShipped keeps the model that comes with the lab, and shows it unless
// another is on show.
func (s opening) fetchedShipped(b []byte, err error) *wire.Notice {
	s.wantsShipped = false
	r := run{name: shippedRun, origin: "shipped with the lab"}
	var f *ckpt.File
	if err == nil {
		f, err = ckpt.Decode(bytes.NewReader(b))
	}
	if err == nil {
		r.model, err = s.library.open(f)
	}
	if err == nil && r.model.Config.ZDim() != s.settings.ZDim && s.lab.isSampler() {
		err = fmt.Errorf("it has latent dimension %d, not %d", r.model.Config.ZDim(), s.settings.ZDim)
	}
	if err != nil {
		return s.missedShipped(err)
	}
	if i := s.library.find(shippedRun); i >= 0 {
		s.library.runs[i] = r
	} else {
		s.library.runs = slices.Insert(s.library.runs, 0, r)
	}
	s.noShipped = ""
	switch a := s.display.a; {
	case a == nil || s.ahead:
		if err = s.display.choose(shippedRun, false); err == nil && a != nil {
			err = s.display.choose(a.name, true)
		}
	case s.beside == shippedRun:
		err = s.display.choose(shippedRun, true)
	}
	s.beside, s.ahead = "", false
	t := &s.trainer
	switch {
	case err != nil:
	case s.lab.isSampler() && s.display.a.name == shippedRun:
		t.fitEps = r.model.Config.Eps()
		t.shippedKL = r.model.KL(s.settings.Eps, fit.KLSets, fit.KLSamples, s.seed())
		if eager := t.eager; eager || (follower{t}).refitting() {
			t.eager = false
			err = follower{t}.follow()
		}
	case t.eager && t.codes != nil:
		t.eager = false
		err = t.train()
	}
	return failure(err)
}

// missedShipped goes on without the model that comes with the lab: a sampler's is
// trained here.
func (s opening) missedShipped(err error) *wire.Notice {
	s.trainer.eager = false
	if s.lab.isSampler() && s.display.a == nil {
		s.settings.Model = origins[1]
		if begun := (follower{&s.trainer}).scratch(); begun == nil {
			_ = follower{&s.trainer}.follow() // which goes on with what has begun
		}
		return failure(fmt.Errorf("the shipped model could not be opened, so one is being trained here: %w", err))
	}
	if s.display.a == nil {
		s.noShipped = "There is no model to predict with; open one, train one, or reload the page."
	}
	return failure(fmt.Errorf("the shipped model could not be opened; train one here, open one of your own, or reload the page: %w", err))
}

// Status implements wire.Session.
func (s *Session) Status() wire.Status {
	if s.lab.isSampler() && s.trainer.live == nil && s.display.a != nil {
		return wire.Done // the model of a file, which could be trained on
	}
	return s.trainer.status
}

// StateChanged implements wire.Session.
func (s *Session) StateChanged() bool { return s.stateStale }

// Fragment implements wire.Session.
func (s *Session) Fragment() string { return opening{s}.fragment(opening{s}.linked()) }
