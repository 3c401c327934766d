package lab

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/data"
	"macroscope/model/kernel"
	"macroscope/model/train"
	"macroscope/model/wire"
	"macroscope/sim/gauss"
	"macroscope/sim/rng"
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

	frameStale, stateStale bool
}

// picture is what is drawn of the set on show, kept while it stays the same.
type picture struct {
	current bool // target and samples belong to the particles and ε
	fitted  bool // fit and kl belong to them and to the weights
	mix     gauss.Mixture
	target  []float32 // q_X on the grid
	fit     []float32 // p_θ on the grid
	kl      float64
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

// shippedEps and shippedZDims are the models that come with the lab.
var (
	shippedEps   = [...]float64{0.03, 0.1, 0.3}
	shippedZDims = [...]int{1, 2, 4, 8}
)

// ShippedEps and ShippedZDims list the models that come with the lab: one for
// each pair.
func ShippedEps() []float64 { return slices.Clone(shippedEps[:]) }

// ShippedZDims is described at ShippedEps.
func ShippedZDims() []int { return slices.Clone(shippedZDims[:]) }

// ShippedName is the bundle's path of the model trained for ε and ẑ dim.
func ShippedName(eps float64, zdim int) string {
	return fmt.Sprintf("models/demo-eps%s-z%d.safetensors", strconv.FormatFloat(eps, 'g', -1, 64), zdim)
}

// wantShipped asks for the shipped model of the present latent dimension whose
// ε is nearest, and reports whether there is one.
func (s *DemoSession) wantShipped() bool {
	if !slices.Contains(shippedZDims[:], s.settings.ZDim) {
		return false
	}
	best := shippedEps[0]
	for _, e := range shippedEps {
		if math.Abs(math.Log(e/s.settings.Eps)) < math.Abs(math.Log(best/s.settings.Eps)) {
			best = e
		}
	}
	s.wants = ShippedName(best, s.settings.ZDim)
	return true
}

// Wants names the file of the bundle that the session waits for, or "".
func (s *DemoSession) Wants() string { return s.wants }

// Fetched takes the file that Wants named, or the reason why there is none; the
// session then trains from scratch.
func (s *DemoSession) Fetched(name string, b []byte, err error) *wire.Notice {
	if name != s.wants {
		return nil // the visitor has gone on to something else
	}
	s.wants = ""
	if err == nil {
		err = s.takeShipped(b)
	}
	if err != nil {
		s.settings.Scratch = true
		s.start()
		return failure(fmt.Errorf("the shipped model could not be opened, so one is being trained here: %w", err))
	}
	return nil
}

func (s *DemoSession) takeShipped(b []byte) error {
	m, params, _, err := ReadDemo(bytes.NewReader(b))
	if err != nil {
		return err
	}
	if m.Config.Encoder.ZDim != s.settings.ZDim {
		return fmt.Errorf("it has latent dimension %d, not %d", m.Config.Encoder.ZDim, s.settings.ZDim)
	}
	eager := s.eager
	s.take(m, params, "shipped with the lab", true)
	switch {
	case eager:
		s.start()
	case m.Config.Eps != s.settings.Eps:
		s.refit()
	}
	return nil
}

// take goes on with a model's weights under the session's ε, number of
// particles and seed.
func (s *DemoSession) take(m *DemoModel, params []float32, origin string, shipped bool) {
	fitEps, c := m.Config.Eps, m.Config
	ours := s.config()
	c.Eps, c.Particles, c.Seed, c.Batch, c.Samples, c.Shards = ours.Eps, ours.Particles, ours.Seed, ours.Batch, ours.Samples, ours.Shards
	m = NewDemoModel(c)
	s.adopt(m, m.NewTrainer(params, 1))
	s.status, s.shipped, s.origin, s.fitEps = wire.Done, shipped, origin, fitEps
	s.settings.Scratch = false
	s.curves.clear()
	s.curves.kl.add(0, s.heldOutKL())
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
	if s.shipped {
		s.shipped, s.origin = false, "trained on here from the shipped model"
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

// Apply carries a command out. The notice says what was refused and why, or
// what else the visitor should know; nil is silence.
func (s *DemoSession) Apply(c wire.Command) *wire.Notice {
	defer func() { s.stateStale = true }()
	switch c.Kind {
	case wire.Set:
		return failure(s.set(c.Name, c.Value))
	case wire.Train:
		s.start()
	case wire.Pause:
		s.pause()
	case wire.Step:
		if s.status == wire.Training {
			s.pause()
		}
		return s.oneStep()
	case wire.Reset:
		s.settings.Scratch = true
		s.fromScratch()
	case wire.NewSeed:
		s.settings.Seed = rng.New(s.settings.Seed, "demo next seed").Uint64() % 1_000_000
		s.settings.Scratch = true
		s.fromScratch()
		s.showSet()
	case wire.RunTo:
		return failure(s.runUpTo(c.Value))
	case wire.Another:
		s.settings.Set = (s.settings.Set + 1) % maxSet
		s.ownData(nil, "")
	case wire.Drift:
		return failure(s.set("drift", c.Value))
	case wire.Add, wire.Remove:
		return failure(s.edit(c.Kind == wire.Add, c.Value))
	case wire.Shipped:
		s.fromScratch()
		if !s.wantShipped() {
			s.settings.Scratch = true
			return failure(fmt.Errorf("no model is shipped with latent dimension %d; there are some with %v", s.settings.ZDim, shippedZDims))
		}
	case wire.Link:
		settings, err := ParseFragment(c.Value)
		if err == nil && settings == s.linked() {
			return nil
		}
		s.open(settings)
		return failure(err)
	case wire.File:
		return s.file(c.Name, c.Data)
	case wire.Restore:
		return failure(s.restore(c.Data))
	default:
		return failure(fmt.Errorf("the lab has no command called %s", quote(c.Kind)))
	}
	return nil
}

// failure makes an error a sentence on the page.
func failure(err error) *wire.Notice {
	if err == nil {
		return nil
	}
	text := []rune(err.Error())
	text[0] = upper(text[0])
	return &wire.Notice{Text: string(text) + ".", Error: true}
}

func upper(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return r - 'a' + 'A'
	}
	return r
}

func (s *DemoSession) pause() {
	s.eager = false
	if s.status == wire.Training {
		s.status = wire.Paused
	}
	s.runTo = 0
	s.frameStale = true
}

func (s *DemoSession) set(name, value string) error {
	was := s.settings
	if err := s.settings.assign(name, value); err != nil {
		return err
	}
	if s.settings == was {
		return nil
	}
	switch name {
	case "eps":
		s.model.Config.Eps = s.settings.Eps
		s.refit()
	case "zdim":
		paused := s.status == wire.Paused
		s.fromScratch()
		if !s.wantShipped() {
			s.settings.Scratch = true
			if !paused {
				s.start()
			}
		}
	case "n":
		c := s.model.Config
		c.Particles = s.settings.N
		s.retrainAs(c)
		if !s.own {
			s.showSet()
		}
	case "seed":
		s.settings.Scratch = true
		s.fromScratch()
		s.showSet()
	case "set":
		s.ownData(nil, "")
	case "drift":
		s.driftLast = time.Time{}
		if s.own {
			s.ownData(nil, "")
		}
	}
	s.changed()
	return nil
}

func (s *DemoSession) runUpTo(value string) error {
	var step int
	if err := assignInt(&step, "the step to run to", value, 1, maxStep); err != nil {
		return err
	}
	if step <= s.trainer.Step() {
		return fmt.Errorf("training is at step %d already; give a later one, or reset first", s.trainer.Step())
	}
	if step > s.trainer.Steps() {
		s.cycle(step - s.trainer.Step())
	}
	s.start()
	s.runTo = step
	return nil
}

// oneStep takes a single step and stays where it is.
func (s *DemoSession) oneStep() *wire.Notice {
	if s.wants != "" {
		return nil // there is no model to step yet
	}
	runs := s.status == wire.Training
	s.start()
	err := s.trainer.Advance()
	if !runs && s.status == wire.Training {
		s.status = wire.Paused
	}
	return failure(s.stepped(err))
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
		if s.settings.Scratch {
			s.origin = fmt.Sprintf("trained here from scratch, seed %d", s.settings.Seed)
		}
	case s.runTo > 0 && step >= s.runTo:
		s.pause()
	}
	return nil
}

// showSet draws the set on show from its stream.
func (s *DemoSession) showSet() {
	if cap(s.particles) < s.settings.N {
		s.particles = make([]float32, s.settings.N)
	}
	s.particles = s.particles[:s.settings.N]
	from := s.shownMixture(s.settings.Set + int(s.driftAt))
	_, part := math.Modf(s.driftAt)
	s.picture.mix = from.Blend(s.shownMixture(s.settings.Set+int(s.driftAt)+1), smoothstep(part))
	// One stream of labels and deviates for the whole walk, so that particles
	// move with their mixture instead of being drawn anew.
	s.picture.mix.Sample(s.particles, rng.New(s.settings.Seed, "demo shown particles", uint64(s.settings.Set)).Rand)
	s.changed()
}

func (s *DemoSession) shownMixture(index int) gauss.Mixture {
	return gauss.Draw(rng.New(s.settings.Seed, "demo shown mixtures", uint64(index)).Rand)
}

func smoothstep(x float64) float64 { return x * x * (3 - 2*x) }

// drift lets the mixture on show wander to the next one.
func (s *DemoSession) drift(now time.Time) {
	if !s.settings.Drift || s.own {
		return
	}
	if !s.driftLast.IsZero() {
		// A hidden tab stops the clock: it must not make the mixture jump.
		dt := min(now.Sub(s.driftLast), 100*time.Millisecond)
		s.driftAt += float64(dt) / float64(driftPeriod)
	}
	s.driftLast = now
	s.showSet()
}

// ownData shows the visitor's particles, given in the visitor's coordinate, or
// the generated set for nil. Values beyond the region of training are shifted
// and scaled into it.
func (s *DemoSession) ownData(values []float32, name string) {
	s.own, s.dataName, s.shift, s.scale = values != nil, name, 0, 1
	if values == nil {
		s.showSet()
		return
	}
	s.settings.Drift = false
	lo, hi := slices.Min(values), slices.Max(values)
	if lo < trainedLo || hi > trainedHi {
		s.shift = lo + (hi-lo)/2
		s.scale = max((hi-lo)/2, float32(math.SmallestNonzeroFloat32)) // all in one place: any scale does
		if hi == lo {
			s.scale = 1
		}
	}
	s.particles = s.particles[:0]
	for _, v := range values {
		s.particles = append(s.particles, (v-s.shift)/s.scale)
	}
	s.changed()
}

// edit adds a particle at a position of the visitor's coordinate, or removes
// the one nearest to it. The set is the visitor's own from then on.
func (s *DemoSession) edit(add bool, value string) error {
	v, err := strconv.ParseFloat(value, 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("a particle cannot be at %s: give a number", quote(value))
	}
	x := (float32(v) - s.shift) / s.scale
	at := slices.Clone(s.particles)
	switch {
	case add && len(at) >= MaxParticles:
		return fmt.Errorf("the set has %d particles and can hold no more", len(at))
	case add && (x < flowLo || x > flowHi):
		return fmt.Errorf("a particle at %g lies outside the model's range, %g to %g", v, s.user(flowLo), s.user(flowHi))
	case add:
		at = append(at, x)
	case len(at) == 1:
		return errors.New("the last particle cannot be removed: a set needs at least one")
	default:
		nearest := 0
		for i, p := range at {
			if math.Abs(float64(p-x)) < math.Abs(float64(at[nearest]-x)) {
				nearest = i
			}
		}
		at = slices.Delete(at, nearest, nearest+1)
	}
	if !s.own {
		s.own, s.settings.Drift, s.dataName = true, false, "edited by hand"
	}
	s.particles = at
	s.changed()
	return nil
}

// flowLo and flowHi are where particles may be put: what lies beyond is not
// drawn.
const flowLo, flowHi = float32(viewLo), float32(viewHi)

func (s *DemoSession) user(x float32) float32 { return s.shift + s.scale*x }

// file takes a dropped file: a checkpoint, or numbers.
func (s *DemoSession) file(name string, b []byte) *wire.Notice {
	if isSafetensors(name, b) {
		m, params, _, err := ReadDemo(bytes.NewReader(b))
		if err != nil {
			return failure(fmt.Errorf("%s was not opened: %w", quote(name), err))
		}
		s.settings.Eps, s.settings.ZDim = m.Config.Eps, m.Config.Encoder.ZDim
		s.take(m, params, "opened from "+quote(name), false)
		return &wire.Notice{Text: fmt.Sprintf("Opened the model %s: ε = %g, latent dimension %d.", quote(name), s.settings.Eps, s.settings.ZDim)}
	}
	values, err := data.Particles1D(name, b)
	if err != nil {
		return failure(err)
	}
	if len(values) > MaxParticles {
		return failure(fmt.Errorf("%s holds %d numbers and the lab shows at most %d; keep a part of them", quote(name), len(values), MaxParticles))
	}
	s.ownData(values, name)
	text := fmt.Sprintf("Read %d particles from %s.", len(values), quote(name))
	if s.scale != 1 || s.shift != 0 {
		text = fmt.Sprintf("Read %d particles from %s. They lie outside the region of training, so the model sees (x − %.4g)/%.4g, and ε is in that unit.", len(values), quote(name), s.shift, s.scale)
	}
	return &wire.Notice{Text: text}
}

func isSafetensors(name string, b []byte) bool {
	const ending = ".safetensors"
	return len(name) >= len(ending) && name[len(name)-len(ending):] == ending || len(b) > 8 && b[8] == '{'
}

// Frame fills f and returns true if the picture has changed since the last
// call.
func (s *DemoSession) Frame(f *wire.Frame) bool {
	if !s.frameStale {
		return false
	}
	s.frameStale = false
	params := s.trainer.Params
	z := s.view.encode(params, s.particles)
	if !s.picture.fitted {
		s.paint(params, z)
	}
	f.Status, f.OwnData, f.Refitting = s.status, s.own, s.fitEps != s.settings.Eps
	f.Step, f.Total = uint32(s.trainer.Step()), uint32(s.trainer.Steps())
	f.Eps, f.FitEps, f.KL = float32(s.settings.Eps)*s.scale, float32(s.fitEps)*s.scale, float32(s.picture.kl)
	f.Lo, f.Hi = s.user(viewLo), s.user(viewHi)
	f.Particles = f.Particles[:0]
	for _, x := range s.particles {
		f.Particles = append(f.Particles, s.user(x))
	}
	f.Z = append(f.Z[:0], z...)
	f.Target = appendScaled(f.Target[:0], s.picture.target, 1/s.scale)
	f.Fit = appendScaled(f.Fit[:0], s.picture.fit, 1/s.scale)
	f.Mixture = f.Mixture[:0]
	if !s.own {
		for _, x := range s.grid {
			f.Mixture = append(f.Mixture, float32(s.picture.mix.Density(float64(x))))
		}
	}
	f.LossStep, f.Loss = s.curves.loss.appendTo(f.LossStep[:0], f.Loss[:0])
	f.KLStep, f.ValKL = s.curves.kl.appendTo(f.KLStep[:0], f.ValKL[:0])
	return true
}

func appendScaled(dst, x []float32, by float32) []float32 {
	for _, v := range x {
		dst = append(dst, v*by)
	}
	return dst
}

// paint evaluates what has changed of both densities and their KL.
func (s *DemoSession) paint(params, z []float32) {
	if !s.picture.current {
		drawTarget(s.picture.target, s.particles, s.settings.Eps)
		// The same deviates every time, so that the KL moves only with what it
		// measures.
		s.view.sample(s.particles, s.settings.Eps, rng.New(s.settings.Seed, "demo shown KL"))
		s.picture.current = true
	}
	s.view.density(s.picture.fit, params, s.grid, z)
	s.picture.kl = s.view.kl(params, z)
	s.picture.fitted = true
	s.stateStale = true
}

// StateChanged says whether State differs from its last result.
func (s *DemoSession) StateChanged() bool { return s.stateStale }

// linked returns the settings as a link carries them.
func (s *DemoSession) linked() Settings {
	l := s.settings
	if l.Step = s.trainer.Step(); !l.Scratch {
		l.Step = 0
	}
	return l
}

// State returns what the shell shows.
func (s *DemoSession) State() wire.State {
	s.stateStale = false
	left := 0.0
	if s.status == wire.Training && s.setsPerS > 0 {
		end := s.trainer.Steps()
		if s.runTo > 0 {
			end = min(end, s.runTo)
		}
		left = float64((end-s.trainer.Step())*s.model.Config.Batch) / s.setsPerS
	}
	return wire.State{
		Eps: s.settings.Eps, ZDim: s.settings.ZDim, N: s.settings.N, Seed: strconv.FormatUint(s.settings.Seed, 10),
		Set: s.settings.Set, Drift: s.settings.Drift, OwnData: s.own, DataName: s.dataName,
		Status: s.status.String(), Refitting: s.fitEps != s.settings.Eps, FitEps: s.fitEps,
		Step: s.trainer.Step(), Total: s.trainer.Steps(), Loss: s.trainer.Loss(), KL: s.curves.kl.last(), SetKL: s.picture.kl,
		SetsPerS: s.setsPerS, SecsLeft: left, Fragment: s.linked().Fragment(), Model: s.origin, Kernel: kernel.Name(),
	}
}

// Checkpoint returns the model as a file for the visitor to keep, with the
// state of its training.
func (s *DemoSession) Checkpoint() (name string, b []byte, err error) {
	var out bytes.Buffer
	err = ckpt.Encode(&out, s.model.Checkpoint(s.trainer.Params, s.trainer))
	name = fmt.Sprintf("macroscope-demo-eps%g-z%d-step%d.safetensors", s.settings.Eps, s.settings.ZDim, s.trainer.Step())
	return name, out.Bytes(), err
}
