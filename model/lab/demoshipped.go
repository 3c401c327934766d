package lab

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"

	"macroscope/model/wire"
)

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
