package lab

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/train"
	"macroscope/model/wire"
)

const (
	gridPoints = 512
	// viewLo and viewHi hold every mixture of the demo and its tails.
	viewLo, viewHi = -1.8, 1.8
	// trainedLo and trainedHi bound what training shows the model; own data
	// beyond them is scaled to lie within.
	trainedLo, trainedHi = -1.5, 1.5

	klSamples  = 1024 // of the set shown
	valSets    = 32   // held out, for the curve
	valSamples = 128
	valEvery   = 50 // steps

	refitSteps = 1500 // after ε has changed
	refitShare = 0.35 // of the peak learning rate, when weights are not new

	driftPeriod = 4 * time.Second // from one mixture to the next
	rateWindow  = time.Second     // over which sets/s is measured
)

// DemoSession is the demo as a visitor drives it: settings, the set on show,
// the model and its training. It is pure computation, so that a test can drive
// it as a page does. It serves one goroutine at a time.
type DemoSession struct {
	settings Settings
	now      func() time.Time

	model   *DemoModel
	trainer *train.Trainer
	status  wire.Status
	shipped bool    // the weights are shipped ones, untouched
	origin  string  // where the weights are from, in words
	fitEps  float64 // that the model was last trained for to the end
	runTo   int     // step at which to pause; 0 for none
	wants   string  // shipped checkpoint that is being fetched
	eager   bool    // training is to begin as soon as the wanted file is there

	particles []float32 // of the set shown, in the model's coordinate
	own       bool
	dataName  string
	shift     float32 // visitor's coordinate = shift + scale·model's
	scale     float32
	driftAt   float64 // in mixtures, beyond settings.Set
	driftLast time.Time

	view    *demoView
	grid    []float32
	picture *picture
	curves  curves

	rateFrom time.Time
	rateSets int
	setsPerS float64

	frame                  wire.DemoFrame
	frameStale, stateStale bool
}

var _ wire.Session = (*DemoSession)(nil)

func init() {
	Register(wire.Demo, Lab{New: func() wire.Session { return NewDemo() }})
}

// NewDemo returns a session with the default settings, which wants the shipped
// checkpoint and shows untrained weights until it has come.
func NewDemo() *DemoSession { return newDemoSession(time.Now) }

func newDemoSession(now func() time.Time) *DemoSession {
	s := &DemoSession{now: now, scale: 1, grid: make([]float32, gridPoints), picture: &picture{
		target: make([]float32, gridPoints), fit: make([]float32, gridPoints),
	}}
	for i := range s.grid {
		s.grid[i] = viewLo + (viewHi-viewLo)*float32(i)/(gridPoints-1)
	}
	s.open(DefaultSettings())
	return s
}

// open takes all settings at once, as a link or a first visit does.
func (s *DemoSession) open(settings Settings) {
	s.settings = settings
	s.own, s.dataName, s.shift, s.scale = false, "", 0, 1
	s.driftAt, s.driftLast = 0, time.Time{}
	if settings.Scratch {
		s.fromScratch()
		if settings.Step > 0 {
			s.runTo = settings.Step
			s.start()
		}
	} else {
		s.fromScratch()
		s.wantShipped()
	}
	s.showSet()
}

// config is the browser preset under the present settings.
func (s *DemoSession) config() DemoConfig {
	c, err := DemoPreset("browser")
	if err != nil {
		panic(err)
	}
	c.Eps, c.Particles, c.Seed = s.settings.Eps, s.settings.N, s.settings.Seed
	return c.WithZDim(s.settings.ZDim)
}

// fromScratch begins with the weights that the seed draws.
func (s *DemoSession) fromScratch() {
	m := NewDemoModel(s.config())
	s.adopt(m, m.NewTrainer(m.InitialParams(), 1))
	s.status, s.shipped, s.origin = wire.Idle, false, fmt.Sprintf("untrained, seed %d", s.settings.Seed)
	s.fitEps = s.settings.Eps
	s.curves.clear()
}

// adopt makes m and its trainer the session's.
func (s *DemoSession) adopt(m *DemoModel, t *train.Trainer) {
	if s.trainer != nil {
		s.trainer.Close()
	}
	s.model, s.trainer = m, t
	s.view = newDemoView(m, max(len(s.particles), s.settings.N), klSamples, gridPoints)
	s.runTo, s.wants, s.eager = 0, "", false
	s.picture.kl = math.NaN() // that of other weights
	s.changed()
}

