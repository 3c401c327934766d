package lab

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"macroscope/model/ckpt"
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
	hand   bool       // the first frame was made by hand
	note   string     // where the first frame is from, if it is not the seed's
	sketch []float32  // the first particles of a drawing (n, 2), too few yet to move
	blank  bool       // the sketch is all there is
	centre [2]float64 // of the window
	half   float64    // of its side

	wantsShipped    bool // the model that comes with the lab is on its way
	comparesShipped bool // and is to be B
	a, b            *shownModel
	kept            runs[*ParticlesModel]
	target          *particlesTarget
	painted         bool      // the picture is of the frame on show
	measured        time.Time // when its KL last was
	past            pace      // at which ẑ through time is drawn while it is encoded

	shown   int // bits of what is revealed
	lit     int
	litTill time.Time

	labels         labelling
	orders         shuffled
	ordered        *OrderedModel // nil before it has come
	wantsOrdered   bool
	orderedMissing bool // it could not be had

	data *ownData // nil if there are none

	preset      func(size string) (ParticlesConfig, error)
	training    *particlesTraining // nil if there has been none
	status      wire.Status        // of it
	trains      recipe             // it was begun with
	trainedFrom string             // its weights, in words
	runTo       place              // where to pause; none is zero
	live        pace               // at which the picture takes its weights and curves
	paused      *ckpt.File         // holds a training to go on with
	cores       int
	helpers     []helperJobs

	frame                  wire.Frame
	frameStale, stateStale bool
	warning                string // why the last run stopped
	truth                  []float32
	errors                 []float32
}

var _ wire.Session = (*ParticlesSession)(nil)

func init() {
	Register(particlesName, Lab{New: func() wire.Session { return NewParticles() }, Helper: newParticlesHelper})
}

// NewParticles returns a session with the lab's own settings, which plays, and
// wants the shipped model.
func NewParticles() *ParticlesSession { return newParticlesSession(time.Now) }

func newParticlesSession(now func() time.Time) *ParticlesSession {
	s := &ParticlesSession{now: now, tool: tools[0], target: newParticlesTarget(), preset: ParticlesPreset, cores: 1}
	s.orders.forget()
	s.open(DefaultParticlesSettings())
	return s
}

// open takes all settings at once, as a link or a first visit does. What it
// returns is why a training of the link cannot be repeated.
func (s *ParticlesSession) open(settings ParticlesSettings) error {
	s.settings = settings
	s.shown = 0
	if settings.All {
		s.shown = showAll
	}
	s.data.close()
	s.data = nil
	s.generate()
	if s.play.pause(); settings.Frame >= 0 {
		s.play.seek(min(settings.Frame, s.play.horizon))
	} else {
		s.play.play()
	}
	i := s.kept.find(shippedRun)
	s.wantsShipped = i < 0
	if settings.Scratch && settings.Stage >= StageFit {
		s.settings.From = beginnings[0]
		if err := s.begin(); err != nil {
			return err
		}
		s.runTo = place{settings.Stage, settings.Step}
		return nil
	}
	if i >= 0 {
		return s.choose(shippedRun, false)
	}
	return nil
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
	s.blank, s.sketch, s.warning = false, s.sketch[:0], ""
	if s.hand && s.half > 0 {
		s.window() // which must not move under the hand
	} else {
		s.aim()
	}
	s.labels.reset(s.play.particles())
	s.orders.forget()
	if !s.settings.All {
		s.shown = 0
	}
	for _, m := range s.models() {
		m.begin(s)
	}
	s.changed()
}

const leastWindow, windowStep = 0.8, 0.1

// aim lets the window hold the whole of a recording, or the first frame of a
// simulation, whose centre of mass stays where it is.
func (s *ParticlesSession) aim() {
	xy := s.play.frame(0)
	if s.recorded() {
		xy = s.play.frames
	}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	var sum [2]float64
	for i, v := range xy {
		x := float64(v)
		low[i%2], high[i%2], sum[i%2] = min(low[i%2], x), max(high[i%2], x), sum[i%2]+x
	}
	if s.recorded() {
		s.centre = [2]float64{(low[0] + high[0]) / 2, (low[1] + high[1]) / 2}
		s.half = max(high[0]-low[0], high[1]-low[1])/2*1.05 + 1e-6
		return
	}
	n := float64(len(xy) / 2)
	s.centre, s.half = [2]float64{sum[0] / n, sum[1] / n}, 0
	s.window()
}

