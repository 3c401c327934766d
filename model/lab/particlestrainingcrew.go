package lab

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"

	"macroscope/model/ckpt"
)

// crew is what a training knows of its helpers. They are asked for trajectories
// and for the gradients of shards. All that is drawn is drawn here, so that a
// helper needs no data but what a job brings, a lost one takes nothing with it,
// and the bits are those of a training alone.
type crew struct {
	wanted  int
	hands   []hand
	version int           // of the model that trajectories are encoded by
	params  int           // of the stage's parameters: the steps taken, over all stages
	shard   time.Duration // that one takes here, smoothed; 0 before the first
	worth   time.Duration // of a step, from which on shards are given away
	message []byte
}

// hand is one helper.
type hand struct {
	version, params int    // that it was sent last; 0 for none
	open            []task // given to it and not answered, oldest first
	refused         bool   // it failed, and gets nothing any more
}

// task is a job without its data, to know its answer by, or to give it to
// another.
type task struct {
	kind   uint32
	number int // of the queue
	shards [shardsAJob]int
	count  int // of those
}

const (
	// ahead is how many trajectories a worker are simulated before a step needs
	// them.
	ahead = 2
	// worthSharing is how long a step takes one worker at least, if helpers are to
	// have a part of it: messages cost as much as a short one.
	worthSharing = 3 * time.Millisecond
)

// opened says that a stage begins. What helpers know is no longer right.
func (c *crew) opened() {
	if c.worth == 0 {
		c.worth = worthSharing
	}
	c.version++
	c.params++
	c.shard = 0
}

func (c *crew) stepped() { c.params++ }

// timed is told how long a shard took here.
func (c *crew) timed(d time.Duration) {
	if c.shard == 0 {
		c.shard = d
	}
	c.shard += (d - c.shard) / 8
}

// SetHands says how many helpers the training may have.
func (t *particlesTraining) SetHands(n int) { t.crew.wanted = max(0, n) }

// Hands is how many helpers the training has a use for.
func (t *particlesTraining) Hands() int {
	if t.failed != nil || t.Finished() {
		return 0
	}
	return t.crew.wanted
}

// Job returns the next job for helper k, nil if there is none now. It holds
// until the next call.
func (t *particlesTraining) Job(k int) []byte {
	if t.Hands() == 0 {
		return nil
	}
	h := t.hand(k)
	if h.refused {
		return nil
	}
	if h.version != t.crew.version {
		return t.modelJob(h)
	}
	limit := t.needed()
	reads := false
	for _, o := range h.open {
		reads = reads || o.kind == jobTrajectory
	}
	if !reads {
		limit += ahead * (t.crew.wanted + 1)
	}
	if i, ok := t.queue.take(limit); ok {
		return t.trajectoryJob(h, i)
	}
	if reads || !t.ready() { // nobody waits for a shard behind a trajectory
		return nil
	}
	return t.shardsJob(h)
}

func (t *particlesTraining) hand(k int) *hand {
	for k >= len(t.crew.hands) {
		t.crew.hands = append(t.crew.hands, hand{})
	}
	return &t.crew.hands[k]
}

