package session

import (
	"slices"

	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
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
	f.PutSwitch("logtime", s.settings.Axis == lab.Logarithmic)
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
	f.PutSwitch("playing", p.Playing())
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
	if s.traits.Drawn() == 2 {
		f.Put("density", float32(slices.Index(lab.Densities, s.settings.Density)))
		f.PutSwitch("colours", s.settings.Colours)
		if s.run.playable() {
			s.order.PutLabels(f)
		}
	}
	s.aside.put(f)
	a, b := s.display.a, s.display.b
	if a == nil || !s.run.playable() {
		return
	}
	l, revealed, rows := &s.settings, s.display.revealed, &s.display.rows
	rows.Run, rows.Targets, rows.Eps, rows.Members = s.run.described(), s.display.targets, l.Eps, l.Members
	rows.Code, rows.Density, rows.Prediction = revealed&revealCode != 0, revealed&revealDensity != 0, revealed&revealPrediction != 0
	rows.Held = s.display.held(a)
	rows.FromPrediction, rows.Samples = l.Source == lab.FromPrediction, l.Samples || rows.Held != nil
	rows.Put(f, a, "")
	if p := s.latent.drawn; p != nil && revealed == revealAll {
		p.Put(f, rows.Run)
	} else if l.Portrait && s.lab.Algebra != nil {
		f.Put("portraitWaits", 1)
	}
	if b != nil {
		f.PutText("nameA", a.Name)
		f.PutText("nameB", b.Name)
		rows.Put(f, b, "B")
	}
	s.order.Put(f)
}

// fillSampler adds what the picture of a single set shows of the training, in the
// visitor's coordinate, which is that of the model shifted and scaled.
func (s picture) fillSampler(f *wire.Frame) {
	t, r := &s.trainer, s.live.Run()
	shift, scale := view.UnitOf(f)
	f.Put("window", shift+scale*float32(r.Lo[0]), shift+scale*float32(r.Hi[0]))
	f.Put("status", float32(s.Status()))
	f.PutSwitch("refitting", follower{t}.refitting())
	f.Put("sigma", scale*float32(s.settings.Eps))
	f.Put("fitEps", float32(t.fitEps))
	if t.live != nil {
		f.Put("step", float32(t.live.Step()))
		f.Put("total", float32(t.live.Steps()))
	} else if a := s.display.a; a != nil && runs.IsShipped(a.Name) && !(follower{t}).refitting() && t.shippedKL == t.shippedKL {
		f.Put("klStep", 0)
		f.Put("klVal", float32(t.shippedKL))
	}
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
func phaseName(c *experiment.Config, p fit.Stage, measuring bool) string {
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
