package lab

import (
	"strconv"

	"macroscope/model/kernel"
	"macroscope/model/wire"
	"macroscope/sim/gauss"
	"macroscope/sim/rng"
)

// picture is what is drawn of the set on show, kept while it stays the same.
type picture struct {
	current bool // target and samples belong to the particles and ε
	fitted  bool // fit and kl belong to them and to the weights
	mix     gauss.Mixture
	target  []float32 // q_X on the grid
	fit     []float32 // p_θ on the grid
	kl      float64
}

// AppendFrame implements wire.Session.
func (s *DemoSession) AppendFrame(b []byte) []byte {
	if s.fill(&s.frame) {
		b = s.frame.AppendTo(b)
	}
	return b
}

// Forget implements wire.Session: every frame is whole.
func (s *DemoSession) Forget() { s.frameStale = true }

// fill fills f and returns true if the picture has changed since the last call.
func (s *DemoSession) fill(f *wire.DemoFrame) bool {
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

// Lab implements wire.Session.
func (s *DemoSession) Lab() string { return wire.Demo }

// Panel implements wire.Session: the page has the demo's.
func (s *DemoSession) Panel() *wire.Panel { return nil }

// Status implements wire.Session.
func (s *DemoSession) Status() wire.Status { return s.status }

// Fragment implements wire.Session.
func (s *DemoSession) Fragment() string { return s.linked().Fragment() }

// State implements wire.Session.
func (s *DemoSession) State() any { return s.state() }

func (s *DemoSession) state() wire.DemoState {
	s.stateStale = false
	left := 0.0
	if s.status == wire.Training && s.setsPerS > 0 {
		end := s.trainer.Steps()
		if s.runTo > 0 {
			end = min(end, s.runTo)
		}
		left = float64((end-s.trainer.Step())*s.model.Config.Batch) / s.setsPerS
	}
	return wire.DemoState{
		Lab: wire.Demo, Eps: s.settings.Eps, ZDim: s.settings.ZDim, N: s.settings.N, Seed: strconv.FormatUint(s.settings.Seed, 10),
		Set: s.settings.Set, Drift: s.settings.Drift, OwnData: s.own, DataName: s.dataName,
		Status: s.status.String(), Refitting: s.fitEps != s.settings.Eps, FitEps: s.fitEps,
		Step: s.trainer.Step(), Total: s.trainer.Steps(), Loss: s.trainer.Loss(), KL: s.curves.kl.last(), SetKL: s.picture.kl,
		SetsPerS: s.setsPerS, SecsLeft: left, Fragment: s.Fragment(), Model: s.origin, Kernel: kernel.Name(),
	}
}
