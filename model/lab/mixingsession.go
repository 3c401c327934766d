package lab

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/wire"
)

// MixingShipped is the bundle's path of the model that comes with the lab.
const MixingShipped = "models/mixing-laptop.safetensors"

// mixingTools are what the pointer does in the picture.
var mixingTools = []string{"look", "boundary"}

// MixingSession is the experiment of section 4.3 as a visitor drives it: two
// species of atoms that mix live, their densities, and what the law makes of
// frame 0. It is pure computation, so that a test can drive it as a page does.
// It serves one goroutine at a time.
type MixingSession struct {
	settings MixingSettings
	good     MixingSettings // those of the run on show
	tool     string
	now      func() time.Time

	play  mixingPlay
	relax relaxation
	begin int // frame that the run shows once it has begun; -1 lets it play
	note  string

	wants string      // file of the bundle that is being fetched
	none  string      // why there is no shipped model, "" if there is or may be
	a, b  *mixingView // the models on show
	split speciesSplit

	targets  [2]*particlesTarget // of either species
	painted  bool
	measured time.Time

	shown   int // bits of what is revealed
	lit     int
	litTill time.Time

	kept        runs[*MixingModel]
	keepAs      string       // what the next run that is kept is to be called
	codes       *MixingCodes // what laws are trained on, nil before they are fetched
	eager       bool         // training is to begin as soon as they are
	status      wire.Status  // of the training
	training    *mixingLawTraining
	trainedFrom string
	trains      lawRecipe
	runTo       int            // step at which to pause; 0 for none
	live        pace           // at which it is drawn
	paused      *ckpt.File     // a training that waits for its data
	pausedBy    restoredMixing // what else a saved session tells of it
	besides     string         // run to be put beside A as soon as it is there

	data *ownMixing // nil while the run is simulated

	labels labelling
	dz     float64 // largest change of ẑ by the last shuffle

	frame                  wire.Frame
	frameStale, stateStale bool
	warning                string // why the last run stopped, or could not begin
	numbers                []float32
}

var _ wire.Session = (*MixingSession)(nil)

func init() {
	Register(mixingName, Lab{New: func() wire.Session { return NewMixing() }})
}

// NewMixing returns a session with the lab's own settings, which relaxes its
// atoms and then plays, and wants the shipped model.
func NewMixing() *MixingSession { return newMixingSession(time.Now) }

func newMixingSession(now func() time.Time) *MixingSession {
	s := &MixingSession{now: now, tool: mixingTools[1], targets: [2]*particlesTarget{newParticlesTarget(), newParticlesTarget()}}
	s.open(DefaultMixingSettings())
	return s
}

// open takes all settings at once, as a link or a first visit does.
func (s *MixingSession) open(settings MixingSettings) {
	s.settings = settings
	s.shown = 0
	if settings.All {
		s.shown = showAll
	}
	if s.kept.find(shippedRun) < 0 {
		s.wants = MixingShipped
	}
	s.eager, s.runTo = settings.Scratch, 0
	if settings.Scratch {
		s.runTo = settings.Step
		s.fetchCodes()
	}
	s.failed(s.generate(settings.Frame))
}

// generate begins the run of the settings, which must be valid, or the relaxation
// that comes before it. The run then shows a frame, or plays where that is -1.
func (s *MixingSession) generate(frame int) error {
	s.begin = frame
	s.relax.cancel()
	if state := s.relax.find(s.settings); state != nil {
		err := s.play.simulate(s.settings.system(), *state)
		if err != nil {
			return err
		}
		s.note = ""
		s.forgetData()
		s.begun()
		return nil
	}
	s.stateStale, s.frameStale = true, true
	return s.relax.begin(s.settings)
}

// begun follows the beginning of every run.
func (s *MixingSession) begun() {
	s.good, s.warning = s.settings, ""
	s.labels.reset(s.play.atoms())
	if !s.settings.All {
		s.shown = 0
	}
	for _, m := range s.models() {
		s.foretell(m)
	}
	if s.play.playing = false; s.begin < 0 {
		s.play.play()
	} else if s.begin > 0 {
		s.play.seek(min(s.begin, s.play.horizon))
	}
	s.changed()
}

// foretell lets a model begin with the run's frame 0.
func (s *MixingSession) foretell(m *mixingView) {
	if s.play.begun() {
		m.begin(&s.play, s.settings.Members, s.settings.Seed)
	}
}

// failed goes back to the settings of the run on show, or, if there is none, to
// the lab's own, after an error of those that were tried.
func (s *MixingSession) failed(err error) *wire.Notice {
	if err == nil {
		return nil
	}
	err = plainMixing(err)
	if s.play.begun() {
		s.restoreSystem(s.good)
	} else {
		s.restoreSystem(DefaultMixingSettings())
		_ = s.generate(-1) // which a test begins
	}
	s.stateStale, s.frameStale = true, true
	return failure(err)
}

// restoreSystem takes the system's settings from others.
func (s *MixingSession) restoreSystem(from MixingSettings) {
	t := &s.settings
	t.Boundary, t.Height, t.Temperature, t.E11, t.E22, t.E12 = from.Boundary, from.Height, from.Temperature, from.E11, from.E22, from.E12
	t.Dt, t.Frames, t.Seed, t.Set = from.Dt, from.Frames, from.Seed, from.Set
}

// models returns what is on show, A first.
func (s *MixingSession) models() []*mixingView {
	switch {
	case s.a == nil:
		return nil
	case s.b == nil:
		return []*mixingView{s.a}
	}
	return []*mixingView{s.a, s.b}
}

// changed says that another picture is to be made.
func (s *MixingSession) changed() { s.painted, s.frameStale, s.stateStale = false, true, true }

