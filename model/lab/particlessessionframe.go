package lab

import (
	"math"
	"slices"

	"macroscope/model/wire"
)

// AppendFrame implements wire.Session.
func (s *ParticlesSession) AppendFrame(b []byte) []byte {
	if s.fill(&s.frame) {
		b = s.frame.AppendChanges(b)
	}
	return b
}

// Forget implements wire.Session.
func (s *ParticlesSession) Forget() {
	s.frame.Forget()
	s.frameStale = true
}

// fill fills f and returns true if the picture has changed since the last call.
func (s *ParticlesSession) fill(f *wire.Frame) bool {
	if !s.frameStale {
		return false
	}
	s.frameStale = false
	if !s.painted {
		s.paint()
	}
	p := &s.play
	f.Begin(particlesName)
	f.Put("now", float32(p.now))
	f.Put("known", float32(p.known))
	f.Put("horizon", float32(p.horizon))
	f.Put("dt", float32(p.dt))
	f.Put("playing", number(p.playing))
	f.Put("tool", float32(s.toolNumber()))
	f.Put("window", float32(s.centre[0]-s.half), float32(s.centre[0]+s.half), float32(s.centre[1]-s.half), float32(s.centre[1]+s.half))
	f.Put("lit", float32(s.lit))
	f.Put("shown", float32(s.shown))
	f.Put("density", float32(slices.Index(densities, s.settings.Density)))
	f.Put("colours", number(s.settings.Colours))
	f.PutText("macro", s.macroName())
	f.PutText("units", "")
	s.putTraining(f)
	if s.note != "" {
		f.PutText("note", s.note)
	}
	if s.blank {
		f.Put("x", s.sketch...)
		return true
	}
	f.Put("x", p.frame(p.now)...)
	s.truth = s.truth[:0]
	for _, l := range s.labels.of {
		s.truth = append(s.truth, float32(l)/float32(len(s.labels.of)))
	}
	f.Put("label", s.truth...)
	energy := f.Extend("energy", p.run, p.known+1)
	for i, v := range p.macro[p.known+1-len(energy) : p.known+1] {
		energy[i] = float32(v)
	}
	if s.a == nil {
		return true
	}
	s.putModel(f, s.a, &rowsA)
	if s.b != nil {
		f.PutText("nameA", s.a.name)
		f.PutText("nameB", s.b.name)
		s.putModel(f, s.b, &rowsB)
	}
	s.putShuffled(f)
	return true
}

// putShuffled adds what became of ẑ and of the predictions by shuffling.
func (s *ParticlesSession) putShuffled(f *wire.Frame) {
	o := &s.orders
	if s.labels.shuffles == 0 {
		return
	}
	f.Put("shuffles", float32(s.labels.shuffles))
	if !math.IsNaN(o.dz) {
		f.Put("dz", float32(o.dz))
	}
	if len(o.rows) > 0 {
		f.Put("orders", o.rows...)
	}
	if o.count > 0 {
		f.Put("dzOrdered", float32(o.dzOrdered))
		f.Put("ordered", o.ordered...)
	}
}

// putTraining adds what training leaves behind: the loss of the present stage,
// or the last that has any, and the errors so far.
func (s *ParticlesSession) putTraining(f *wire.Frame) {
	if s.training == nil {
		return
	}
	curves, stage := s.training.Curves(), s.training.run.stage
	f.PutText("trainStage", stageNames[stage])
	shown := min(stage, StageRoll)
	for shown > StageFit && len(curves.loss[shown].value) == 0 { // a stage that has not begun, or that there was not
		shown--
	}
	loss := &curves.loss[shown]
	f.Put("lossStep", loss.step...)
	f.Put("loss", loss.value...)
	f.Put("mreStep", curves.mre.step...)
	f.Put("mreVal", curves.mre.value...)
}

// stageNames are the stages of a training in words.
var stageNames = [...]string{StageFit: "stage I: density", StageLaw: "stage II: velocity", StageRoll: "stage II: stretches", StageDone: "trained"}

func number(on bool) float32 {
	if on {
		return 1
	}
	return 0
}

// modelRows are the names of a model's rows; "" is not sent.
type modelRows struct {
	p, kl, samples, z, zhat, zpast, zfuture, pred, error, mre, left string
}

var (
	rowsA = modelRows{"p", "kl", "samples", "z", "zhat", "zpast", "zfuture", "pred", "error", "mre", "left"}
	rowsB = modelRows{p: "pB", kl: "klB", zhat: "zhatB", pred: "predB", error: "errorB", mre: "mreB"}
)

