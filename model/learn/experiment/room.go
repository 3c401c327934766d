package experiment

import (
	"fmt"

	"macroscope/model/compute/optim"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/dynamics"
)

// MaxRoom bounds the memory for the steps of a training with one worker, in bytes: the
// memory of a tab minus all other uses.
const MaxRoom = 2 << 30

// Room returns about how much memory a training takes for its steps, in bytes: worker
// for each worker's computation, shared for weights, the optimiser's state and the gradient
// of every shard. Each is the maximum over the parts of the training and predictions. Sizes
// must be valid.
func (c *Config) Room() (worker, shared int) {
	m := &Model{Config: *c}
	m.enterLayouts()
	enc, dec, dynamics := m.Sizes()
	worker, shared = 4*c.roomOne(m), 4*((c.Shards+3)*(enc+dec)+rotations(m, true, c.Optimiser))
	if !c.HasDynamics() {
		return worker, shared
	}
	for _, t := range []Training{c.Dynamics.Fit, c.Dynamics.Roll} {
		if t.Steps > 0 {
			worker, shared = max(worker, 4*c.roomTwo(m, t)), max(shared, 4*((t.Shards+3)*dynamics+rotations(m, false, t.Optimiser)))
		}
	}
	// Predictions, for validation and evaluation.
	rows := block * max(c.Views, 20)
	return max(worker, 4*rows*(8*c.States()+dynamicsRow(m))), shared
}

// Sizes is Model.Sizes for a model of the configuration; its sizes must be valid.
func (c *Config) Sizes() (enc, dec, dynamics int) {
	m := &Model{Config: *c}
	m.enterLayouts()
	return m.Sizes()
}

// Weights counts the parameters of a model of the configuration; its sizes must be valid.
func (c *Config) Weights() int {
	enc, dec, dynamics := c.Sizes()
	return enc + dec + dynamics
}

// rotations returns how many numbers an optimiser keeps in addition to the moments.
func rotations(m *Model, stageOne bool, optimiser string) int {
	if optimiser != SoapOptimiser {
		return 0
	}
	return optim.RotationLayout(m.Matrices(stageOne)).Size()
}

// roomOne returns how many numbers a worker keeps in stage I.
func (c *Config) roomOne(m *Model) int {
	frames, in := c.Batch/c.Shards, c.input()
	in.Particles = c.MaxParticles()
	return 2*frames*in.Particles*in.Dim + c.Encoder.Room(in.Shape, frames, activations(&m.encoderLayout)) +
		c.Decoder.Room(in, c.Decoder.Target, frames, activations(&m.decoderLayout))
}

// roomTwo returns how many numbers a worker keeps in a part of stage II.
func (c *Config) roomTwo(m *Model, t Training) int {
	stretches := t.Batch / t.Shards
	rows := stretches // with activations that are kept
	switch {
	case c.Traits.Stochastic:
		rows *= t.Window
	case t.Window > 1: // each of the four stages of every step
		rows *= 4 * t.Window
	}
	return 8*stretches*(t.Window+1)*c.States() + rows*dynamicsRow(m)
}

// dynamicsRow returns about how many numbers a row takes in the dynamics. An
// OnsagerNet also keeps the intermediate values of its potential's gradient.
func dynamicsRow(m *Model) int {
	n := activations(&m.dynamicsLayout)
	switch m.Config.Dynamics.Drift.Form {
	case dynamics.FormOnsager:
		return 3 * n / 2
	case dynamics.FormResNet:
		return 3 * n
	}
	return n
}

// activations returns about how many numbers a row takes in the networks of a
// layout: the values of each neuron, counted by its bias, and their gradients.
func activations(l *tensor.Layout) int {
	n := 0
	for _, p := range l.Params() {
		if len(p.Shape) == 1 {
			n += p.Len()
		}
	}
	return 5 * n / 2
}

// checkRoom refuses a training that takes too much memory.
func (c *Config) checkRoom() error {
	if worker, shared := c.Room(); worker > MaxRoom-shared {
		return fmt.Errorf("training takes about %d bytes of memory, and the limit is %d; use smaller batches or more shards, fewer particles, samples or views, or smaller networks", worker+shared, MaxRoom)
	}
	return nil
}
