package session

import (
	"macroscope/model/beside"
	"macroscope/model/lab"
	"macroscope/model/wire"
)

// helperJobs counts what a helper has been given of the training and not answered, and
// says of all that is so, in its order, whether it is of another part.
type helperJobs struct {
	open, stale int
	beside      []beside.Pooled // nil: of the training
}

// next takes the oldest job without an answer, and returns what it is of.
func (h *helperJobs) next() (of beside.Pooled) {
	if len(h.beside) > 0 {
		of, h.beside = h.beside[0], h.beside[1:]
	}
	return of
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

// wanted returns how many helpers the training has a use for or, while there is none,
// what is beside the run.
func (t desk) wanted() int {
	if t.status != wire.Training {
		return min(t.s.settings.Worker, t.s.cores-1, t.s.aside.helpers())
	}
	t.live.Pool().SetHelpers(min(t.s.settings.Worker, t.s.cores) - 1)
	return t.live.Pool().Helpers()
}

func (t desk) job(k int) []byte {
	h := t.helper(k)
	if t.status != wire.Training {
		job, of := t.s.aside.job(k)
		if job != nil {
			h.beside = append(h.beside, of)
		}
		return job
	}
	job := t.live.Pool().Job(k)
	if job != nil {
		h.beside = append(h.beside, nil)
		h.open++
	}
	return job
}

func (t desk) helper(k int) *helperJobs {
	for len(t.helpers) <= k {
		t.helpers = append(t.helpers, helperJobs{})
	}
	return &t.helpers[k]
}

func (t desk) answer(k int, result []byte, err error) *wire.Notice {
	h := t.helper(k)
	if of := h.next(); of != nil {
		of.Done(k, result, err)
		return nil
	}
	if h.stale > 0 {
		h.stale--
		return nil
	}
	if h.open--; t.live == nil {
		return nil
	}
	err = t.live.Pool().Done(k, result, err)
	if t.status != wire.Training {
		return nil
	}
	return t.after(err)
}

func (t desk) lost(k int) {
	*t.helper(k) = helperJobs{}
	t.s.aside.lost(k)
	if t.live != nil {
		t.live.Pool().Lost(k)
	}
}
