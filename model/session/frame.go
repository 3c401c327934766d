package session

import (
	"math"
	"slices"

	"macroscope/model/experiment"
	"macroscope/model/fit"
	"macroscope/model/lab"
	"macroscope/model/runs"
	"macroscope/model/view"
	"macroscope/model/wire"
)

// picture fills frames.
type picture struct{ *Session }

// AppendFrame implements wire.Session.
func (s *Session) AppendFrame(b []byte) []byte {
	if !s.frameStale {
		return b
	}
	s.frameStale = false
	if !s.display.painted {
		s.display.paint()
	}
	picture{s}.fill(&s.frame)
	return s.frame.AppendChanges(b)
}

// Forget implements wire.Session.
func (s *Session) Forget() {
	s.frame.Forget()
	s.frameStale = true
}

// fill fills f with the picture on show.
func (s picture) fill(f *wire.Frame) {
	p, r := s.live.Player(), s.live.Run()
	f.Begin(s.lab.Link())
	f.Put("tool", float32(commands{s.Session}.toolNumber(s.tool)))
	f.Put("active", float32(s.display.active))
	f.Put("revealed", float32(s.display.revealed))
	f.Put("horizon", float32(r.Horizon))
	f.Put("dt", float32(r.Dt))
	f.Put("eps", float32(s.settings.Eps))
	if !s.lab.IsSampler() {
		f.Put("window", float32(r.Lo[0]), float32(r.Hi[0]), float32(r.Lo[1]), float32(r.Hi[1]))
	}
	what, _ := s.live.Preparing()
	now, known := 0, 0
	if what == "" && p.Begun() {
		now, known = p.Now(), r.Known
	}
	f.Put("now", float32(now))
	f.Put("known", float32(known))
	f.Put("playing", number(p.Playing()))
	if r.Note != "" {
		f.PutText("note", r.Note)
	}
	s.live.Put(f)
	if what != "" {
		return
	}
	if s.lab.IsSampler() {
		s.fillSampler(f)
	}
	s.putTraining(f)
	if s.traits.Dim == 2 {
		f.Put("density", float32(slices.Index(lab.Densities, s.settings.Density)))
		f.Put("colours", number(s.settings.Colours))
		if s.run.playable() {
			s.putLabels(f)
		}
	}
	a, b := s.display.a, s.display.b
	if a == nil || !s.run.playable() {
		return
	}
	s.putModel(f, a, "")
	if b != nil {
		f.PutText("nameA", a.Name)
		f.PutText("nameB", b.Name)
		s.putModel(f, b, "B")
	}
	s.order.Put(f)
}

// putLabels adds the label of every particle of the run, from 0 to 1.
func (s picture) putLabels(f *wire.Frame) {
	s.numbers = s.numbers[:0]
	for _, l := range s.order.Labels {
		s.numbers = append(s.numbers, float32(l)/float32(len(s.order.Labels)))
	}
	f.Put("label", s.numbers...)
}

func number(on bool) float32 {
	if on {
		return 1
	}
	return 0
}

// fillSampler adds what the picture of a single set shows of the training, in the
// visitor's coordinate, which is that of the model shifted and scaled.
func (s picture) fillSampler(f *wire.Frame) {
	t, r := &s.trainer, s.live.Run()
	shift, scale := unitOf(f)
	f.Put("window", shift+scale*float32(r.Lo[0]), shift+scale*float32(r.Hi[0]))
	f.Put("status", float32(s.Status()))
	f.Put("refitting", number(follower{t}.refitting()))
	f.Put("sigma", scale*float32(s.settings.Eps))
	f.Put("fitEps", float32(t.fitEps))
	if t.live != nil {
		f.Put("step", float32(t.live.Step()))
		f.Put("total", float32(t.live.Steps()))
	} else if a := s.display.a; a != nil && a.Name == runs.Shipped && !(follower{t}).refitting() {
		f.Put("klStep", 0)
		f.Put("klVal", float32(t.shippedKL))
	}
}

// unitOf returns the visitor's coordinate as shift + scale·x.
func unitOf(f *wire.Frame) (shift, scale float32) {
	if u := f.Numbers("unit"); len(u) == 2 {
		return u[0], u[1]
	}
	return 0, 1
}

// putDensity adds a density, per unit of the visitor's coordinate.
func (s picture) putDensity(f *wire.Frame, name string, density []float32) {
	_, scale := unitOf(f)
	if scale == 1 {
		f.Put(name, density...)
		return
	}
	s.numbers = s.numbers[:0]
	for _, v := range density {
		s.numbers = append(s.numbers, v/scale)
	}
	f.Put(name, s.numbers...)
}

