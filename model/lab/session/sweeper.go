package session

import (
	"bytes"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/sweeper"
	"macroscope/model/wire"
)

// sweeps is the visitor's sweep beside the rest of the session. It waits while a model is
// trained that is to be on show.
type sweeps struct{ *Session }

// given is what the sweep is told of the session.
func (s sweeps) given() sweeper.Given {
	t := &s.trainer
	return sweeper.Given{Method: s.settings.Method, Force: t.recipe().Force, Workers: min(s.settings.Worker, s.cores)}
}

// press follows the button that runs the sweep, stops it, or goes on with it.
func (s sweeps) press() error {
	begin, err := s.sweeper.Press(s.given())
	if begin != nil {
		s.asked.put(asked{Ask: wire.Ask{Title: "Run another sweep?", Points: []string{sweepGoes}, Accept: "Run it"}, accepted: func() *wire.Notice {
			begin()
			return nil
		}})
	}
	return err
}

// sweepGoes says what becomes of the sweep that there is when another takes its place.
const sweepGoes = "The sweep that you have goes, with its models, but for those of them that you have shown; save everything first to keep it."

// active says whether the sweep is worked on now.
func (s sweeps) active() bool { return s.sweeper.Running() && s.trainer.status != wire.Training }

// work trains and measures for about budget.
func (s sweeps) work(budget time.Duration) *wire.Notice {
	if !s.active() {
		s.sweeper.Rest()
		return nil
	}
	return s.after(s.sweeper.Work(budget))
}

// after follows every piece of work.
func (s sweeps) after(n *wire.Notice, err error) *wire.Notice {
	if s.stateStale = true; err != nil {
		return failure(err)
	}
	return n
}

// expect does a piece of finding out how long the sweep that is asked for would take, and
// says whether there is more to do.
func (s sweeps) expect(most time.Duration) (more bool) {
	told, more := s.sweeper.Expect(s.given(), most)
	s.stateStale = s.stateStale || told
	return more
}

// show brings the model of a point on show.
func (s sweeps) show(point string) error {
	b, err := s.sweeper.Model(point)
	if err != nil {
		return err
	}
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		return err
	}
	m, err := s.library.open(f)
	if err != nil {
		return err
	}
	r := s.library.kept.Of(m)
	if r == nil {
		r = &runs.Run{Name: s.library.kept.Free(runs.NameOf(&m.Config, "") + ", of the sweep"), Origin: "trained here in a sweep", Model: m}
		if _, err := s.library.kept.KeepAuto(*r, s.display.a.Called(), s.display.b.Called()); err != nil {
			return err
		}
	}
	return s.showTaken(r.Name, m)
}