// moved follows every change of the picture on show.
func (s *MixingSession) moved() {
	if !s.settings.All {
		s.shown &= showPrediction // what was found of another frame
	}
	if sim := s.play.sim; sim != nil && s.play.wanted == s.play.tuned[s.play.known] {
		// What held then, when one goes back to before a change.
		c := sim.Config()
		t := &s.settings
		t.Temperature, t.E11, t.E22, t.E12 = c.Temperature, c.AA.Epsilon, c.BB.Epsilon, c.AB.Epsilon
		s.good = s.settings
	}
	s.changed()
}

// Work implements wire.Session.
func (s *MixingSession) Work(budget time.Duration) (busy bool, notice *wire.Notice) {
	began, measuring := s.now(), false
	if s.relax.under() {
		notice = s.relaxOn(budget)
	} else {
		notice = s.playOn(budget * 4 / 5) // the atoms come first: what is made of them can wait
	}
	if s.data != nil && s.data.measured != nil && !s.data.measured.done {
		if err := s.data.measured.advance(s.data); err != nil {
			s.data.measured = nil
			notice = failure(err)
		} else if s.data.measured.done {
			notice = &wire.Notice{Text: upperFirst(s.data.measured.result()) + "."}
		}
		measuring, s.stateStale = true, true
	}
	if s.lit != 0 && began.After(s.litTill) {
		s.lit, s.frameStale = 0, true
	}
	// However long a piece of the simulation takes, the rest has a fifth of the
	// time.
	from := s.now()
	left := max(from.Sub(began)/4, budget-from.Sub(began))
	behind := false
	for _, m := range s.models() {
		behind = s.follow(m, from, left) || behind
	}
	if s.status == wire.Training {
		if n := s.trainOn(max(0, left-s.now().Sub(from))); n != nil {
			notice = n
		}
	}
	return s.relax.under() || s.play.busy() || behind || s.lit != 0 || measuring || s.status == wire.Training, notice
}

// relaxOn goes on with the relaxation, and begins the run after it.
func (s *MixingSession) relaxOn(budget time.Duration) *wire.Notice {
	s.frameStale, s.stateStale = true, true
	state, err := s.relax.advance(s.now, budget)
	if err != nil || state == nil {
		return s.failed(err)
	}
	return s.failed(s.generate(s.begin))
}

// playOn lets time pass.
func (s *MixingSession) playOn(budget time.Duration) *wire.Notice {
	perSecond := playedSteps * s.settings.Speed
	if s.play.sim == nil {
		perSecond /= recordEvery
	}
	moved, err := s.play.advance(s.now, perSecond, budget)
	if moved {
		s.moved()
	}
	if err == nil {
		return nil
	}
	s.stateStale, s.frameStale = true, true
	if errors.Is(err, errEnded) || s.warning != "" {
		return nil
	}
	s.warning = plainMixing(err).Error()
	return failure(plainMixing(err))
}

// follow lets a model catch up with the run until the budget is spent, by one
// piece of work at least, and reports whether there is more to do.
func (s *MixingSession) follow(m *mixingView, began time.Time, budget time.Duration) (behind bool) {
	if !s.play.begun() || s.relax.under() {
		return false
	}
	for first := true; first || s.now().Sub(began) < budget; first = false {
		switch {
		case s.shown&showPrediction != 0 && m.usable && m.ahead.step():
			s.frameStale = true
			if m.ahead.complete() {
				s.stateStale = true
			}
		case s.painted && m.decoded && s.shown&showDensity != 0 && !m.evaluate():
			s.frameStale = true
		case m == s.a && s.shown&showCode != 0 && m.encodePast(&s.play, &s.split):
			s.frameStale = true
		default:
			return false
		}
	}
	return true
}

// Lab implements wire.Session.
func (s *MixingSession) Lab() string { return mixingName }

// Wants implements wire.Session.
func (s *MixingSession) Wants() string { return s.wants }

// Fetched implements wire.Session. Without its model the lab simulates.
func (s *MixingSession) Fetched(name string, b []byte, err error) *wire.Notice {
	if name != s.wants {
		return nil // the visitor has gone on to something else
	}
	s.wants, s.stateStale = "", true
	if name == MixingCodesShipped {
		return failure(s.codesFetched(b, err))
	}
	var m *MixingModel
	if err == nil {
		m, _, err = ReadMixing(bytes.NewReader(b))
	}
	if err == nil {
		err = s.kept.keep(run[*MixingModel]{name: shippedRun, origin: "shipped with the lab", model: m})
	}
	if err != nil {
		s.eager = false
		if s.a == nil {
			s.none = "There is no model to foretell with; open one, or reload the page."
		}
		return failure(fmt.Errorf("the shipped model could not be opened, so the atoms mix without a prediction; open one of your own, or reload the page: %w", err))
	}
	if s.a == nil {
		err = s.choose(shippedRun, false)
		s.measureData()
	} else if s.besides == shippedRun {
		err = s.choose(shippedRun, true)
	}
	s.besides = ""
	if s.eager || s.paused != nil {
		s.fetchCodes()
	}
	return failure(err)
}

// Status implements wire.Session.
func (s *MixingSession) Status() wire.Status { return s.status }

// StateChanged implements wire.Session.
func (s *MixingSession) StateChanged() bool { return s.stateStale }

// Fragment implements wire.Session.
func (s *MixingSession) Fragment() string { return s.linked().Fragment() }

// linked returns the settings as a link carries them.
func (s *MixingSession) linked() MixingSettings {
	l := s.settings
	if !l.Scratch {
		l.Step = 0
	}
	switch {
	case s.relax.under():
		l.Frame = s.begin
	case s.play.playing:
		l.Frame = -1
	default:
		l.Frame = s.play.now
	}
	return l
}
