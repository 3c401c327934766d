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
	e := estimate{c, c.Networks()}
	enc, dec, dynamics := e.networks.WeightCounts()
	worker, shared = 4*e.stageOne(), 4*((c.Shards+3)*(enc+dec)+rotations(e.networks, true, c.Optimiser))
	if !c.HasDynamics() {
		return worker, shared
	}
	for _, t := range []DynamicsTraining{c.Dynamics.Velocity, c.Dynamics.Rollout} {
		if t.Steps > 0 {
			worker, shared = max(worker, 4*e.stageTwo(t)), max(shared, 4*((t.Shards+3)*dynamics+rotations(e.networks, false, t.Optimiser)))
		}
	}
	// Rows of the predictions in validation and evaluation.
	rows := PredictedTogether * max(c.Data.Views, 20)
	return max(worker, 4*rows*(8*c.States()+e.dynamicsRow())), shared
}

// rotations returns how many numbers SOAP stores in addition to the moments. For Adam it
// returns 0.
func rotations(n *Networks, stageOne bool, optimiser string) int {
	if optimiser != SoapOptimiser {
		return 0
	}
	return optim.RotationLayout(n.Matrices(stageOne)).Size()
}

// estimate counts the numbers that a worker stores.
type estimate struct {
	config   *Config
	networks *Networks
}

// stageOne returns how many numbers a worker stores in stage I.
func (e *estimate) stageOne() int {
	c := e.config
	frames, in := c.Batch/c.Shards, c.Autoencoder().Input
	in.Particles = c.MaxParticles()
	sets := 2 // a frame, and the shard's frames
	if c.Data.Disguises() {
		sets++ // the frames that the decoder restores
	}
	return sets*frames*in.Particles*in.Dim + c.Encoder.Room(in.Shape, frames, activations(&e.networks.EncoderLayout)) +
		c.Decoder.Room(in, c.Decoder.Target, frames, activations(&e.networks.DecoderLayout))
}

// stageTwo returns how many numbers a worker stores in a part of stage II.
func (e *estimate) stageTwo(t DynamicsTraining) int {
	c := e.config
	stretches := t.Batch / t.Shards
	rows := stretches * t.Evaluations() * t.Stages(c.Motion()) // rows with activations that the backward pass needs
	variables := 0                                             // number of variables in the models of all codes
	for _, code := range c.Tuning().Codes() {
		variables += c.States() - c.Sets()*(c.ZDim()-code.Length)
	}
	return 8*stretches*(t.Window+1)*variables + rows*e.dynamicsRow()
}

// dynamicsRow estimates how many numbers the dynamics store per row. An OnsagerNet also stores
// the intermediate values of its potential's gradient.
func (e *estimate) dynamicsRow() int {
	n := activations(&e.networks.DynamicsLayout)
	switch e.config.Dynamics.Drift.Form {
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

// checkRoom rejects a training that takes too much memory. The arguments are the results of Config.Room.
func checkRoom(worker, shared int) error {
	if worker > maxRoom-shared {
		return fmt.Errorf("training takes about %d bytes of memory, and the limit is %d; use smaller batches or more shards, fewer particles, samples or views, or smaller networks", worker+shared, maxRoom)
	}
	return nil
}