// putModel adds what a model makes of the run.
func (s *ParticlesSession) putModel(f *wire.Frame, m *shownModel, rows *modelRows) {
	put := func(name string, numbers ...float32) {
		if name != "" {
			f.Put(name, numbers...)
		}
	}
	p := &s.play
	first := m == s.a
	if first {
		sigma := m.model.sigma(s.settings.Eps)
		f.Put("sigma", float32(math.Sqrt(sigma[0]*sigma[1])))
		f.Put("grid", gridSide, gridSide)
		f.Put("q", s.target.q...)
		f.Put("source", number(s.settings.Source == sources[1]))
	}
	if s.shown&showCode != 0 {
		put(rows.z, m.z...)
		if first {
			f.Put("zstride", float32(m.stride))
		}
		put(rows.zpast, m.past...)
	}
	if s.shown&showDensity != 0 && m.decoded {
		if m.view.blank == 0 {
			put(rows.p, m.view.p...)
		}
		if !math.IsNaN(m.kl) {
			put(rows.kl, float32(m.kl))
		}
		if s.settings.Samples {
			put(rows.samples, m.view.samples...)
		}
	}
	if s.shown&showPrediction == 0 || !m.predicts() {
		return
	}
	put(rows.zhat, m.latest.closure(p.now)...)
	if rows.zfuture != "" {
		d := len(m.z)
		future := f.Extend(rows.zfuture, m.version, (p.horizon+1)*d)
		for k := 0; k*d < len(future); k++ {
			copy(future[k*d:], m.latest.closure(k))
		}
	}
	if !s.speaksOf(m.model) {
		return
	}
	f.ExtendBy(rows.pred, m.version, m.pred...)
	for len(s.errors) <= p.known {
		s.errors = append(s.errors, 0)
	}
	s.errors = s.errors[:p.known+1]
	put(rows.mre, float32(m.latest.errors(s.errors, p.macro[:p.known+1])))
	put(rows.error, s.errors...)
	if m.left >= 0 && rows.left != "" {
		f.Put(rows.left, float32(m.left))
		f.PutText("leftwhat", m.what)
	}
}

const energyOfPairs = "energy per pair"

// macroName is the observable in words.
func (s *ParticlesSession) macroName() string {
	if s.data != nil && s.recorded() {
		return s.data.macroName()
	}
	return energyOfPairs
}

// paint evaluates what has changed of the densities and ẑ of the frame on show.
func (s *ParticlesSession) paint() {
	s.painted = true
	if s.a == nil || s.blank {
		return
	}
	began := s.now()
	s.target.set(s.play.frame(s.play.now), s.a.model.sigma(s.settings.Eps), [2]float64{s.centre[0] - s.half, s.centre[1] - s.half}, [2]float64{s.centre[0] + s.half, s.centre[1] + s.half})
	// While it plays, the figure changes no faster than it can be read.
	measure := !s.play.playing || began.Sub(s.measured) >= klPace
	if measure && s.shown&showDensity != 0 {
		s.target.draw()
		s.measured = began
	}
	for _, m := range s.models() {
		s.paintModel(m, measure)
	}
	// A picture that stands is whole, so that it is the same for all who open its
	// link; while things move, its parts take turns.
	moves, most := s.play.busy(), paintTime
	if s.status == wire.Training {
		moves, most = true, paintTime/2
	}
	for _, m := range s.models() {
		for m.decoded && !m.view.evaluate() && (!moves || s.now().Sub(began) < most) {
		}
	}
	s.stateStale = true
}

// paintModel evaluates a model on the frame on show, as far as it is revealed.
func (s *ParticlesSession) paintModel(m *shownModel, measure bool) {
	m.decoded = false
	if s.shown&(showCode|showDensity) == 0 {
		return
	}
	m.view.encode(m.code, s.target.sorted)
	m.view.scaled(m.z, m.code)
	if s.shown&showDensity == 0 {
		return
	}
	from := m.code
	if s.settings.Source == sources[1] {
		if !m.predicts() {
			return
		}
		from = m.from
		m.view.unscaled(from, m.latest.closure(s.play.now))
	}
	m.decoded = true
	m.view.aim(s.target, from)
	if measure {
		m.kl = m.view.kl(s.target, from)
	}
	if s.settings.Samples {
		m.view.draw(from)
	}
}
