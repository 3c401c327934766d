package lab

import (
	"bytes"
	"errors"
	"fmt"

	"macroscope/model/wire"
)

// shardsAJob is the largest number of shards in one job.
const shardsAJob = 8

// particlesHelper does the jobs of a particlesTraining in a worker of its own.
// It knows the model, and the parameters that it was sent last.
type particlesHelper struct {
	model     *ParticlesModel
	simulated [2]*simulatedReader // of the training's trajectories and of those held out
	encoder   *frameEncoder
	z         []float32 // of a trajectory (T, D)

	stage  int
	worker shardWorker // of the stage
	params []float32   // of the stage, the model's
	grads  []float32
	loss   [1]float64
	out    []byte
}

var _ wire.Helper = (*particlesHelper)(nil)

func newParticlesHelper() wire.Helper { return new(particlesHelper) }

// Do implements wire.Helper.
func (h *particlesHelper) Do(job []byte) (result []byte, err error) {
	in := &unpacker{b: job}
	kind := in.number()
	h.out = h.out[:0]
	switch {
	case kind == jobModel && !in.short:
		err = h.open(in.b)
	case h.model == nil:
		err = errors.New("a helper was given work before the model that it is for; reload the page")
	case kind == jobTrajectory:
		err = h.trajectory(in)
	case kind == jobShards:
		err = h.shards(in)
	default:
		err = fmt.Errorf("a helper was given work of the unknown kind %d; reload the page", kind)
	}
	return h.out, err
}

func (h *particlesHelper) open(file []byte) error {
	m, _, err := ReadParticles(bytes.NewReader(file))
	if err != nil {
		return err
	}
	*h = particlesHelper{model: m, out: h.out}
	return nil
}

// trajectory makes what its purpose wants of a trajectory.
func (h *particlesHelper) trajectory(in *unpacker) error {
	m := h.model
	c := &m.Config
	p, index, given := purpose(in.number()), int(in.number()), in.number()
	if in.short || p > forHeld || given > 2 {
		return fmt.Errorf("a helper was asked for a trajectory, purpose %d, given %d; reload the page", p, given)
	}
	var rec *Recorded
	var err error
	if given > 0 {
		rec, err = h.finished(in, given == 2)
	} else if err = in.end(); err == nil {
		rec, err = h.simulate(p, index)
	}
	if err != nil {
		return err
	}
	size := len(rec.Frames) / len(rec.Macro)
	switch p {
	case forFit:
		for _, f := range c.fitFrames(len(rec.Macro)) {
			h.out = appendFloats(h.out, rec.Frames[f*size:(f+1)*size])
		}
		h.out = appendDoubles(h.out, rec.Macro)
	case forHeld:
		h.out = appendFloats(h.out, rec.Frames[:size])
		h.out = appendDoubles(h.out, rec.Macro)
	case forLaw:
		d := c.Law.Drift.Dim
		if n := len(rec.Macro) * d; len(h.z) != n {
			h.z = make([]float32, n)
		}
		if h.encoder == nil || h.encoder.size != size {
			h.encoder = m.newFrameEncoder(size / c.Encoder.Dim)
		}
		m.turnForLaw(h.z, index, rec)
		h.encoder.encode(h.z[1:], d, rec.Frames)
		h.out = appendFloats(h.out, h.z)
	}
	return nil
}

// simulate returns a trajectory of the training or, for that purpose, one that
// is held out.
func (h *particlesHelper) simulate(p purpose, index int) (*Recorded, error) {
	c := &h.model.Config
	if c.Encoder.Dim != 2 {
		return nil, fmt.Errorf("particles of %d coordinates cannot be simulated", c.Encoder.Dim)
	}
	which, src := 0, c.TrainingSource()
	if p == forHeld {
		which, src = 1, c.heldOutSource(heldOutCount)
	}
	if index >= src.Count {
		return nil, fmt.Errorf("a helper was asked for trajectory %d of %d; reload the page", index, src.Count)
	}
	if h.simulated[which] == nil {
		h.simulated[which] = newSimulatedReader(src)
	}
	r := h.simulated[which]
	if err := r.begin(index); err != nil {
		return nil, err
	}
	for {
		if whole, err := r.advance(); whole || err != nil {
			return r.recorded(), err
		}
	}
}

// finished reads a trajectory of own data from a job and does what a Recording
// does with it.
func (h *particlesHelper) finished(in *unpacker, withMacro bool) (*Recorded, error) {
	c := &h.model.Config
	s := Shape{1, int(in.number()), int(in.number()), c.Encoder.Dim}
	a := 0
	if withMacro {
		a = 8
	}
	if s.Frames < 1 || s.Particles < 1 || s.Particles > maxSetSize || s.Frames > len(in.b) || s.Frames*(4*s.Particles*s.Dim+a) != len(in.b) {
		return nil, errors.New("a helper was sent a trajectory of another length than its shape; reload the page")
	}
	rec, own := newRecorded(s), &Recording{shape: s, name: c.Macro}
	in.floats(rec.Frames)
	if withMacro {
		own.macro = make([]float64, s.Frames)
		in.doubles(own.macro)
	} else if err := checkObservable(own.name, s.Dim); err != nil {
		return nil, err
	}
	return rec, own.finish(0, rec, newObserver(own.name, s.Dim))
}

// shards computes gradients.
func (h *particlesHelper) shards(in *unpacker) error {
	stage, fresh := int(in.number()), in.number()
	if in.short || stage < StageFit || stage > StageRoll || stage == StageRoll && h.model.Config.Law.Roll.Steps == 0 {
		return fmt.Errorf("a helper was asked for gradients of stage %d; reload the page", stage)
	}
	if stage != h.stage {
		if fresh != 1 {
			return errors.New("a helper was asked for gradients without parameters; reload the page")
		}
		h.enter(stage)
	}
	if fresh == 1 {
		in.floats(h.params)
	}
	count := int(in.number())
	drawn := h.worker.drawn()
	if in.short || count < 1 || count > shardsAJob || count*4*(len(drawn[0])+len(drawn[1])) != len(in.b) {
		return fmt.Errorf("a helper was sent %d shards of another length than their content; reload the page", count)
	}
	for range count {
		for _, to := range drawn {
			in.floats(to)
		}
		clear(h.grads)
		h.loss[0] = h.worker.gradient(h.params, h.grads)
		h.out = appendDoubles(h.out, h.loss[:])
		h.out = appendFloats(h.out, h.grads)
	}
	return nil
}

// enter makes ready for gradients of a stage.
func (h *particlesHelper) enter(stage int) {
	m := h.model
	h.stage = stage
	if stage == StageFit {
		h.worker, h.params = m.newFitWorker(&fitData{size: m.Config.Particles * m.Config.Encoder.Dim}), m.Params
	} else {
		h.worker, h.params = m.newStageWorker(stage, &lawData{dim: m.Config.Law.Drift.Dim}), m.LawParams
	}
	h.grads = make([]float32, len(h.params))
}
