package lab

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"time"

	"macroscope/model/wire"
	"macroscope/sim/particle"
)

const (
	// ParticlesShipped is the bundle's path of the model that comes with the lab.
	ParticlesShipped = "models/particles-laptop.safetensors"

	playedPerSecond = 30                    // frames, at speed 1
	paintTime       = 12 * time.Millisecond // that one picture may take
	klPace          = 100 * time.Millisecond
	litFor          = 1500 * time.Millisecond
	pastNumbers     = 90_000 // particles that are encoded, at most, for ẑ through time
	pastRows        = 600
)

// The bits of what is revealed of the model, and the stages that can be lit.
const (
	showCode = 1 << iota
	showDensity
	showPrediction
	showAll = showCode | showDensity | showPrediction
)

// ParticlesSession is the experiment of section 4.2 as a visitor drives it. It
// is pure computation, so that a test can drive it as a page does. It serves
// one goroutine at a time.
type ParticlesSession struct {
	settings ParticlesSettings
	tool     string
	keepAs   string // what the next run that is kept is to be called
	now      func() time.Time

	play   playback
	run    int       // counts the runs that have begun
	hand   bool      // the first frame was made by hand
	note   string    // where the first frame is from, if it is not the seed's
	sketch []float32 // the first particles of a drawing (n, 2), too few yet to move
	blank  bool      // the sketch is all there is
	half   float64   // of the window's side

	wants    string // file of the bundle that is being fetched
	a, b     *shownModel
	target   *particlesTarget
	painted  bool      // the picture is of the frame on show
	measured time.Time // when its KL last was

	shown   int // bits of what is revealed
	lit     int
	litTill time.Time

	labels order

	frame                  wire.Frame
	frameStale, stateStale bool
	warning                string // why the last run stopped
	truth                  []float32
	errors                 []float32
}

var _ wire.Session = (*ParticlesSession)(nil)

func init() {
	Register(particlesName, Lab{New: func() wire.Session { return NewParticles() }})
}

// NewParticles returns a session with the lab's own settings, which plays, and
// wants the shipped model.
func NewParticles() *ParticlesSession { return newParticlesSession(time.Now) }

func newParticlesSession(now func() time.Time) *ParticlesSession {
	s := &ParticlesSession{now: now, tool: tools[0], target: newParticlesTarget()}
	s.open(DefaultParticlesSettings())
	return s
}

// open takes all settings at once, as a link or a first visit does.
func (s *ParticlesSession) open(settings ParticlesSettings) {
	s.settings = settings
	s.shown = 0
	if settings.All {
		s.shown = showAll
	}
	s.wants = ParticlesShipped
	s.generate()
	if s.play.pause(); settings.Frame >= 0 {
		s.play.seek(min(settings.Frame, s.play.horizon))
	} else {
		s.play.play()
	}
}

// generate begins the run of the settings' system, seed and set.
func (s *ParticlesSession) generate() error {
	c := s.settings.system()
	err := s.play.simulate(c, particle.InitialPositions(c, s.settings.Seed, s.settings.Set))
	if err != nil {
		return plainError(err)
	}
	s.hand, s.note = false, ""
	s.begun()
	return nil
}

// fromHand begins a run from positions (N, 2) that were made by hand.
func (s *ParticlesSession) fromHand(xy []float32, note string) error {
	c := s.settings.system()
	c.N = len(xy) / 2
	playing := s.play.playing
	if err := s.play.simulate(c, xy); err != nil {
		return plainError(err)
	}
	s.settings.N, s.hand, s.note = c.N, true, note
	s.begun()
	if playing {
		s.play.play()
	}
	return nil
}

// begun follows the beginning of every run.
func (s *ParticlesSession) begun() {
	s.run++
	s.blank, s.sketch, s.warning = false, s.sketch[:0], ""
	s.half = 0
	s.window()
	s.labels.reset(s.play.particles())
	if !s.settings.All {
		s.shown = 0
	}
	for _, m := range s.models() {
		m.begin(s)
	}
	s.changed()
}

// window lets the square that is shown hold the frame, and never shrinks within
// a run.
func (s *ParticlesSession) window() {
	const least, step = 1.25, 0.25
	if reach := s.play.reach(s.play.now) * 1.02; reach > s.half {
		s.half = max(least, math.Ceil(reach/step)*step)
	}
}

