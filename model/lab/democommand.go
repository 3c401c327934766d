package lab

import (
	"bytes"
	"fmt"
	"time"

	"macroscope/model/data"
	"macroscope/model/wire"
	"macroscope/sim/rng"
)

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
