package session

import (
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/wire"
)

// Session is a lab with the state of a user's visit. It is not safe for concurrent use.
type Session struct {
	w        *workspace
	arrivals *arrivals
	jobs     *jobs
	history  *history

	frame   wire.Frame
	renewed bool // whether the session has begun anew, see Renewed
}

func newSession(of lab.Lab, now func() time.Time) *Session {
	s := &Session{w: &workspace{now: now, cores: 1}, arrivals: new(arrivals), jobs: new(jobs), history: new(history)}
	s.begin(of)
	return s
}

// begin makes s a session of a lab in its opening state. The parts stay the same objects, because a part whose file
// describes another system calls begin, and goes on.
func (s *Session) begin(of lab.Lab) {
	s.w.begin(of)
	*s.arrivals = arrivals{w: s.w, others: s.arrivals.others, renew: s.renew}
	*s.jobs = newJobs(s.w, s.arrivals)
	*s.history, s.frame = history{w: s.w}, wire.Frame{}
}

// renew begins the session anew, with another system of its lab.
func (s *Session) renew(of lab.Lab) {
	s.begin(of)
	s.renewed = true
}

// answer returns the notice that answers a command: the command's own notice or, if it has
// none, the news.
func (s *Session) answer(n *wire.Notice) *wire.Notice {
	if n == nil {
		n, s.w.page.news.notice = s.w.page.news.notice, nil
	}
	return n
}

// Lab implements wire.Session.
func (s *Session) Lab() string { return s.w.lab.Link() }

// Panel implements wire.Session.
func (s *Session) Panel() *wire.Panel { return lab.Panel(&s.w.lab, s.w.run.Live(), &s.w.doc.Settings) }

// Work implements wire.Session.
func (s *Session) Work(budget time.Duration) (busy bool, notice *wire.Notice) {
	busy, notice = s.jobs.work(budget)
	return busy, s.answer(notice)
}

// Close ends all work of the session.
func (s *Session) Close() { s.w.close() }

// Status implements wire.Session.
func (s *Session) Status() wire.Status { return s.view().status() }

// Training implements wire.Session.
func (s *Session) Training() bool { return s.w.trains() }

// StateChanged implements wire.Session.
func (s *Session) StateChanged() bool { return s.w.page.state }

// State implements wire.Session.
func (s *Session) State() wire.State {
	s.w.picture.Paint(s.w.on()) // the figures must belong to the run's present frame
	s.w.page.state = false
	return State(s.view())
}

// AppendFrame implements wire.Session.
func (s *Session) AppendFrame(b []byte) []byte {
	if !s.w.page.frame {
		return b
	}
	s.w.page.frame = false
	s.w.settle(effect.Effect{Panel: s.w.picture.Paint(s.w.on())})
	if !s.jobs.extras.None() && s.w.run.Playable() {
		s.jobs.extras.Look(s.jobs.forExtras())
	}
	Fill(&s.frame, s.view())
	return s.frame.AppendChanges(b)
}

// Forget implements wire.Session.
func (s *Session) Forget() {
	s.frame.Forget()
	s.w.page.frame = true
}

// Fragment implements wire.Session.
func (s *Session) Fragment() string { return s.view().fragment() }