// models returns what is on show, A first.
func (s *ParticlesSession) models() []*shownModel {
	switch {
	case s.a == nil:
		return nil
	case s.b == nil:
		return []*shownModel{s.a}
	}
	return []*shownModel{s.a, s.b}
}

// changed says that another picture is to be made.
func (s *ParticlesSession) changed() { s.painted, s.frameStale, s.stateStale = false, true, true }

// moved follows every change of the frame on show.
func (s *ParticlesSession) moved() {
	s.window()
	if !s.settings.All {
		s.shown &= showPrediction // what was found of another frame
	}
	s.changed()
}

// Work implements wire.Session.
func (s *ParticlesSession) Work(budget time.Duration) (busy bool, notice *wire.Notice) {
	began := s.now()
	moved, err := s.play.advance(s.now, playedPerSecond*s.settings.Speed, budget/2)
	if moved {
		s.moved()
	}
	if err != nil {
		s.stateStale, s.frameStale = true, true
		if !errors.Is(err, errEnded) && s.warning == "" {
			s.warning = plainError(err).Error()
			notice = failure(plainError(err))
		}
	}
	if s.lit != 0 && began.After(s.litTill) {
		s.lit, s.frameStale = 0, true
	}
	behind := false
	for _, m := range s.models() {
		behind = s.follow(m, began, budget) || behind
	}
	return s.play.busy() || behind || s.lit != 0, notice
}

// follow lets a model catch up with the run until the budget is spent, and
// reports whether there is more to do.
func (s *ParticlesSession) follow(m *shownModel, began time.Time, budget time.Duration) (behind bool) {
	if s.blank {
		return false
	}
	for s.now().Sub(began) < budget {
		switch {
		case s.painted && m.decoded && s.shown&showDensity != 0 && !m.view.evaluate():
			s.frameStale = true
		case s.shown&showPrediction != 0 && m.usable && m.ahead.step():
			if m.ahead.complete() {
				s.stateStale, s.frameStale = true, true
			}
		case s.shown&showCode != 0 && m.pastBehind(&s.play):
			m.encodePast(&s.play)
			s.frameStale = true
		default:
			return false
		}
	}
	return true
}

// Lab implements wire.Session.
func (s *ParticlesSession) Lab() string { return particlesName }

// Wants implements wire.Session.
func (s *ParticlesSession) Wants() string { return s.wants }

// Fetched implements wire.Session.
func (s *ParticlesSession) Fetched(name string, b []byte, err error) *wire.Notice {
	if name != s.wants {
		return nil // the visitor has gone on to something else
	}
	s.wants = ""
	var m *ParticlesModel
	if err == nil {
		m, _, err = ReadParticles(bytes.NewReader(b))
	}
	if err == nil {
		err = s.show(m, "shipped", "shipped with the lab")
	}
	if err != nil {
		return failure(fmt.Errorf("the shipped model could not be opened; train one here, or reload the page: %w", err))
	}
	return nil
}

// show makes a model the one on show.
func (s *ParticlesSession) show(m *ParticlesModel, name, origin string) error {
	if d := m.Config.Encoder.Dim; d != 2 {
		return fmt.Errorf("the model is of particles with %d coordinates, and the page shows those in the plane", d)
	}
	s.a = newShownModel(m, name, origin)
	s.a.begin(s)
	s.changed()
	return nil
}

// Status implements wire.Session.
func (s *ParticlesSession) Status() wire.Status { return wire.Idle }

// StateChanged implements wire.Session.
func (s *ParticlesSession) StateChanged() bool { return s.stateStale }

// Fragment implements wire.Session.
func (s *ParticlesSession) Fragment() string { return s.linked().Fragment() }

// linked returns the settings as a link carries them.
func (s *ParticlesSession) linked() ParticlesSettings {
	l := s.settings
	l.Frame = -1
	if !s.play.playing {
		l.Frame = s.play.now
	}
	return l
}

// Saved implements wire.Session.
func (s *ParticlesSession) Saved() []byte { return nil }

// Save implements wire.Session.
func (s *ParticlesSession) Save(what string) (name string, b []byte, err error) {
	return "", nil, fmt.Errorf("the lab makes no file called %s", quote(what))
}
