package method

import (
	"fmt"

	"macroscope/model/compute/optim"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/dynamics"
)

// PredictedTogether is the number of trajectories that a measure.Task advances together. The noise of stochastic
// predictions depends on it.
const PredictedTogether = 8

// maxRoom is the largest number of bytes that the steps of a training with one worker may use:
// the memory of a tab minus all other uses.
const maxRoom = 2 << 30

// Room estimates the bytes of memory that the steps of a training take. The first result is the
// memory for the computation of one worker. The second is the memory that the workers share: the
// weights, the optimiser's state and the gradient of every shard. Both are maxima over the
// training's parts and the predictions. The configuration must be valid.
func (c *Config) Room() (worker, shared int) {
	m := c.Networks()
	enc, dec, dynamics := m.WeightCounts()
	worker, shared = 4*c.roomOne(m), 4*((c.Shards+3)*(enc+dec)+rotations(m, true, c.Optimiser))
	if !c.HasDynamics() {
		return worker, shared
	}
	for _, t := range []DynamicsTraining{c.Dynamics.Velocity, c.Dynamics.Rollout} {
		if t.Steps > 0 {
			worker, shared = max(worker, 4*c.roomTwo(m, t)), max(shared, 4*((t.Shards+3)*dynamics+rotations(m, false, t.Optimiser)))
		}
	}
	// Rows of the predictions in validation and evaluation.
	rows := PredictedTogether * max(c.Views, 20)
	return max(worker, 4*rows*(8*c.States()+c.dynamicsRow(m))), shared
}

// rotations returns how many numbers SOAP stores in addition to the moments. For Adam it
// returns 0.
func rotations(n *Networks, stageOne bool, optimiser string) int {
	if optimiser != SoapOptimiser {
		return 0
	}
	return optim.RotationLayout(n.Matrices(stageOne)).Size()
}

// roomOne returns how many numbers a worker stores in stage I.
func (c *Config) roomOne(n *Networks) int {
	frames, in := c.Batch/c.Shards, c.input()
	in.Particles = c.MaxParticles()
	sets := 2 // a frame, and the shard's frames
	if c.Disguises() {
		sets++ // the frames that the decoder restores
	}
	return sets*frames*in.Particles*in.Dim + c.Encoder.Room(in.Shape, frames, activations(&n.EncoderLayout)) +
		c.Decoder.Room(in, c.Decoder.Target, frames, activations(&n.DecoderLayout))
}

// roomTwo returns how many numbers a worker stores in a part of stage II.
func (c *Config) roomTwo(n *Networks, t DynamicsTraining) int {
	stretches := t.Batch / t.Shards
	rows := stretches * t.Evaluations() * c.Stages(&t) // rows with activations that the backward pass needs
	variables := 0                                     // number of variables in the models of all codes
	for _, code := range c.Codes() {
		variables += c.States() - c.Sets()*(c.ZDim()-code.Length)
	}
	return 8*stretches*(t.Window+1)*variables + rows*c.dynamicsRow(n)
}

// dynamicsRow estimates how many numbers the dynamics store per row. An OnsagerNet also stores
// the intermediate values of its potential's gradient.
func (c *Config) dynamicsRow(of *Networks) int {
	n := activations(&of.DynamicsLayout)
	switch c.Dynamics.Drift.Form {
	case dynamics.FormOnsager:
		return 7 * n / 4
	case dynamics.FormResNet:
		return 13 * n / 4
	}
	return n
}

// activations estimates how many numbers the networks of a layout store per row: the value of
// each neuron, and its gradient. It counts neurons by their biases.
func activations(l *tensor.Layout) int {
	n := 0
	for _, p := range l.Params() {
		if len(p.Shape) == 1 {
			n += p.Len()
		}
	}
	return 5 * n / 2
}

// checkRoom rejects a training that takes too much memory.
func (c *Config) checkRoom() error {
	if worker, shared := c.Room(); worker > maxRoom-shared {
		return fmt.Errorf("training takes about %d bytes of memory, and the limit is %d; use smaller batches or more shards, fewer particles, samples or views, or smaller networks", worker+shared, maxRoom)
	}
	return nil
}
