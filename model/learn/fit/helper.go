package fit

import (
	"bytes"
	"errors"
	"fmt"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/work"
)

// Helper does the jobs of a Pool in a separate worker. It has its own copy of the model, with
// the parameters that it received last. It is not safe for concurrent use.
type Helper struct {
	systems method.Systems
	model   *model.Model
	phases  []Phase
	sources [2]system.Source // training trajectories and validation trajectories; nil before they are needed
	t       system.Trajectory
	stores  [forValidation + 1]store // stores that only make items and keep no trajectories
	frames  int                      // number of frames in a trajectory; the present stores are made for this number

	phase  *Phase      // nil before the first gradients
	worker shardWorker // computes the shards of the phase
	params []float32   // the phase's parameters, a part of the model
	grads  []float32
	loss   [1]float64
	in     message // the job
	out    message // the answer
}

// NewHelper returns a helper for trainings of the systems.
func NewHelper(systems method.Systems) *Helper { return &Helper{systems: systems} }

// Do does a job, and calls the function `alive` between pieces of the job. The result is valid
// until the next call.
func (h *Helper) Do(job []byte, alive func()) (result []byte, err error) {
	h.in, h.out = message{b: job, reads: true}, message{b: h.out.b[:0]}
	var kind uint32
	h.in.numbers(&kind)
	switch {
	case kind == jobModel && !h.in.short:
		err = h.open(h.in.b)
	case h.model == nil:
		err = errors.New("a helper was given work before the model that it is for; reload the page")
	case kind == jobTrajectory:
		err = h.trajectory(alive)
	case kind == jobShards:
		err = h.shards(alive)
	default:
		err = fmt.Errorf("a helper was given work of the unknown kind %d; reload the page", kind)
	}
	return h.out.b, err
}

func (h *Helper) open(file []byte) error {
	f, err := ckpt.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	m, err := model.Open(h.systems, f)
	if err != nil {
		return err
	}
	*h = Helper{systems: h.systems, model: m, phases: Phases(&m.Config), out: h.out}
	return nil
}

// The method trajectory carries out a trajectoryJob. It writes the complete item of the trajectory
// to h.out, as the answer.
func (h *Helper) trajectory(alive func()) error {
	m, job := h.model, trajectoryJob{}
	c := &m.Config
	job.pass(&h.in)
	p, index := purpose(job.purpose), int(job.index)
	if p > forValidation || job.given > 1 || !c.HasDynamics() {
		return fmt.Errorf("a helper was asked for a trajectory, purpose %d, given %d; reload the page", p, job.given)
	}
	err, t := h.in.end(), &job.of
	switch {
	case err != nil:
	case job.given == 1:
		err = m.System.Finish(t, c.Dim(), c.Data.Observable)
	default:
		t, err = h.simulate(p, index, alive)
	}
	if err != nil {
		return err
	}
	it := h.store(p, t.Frames(c.Variables)).item()
	alive()
	if err := it.fill(t, index, pauseFor(alive)); err != nil {
		return err
	}
	it.pass(&h.out)
	return nil
}

// store returns a store that makes items for one purpose, from trajectories with the given number
// of frames.
func (h *Helper) store(p purpose, frames int) store {
	if frames != h.frames {
		h.stores, h.frames = [len(h.stores)]store{}, frames
	}
	if h.stores[p] == nil {
		h.stores[p] = stores[p](h.model, system.Shape{Frames: frames})
	}
	return h.stores[p]
}

// simulate returns a simulated trajectory: a validation trajectory if p is forValidation, otherwise
// a training trajectory.
func (h *Helper) simulate(p purpose, index int, alive func()) (*system.Trajectory, error) {
	m, which := h.model, 0
	if p == forValidation {
		which = 1
	}
	if h.sources[which] == nil {
		h.sources = [2]system.Source{Source(&m.Config, m.System), validationSource(m)}
	}
	src := h.sources[which]
	if index >= src.Shape().Trajectories {
		return nil, fmt.Errorf("a helper was asked for trajectory %d of %d; reload the page", index, src.Shape().Trajectories)
	}
	return &h.t, src.Make(&h.t, index, pauseFor(alive))
}

// pauseFor returns a Pause that calls a function.
func pauseFor(alive func()) work.Pause {
	return func(float64) error {
		alive()
		return nil
	}
}

// The method shards carries out a shardsJob, which asks for gradients.
func (h *Helper) shards(alive func()) error {
	var job shardsJob
	job.pass(&h.in)
	at, err := index(h.phases, Stage(job.phase))
	if err != nil || at == len(h.phases) || h.in.short {
		return fmt.Errorf("a helper was asked for gradients of phase %d; reload the page", job.phase)
	}
	if p := &h.phases[at]; p != h.phase {
		if job.fresh != 1 {
			return errors.New("a helper was asked for gradients without parameters; reload the page")
		}
		h.phase, h.worker, h.params = p, p.loss(h.model, nil), p.params(h.model)
		h.grads = make([]float32, len(h.params))
	}
	if job.fresh == 1 {
		values(&h.in, h.params)
	}
	if h.in.short || job.count < 1 || job.count > shardsAJob {
		return fmt.Errorf("a helper was sent %d shards; reload the page", job.count)
	}
	for range job.count {
		alive()
		if !h.worker.pass(&h.in) {
			return errors.New("a helper was sent shards of another length than their content; reload the page")
		}
		clear(h.grads)
		h.loss[0] = h.worker.gradient(h.params, h.grads)
		values(&h.out, h.loss[:])
		values(&h.out, h.grads)
	}
	return h.in.end()
}
