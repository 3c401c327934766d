package fit

import (
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

// intake reads the trajectories of the present phase, a little at a time. It also accepts the
// items that helpers have made.
type intake struct {
	run *Run

	queue      queue    // hands out the numbers of the phase's trajectories
	supplies   []supply // one for each purpose; the queue numbers the trajectories of all supplies consecutively
	now        underWay
	t          system.Trajectory // the trajectory that is being read
	recorded   system.Recorded   // the user's trajectories for training; nil if trajectories are simulated
	keptOut    system.Recorded   // the user's trajectories for validation; nil if trajectories are simulated
	watched    system.Source     // validation trajectories
	firstWatch int               // index of the first validation trajectory in keptOut
	digest     *work.Pieces      // computes the digest of all of the user's trajectories; nil if there are none, and afterwards
	validation *validation       // nil for a system of single sets
	items      []*entered        // the items in the stores of the present phase, in the order of arrival
}

// entered identifies an item that has been entered into the store of a supply.
type entered struct {
	supply *supply
	index  int    // index of the trajectory in the supply
	key    string // key of the item's bytes; "" before it is computed
	size   int    // number of these bytes
}

// supply is the set of trajectories that are read for one purpose.
type supply struct {
	purpose purpose
	store   store
	count   int
	src     system.Source
	own     system.Recorded // src, if it has the user's trajectories; nil if trajectories are simulated
	first   int             // index of the supply's first trajectory in src
}

// underWay is the trajectory that this worker is reading.
type underWay struct {
	item   item
	number int          // number of the trajectory in the queue
	pieces *work.Pieces // read the trajectory and fill the item; nil if no trajectory is being read
}

// newIntake returns the intake of a run. If the encoded trajectories `codes` are not nil, they are
// the data of stage II, and the intake reads nothing. Otherwise the intake reads the user's
// trajectories `own`, or simulated trajectories if `own` is nil. A system of single sets has
// nothing to read.
func newIntake(run *Run, own system.Recorded, codes *model.Codes) (in *intake, err error) {
	m := run.Model
	in = &intake{run: run}
	if codes != nil {
		if err := checkStretches(&m.Config.Dynamics, codes.Frames); err != nil {
			return nil, err
		}
		n := codes.Trajectories - codes.Validation
		in.validation = newCodesValidation(m, codes)
		run.keeps = forStates
		run.data = &states{model: m, trajectories: n, frames: codes.Frames, dim: codes.Variables, z: codes.Z[:n*codes.Frames*codes.Variables]}
		return in, nil
	}
	if run.src == nil {
		return in, nil
	}
	count := ValidationCount
	if own == nil {
		in.watched = validationSource(m)
	} else {
		if count, err = in.divide(own); err != nil {
			return nil, err
		}
		in.watched = in.keptOut
	}
	in.validation = newValidation(m, count, in.watched.Shape().Frames)
	return in, nil
}

// divide sets the user's trajectories for training and those for validation. It returns the number of
// validation trajectories.
func (in *intake) divide(own system.Recorded) (count int, err error) {
	m := in.run.Model
	c := &m.Config
	in.digest = work.Begin(func(pause work.Pause) error {
		digest, err := model.DigestOf(pause, own)
		if err == nil {
			err = m.BeganWith(own, digest)
			m.Data = digest
		}
		return err
	})
	in.recorded, in.keptOut, err = c.KeptOut.Divide(own)
	switch {
	case err != nil:
		return 0, err
	case in.keptOut != nil:
		return in.keptOut.Shape().Trajectories, nil
	}
	in.keptOut = own
	in.firstWatch, count = lastOf(c, own.Shape().Trajectories)
	return count, nil
}

// open allocates the data of the present phase. It returns a worker that draws from these data,
// or nil after the last phase.
func (in *intake) open() shardWorker {
	r := in.run
	p := r.Current()
	if p == nil {
		r.data, in.items = nil, nil
		in.close()
		return nil
	}
	in.supplies, in.queue = nil, queue{}
	if n := r.open(); n > 0 {
		in.items = nil
		in.supplies = []supply{{p.Source.keeps, r.data, n, r.src, in.recorded, 0}}
		if p.Stage != Autoencoder {
			v := in.validation.watched
			in.supplies = append(in.supplies, supply{forValidation, v, len(v.first), in.watched, in.keptOut, in.firstWatch})
			n += len(v.first)
		}
		in.queue = newQueue(n)
	}
	return p.Loss(r.Model, r.data)
}

func (in *intake) close() {
	for _, p := range []*work.Pieces{in.digest, in.now.pieces} {
		if p != nil {
			p.Close()
		}
	}
	in.digest, in.now = nil, underWay{}
}

// needed returns how many trajectories, from the start of the queue, the next step needs.
func (in *intake) needed() int {
	if tr := in.run.trainer; in.run.keeps == forFrames && tr.Step() < tr.Steps() {
		return in.run.Model.Config.Available(tr.Step(), in.queue.n)
	}
	return in.queue.n
}

// behind reports whether the next step must wait for trajectories.
func (in *intake) behind() bool { return in.queue.first < in.needed() }

// ready reports whether the data of the next step are available. If they are, it computes the
// scales that depend on them.
func (in *intake) ready() (ok bool, err error) {
	if in.behind() {
		return false, nil
	}
	if len(in.supplies) > 0 {
		err = in.run.data.ready(in.queue.first)
	}
	return err == nil, err
}

// encoded reports whether the scaled states of stage II are available.
func (in *intake) encoded() bool {
	d, ok := in.run.data.(*states)
	return ok && d.z != nil
}

// of returns the supply that contains trajectory i of the queue, and the trajectory's index in
// the supply.
func (in *intake) of(i int) (s *supply, index int) {
	s = &in.supplies[0]
	if i >= s.count {
		i -= s.count
		s = &in.supplies[1]
	}
	return s, i
}

// work reads a piece of the data. It first computes the digest of the user's trajectories, which the model
// gets; an error says that a resumed training began with other trajectories. Then it reads a piece of one
// trajectory. It chooses a trajectory that the next step needs and that no helper is reading. If there is
// no such trajectory, worked is false.
func (in *intake) work() (worked bool, err error) {
	if in.digest != nil {
		more, err := in.digest.Next()
		if !more {
			in.digest = nil
		}
		return true, err
	}
	if in.now.pieces == nil && !in.begin() {
		return false, nil
	}
	now := in.now
	more, err := now.pieces.Next()
	if !more {
		in.now = underWay{}
	}
	if !more && err == nil {
		in.enter(now.item, now.number)
	}
	return true, err
}

// begin begins to read the next trajectory. It returns false if there is none.
func (in *intake) begin() bool {
	i, ok := in.queue.take(in.needed())
	if !ok {
		return false
	}
	s, index := in.of(i)
	it := s.store.item()
	in.now = underWay{it, i, work.Begin(func(pause work.Pause) error {
		t := &in.t
		if err := s.src.Make(t, s.first+index, pause); err != nil {
			return err
		}
		if err := pause(1); err != nil {
			return err
		}
		return it.fill(t, index, pause)
	})}
	return true
}

// enter puts the complete item of trajectory i of the queue into its store.
func (in *intake) enter(it item, i int) {
	s, index := in.of(i)
	it.enter(index)
	in.queue.put(i)
	in.items = append(in.items, &entered{supply: s, index: index})
}

// pack writes a helper's job for trajectory i of the queue.
func (in *intake) pack(m *message, i int) error {
	s, index := in.of(i)
	job := trajectoryJob{purpose: uint32(s.purpose), index: uint32(index)}
	if s.own != nil {
		job.given = 1
		if err := s.own.Raw(&job.of, s.first+index); err != nil {
			return err
		}
	}
	job.pass(m)
	return nil
}

// accept stores the item of trajectory i of the queue. A helper has made this item, or a session
// has saved it. accept returns false if the item is malformed.
func (in *intake) accept(i int, m *message) bool {
	s, _ := in.of(i)
	it := s.store.item()
	if !it.pass(m) || m.end() != nil {
		return false
	}
	in.enter(it, i)
	return true
}

// bytes returns an item with its purpose and index. The method restore reads these bytes.
func (e *entered) bytes() []byte {
	var m message
	purpose, index := uint32(e.supply.purpose), uint32(e.index)
	m.numbers(&purpose, &index)
	e.supply.store.entered(e.index).pass(&m)
	return m.b
}

// mostSaved is the largest number of bytes of items in a saved session. After the session is
// opened, the trajectories of all other items are simulated again.
const mostSaved = 64 << 20

// saved returns the items of simulated trajectories. It returns none of the user's trajectories,
// because the session saves their file.
func (in *intake) saved() (parts []wire.Part) {
	if in.recorded != nil {
		return nil
	}
	room := mostSaved
	for _, e := range in.items {
		if e.key == "" {
			b := e.bytes()
			e.key, e.size = wire.Key(b, nil), len(b)
		}
		if room -= e.size; room < 0 {
			break
		}
		parts = append(parts, wire.Part{Key: e.key, Bytes: e.bytes})
	}
	return parts
}

// restore enters a saved item. An item that does not belong to the present data, or is
// malformed, is ignored: its trajectory is then simulated again.
func (in *intake) restore(b []byte) {
	m := &message{b: b, reads: true, finite: true}
	var of, index uint32
	m.numbers(&of, &index)
	first := 0 // number of the supply's first trajectory in the queue
	for k := range in.supplies {
		if s := &in.supplies[k]; s.purpose == purpose(of) && int64(index) < int64(s.count) && !in.queue.there[first+int(index)] {
			in.accept(first+int(index), m)
			return
		}
		first += in.supplies[k].count
	}
}
