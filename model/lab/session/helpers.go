package session

import (
	"slices"

	"macroscope/model/lab"
	"macroscope/model/lab/extras"
	"macroscope/model/learn/fit"
	"macroscope/model/wire"
)

// helperJobs say of the jobs that a helper has been given and not answered, oldest first,
// what they are of.
type helperJobs []jobOf

// jobOf is what a job is of: a training, or a part beside the run. The zero jobOf is
// nothing that anybody waits for any more.
type jobOf struct {
	pool *fit.Pool
	part extras.Pooled
}

var _ wire.Pooled = (*Session)(nil)

// desk hands work to helpers.
type desk struct{ *trainer }

// Cores implements wire.Pooled. Unless the visitor has chosen otherwise, a training
// leaves one of the cores to the picture.
func (s *Session) Cores(n int) {
	own := s.settings.Worker == s.defaults().Worker
	s.cores, s.stateStale = max(1, n), true
	if own {
		s.settings.Worker = s.defaults().Worker
	}
}

// defaults returns what the lab opens with on this machine.
func (s *Session) defaults() lab.Settings {
	l := lab.Defaults(&s.lab)
	l.Worker = max(1, s.cores-1)
	return l
}

// Helpers implements wire.Pooled.
func (s *Session) Helpers() int { return desk{&s.trainer}.wanted() }

// Job implements wire.Pooled.
func (s *Session) Job(k int) []byte { return desk{&s.trainer}.job(k) }

// Done implements wire.Pooled.
func (s *Session) Done(k int, result []byte, err error) *wire.Notice {
	return desk{&s.trainer}.answer(k, result, err)
}

// Lost implements wire.Pooled.
func (s *Session) Lost(k int) { desk{&s.trainer}.lost(k) }

// pool is that of what is trained now: the training, or else the sweep's; nil if
// nothing is.
func (t desk) pool() *fit.Pool {
	if t.status == wire.Training {
		return t.live.Pool()
	}
	if (sweeps{t.s}).active() {
		return t.s.sweeper.Pool()
	}
	return nil
}

// wanted returns how many helpers what is trained has a use for or, while nothing is, what
// is beside the run. A helper knows the model of one training.
func (t desk) wanted() int {
	p := t.pool()
	if p != t.of {
		t.release()
	}
	if t.of = p; p == nil {
		return min(t.s.settings.Worker, t.s.cores-1, t.s.aside.parts.Helpers())
	}
	p.SetHelpers(min(t.s.settings.Worker, t.s.cores) - 1)
	return p.Helpers()
}

// release takes back what the helpers have been given, before something else is trained or
// what was ends.
func (t desk) release() {
	if t.of == nil {
		return
	}
	for k := range t.helpers {
		t.of.Lost(k)
		for i := range t.helpers[k] {
			t.helpers[k][i].pool = nil
		}
	}
	t.of = nil
}

func (t desk) job(k int) (job []byte) {
	var of jobOf
	switch p := t.pool(); {
	case p == nil:
		job, of.part = t.s.aside.parts.Job(k)
	case p == t.of:
		job, of.pool = p.Job(k), p
	}
	if job != nil {
		h := t.helper(k)
		*h = append(*h, of)
	}
	return job
}

func (t desk) helper(k int) *helperJobs {
	for len(t.helpers) <= k {
		t.helpers = append(t.helpers, nil)
	}
	return &t.helpers[k]
}

func (t desk) answer(k int, result []byte, err error) *wire.Notice {
	h := t.helper(k)
	if len(*h) == 0 {
		return nil
	}
	of := (*h)[0]
	*h = slices.Delete(*h, 0, 1)
	if of.part != nil {
		of.part.Done(k, result, err)
		return nil
	}
	p := of.pool
	if p == nil || p != t.of {
		return nil
	}
	err = p.Done(k, result, err)
	switch w := t.s.sweeper; {
	case p != t.pool():
		return nil
	case t.status == wire.Training:
		return t.after(err)
	default:
		return sweeps{t.s}.after(w.Answered(err))
	}
}

func (t desk) lost(k int) {
	*t.helper(k) = nil
	t.s.aside.parts.Lost(k)
	if t.of != nil {
		t.of.Lost(k)
	}
}
