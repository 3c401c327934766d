package fit

import (
	"fmt"

	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

// intake reads the trajectories of the run's phase, a little at a time, or takes
// what helpers have made of them. It keeps what the phase's steps draw from.
type intake struct {
	run *Run

	queue      queue // of the trajectories that the phase reads
	reading    reading
	reader     system.Reader
	recorded   system.Recorded // the user's trajectories, nil where they are simulated
	watched    system.Reader   // of those for validation
	firstWatch int             // of the user's
	coder      *experiment.Coder

	frames     *frames
	states     *states
	validation *validation // nil for a system of single sets
	scaled     bool        // coordinates, by stage I's first trajectories
	ranged     bool        // the macroscopic variables, by all of stage I's
	coded      bool        // the closure variables, by all of stage II's
}

// reading is how far the trajectory is that is being read here.
type reading struct {
	reader  system.Reader // nil if there is none
	number  int           // of the queue
	purpose purpose
	index   int  // among those of the purpose
	whole   bool // all frames are there
	frame   int  // that is encoded next
}

// purpose is what is made of a trajectory.
type purpose uint32

const (
	forFrames     purpose = iota // the frames that stage I keeps
	forStates                    // z, for stage II
	forValidation                // what is needed to measure predictions by it
)

// newIntake returns an intake of the run's source: the user's trajectories unless
// own is nil. Where there are codes, it has read all that stage II needs, and a
// system of single sets has nothing to read.
func newIntake(run *Run, own system.Recorded, codes *experiment.Codes) (in *intake, err error) {
	m := run.Model
	in = &intake{run: run, recorded: own, ranged: run.phase > Autoencoder}
	in.scaled = in.ranged || run.resume != nil
	if codes != nil {
		if err := checkStretches(&m.Config.Dynamics, codes.Frames); err != nil {
			return nil, err
		}
		n := codes.Trajectories - codes.Validation
		in.coded, in.validation = true, newCodesValidation(m, codes)
		in.states = &states{trajectories: n, frames: codes.Frames, dim: codes.Variables, z: codes.Z[:n*codes.Frames*codes.Variables]}
		return in, nil
	}
	if run.src == nil {
		return in, nil
	}
	watched, count := system.Source(own), 0
	if own != nil {
		in.firstWatch, count = validationOf(&m.Config, own.Shape().Trajectories)
	} else {
		watched, count = validationSource(m), ValidationCount
	}
	if in.reader, err = run.src.Reader(); err != nil {
		return nil, err
	}
	if in.watched, err = watched.Reader(); err != nil {
		return nil, err
	}
	in.validation = newValidation(m, count, watched.Shape().Frames)
	return in, nil
}

// open makes room for the data of the run's phase, and returns a worker that draws
// from them; nil once all phases have ended.
func (in *intake) open() shardWorker {
	m, src := in.run.Model, in.run.src
	switch in.run.phase {
	case Autoencoder:
		if src != nil {
			in.frames = newFrames(m, src.Shape())
			in.queue = newQueue(len(in.frames.of))
		}
		return newAutoencoder(m, in.frames)
	case Velocity, Rollout:
		if in.states == nil {
			in.states = newStates(m, src.Shape())
			in.frames, in.coder = nil, m.NewCoder()
			in.queue = newQueue(in.states.trajectories + len(in.validation.first))
		}
		return newDynamics(m, in.run.phase, in.states)
	}
	in.frames, in.states = nil, nil
	in.close()
	return nil
}

func (in *intake) close() {
	if in.reader != nil {
		in.reader.Close()
		in.watched.Close()
		in.reader, in.watched = nil, nil
	}
}

// needed returns how many of the queue's first trajectories the next step needs.
func (in *intake) needed() int {
	tr := in.run.trainer
	if in.run.phase == Autoencoder && tr.Step() < tr.Steps() {
		return in.run.Model.Config.Available(tr.Step(), in.queue.n)
	}
	return in.queue.n
}

// behind says whether the next step waits for trajectories.
func (in *intake) behind() bool { return in.queue.first < in.needed() }

// ready says whether the data of the next step are there, and finds the scales
// that depend on them.
func (in *intake) ready() (ok bool, err error) {
	if in.behind() {
		return false, nil
	}
	m := in.run.Model
	switch stageOne := in.run.phase == Autoencoder; {
	case !stageOne && !in.coded:
		err, in.coded = in.states.scale(m), true
	case stageOne && in.frames != nil:
		if !in.scaled {
			err, in.scaled = in.frames.scalePoints(m), true
		}
		if err == nil && !in.ranged && in.queue.first == in.queue.n {
			err, in.ranged = in.frames.scaleMacro(m), true
		}
	}
	return err == nil, err
}

// purposeOf says what a number of the queue is for.
func (in *intake) purposeOf(i int) (p purpose, index int) {
	switch {
	case in.run.phase == Autoencoder:
		return forFrames, i
	case i < in.states.trajectories:
		return forStates, i
	}
	return forValidation, i - in.states.trajectories
}

// readerOf returns what reads a trajectory, and its number there.
func (in *intake) readerOf(p purpose, index int) (system.Reader, int) {
	if p == forValidation {
		return in.watched, in.firstWatch + index
	}
	return in.reader, index
}

// work reads a little of a trajectory that the next step needs, if there is one
// that nobody reads.
func (in *intake) work() (worked bool, err error) {
	if in.reading.reader != nil {
		return true, in.readOn()
	}
	i, ok := in.queue.take(in.needed())
	if !ok {
		return false, nil
	}
	p, index := in.purposeOf(i)
	r, at := in.readerOf(p, index)
	in.reading = reading{reader: r, number: i, purpose: p, index: index}
	return true, r.Begin(at)
}

// readOn reads a little more of the present trajectory, or encodes a frame of it.
func (in *intake) readOn() (err error) {
	now := &in.reading
	if !now.whole {
		now.whole, err = now.reader.Advance()
		if !now.whole {
			return err
		}
		if now.purpose == forStates {
			in.coder.Prepare(now.reader.Trajectory(), now.index)
			return nil
		}
	}
	m, t := in.run.Model, now.reader.Trajectory()
	switch now.purpose {
	case forFrames:
		k, err := in.frames.keep(m, t)
		if err != nil {
			return fmt.Errorf("trajectory %d: %w", now.index, err)
		}
		in.frames.put(now.index, m, k)
	case forValidation:
		var f system.Frame
		m.System.Frame(&f, t, m.Config.Dynamics.Begin, m.Config.Dim())
		if err := m.Takes(&f); err != nil {
			return fmt.Errorf("trajectory %d for validation: %w", now.index, err)
		}
		in.validation.put(now.index, &f, t.Macro)
	case forStates:
		k, v := now.frame, in.states.dim
		if err := in.coder.FrameOf(in.states.of(now.index)[k*v:(k+1)*v], t, now.index, k); err != nil {
			return err
		}
		if now.frame++; now.frame < in.states.frames {
			return nil
		}
	}
	in.queue.put(now.number)
	*now = reading{}
	return nil
}

// pack appends what a helper needs to do a number of the queue.
func (in *intake) pack(b []byte, i int) ([]byte, error) {
	p, index := in.purposeOf(i)
	b = appendNumbers(b, uint32(p), uint32(index))
	if in.recorded == nil {
		return appendNumbers(b, 0), nil
	}
	_, at := in.readerOf(p, index)
	var t system.Trajectory
	if err := in.recorded.Raw(&t, at); err != nil {
		return nil, err
	}
	return appendTrajectory(appendNumbers(b, 1), &t), nil
}

// accept enters what a helper has made of a number of the queue, unless it is not
// of the form that it must have.
func (in *intake) accept(i int, u *unpacker) bool {
	p, index := in.purposeOf(i)
	c := &in.run.Model.Config
	switch p {
	case forStates:
		if u.floats(in.states.of(index)); u.end() != nil {
			return false
		}
	case forFrames:
		k, ok := u.keptFrames(len(in.frames.kept), c)
		if !ok {
			return false
		}
		in.frames.put(index, in.run.Model, k)
	case forValidation:
		f := system.Frame{Points: u.newFloats(), Ends: u.newInts(), Params: u.newDoubles()}
		macro := u.newDoubles()
		if u.end() != nil || len(macro) != in.validation.frames*c.Variables || !endsFit(f.Ends, len(f.Points), c) || c.Traits.Parameters.Check(f.Params) != nil {
			return false
		}
		in.validation.put(index, &f, macro)
	}
	in.queue.put(i)
	return true
}