// window lets the square that is shown hold a frame of the simulation, and never
// shrinks within a run.
func (s *ParticlesSession) window() {
	if s.recorded() {
		return
	}
	if reach := s.play.reach(s.play.now, s.centre) * 1.04; reach > s.half {
		s.half = max(leastWindow, math.Ceil(reach/windowStep)*windowStep)
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
	// However long a step of the simulation takes, the rest has a share of the
	// time, and training half of what is left.
	from := s.now()
	left := max(budget/4, budget-from.Sub(began))
	share := left
	if s.status == wire.Training {
		share = left / 2
	}
	behind := false
	for _, m := range s.models() {
		behind = s.follow(m, from, share) || behind
	}
	measures, n := s.workData(from, share)
	if n == nil {
		n = s.workTraining(from, left)
	}
	if notice == nil {
		notice = n
	}
	return s.play.busy() || behind || measures || s.lit != 0 || s.status == wire.Training, notice
}

// follow lets a model catch up with the run until the budget is spent, one step
// at least, and reports whether there is more to do. What is wanted once a run
// comes before what every frame wants anew.
func (s *ParticlesSession) follow(m *shownModel, began time.Time, budget time.Duration) (behind bool) {
	if s.blank {
		return false
	}
	for {
		switch {
		case s.shown&showPrediction != 0 && m.stepAhead(s.macroName()):
			if m.ahead.complete() {
				s.changed()
			}
		case m == s.a && s.followOrders():
		case s.shown&showCode != 0 && m.pastBehind(&s.play):
			m.encodePast(&s.play)
			s.frameStale = s.frameStale || !m.pastBehind(&s.play) || s.past.due(s.now(), livePace)
		case s.painted && m.decoded && s.shown&showDensity != 0 && !m.view.evaluate():
			s.frameStale = s.frameStale || s.decoded() // what plays is drawn anyway
		default:
			return false
		}
		if s.now().Sub(began) >= budget {
			return true
		}
	}
}

// Lab implements wire.Session.
func (s *ParticlesSession) Lab() string { return particlesName }

// Wants implements wire.Session.
func (s *ParticlesSession) Wants() string {
	switch {
	case s.wantsShipped:
		return ParticlesShipped
	case s.wantsOrdered:
		return ParticlesOrdered
	}
	return ""
}

// Fetched implements wire.Session.
func (s *ParticlesSession) Fetched(name string, b []byte, err error) *wire.Notice {
	switch {
	case name == ParticlesShipped && s.wantsShipped:
		return s.fetchedShipped(b, err)
	case name == ParticlesOrdered && s.wantsOrdered:
		return s.fetchedOrdered(b, err)
	}
	return nil // the visitor has gone on to something else
}

// fetchedShipped keeps the model that comes with the lab, and shows it unless
// another is on show.
func (s *ParticlesSession) fetchedShipped(b []byte, err error) *wire.Notice {
	s.wantsShipped = false
	var m *ParticlesModel
	if err == nil {
		m, _, err = ReadParticles(bytes.NewReader(b))
	}
	if err != nil {
		return failure(fmt.Errorf("the shipped model could not be opened; train one here, or reload the page: %w", err))
	}
	s.kept = slices.Insert(s.kept, 0, run[*ParticlesModel]{name: shippedRun, origin: "shipped with the lab", model: m})
	s.stateStale = true
	if s.a == nil || s.comparesShipped {
		return failure(s.choose(shippedRun, s.a != nil))
	}
	return nil
}

// Status implements wire.Session.
func (s *ParticlesSession) Status() wire.Status { return s.status }

// StateChanged implements wire.Session.
func (s *ParticlesSession) StateChanged() bool { return s.stateStale }

// Fragment implements wire.Session.
func (s *ParticlesSession) Fragment() string { return s.linked().Fragment() }

// linked returns the settings as a link carries them.
func (s *ParticlesSession) linked() ParticlesSettings {
	l := s.settings
	if l.Frame = -1; !s.play.playing {
		l.Frame = s.play.now
		if s.play.goal >= 0 {
			l.Frame = s.play.goal
		}
	}
	if l.Stage, l.Step = 0, 0; l.Scratch && s.repeatable() {
		l.Stage = s.training.run.stage
		if tr := s.training.run.trainer; tr != nil {
			l.Step = tr.Step()
		}
	} else {
		l.Scratch = false
	}
	return l
}

// repeatable says whether the model on show is what the settings train.
func (s *ParticlesSession) repeatable() bool {
	return s.training != nil && s.a != nil && s.a.origin == s.trainedFrom && s.recipe() == s.trains
}
