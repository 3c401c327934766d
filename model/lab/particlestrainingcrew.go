package lab

import (
	"bytes"
	"slices"
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
	loss    [1]float64
}

// hand is one helper.
type hand struct {
	version, params int    // that it was sent last; 0 for none
	open            []task // given to it and not answered, oldest first
	refused         bool   // it failed, and gets nothing any more
}

// shards returns how many a helper has been given and not answered.
func (h *hand) shards() int {
	n := 0
	for i := range h.open {
		n += h.open[i].count
	}
	return n
}

// over returns a/b, rounded up.
func over(a, b int) int { return (a + b - 1) / b }

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

func newCrew() crew { return crew{worth: worthSharing} }

// opened says that a stage begins. Helpers have other parameters then, and
// before a stage that encodes they need another model.
func (c *crew) opened(stage int) {
	if stage != StageRoll || c.version == 0 {
		c.version++
	}
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

// begin starts the message of a job for a helper.
func (c *crew) begin(h *hand, o task, numbers ...uint32) []byte {
	h.open = append(h.open, o)
	return appendNumbers(appendNumbers(c.message[:0], o.kind), numbers...)
}

// sent keeps a message, whose memory the next takes over.
func (c *crew) sent(b []byte) []byte {
	c.message = b
	return b
}

func (t *particlesTraining) modelJob(h *hand) []byte {
	var file bytes.Buffer
	if err := ckpt.Encode(&file, t.run.Model.Checkpoint()); err != nil {
		h.refused = true // what cannot be written can still be trained here
		return nil
	}
	h.version, h.params = t.crew.version, 0
	return t.crew.sent(append(t.crew.begin(h, task{kind: jobModel}), file.Bytes()...))
}

func (t *particlesTraining) trajectoryJob(h *hand, i int) []byte {
	p, index := t.purposeOf(i)
	b := t.crew.begin(h, task{kind: jobTrajectory, number: i}, uint32(p), uint32(index))
	if t.rows == nil {
		return t.crew.sent(appendNumbers(b, 0))
	}
	r, at := t.readerOf(p, index)
	b, err := r.(*recordingReader).job(b, at)
	if err != nil {
		t.fail(err)
		return nil
	}
	return t.crew.sent(b)
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
	b = appendFloats(appendNumbers(b, given, uint32(s.Frames), uint32(s.Particles)), frames)
	if r.src.macro != nil {
		b = appendDoubles(b, r.src.macro[index*s.Frames:(index+1)*s.Frames])
	}
	return b, nil
}

// shardsJob gives a helper a part of the step: no more than its share of what is
// left, so that all end together, and half of that at a time, so that who is
// faster gets more.
func (t *particlesTraining) shardsJob(h *hand) []byte {
	c, tr := &t.crew, t.run.trainer
	if c.shard*time.Duration(tr.Shards()) < c.worth || tr.Step() >= tr.Steps() {
		return nil
	}
	waiting, workers := tr.Waiting(), c.wanted+1
	left := waiting
	for i := range c.hands {
		left += c.hands[i].shards()
	}
	o := task{kind: jobShards, count: min(shardsAJob, over(waiting, 2*workers), over(left, workers)-h.shards())}
	if o.count <= 0 {
		return nil
	}
	fresh := uint32(0)
	if h.params != c.params {
		fresh = 1
	}
	for i := range o.count {
		o.shards[i], _ = tr.Take()
	}
	b := c.begin(h, o, uint32(t.run.stage), fresh)
	if fresh == 1 {
		b = appendFloats(b, tr.Params)
		h.params = c.params
	}
	b = appendNumbers(b, uint32(o.count))
	for _, shard := range o.shards[:o.count] {
		t.worker.draw(tr.Step(), shard)
		for _, v := range t.worker.drawn() {
			b = appendFloats(b, v)
		}
	}
	return c.sent(b)
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
	h.open = slices.Delete(h.open, 0, 1)
	if t.failed != nil || t.Finished() {
		return t.failed
	}
	if err != nil || !t.accept(&o, &unpacker{b: result}) {
		h.refused = true
		t.takeBack(&o)
	}
	return t.failed
}

// accept enters an answer, unless it is not of the form that the job has.
func (t *particlesTraining) accept(o *task, in *unpacker) bool {
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
		in.doubles(t.crew.loss[:])
		in.floats(tr.Grads(s))
		stepped, err := tr.Put(s, t.crew.loss[0])
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
