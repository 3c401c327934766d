package session

import (
	"slices"

	"macroscope/model/lab/extras"
	"macroscope/model/lab/session/effect"
	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

// helperQueue contains the outstanding jobs of the helpers, the oldest first. A helper holds
// the model of only one training, so all helpers work for one pool.
type helperQueue struct {
	open [][]jobOf // outstanding jobs, by helper
	of   *fit.Pool // pool for which helpers work; nil if there is none
}

// jobOf is the owner of a job: a training's pool, or a part of the lab's extras. If it is the
// zero jobOf, the answer to the job will be ignored.
type jobOf struct {
	pool *fit.Pool
	part extras.Pooled
}

// serve makes the helpers work only for the pool p, or, if p is nil, for no pool.
func (q *helperQueue) serve(p *fit.Pool) {
	if p != q.of {
		q.release()
	}
	q.of = p
}

// release reports all helpers to their pool as lost. The pool then gives the jobs of the helpers to
// other workers. Late answers will be ignored. release is called before another training starts,
// and before the present training ends.
func (q *helperQueue) release() {
	if q.of == nil {
		return
	}
	for k := range q.open {
		q.of.Lost(k)
		for i := range q.open[k] {
			q.open[k][i].pool = nil
		}
	}
	q.of = nil
}

// The method `give` records that helper k has received a job.
func (q *helperQueue) give(k int, of jobOf) {
	for len(q.open) <= k {
		q.open = append(q.open, nil)
	}
	q.open[k] = append(q.open[k], of)
}

// take returns the owner of a helper's oldest outstanding job, and forgets the job.
func (q *helperQueue) take(k int) (of jobOf) {
	if k < len(q.open) && len(q.open[k]) > 0 {
		of = q.open[k][0]
		q.open[k] = slices.Delete(q.open[k], 0, 1)
	}
	return of
}

// lose forgets the jobs of a helper that has ended, and reports this helper to the pool as lost.
func (q *helperQueue) lose(k int) {
	if k < len(q.open) {
		q.open[k] = nil
	}
	if q.of != nil {
		q.of.Lost(k)
	}
}

var _ wire.Pooled = (*Session)(nil)

// setCores tells the workspace how many workers the machine can run at once. By default a training
// leaves one core of three or more for drawing the picture. Of two cores it uses both, because drawing
// takes less than half of one.
func (w *workspace) setCores(n int) {
	usual := &w.opens.usual.Settings
	own := w.doc.Worker == usual.Worker
	w.cores = max(1, n)
	if w.lab.Workers = max(min(w.cores, 2), w.cores-1); own {
		w.doc.Worker = w.lab.Workers
	}
	usual.Worker = w.lab.Workers
	w.settle(effect.Restated())
}

// Cores implements wire.Pooled.
func (s *Session) Cores(n int) { s.w.setCores(n) }

// pool returns the pool of the present training or, if there is none, of the sweep. It returns
// nil if nothing is trained.
func (j *jobs) pool() *fit.Pool {
	switch {
	case j.w.train.Trains():
		return j.w.train.Live.Pool
	case j.w.sweeping():
		return j.w.sweeps.Pool()
	}
	return nil
}

// Helpers implements wire.Pooled. It returns how many helpers the training can use or, if
// nothing is trained, how many the lab's extras can use.
func (s *Session) Helpers() int {
	p := s.jobs.pool()
	if s.w.helpers.serve(p); p == nil {
		return min(s.w.doc.Worker, s.w.cores-1, s.jobs.extras.Helpers())
	}
	p.SetHelpers(min(s.w.doc.Worker, s.w.cores) - 1)
	return p.Helpers()
}

// Job implements wire.Pooled.
func (s *Session) Job(k int) (job []byte) {
	var of jobOf
	switch p := s.jobs.pool(); {
	case p == nil:
		job, of.part = s.jobs.extras.Job(k)
	case p == s.w.helpers.of:
		job, of.pool = p.Job(k), p
	}
	if job != nil {
		s.w.helpers.give(k, of)
	}
	return job
}

// Done implements wire.Pooled.
func (s *Session) Done(k int, result []byte, err error) *wire.Notice {
	of := s.w.helpers.take(k)
	switch {
	case of.part != nil:
		of.part.Done(k, result, err)
		return nil
	case of.pool == nil || of.pool != s.w.helpers.of:
		return nil
	}
	err = of.pool.Done(k, result, err)
	switch {
	case of.pool != s.jobs.pool():
		return nil
	case s.w.train.Trains():
		return s.w.learned(s.w.train.Answered(err))
	}
	return s.jobs.swept(s.w.sweeps.Answered(err))
}

// Lost implements wire.Pooled.
func (s *Session) Lost(k int) {
	s.w.helpers.lose(k)
	s.jobs.extras.Lost(k)
}