// begin starts a message.
func (c *crew) begin(numbers ...uint32) []byte {
	b := c.message[:0]
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

func (t *particlesTraining) modelJob(h *hand) []byte {
	b := bytes.NewBuffer(t.crew.begin(jobModel))
	if err := ckpt.Encode(b, t.run.Model.Checkpoint()); err != nil {
		h.refused = true // a model that cannot be written; here it trains all the same
		return nil
	}
	h.version, h.params = t.crew.version, 0
	h.open = append(h.open, task{kind: jobModel})
	t.crew.message = b.Bytes()
	return t.crew.message
}

func (t *particlesTraining) trajectoryJob(h *hand, i int) []byte {
	p, index := t.purposeOf(i)
	b := t.crew.begin(jobTrajectory, uint32(p), uint32(index))
	if t.rows == nil {
		b = binary.LittleEndian.AppendUint32(b, 0)
	} else {
		r, at := t.readerOf(p, index)
		var err error
		if b, err = r.(*recordingReader).job(b, at); err != nil {
			t.fail(err)
			return nil
		}
	}
	h.open = append(h.open, task{kind: jobTrajectory, number: i})
	t.crew.message = b
	return b
}

// job appends a trajectory of own data to a job, as it is in the file.
func (r *recordingReader) job(b []byte, index int) ([]byte, error) {
	s := r.src.shape
	frames := make([]float32, len(r.t.Frames)) // r.t may be half read
	if err := r.rows.read(frames, index); err != nil {
		return b, err
	}
	given := uint32(1)
	if r.src.macro != nil {
		given = 2
	}
	for _, n := range []uint32{given, uint32(s.Frames), uint32(s.Particles)} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = appendFloats(b, frames)
	if r.src.macro != nil {
		b = appendDoubles(b, r.src.macro[index*s.Frames:(index+1)*s.Frames])
	}
	return b, nil
}

// shardsJob gives a helper a part of what is left of the step: half of its share,
// since it has two jobs at a time and whoever is first takes the rest.
func (t *particlesTraining) shardsJob(h *hand) []byte {
	c, tr := &t.crew, t.run.trainer
	all := t.run.trainer.Shards()
	if c.shard*time.Duration(all) < c.worth || tr.Step() >= tr.Steps() {
		return nil
	}
	waiting := tr.Waiting()
	workers := c.wanted + 1
	o := task{kind: jobShards, count: min(shardsAJob, (waiting+2*workers-1)/(2*workers))}
	if o.count == 0 {
		return nil
	}
	fresh := uint32(0)
	if h.params != c.params {
		fresh = 1
	}
	b := c.begin(jobShards, uint32(t.run.stage), fresh)
	if fresh == 1 {
		b = appendFloats(b, tr.Params)
		h.params = c.params
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(o.count))
	for i := range o.count {
		o.shards[i], _ = tr.Take()
		t.worker.draw(tr.Step(), o.shards[i])
		for _, v := range t.worker.drawn() {
			b = appendFloats(b, v)
		}
	}
	h.open = append(h.open, o)
	c.message = b
	return b
}

// Done takes the answer to the oldest open job of helper k, or learns that there
// is none. What could not be done is done here. An error ends the training as
// that of Work does.
func (t *particlesTraining) Done(k int, result []byte, err error) error {
	h := t.hand(k)
	if len(h.open) == 0 {
		return t.failed
	}
	o := h.open[0]
	h.open = h.open[:copy(h.open, h.open[1:])]
	if t.failed != nil || t.Finished() {
		return t.failed
	}
	if err != nil || !t.accept(&o, result) {
		h.refused = true
		t.takeBack(&o)
	}
	return t.failed
}

// accept enters an answer, unless it is not of the form that the job has.
func (t *particlesTraining) accept(o *task, result []byte) bool {
	in := &unpacker{b: result}
	switch o.kind {
	case jobTrajectory:
		return t.acceptTrajectory(o.number, in)
	case jobShards:
		return t.acceptShards(o, in)
	}
	return in.end() == nil
}

func (t *particlesTraining) acceptTrajectory(i int, in *unpacker) bool {
	p, index := t.purposeOf(i)
	s := t.run.src.Shape()
	if p == forLaw {
		if in.floats(t.law.of(index)); in.end() != nil {
			return false
		}
		t.keep(i, nil, nil)
		return true
	}
	n := s.Particles * s.Dim
	if p == forFit {
		n *= len(t.fit.frames)
	}
	frames, macro := make([]float32, n), make([]float64, s.Frames)
	in.floats(frames)
	in.doubles(macro)
	if in.end() != nil {
		return false
	}
	t.keep(i, frames, macro)
	return true
}

func (t *particlesTraining) acceptShards(o *task, in *unpacker) bool {
	tr := t.run.trainer
	if len(in.b) != o.count*(8+4*len(tr.Params)) {
		return false
	}
	for _, s := range o.shards[:o.count] {
		loss := math.Float64frombits(binary.LittleEndian.Uint64(in.take(8)))
		in.floats(tr.Grads(s))
		stepped, err := tr.Put(s, loss)
		t.fail(err)
		if stepped {
			t.stepped()
		}
	}
	return true
}

// takeBack has a job that was given away done by whoever is next.
func (t *particlesTraining) takeBack(o *task) {
	switch o.kind {
	case jobTrajectory:
		t.queue.giveBack(o.number)
	case jobShards:
		for _, s := range o.shards[:o.count] {
			t.run.trainer.Return(s)
		}
	}
}

// Lost says that helper k is gone. Another may come in its place.
func (t *particlesTraining) Lost(k int) {
	h := t.hand(k)
	if t.failed == nil && !t.Finished() {
		for i := range h.open {
			t.takeBack(&h.open[i])
		}
	}
	*h = hand{}
}
