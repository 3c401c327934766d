package fit

import (
	"bytes"
	"slices"
	"time"

	"macroscope/model/file/ckpt"
)

// Pool divides the work of a training between the worker that runs the training and the pool's
// helpers. A helper makes the item of a trajectory, or it computes the gradients of shards. The
// pool draws all random numbers, so a helper needs only the data of its job. No work is lost if a
// helper ends. The results have the same bits without helpers.
type Pool struct {
	live   *Live
	worker shardWorker // draws and computes the shards of the phase

	wanted  int
	room    int // number of helpers for which there is enough memory
	helpers []helperState
	version int           // version number of the present model; helpers encode trajectories with this model
	params  int           // version number of the present parameters; every step of every phase increases it
	shard   time.Duration // smoothed time of a shard in this worker; 0 before the first shard
	worth   time.Duration // helpers get shards if a step takes longer than this time
	out, in message       // the last job and the last answer
	loss    [1]float64
}

// newPool returns the pool of a training. It has no helpers yet.
func newPool(l *Live) *Pool {
	worker, _ := l.Model.Config.Room()
	return &Pool{live: l, room: maxHelpers / worker, worth: worthSharing}
}

// helperState is the pool's record of one helper.
type helperState struct {
	version, params int   // version numbers of the model and the parameters that were sent last; 0: none
	open            []job // outstanding jobs, the oldest first
	refused         bool  // whether the helper has failed; it then gets no more jobs
}

// shards returns the number of a helper's outstanding shards.
func (h *helperState) shards() int {
	n := 0
	for i := range h.open {
		n += h.open[i].count
	}
	return n
}

// over returns a/b, rounded up.
func over(a, b int) int { return (a + b - 1) / b }

// shardsAJob is the largest number of shards in one job.
const shardsAJob = 8

// job describes an outstanding job. The pool uses it to check the answer or to give the job to
// another helper.
type job struct {
	kind   uint32
	number int // number of the trajectory in the queue
	shards [shardsAJob]int
	count  int // number of shards
}

const (
	// ahead is the number of trajectories per worker that helpers may simulate before a step
	// needs them.
	ahead = 2
	// A step is divided among helpers if one worker needs at least this time for the step. Shorter
	// steps take less time than their messages.
	worthSharing = 3 * time.Millisecond
)

// opened is called at the beginning of a phase; w draws the phase's shards. All helpers then
// need new parameters and, if the phase reads trajectories, a new model.
func (p *Pool) opened(w shardWorker) {
	p.worker = w
	if len(p.live.intake.supplies) > 0 || p.version == 0 {
		p.version++
	}
	p.params++
	p.shard = 0
}

// timed is the train.Worker that computes a phase's shards in this worker. It tells the pool how long they take.
type timed struct{ *Pool }

// Gradient implements train.Worker.
func (p timed) Gradient(params, grads []float32, step, shard int) float64 {
	began := p.live.now()
	loss := bothParts{p.worker}.Gradient(params, grads, step, shard)
	d := p.live.now().Sub(began)
	if p.shard == 0 {
		p.shard = d
	}
	p.shard += (d - p.shard) / 8
	return loss
}

// offers reports whether helpers could get jobs that they could not get before the last step.
func (p *Pool) offers() bool {
	return p.Helpers() > 0 && (p.shares() || p.live.intake.behind())
}

// The method `shares` reports whether a step is long enough to divide it among helpers.
func (p *Pool) shares() bool {
	return p.shard*time.Duration(p.live.trainer.Shards()) >= p.worth
}

// shared returns the time of work that takes secs seconds without helpers and is shared with them.
func (p *Pool) shared(secs float64) float64 { return secs / float64(p.Helpers()+1) }

// sharedStep is the method shared for a step. Short steps are not shared.
func (p *Pool) sharedStep(secs float64) float64 {
	if secs < worthSharing.Seconds() {
		return secs
	}
	return p.shared(secs)
}

// interrupted reports whether the breaks of this worker's training will soon end (see Live.Shared).
func (p *Pool) interrupted() bool { return p.live.Shared && p.Helpers() == 0 }

// helper returns the state of helper k.
func (p *Pool) helper(k int) *helperState {
	for k >= len(p.helpers) {
		p.helpers = append(p.helpers, helperState{})
	}
	return &p.helpers[k]
}

// begin starts the message of a job for a helper. It reuses the last message's memory.
func (p *Pool) begin(h *helperState, o job) *message {
	h.open = append(h.open, o)
	p.out.b = p.out.b[:0]
	p.out.numbers(&o.kind)
	return &p.out
}

// SetHelpers sets how many helpers the training may have. Memory limits the number.
func (p *Pool) SetHelpers(n int) { p.wanted = max(0, min(n, p.room)) }

// Helpers returns how many helpers the training can use. A training on encoded trajectories can use
// none, because its steps take less time than the messages.
func (p *Pool) Helpers() int {
	if p.ended() || p.live.src == nil {
		return 0
	}
	return p.wanted
}