// putTraining adds what training leaves behind: the loss of the present phase, or
// the last that has any, and the measures so far.
func (s picture) putTraining(f *wire.Frame) {
	live := s.trainer.live
	if live == nil {
		return
	}
	c, phase := live.Curves(), live.Phase()
	_, measuring := live.Measuring()
	f.PutText("trainStage", phaseName(&live.Model().Config, phase, measuring))
	last := min(phase, fit.Rollout)
	for last > fit.Autoencoder && len(c.Loss[last].Value) == 0 { // a phase that has not begun, or that there was not
		last--
	}
	put := func(step, value string, curve *fit.Curve, always bool) {
		if always || len(curve.Step) > 0 {
			f.Put(step, curve.Step...)
			f.Put(value, curve.Value...)
		}
	}
	put("lossStep", "loss", &c.Loss[last], true)
	put("klStep", "klVal", &c.KL, s.lab.IsSampler())
	put("mreStep", "mreVal", &c.MRE, !s.traits.Stochastic && !s.lab.IsSampler())
	put("coverStep", "cover", &c.Coverage, s.traits.Stochastic)
	put("rmseStep", "rmse", &c.RMSE, s.traits.Stochastic)
}

// phaseName is a phase of a training in words.
func phaseName(c *experiment.Config, p fit.Phase, measuring bool) string {
	switch {
	case p == fit.Done:
		return "trained"
	case measuring:
		return "stage II: measuring"
	case p == fit.Autoencoder && !c.Decoder.Density():
		return "stage I: autoencoder"
	case p == fit.Autoencoder:
		return "stage I: density"
	case c.Traits.Stochastic:
		return "stage II: dynamics"
	case p == fit.Rollout:
		return "stage II: stretches"
	}
	return "stage II: velocity"
}

// putModel adds what a model makes of the run; the rows' names end on which.
func (s picture) putModel(f *wire.Frame, m *view.Shown, which string) {
	first, one := which == "", len(s.traits.Sets) <= 1
	if first {
		if s.traits.Dim == 2 {
			sg := view.Sigma(m.Model, s.settings.Eps)
			f.Put("sigma", float32(math.Sqrt(sg[0]*sg[1])))
			f.Put("grid", view.GridSide, view.GridSide)
		}
		for k, t := range s.display.targets {
			s.putDensity(f, "q"+s.setName(k), t.Q)
		}
		f.Put("source", number(s.settings.Source == lab.FromPrediction))
		if m.Density == nil {
			f.Put("noDensity", 1)
		}
	}
	if s.display.revealed&revealCode != 0 && first && m.Cannot == nil {
		f.Put("z", m.Z...)
		f.Put("zstride", float32(m.Stride))
		f.ExtendBy("zpast", m.PastGeneration, m.Past...)
		if m.Names != "" {
			f.PutText("names", m.Names)
		}
	}
	if s.display.revealed&revealDensity != 0 && m.Decoded && (first || one) {
		for k, d := range m.Density {
			if d.Blank {
				continue // a figure comes with its picture
			}
			s.putDensity(f, "p"+s.setName(k)+which, d.P)
			if !math.IsNaN(m.KL[k]) {
				f.Put("kl"+s.setName(k)+which, float32(m.KL[k]))
			}
		}
		if s.settings.Samples && first && one {
			f.Put("samples", m.Density[0].Samples...)
		}
	}
	p := m.Predicting()
	if s.display.revealed&revealPrediction == 0 || p == nil {
		return
	}
	if s.traits.Stochastic {
		s.putEnsemble(f, m, p, which)
	} else {
		s.putPath(f, m, p, which)
	}
}

// setName returns what ends the names of rows of set k; "" where there is one alone.
func (s picture) setName(k int) string {
	if len(s.traits.Sets) <= 1 {
		return ""
	}
	return s.traits.Sets[k]
}

// putEnsemble adds the band of an ensemble.
func (s picture) putEnsemble(f *wire.Frame, m *view.Shown, p *view.Prediction, which string) {
	f.ExtendBy("mean"+which, p.Generation, p.Mean...)
	f.ExtendBy("low"+which, p.Generation, p.Low...)
	f.ExtendBy("high"+which, p.Generation, p.High...)
	if which == "" {
		f.ExtendBy("paths", p.Generation, p.Paths...)
		f.Put("coverage", float32(m.Coverage(s.live)))
		f.Put("nominal", float32(experiment.BandNominal(s.settings.Members)))
	}
}

// putPath adds a prediction without noise, and how far it is off.
func (s picture) putPath(f *wire.Frame, m *view.Shown, p *view.Prediction, which string) {
	r := s.live.Run()
	f.Put("zhat"+which, p.Closures(s.live.Player().Now())...)
	if which == "" {
		d := len(p.Closures(0))
		n := (r.Horizon + 1) * d
		tail := f.Extend("zfuture", p.Generation, n)
		for i := range tail {
			at := n - len(tail) + i
			tail[i] = p.Closures(at / d)[at%d]
		}
	}
	if !s.own.speaks(m.Model) {
		return
	}
	f.ExtendBy("pred"+which, p.Generation, p.Mean...)
	s.numbers = slices.Grow(s.numbers[:0], r.Known+1)[:r.Known+1]
	f.Put("mre"+which, float32(p.Errors(s.numbers, func(k int) float64 { return s.live.Macro(k)[0] })))
	f.Put("error"+which, s.numbers...)
	if m.Left >= 0 && which == "" {
		f.Put("left", float32(m.Left))
		f.PutText("leftwhat", m.LeftWhat)
	}
}
