package fit

import (
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

// intake reads the trajectories of the present phase until the next step has what it needs. It also accepts
// the items that helpers have made.
type intake struct {
	live *Live

	queue      queue             // hands out the numbers of the phase's trajectories
	supplies   []supply          // one for each purpose; the queue numbers the trajectories of all supplies consecutively
	t          system.Trajectory // the trajectory that is being read
	own        system.Recorded   // all of the user's trajectories; nil if trajectories are simulated
	training   feed
	watched    feed        // for validation
	validation *validation // nil for a system of single sets
	items      []*entered  // the items in the stores of the present phase, in the order of arrival
}

// entered identifies an item that has been entered into the store of a supply.
type entered struct {
	supply *supply
	index  int    // index of the trajectory in the supply
	key    string // key of the item's bytes; "" before it is computed
	size   int    // number of these bytes
}

// feed is where trajectories come from.
type feed struct {
	src   system.Source
	own   system.Recorded // src, if it has the user's trajectories; nil if trajectories are simulated
	first int             // index of the first trajectory in src
}

// supply is the set of trajectories that are read for one purpose.
type supply struct {
	feed
	purpose purpose
	store   store
	count   int
}

// newIntake returns the intake of a run. If the encoded trajectories `codes` are not nil, they are
// the data of stage II, and the intake reads nothing. Otherwise the intake reads the user's
// trajectories `own`, or simulated trajectories if `own` is nil. A system of single sets has
// nothing to read.
func newIntake(l *Live, own system.Recorded, codes *model.Codes) (in *intake, err error) {
	m := l.Model
	in = &intake{live: l, own: own}
	if codes != nil {
		if err := checkStretches(&m.Config.Dynamics, codes.Frames); err != nil {
			return nil, err
		}
		n := codes.Trajectories - codes.Validation
		in.validation = newValidation(m, codes.Validation, codes.Frames)
		in.validation.codes = codes
		l.keeps = forStates
		l.data = &states{model: m, trajectories: n, frames: codes.Frames, dim: codes.Variables, lengths: codes.Lengths, z: codes.Z[:n*codes.Frames*codes.Variables]}
		return in, nil
	}
	if l.src == nil {
		return in, nil
	}
	in.training.src = l.src
	count := ValidationCount
	if own == nil {
		in.watched.src = validationSource(m)
	} else if count, err = in.divide(); err != nil {
		return nil, err
	}
	in.validation = newValidation(m, count, in.watched.src.Shape().Frames)
	return in, nil
}

// divide sets the user's trajectories for training and those for validation. It returns the number of
// validation trajectories.
func (in *intake) divide() (count int, err error) {
	c := &in.live.Model.Config
	recorded, keptOut, err := c.Data.KeptOut.Divide(in.own)
	if err != nil {
		return 0, err
	}
	if in.training.own = recorded; keptOut != nil {
		in.watched = feed{src: keptOut, own: keptOut}
		return keptOut.Shape().Trajectories, nil
	}
	first, count := lastOf(c, in.own.Shape().Trajectories)
	in.watched = feed{in.own, in.own, first}
	return count, nil
}

// identify computes the digest of the user's trajectories, if there are any. The model gets the digest. An
// error says that a resumed training began with other trajectories.
func (in *intake) identify(pause work.Pause) error {
	if in.own == nil {
		return nil
	}
	m := in.live.Model
	digest, err := model.DigestOf(pause, in.own)
	if err != nil {
		return err
	}
	if err := m.Data.BeganWith(in.own, digest); err != nil {
		return err
	}
	m.Data = digest
	return pause(1)
}

// open allocates the data of the present phase. After the last phase, it releases the data.
func (in *intake) open() {
	l := in.live
	p := l.Phase()
	if p == nil {
		l.data, in.items = nil, nil
		return
	}
	in.supplies, in.queue = nil, queue{}
	if n := l.Run.open(); n > 0 {
		in.items = nil
		in.supplies = []supply{{in.training, p.needs.keeps, l.data, n}}
		if p.Stage != Autoencoder {
			v := in.validation.watched
			in.supplies = append(in.supplies, supply{in.watched, forValidation, v, len(v.first)})
			n += len(v.first)
		}
		in.queue = newQueue(n)
	}
}

// needed returns how many trajectories, from the start of the queue, the next step needs.
func (in *intake) needed() int {
	if l := in.live; l.keeps == forFrames && l.Step() < l.Steps() {
		return l.Model.Config.Data.Available(l.Step(), in.queue.n)
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
		err = in.live.data.ready(in.queue.first)
	}
	return err == nil, err
}

// encoded reports whether the scaled states of stage II are available.
func (in *intake) encoded() bool {
	d, ok := in.live.data.(*states)
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

// gather reads trajectories until the next step has what it needs. It reads trajectories that no helper is
// reading. If there are none, it waits for the helpers.
func (in *intake) gather(pause work.Pause) error {
	for in.behind() {
		i, ok := in.queue.take(in.needed())
		if !ok {
			in.live.waits = true
			if err := pause(0); err != nil {
				return err
			}
			continue
		}
		if err := in.read(i, pause); err != nil {
			return err
		}
	}
	_, err := in.ready()
	return err
}

// read reads trajectory i of the queue.
func (in *intake) read(i int, pause work.Pause) error {
	if in.queue.count > 0 { // the present piece of work has read another trajectory, or taken a step
		if err := pause(0); err != nil {
			return err
		}
	}
	s, index := in.of(i)
	it := s.store.item()
	if err := s.src.Make(&in.t, s.first+index, pause); err != nil {
		return err
	}
	if err := pause(1); err != nil {
		return err
	}
	if err := it.fill(&in.t, index, pause); err != nil {
		return err
	}
	in.enter(it, i)
	return nil
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
	if in.own != nil {
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
