package lab

import (
	"bytes"
	"fmt"
	"math"

	"macroscope/model/ckpt"
	"macroscope/model/kernel"
	"macroscope/model/wire"
)

// A saved session is a checkpoint with a training state, and beside it what
// the visitor saw: settings, particles and curves.
const (
	sessionPrefix   = "session."
	sessionParts    = "session.particles"
	sessionFragment = "session.fragment"
)

// memory is what a saved session holds beside its checkpoint.
type memory struct {
	own, shipped       bool
	fitEps             float64
	runTo              int
	shift, scale       float64
	dataName, origin   string
	status             int
	lossEvery, klEvery int
}

func (m *memory) fields() []field {
	return []field{
		{"own", &m.own}, {"shipped", &m.shipped}, {"fiteps", &m.fitEps}, {"runto", &m.runTo},
		{"shift", &m.shift}, {"scale", &m.scale}, {"dataname", &m.dataName}, {"origin", &m.origin}, {"status", &m.status},
		{"lossevery", &m.lossEvery}, {"klevery", &m.klEvery},
	}
}

// Saved returns all that a later session needs to go on from here, or nil
// while there is nothing worth keeping because a shipped model is on its way.
func (s *DemoSession) Saved() []byte {
	if s.wants != "" {
		return nil
	}
	f := s.model.Checkpoint(s.trainer.Params, s.trainer)
	m := memory{
		own: s.own, shipped: s.shipped, fitEps: s.fitEps, runTo: s.runTo,
		shift: float64(s.shift), scale: float64(s.scale), dataName: s.dataName, origin: s.origin, status: int(s.status),
		lossEvery: max(1, s.curves.loss.every), klEvery: max(1, s.curves.kl.every),
	}
	writeFields(f.Metadata, sessionPrefix, m.fields())
	f.Metadata[sessionFragment] = s.settings.Fragment()
	vector := func(name string, v []float32) {
		if len(v) > 0 {
			f.Tensors = append(f.Tensors, ckpt.Tensor{Name: sessionPrefix + name, Shape: []int{len(v)}, F32: v})
		}
	}
	if s.own {
		vector("particles", s.particles)
	}
	vector("loss.step", s.curves.loss.step)
	vector("loss.value", s.curves.loss.value)
	vector("kl.step", s.curves.kl.step)
	vector("kl.value", s.curves.kl.value)
	var out bytes.Buffer
	if err := ckpt.Encode(&out, f); err != nil {
		return nil // a model too large to save; the visitor can still download it
	}
	return out.Bytes()
}

// restore goes on from what Saved returned. On an error the session is as it
// was.
func (s *DemoSession) restore(b []byte) error {
	err := s.tryRestore(b)
	if err != nil {
		return fmt.Errorf("the session that this browser kept could not be opened, so the lab starts anew: %w", err)
	}
	return nil
}

func (s *DemoSession) tryRestore(b []byte) error {
	model, params, f, err := ReadDemo(bytes.NewReader(b))
	if err != nil {
		return err
	}
	var m memory
	if err := readFields(f.Metadata, sessionPrefix, m.fields()); err != nil {
		return err
	}
	settings, err := ParseFragment(f.Metadata[sessionFragment])
	if err != nil {
		return err
	}
	c := model.Config
	vector := func(name string) []float32 {
		if t := f.Tensor(sessionPrefix + name); t != nil {
			return t.F32
		}
		return nil
	}
	particles, lossStep, loss, klStep, kl := vector("particles"), vector("loss.step"), vector("loss.value"), vector("kl.step"), vector("kl.value")
	switch {
	case c.Eps != settings.Eps || c.Encoder.ZDim != settings.ZDim || c.Particles != settings.N || c.Seed != settings.Seed:
		return fmt.Errorf("its settings and its model disagree")
	case m.own && (len(particles) == 0 || len(particles) > MaxParticles || !kernel.AllFinite(particles)):
		return fmt.Errorf("its particles cannot be used")
	case !(math.Abs(m.shift) < math.MaxFloat32 && m.scale > 0 && m.scale < math.MaxFloat32):
		return fmt.Errorf("its unit of length cannot be used")
	case m.status < 0 || m.status > int(wire.Diverged):
		return fmt.Errorf("its status is unknown")
	case len(lossStep) != len(loss) || len(klStep) != len(kl) || len(loss) > maxPoints || len(kl) > maxPoints || m.lossEvery < 1 || m.klEvery < 1:
		return fmt.Errorf("its curves cannot be drawn")
	}
	trainer, err := model.Resume(f, params, 1)
	if err != nil {
		return err
	}
	s.settings = settings
	s.adopt(model, trainer)
	s.own, s.dataName, s.shift, s.scale = m.own, m.dataName, float32(m.shift), float32(m.scale)
	s.fitEps, s.runTo, s.shipped, s.origin, s.status = m.fitEps, m.runTo, m.shipped, m.origin, wire.Status(m.status)
	s.curves = curves{
		loss: curve{step: lossStep, value: loss, every: m.lossEvery},
		kl:   curve{step: klStep, value: kl, every: m.klEvery},
	}
	if n := len(kl); n > 0 {
		s.curves.kl.latest = float64(kl[n-1])
	}
	if m.own {
		s.particles = particles
	} else {
		s.showSet()
	}
	s.driftAt = 0
	s.changed()
	if s.status == wire.Training {
		s.rateFrom, s.rateSets = s.now(), 0
	}
	return nil
}