func (p *Pool) ended() bool { return p.live.err != nil || p.live.Phase() == nil }

// Job returns the next job for helper k, or nil if there is none now. The result is valid until
// the next call.
func (p *Pool) Job(k int) []byte {
	if p.Helpers() == 0 {
		return nil
	}
	h := p.helper(k)
	if h.refused {
		return nil
	}
	if h.version != p.version {
		return p.modelJob(h)
	}
	limit := p.live.intake.needed()
	reads := slices.ContainsFunc(h.open, func(o job) bool { return o.kind == jobTrajectory })
	if !reads {
		limit += ahead * (p.wanted + 1)
	}
	if i, ok := p.live.intake.queue.take(limit); ok {
		return p.trajectoryJob(h, i)
	}
	if reads { // a shard must not wait for a trajectory
		return nil
	}
	ready, err := p.live.intake.ready()
	if p.live.note(err); !ready {
		return nil
	}
	return p.shardsJob(h)
}

func (p *Pool) modelJob(h *helperState) []byte {
	var file bytes.Buffer
	if err := ckpt.Encode(&file, p.live.Model.Checkpoint()); err != nil {
		h.refused = true // the model cannot be written as a message, but it can be trained here
		return nil
	}
	h.version, h.params = p.version, 0
	m := p.begin(h, job{kind: jobModel})
	m.b = append(m.b, file.Bytes()...)
	return m.b
}

func (p *Pool) trajectoryJob(h *helperState, i int) []byte {
	m := p.begin(h, job{kind: jobTrajectory, number: i})
	err := p.live.intake.pack(m, i)
	if p.live.note(err); err != nil {
		return nil
	}
	return m.b
}

// shardsJob gives a helper a part of the step. There are two limits. First, a helper never has more
// than an equal share of the unfinished shards, so that all workers end together. Second, one job
// has at most half of an equal share of the waiting shards, so that faster helpers do more.
func (p *Pool) shardsJob(h *helperState) []byte {
	tr := p.live.trainer
	if !p.shares() || tr.Step() >= tr.Steps() {
		return nil
	}
	waiting, workers := tr.Waiting(), p.wanted+1
	left := waiting
	for i := range p.helpers {
		left += p.helpers[i].shards()
	}
	o := job{kind: jobShards, count: min(shardsAJob, over(waiting, 2*workers), over(left, workers)-h.shards())}
	if o.count <= 0 {
		return nil
	}
	for i := range o.count {
		o.shards[i], _ = tr.Take()
	}
	head := shardsJob{phase: uint32(p.live.Stage()), count: uint32(o.count)}
	if h.params != p.params {
		head.fresh, h.params = 1, p.params
	}
	m := p.begin(h, o)
	if head.pass(m); head.fresh == 1 {
		values(m, tr.Params)
	}
	for _, shard := range o.shards[:o.count] {
		p.worker.draw(tr.Step(), shard)
		p.worker.pass(m)
	}
	return m.b
}

// Done is called when helper k has answered its oldest outstanding job. The answer is a result or
// an error. After an error, or if the result does not fit the job, another worker does the job. An
// error from Done means the same as an error from Live.Work: the training has ended.
func (p *Pool) Done(k int, result []byte, err error) error {
	h := p.helper(k)
	if len(h.open) == 0 {
		return p.live.err
	}
	o := h.open[0]
	h.open = slices.Delete(h.open, 0, 1)
	if p.ended() {
		return p.live.err
	}
	p.in = message{b: result, reads: true}
	if err != nil || !p.accept(&o, &p.in) {
		h.refused = true
		p.takeBack(&o)
	} else if p.live.trainer.Whole() {
		p.live.piece() // ends the step, so that there are new jobs at once
	}
	return p.live.err
}

// accept stores the result that an answer contains. It returns false if the answer does not fit
// the job.
func (p *Pool) accept(o *job, in *message) bool {
	switch o.kind {
	case jobTrajectory:
		return p.live.intake.accept(o.number, in)
	case jobShards:
		return p.acceptShards(o, in)
	}
	return in.end() == nil
}

func (p *Pool) acceptShards(o *job, in *message) bool {
	tr := p.live.trainer
	if len(in.b) != o.count*(8+4*len(tr.Params)) {
		return false
	}
	for _, s := range o.shards[:o.count] {
		values(in, p.loss[:])
		values(in, tr.Grads(s))
		tr.Put(s, p.loss[0])
	}
	return true
}

// takeBack puts the shards or the trajectory of an unanswered job back among the waiting work, so
// that any worker can take them.
func (p *Pool) takeBack(o *job) {
	switch o.kind {
	case jobTrajectory:
		p.live.intake.queue.giveBack(o.number)
	case jobShards:
		for _, s := range o.shards[:o.count] {
			p.live.trainer.Return(s)
		}
	}
}

// Lost is called when helper k has ended. A new helper may get its number.
func (p *Pool) Lost(k int) {
	h := p.helper(k)
	if !p.ended() {
		for i := range h.open {
			p.takeBack(&h.open[i])
		}
	}
	*h = helperState{}
}
