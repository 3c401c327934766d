package lab

import (
	"slices"

	"macroscope/model/wire"
)

// AppendFrame implements wire.Session.
func (s *MixingSession) AppendFrame(b []byte) []byte {
	if s.fill(&s.frame) {
		b = s.frame.AppendChanges(b)
	}
	return b
}

// Forget implements wire.Session.
func (s *MixingSession) Forget() {
	s.frame.Forget()
	s.frameStale = true
}

// fill fills f and returns true if the picture has changed since the last call.
func (s *MixingSession) fill(f *wire.Frame) bool {
	if !s.frameStale {
		return false
	}
	s.frameStale = false
	f.Begin(mixingName)
	f.Put("tool", float32(slices.Index(mixingTools, s.tool)))
	f.Put("lit", float32(s.lit))
	f.Put("shown", float32(s.shown))
	f.Put("boundary", float32(s.settings.Boundary))
	if s.relax.under() {
		s.fillRelaxing(f)
		return true
	}
	if !s.painted {
		s.paint()
	}
	p := &s.play
	f.Put("now", float32(p.now))
	f.Put("known", float32(p.known))
	f.Put("horizon", float32(p.horizon))
	f.Put("dt", float32(p.dt))
	f.Put("playing", number(p.playing))
	f.Put("time", float32(p.time()))
	f.Put("window", float32(p.lo[0]), float32(p.hi[0]), float32(p.lo[1]), float32(p.hi[1]))
	if s.note != "" {
		f.PutText("note", s.note)
	}
	f.Put("x", p.x...)
	s.putKinds(f, p.kinds)
	s.numbers = s.numbers[:0]
	for _, l := range s.labels.of {
		s.numbers = append(s.numbers, float32(l)/float32(len(s.labels.of)))
	}
	f.Put("label", s.numbers...)
	f.Put("colours", number(s.settings.Colours))
	s.putTruth(f)
	s.putTraining()
	if s.a == nil {
		return true
	}
	s.putModel(f)
	if s.b != nil {
		f.PutText("nameA", s.a.name)
		f.PutText("nameB", s.b.name)
		s.putBand(f, s.b, "B")
	}
	if s.labels.shuffles > 0 {
		f.Put("shuffles", float32(s.labels.shuffles))
		f.Put("dz", float32(s.dz))
	}
	return true
}

// fillRelaxing shows the atoms on their way to where mixing begins: of one
// species yet.
func (s *MixingSession) fillRelaxing(f *wire.Frame) {
	r := &s.relax
	f.Put("relaxing", float32(r.share()))
	f.Put("now", 0)
	f.Put("known", 0)
	f.Put("horizon", float32(s.settings.Frames))
	f.Put("dt", float32(r.cfg.Dt*float64(r.cfg.Every)))
	f.Put("playing", 0)
	f.Put("window", 0, float32(r.cfg.Width), 0, float32(r.cfg.Height))
	n := r.sim.N()
	s.numbers = slices.Grow(s.numbers[:0], 2*n)[:2*n]
	r.sim.Positions(s.numbers)
	f.Put("x", s.numbers...)
	s.numbers = s.numbers[:n]
	for i := range s.numbers {
		s.numbers[i] = 1
	}
	f.Put("kind", s.numbers...)
}

func (s *MixingSession) putKinds(f *wire.Frame, kinds []uint8) {
	s.numbers = s.numbers[:0]
	for _, k := range kinds {
		s.numbers = append(s.numbers, float32(k))
	}
	f.Put("kind", s.numbers...)
}

// putTruth adds what was measured in the frames so far.
func (s *MixingSession) putTruth(f *wire.Frame) {
	p := &s.play
	n := p.known + 1
	ratios := f.Extend("ratios", p.course, 2*n)
	for i := range ratios {
		k := 2*n - len(ratios) + i
		ratios[i] = float32(p.seen[k/2].Ratios[k%2])
	}
	if p.sim == nil {
		return
	}
	temperature := f.Extend("temperature", p.course, n)
	for i := range temperature {
		temperature[i] = float32(p.seen[n-len(temperature)+i].Temperature)
	}
	energy := f.Extend("energy", p.course, n)
	for i := range energy {
		energy[i] = float32(p.seen[n-len(energy)+i].Potential / float64(p.atoms()))
	}
}

// putModel adds what model A makes of the run.
func (s *MixingSession) putModel(f *wire.Frame) {
	m := s.a
	f.Put("grid", gridSide, gridSide)
	f.Put("qA", s.targets[0].q...)
	f.Put("qB", s.targets[1].q...)
	if s.shown&showCode != 0 {
		d := m.model.Config.Encoder.ZDim
		s.numbers = slices.Grow(s.numbers[:0], 2*d)[:2*d]
		for k, code := range m.code {
			m.scaled(s.numbers[k*d:(k+1)*d], k, code)
		}
		f.Put("z", s.numbers...)
		f.PutText("names", m.names)
		f.Put("zpast", m.past...)
		f.Put("zstride", 1)
	}
	if s.shown&showDensity != 0 && m.decoded {
		for k, v := range m.species {
			if v.blank == 0 {
				f.Put([...]string{"pA", "pB"}[k], v.p...)
			}
			f.Put([...]string{"klA", "klB"}[k], float32(m.kl[k]))
		}
	}
	s.putBand(f, m, "")
	if s.shown&showPrediction != 0 && m.usable {
		f.ExtendBy("paths", m.ahead.version, m.ahead.paths...)
		f.Put("coverage", float32(m.coverage(&s.play)))
		f.Put("nominal", float32(bandNominal(s.settings.Members)))
	}
}

// putBand adds a model's ensemble; the rows' names end on which.
func (s *MixingSession) putBand(f *wire.Frame, m *mixingView, which string) {
	if s.shown&showPrediction == 0 || !m.usable {
		return
	}
	f.ExtendBy(bandRows[which][0], m.ahead.version, m.ahead.mean...)
	f.ExtendBy(bandRows[which][1], m.ahead.version, m.ahead.low...)
	f.ExtendBy(bandRows[which][2], m.ahead.version, m.ahead.high...)
}

var bandRows = map[string][3]string{"": {"mean", "low", "high"}, "B": {"meanB", "lowB", "highB"}}

// paint evaluates what has changed of the densities and ẑ of the picture on show.
func (s *MixingSession) paint() {
	s.painted = true
	if s.a == nil || !s.play.begun() {
		return
	}
	began := s.now()
	s.split.set(s.play.x, s.play.kinds)
	// While it plays, the figure changes no faster than it can be read.
	measure := !s.play.playing || began.Sub(s.measured) >= klPace
	m := s.a
	m.decoded = false
	for k, t := range s.targets {
		t.set(s.split.of(k), m.species[k].model.sigma(m.model.Config.Eps), s.play.lo, s.play.hi)
		if s.shown&(showCode|showDensity) == 0 {
			continue
		}
		m.species[k].encode(m.code[k], t.sorted)
		if s.shown&showDensity == 0 {
			continue
		}
		m.decoded = true
		m.species[k].aim(t, m.code[k])
		if measure {
			t.draw()
			m.kl[k] = m.species[k].kl(t, m.code[k])
			s.measured = began
		}
	}
	for m.decoded && s.now().Sub(began) < paintTime && !m.evaluate() {
	}
	s.stateStale = true
}
