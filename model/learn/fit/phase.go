package fit

import (
	"fmt"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/learn/train"
)

// Stage says which phase of a training it is, as a number in checkpoints, links and saved sessions. A training goes
// through its phases in the order of these numbers. Some trainings do not have all phases.
type Stage int

// The stages of trainings.
const (
	Autoencoder Stage = 1 // stage I; all later stages train the dynamics
	Velocity    Stage = 2 // stage II, with a loss on neighbouring frames, or a likelihood
	Rollout     Stage = 3 // stage II, on long stretches
	Done        Stage = 4 // all phases have ended
)

// Phase is a part of a training. It says which parameters change, what their loss is, and from
// which data the batches are drawn.
type Phase struct {
	Stage    Stage
	Name     string // name in a few words
	Doing    string // what the phase learns, in words
	needs    needs
	loss     loss
	Config   train.Config
	Soap     bool   // whether the optimiser works in rotated coordinates
	RateName string // name of the largest learning rate in the configuration
	Batch    int    // samples per step
	Tries    int    // how often the phase is trained from new weights; the best dynamics are kept
	What     string // plural noun for the samples
	Unit     string // unit of the loss; "" for none
}

// params returns the parameters that the phase changes: all of the autoencoder, or all of the
// dynamics.
func (p *Phase) params(m *model.Model) []float32 {
	if p.Stage == Autoencoder {
		return m.Weights.Params
	}
	return m.Weights.DynamicsParams
}

// needs says which data of the trajectories a phase keeps. The phase draws its batches from these
// data.
type needs struct {
	Trajectories int // number of trajectories to read; 0 for a system of single sets, which draws its own sets
	keeps        purpose
}

// loss returns the worker that computes a phase's gradients from the data in the store. The
// store is nil if the phase keeps no data.
type loss func(m *model.Model, kept store) shardWorker

// Phases lists the phases of a training.
func Phases(c *method.Config) []Phase {
	first := stageOne(c)
	if !c.HasDynamics() {
		first.Name, first.Doing = "training", "the autoencoder learns the density"
		return []Phase{first}
	}
	first.needs = needs{c.Data.Trajectories, forFrames}
	d, streams := &c.Dynamics, c.Traits.Streams
	p := stageTwo(c, d.Velocity, streams.Steps)
	p.Stage, p.Doing, p.RateName, p.What = Velocity, "stage II: the dynamics learn the velocity of z", "law.fit.rate", "pairs"
	if c.Traits.Stochastic {
		p.Doing, p.RateName, p.Tries = "stage II: the dynamics learn how z moves", "law.rate", d.Tries
		p.Batch, p.What, p.Unit = d.Velocity.Batch*d.Velocity.Window, "transitions", "nats a transition"
	}
	if d.Rollout.Steps == 0 {
		return []Phase{first, p}
	}
	p.Name = "stage II, velocity"
	q := stageTwo(c, d.Rollout, streams.Stretches)
	q.Stage, q.Name, q.Doing, q.RateName, q.What = Rollout, "stage II, rollouts", "stage II: the dynamics learn long stretches", "law.roll.rate", "rollouts"
	return []Phase{first, p, q}
}

// stageOne returns the phase that trains the autoencoder.
func stageOne(c *method.Config) Phase {
	p := Phase{
		Stage: Autoencoder, Name: "stage I", Doing: "stage I: the autoencoder learns to restore the sets",
		Config: c.StageOneConfig(1), Tries: 1, Soap: c.Optimiser == method.SoapOptimiser,
		RateName: "rate", Batch: c.Batch, What: "sets", Unit: c.Decoder.Unit(),
		loss: func(m *model.Model, kept store) shardWorker {
			d, _ := kept.(*frames)
			return newAutoencoder(m, d)
		},
	}
	switch {
	case !c.Decoder.Restores():
		p.Doing = "stage I: the encoder learns what makes the next moment predictable"
	case c.Decoder.Density():
		p.Doing = "stage I: the autoencoder learns the density"
	}
	if c.Decoder.Step.On() && c.Decoder.Restores() {
		p.Doing += " and to predict"
	}
	if c.Sets() > 1 {
		p.What = "frames"
	}
	return p
}

// stageTwo returns a phase that trains the dynamics. Its batches are drawn from the random stream
// with the given name.
func stageTwo(c *method.Config, t method.DynamicsTraining, stream string) Phase {
	return Phase{
		Name: "stage II", Config: t.TrainConfig(1, c.Motion()), Soap: t.Optimiser == method.SoapOptimiser,
		needs: needs{c.Dynamics.Trajectories, forStates}, Batch: t.Batch, Tries: 1,
		loss: func(m *model.Model, kept store) shardWorker {
			d, _ := kept.(*states)
			return newStretches(m, t, stream, d)
		},
	}
}

// index returns the index of a stage in phases. For Done it returns the number of phases.
func index(phases []Phase, s Stage) (at int, err error) {
	for i := range phases {
		if phases[i].Stage == s {
			return i, nil
		}
	}
	if s == Done && len(phases) > 1 {
		return len(phases), nil
	}
	return 0, fmt.Errorf("the checkpoint's training is in phase %d, which it has not", s)
}
