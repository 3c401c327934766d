package fit

import (
	"bytes"
	"errors"
	"fmt"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

// Helper does the jobs of a Pool in a worker of its own. It knows the model, and
// the parameters that it was sent last. It is not safe for concurrent use.
type Helper struct {
	systems experiment.Systems
	model   *experiment.Model
	readers [2]system.Reader // of the training's trajectories and of those for validation
	coder   *experiment.Coder
	frame   system.Frame
	z       []float32 // of a trajectory (T, V)

	phase  Phase
	worker shardWorker // of the phase
	params []float32   // of the phase, the model's
	grads  []float32
	loss   [1]float64
	in     unpacker // of the job
	out    []byte
}

// NewHelper returns a helper for trainings of the systems.
func NewHelper(systems experiment.Systems) *Helper { return &Helper{systems: systems} }

// Do carries a job out, and calls alive between its pieces. The result holds until the
// next call.
func (h *Helper) Do(job []byte, alive func()) (result []byte, err error) {
	h.in = unpacker{b: job}
	in := &h.in
	kind := in.number()
	h.out = h.out[:0]
	switch {
	case kind == jobModel && !in.short:
		err = h.open(in.b)
	case h.model == nil:
		err = errors.New("a helper was given work before the model that it is for; reload the page")
	case kind == jobTrajectory:
		err = h.trajectory(in, alive)
	case kind == jobShards:
		err = h.shards(in, alive)
	default:
		err = fmt.Errorf("a helper was given work of the unknown kind %d; reload the page", kind)
	}
	return h.out, err
}

func (h *Helper) open(file []byte) error {
	f, err := ckpt.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	m, err := h.systems.Open(f)
	if err != nil {
		return err
	}
	for _, r := range h.readers {
		if r != nil {
			r.Close()
		}
	}
	*h = Helper{systems: h.systems, model: m, coder: m.NewCoder(), out: h.out}
	return nil
}

// trajectory makes what its purpose wants of a trajectory.
func (h *Helper) trajectory(in *unpacker, alive func()) error {
	m := h.model
	c := &m.Config
	p, index, given := purpose(in.number()), int(in.number()), in.number()
	if in.short || p > forValidation || given > 1 || !c.HasDynamics() {
		return fmt.Errorf("a helper was asked for a trajectory, purpose %d, given %d; reload the page", p, given)
	}
	var t *system.Trajectory
	var err error
	if given == 1 {
		t = in.trajectory()
		if err = in.end(); err == nil {
			err = m.System.Finish(t, c.Dim(), c.Observable)
		}
	} else if err = in.end(); err == nil {
		t, err = h.simulate(p, index, alive)
	}
	if err != nil {
		return err
	}
	alive()
	count := t.Frames(c.Variables)
	switch p {
	case forFrames:
		d := frames{kept: c.Frames(m.System, count)}
		k, err := d.keep(m, t)
		if err != nil {
			return err
		}
		h.out = appendKeptFrames(h.out, &k)
	case forValidation:
		m.System.Frame(&h.frame, t, c.Dynamics.Begin, c.Dim())
		if err := m.Takes(&h.frame); err != nil {
			return err
		}
		h.out = doublesWithCount(intsWithCount(floatsWithCount(h.out, h.frame.Points), h.frame.Ends), h.frame.Params)
		h.out = doublesWithCount(h.out, t.Macro)
	case forStates:
		if n := count * c.States(); len(h.z) != n {
			h.z = make([]float32, n)
		}
		h.coder.Prepare(t, index)
		for k := range count {
			alive()
			if err := h.coder.FrameOf(h.z[k*c.States():(k+1)*c.States()], t, index, k); err != nil {
				return err
			}
		}
		h.out = appendFloats(h.out, h.z)
	}
	return nil
}

// appendKeptFrames appends what stage I keeps of a trajectory.
func appendKeptFrames(b []byte, k *keptFrames) []byte {
	b = doublesWithCount(intsWithCount(intsWithCount(floatsWithCount(b, k.points), k.at), k.ends), k.macro)
	for _, r := range k.moments.macro {
		b = appendDoubles(b, r[:])
	}
	return b
}

// keptFrames reads what appendKeptFrames appended, to the message's end, and says
// whether it is so many frames of the configuration.
func (u *unpacker) keptFrames(count int, c *experiment.Config) (k keptFrames, ok bool) {
	k = keptFrames{points: u.newFloats(), at: u.newInts(), ends: u.newInts(), macro: u.newDoubles(), moments: newMoments(c.Variables)}
	for i := range k.moments.macro {
		u.doubles(k.moments.macro[i][:])
	}
	sets, macros := c.Sets(), 0
	if c.Decoder.Step.On() {
		macros = count * c.Variables
	}
	if u.end() != nil || len(k.at) != count+1 || len(k.ends) != count*sets || len(k.macro) != macros || k.at[0] != 0 || k.at[count] != len(k.points) {
		return k, false
	}
	for f := range count {
		if k.at[f+1] < k.at[f] || !endsFit(k.ends[f*sets:(f+1)*sets], k.at[f+1]-k.at[f], c) {
			return k, false
		}
	}
	return k, true
}

// endsFit says whether sets that end there are a frame of so many numbers.
func endsFit(ends []int, numbers int, c *experiment.Config) bool {
	if len(ends) != c.Sets() || c.Trains(ends) != nil {
		return false
	}
	last := ends[len(ends)-1]
	return last <= c.MaxParticles() && last*c.Dim() == numbers
}

// simulate returns a trajectory of the training or, for that purpose, one for
// validation.
func (h *Helper) simulate(p purpose, index int, alive func()) (*system.Trajectory, error) {
	m := h.model
	which, src := 0, Source(&m.Config, m.System)
	if p == forValidation {
		which, src = 1, validationSource(m)
	}
	if index >= src.Shape().Trajectories {
		return nil, fmt.Errorf("a helper was asked for trajectory %d of %d; reload the page", index, src.Shape().Trajectories)
	}
	if h.readers[which] == nil {
		r, err := src.Reader()
		if err != nil {
			return nil, err
		}
		h.readers[which] = r
	}
	r := h.readers[which]
	if err := r.Begin(index); err != nil {
		return nil, err
	}
	for ; ; alive() {
		if whole, err := r.Advance(); whole || err != nil {
			return r.Trajectory(), err
		}
	}
}

// shards computes gradients.
func (h *Helper) shards(in *unpacker, alive func()) error {
	phase, fresh := Phase(in.number()), in.number()
	c := &h.model.Config
	if in.short || phase < Autoencoder || phase > Rollout || phase > Autoencoder && !c.HasDynamics() || phase == Rollout && c.Dynamics.Roll.Steps == 0 {
		return fmt.Errorf("a helper was asked for gradients of phase %d; reload the page", phase)
	}
	if phase != h.phase {
		if fresh != 1 {
			return errors.New("a helper was asked for gradients without parameters; reload the page")
		}
		h.enter(phase)
	}
	if fresh == 1 {
		in.floats(h.params)
	}
	count := int(in.number())
	if in.short || count < 1 || count > shardsAJob {
		return fmt.Errorf("a helper was sent %d shards; reload the page", count)
	}
	for range count {
		alive()
		if !h.worker.unpack(in) {
			return errors.New("a helper was sent shards of another length than their content; reload the page")
		}
		clear(h.grads)
		h.loss[0] = h.worker.gradient(h.params, h.grads)
		h.out = appendDoubles(h.out, h.loss[:])
		h.out = appendFloats(h.out, h.grads)
	}
	return in.end()
}

// enter makes ready for gradients of a phase.
func (h *Helper) enter(phase Phase) {
	m := h.model
	h.phase = phase
	if phase == Autoencoder {
		h.worker, h.params = newAutoencoder(m, nil), m.Params
	} else {
		h.worker, h.params = newDynamics(m, phase, nil), m.DynamicsParams
	}
	h.grads = make([]float32, len(h.params))
}