// retrainAs goes on with the present weights and moments under another
// configuration of the same network.
func (s *DemoSession) retrainAs(c DemoConfig) {
	m := NewDemoModel(c)
	t := m.NewTrainer(s.trainer.Params, 1)
	copy(t.Adam.M, s.trainer.Adam.M)
	copy(t.Adam.V, s.trainer.Adam.V)
	t.Resume(s.trainer.Step(), s.trainer.CycleStart, s.trainer.Schedule())
	runTo := s.runTo
	s.adopt(m, t)
	s.runTo = runTo
}

func (s *DemoSession) changed() {
	s.picture.current, s.picture.fitted, s.frameStale, s.stateStale = false, false, true, true
}

// heldOutKL measures the model against the present target on sets that
// training never draws.
func (s *DemoSession) heldOutKL() float64 {
	return s.model.Evaluate(s.trainer.Params, s.settings.Eps, valSets, valSamples, s.settings.Seed)
}

// start trains, or goes on training; a shipped model that is on its way comes
// first.
func (s *DemoSession) start() {
	if s.wants != "" {
		s.eager = true
		return
	}
	if s.trainer.Step() >= s.trainer.Steps() || s.status == wire.Done || s.status == wire.Diverged {
		s.cycle(refitSteps)
	}
	switch {
	case s.shipped:
		s.shipped, s.origin = false, "trained on here from the shipped model"
	case s.settings.Scratch:
		s.origin = fmt.Sprintf("trained here from scratch, seed %d", s.settings.Seed)
	}
	s.status = wire.Training
	s.rateFrom, s.rateSets, s.setsPerS = s.now(), 0, 0
	s.frameStale, s.stateStale = true, true
}

// cycle begins a shorter, gentler schedule from the weights at hand; after a
// divergence it is gentler still.
func (s *DemoSession) cycle(steps int) {
	full := s.model.Config.trainConfig(1).Schedule
	peak := full.Peak * refitShare
	if s.status == wire.Diverged {
		peak = s.trainer.Schedule().Peak / 4
	}
	full.Peak, full.Steps = peak, steps
	s.trainer.Restart(full)
}

// refit lets the model follow a target that has changed, unless the visitor
// has paused training.
func (s *DemoSession) refit() {
	if s.status == wire.Training && s.trainer.Step() < s.model.Config.Steps && !s.shipped && s.trainer.CycleStart == 0 {
		return // a first training is under way and goes on with the new target
	}
	s.cycle(refitSteps)
	if s.status != wire.Paused && s.status != wire.Idle {
		s.start()
	}
}

func (s *DemoSession) pause() {
	s.eager = false
	if s.status == wire.Training {
		s.status = wire.Paused
	}
	s.runTo = 0
	s.frameStale = true
}

// Work computes for about budget and reports whether it wants to be called
// again soon.
func (s *DemoSession) Work(budget time.Duration) (busy bool, notice *wire.Notice) {
	began := s.now()
	s.drift(began)
	for s.status == wire.Training {
		stepped, err := s.trainer.AdvanceShard()
		if stepped || err != nil {
			notice = failure(s.stepped(err))
		}
		if s.now().Sub(began) >= budget {
			break
		}
	}
	return s.status == wire.Training || s.settings.Drift, notice
}

// stepped follows every training step.
func (s *DemoSession) stepped(err error) error {
	s.frameStale, s.stateStale, s.picture.fitted = true, true, false
	if err != nil {
		s.status = wire.Diverged
		return err
	}
	step := s.trainer.Step()
	s.settings.Step = step
	s.curves.loss.add(step, s.trainer.Loss())
	if step == 1 || step%valEvery == 0 {
		s.curves.kl.add(step, s.heldOutKL())
	}
	s.rateSets += s.model.Config.Batch
	if d := s.now().Sub(s.rateFrom); d >= rateWindow {
		s.setsPerS = float64(s.rateSets) / d.Seconds()
		s.rateFrom, s.rateSets = s.now(), 0
	}
	switch {
	case step >= s.trainer.Steps():
		s.status, s.fitEps, s.runTo = wire.Done, s.settings.Eps, 0
	case s.runTo > 0 && step >= s.runTo:
		s.pause()
	}
	return nil
}

// Save implements wire.Session: the model with the state of its training.
func (s *DemoSession) Save(what string) (name string, b []byte, err error) {
	if what != wire.Model {
		return "", nil, fmt.Errorf("the demo makes no file called %s", quote(what))
	}
	var out bytes.Buffer
	err = ckpt.Encode(&out, s.model.Checkpoint(s.trainer.Params, s.trainer))
	name = fmt.Sprintf("macroscope-demo-eps%g-z%d-step%d.safetensors", s.settings.Eps, s.settings.ZDim, s.trainer.Step())
	return name, out.Bytes(), err
}
