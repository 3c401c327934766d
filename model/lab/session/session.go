package session

import (
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/extras"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/models"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/shelf"
	"macroscope/model/lab/session/survey"
	"macroscope/model/lab/session/sweeps"
	"macroscope/model/lab/session/training"
	"macroscope/model/lab/view"
	"macroscope/model/wire"
)

// Session is a lab with the state of a user's visit. It is not safe for concurrent use.
type Session struct {
	lab    lab.Lab
	others List // all labs of the program
	doc    *doc.Sheet
	opens  opens
	now    func() time.Time
	cores  int

	run     *run.Run
	models  *models.Models
	train   *training.Training
	file    *ownfile.OwnFile
	sweeps  *sweeps.Sweeps
	survey  *survey.Survey
	extras  *extras.Parts
	helpers helperQueue

	asked   asked  // the question that waits for an answer
	coming  coming // origin of the file that is being read
	seen    seen   // the state at the last call of settle
	frame   wire.Frame
	stale   stale
	news    *wire.Notice // a notice that has not been sent to the page yet
	undo    func() error // the action of the last notice; nil if it has none
	history history
	changes uint   // number of effects so far that changed the picture
	example string // file of the example that is being fetched; "": none
	renewed bool   // whether the session has begun anew, see Renewed
}

// stale says which contents of the page are out of date.
type stale struct{ frame, state bool }

// seen contains the state at the last call of settle, so that settle acts only once on every
// change.
type seen struct {
	a          *view.Shown // model A; when it is replaced, the new model A is measured on the user's file
	fileComing bool        // whether a file was being restored; a training may wait for this file
}

func newSession(of lab.Lab, now func() time.Time) *Session {
	s := new(Session)
	s.begin(of, now)
	return s
}

// begin makes s a session of a lab in its opening state. It keeps what s knows of the program and the machine.
func (s *Session) begin(of lab.Lab, now func() time.Time) {
	*s = Session{lab: of, others: s.others, now: now, cores: max(1, s.cores), renewed: s.doc != nil}
	s.run = run.New(of.System, of.Timed())
	s.models = models.New(&s.lab, now)
	s.train = training.New(&s.lab, now)
	s.file = ownfile.New(&s.lab, s.run.Live(), now)
	s.sweeps = sweeps.New(&s.lab, now)
	s.survey = survey.New(now)
	var parts extras.Part
	if of.Beside != nil {
		parts = of.Beside(s.run.Live())
	}
	s.extras = extras.NewParts(parts)
	s.doc = doc.NewSheet(&s.lab, s.run.Live())
	s.opens = newOpens(&s.lab, s.run.Live())
	s.Cores(s.cores)
	_ = s.adopt(s.opens.usual.Clone(), true) // the choices with which a lab opens can be carried out
}

// settle acts on an effect. It carries out the consequences for other parts in this order:
//
//   - another run or frame: a new simulation closes the displayed file, and the models are updated;
//   - a file that failed to arrive: the training stops waiting for it;
//   - another model A: it is measured on the file;
//   - news: later news replace earlier ones, and undo applies to the latest;
//   - a page out of date: it is marked. The picture, the frame and the panel are made later, when
//     the page asks for them.
func (s *Session) settle(e effect.Effect) {
	switch e.Run {
	case effect.Same:
		s.models.Meet(s.on())
	case effect.Resumed:
		s.models.Resume(s.on())
	case effect.Began:
		if s.lab.Timed() && !s.run.Live().Recorded() && s.file.File() != nil {
			s.file.Drop()
		}
		s.models.Begin(s.on())
	case effect.Moved, effect.Sought:
		s.models.Move(&s.doc.Settings, e.Run == effect.Sought)
	}
	_, restoring := s.file.Restoring()
	if s.seen.fileComing && !restoring {
		s.train.LoseData(s.given())
	}
	s.seen.fileComing = restoring
	if a := s.models.A(); a != s.seen.a {
		s.seen.a = a
		s.file.Measure(a)
	}
	if e.News != nil {
		s.news, s.undo = e.News, e.Undo
		s.history.offer(e.News)
	}
	if e.Picture {
		s.models.Stale()
		s.changes++
	}
	s.stale.frame = s.stale.frame || e.Picture || e.Frame
	s.stale.state = s.stale.state || e.Picture || e.Panel
}

// The method `after` settles an effect. It returns the error that came with the effect.
func (s *Session) after(e effect.Effect, err error) error {
	s.settle(e)
	return err
}

// answer returns the notice that answers a command: the command's own notice or, if it has
// none, the news.
func (s *Session) answer(n *wire.Notice) *wire.Notice {
	if n == nil {
		n, s.news = s.news, nil
	}
	return n
}

// The method `on` returns the data on which the display of a model depends.
func (s *Session) on() picture.On {
	return picture.On{
		Now: shelf.Now{Set: &s.doc.Settings, Training: s.train}, Run: s.described(), Playable: s.run.Playable(), Coming: s.run.Coming(),
		Trains: s.train.Trains(), Drawn: s.stale.frame,
	}
}

// described returns the run in the form that displayed models use.
func (s *Session) described() *view.Run {
	return &view.Run{Live: s.run.Live(), Seed: s.run.Seed(), Predicts: s.file.Predicts, Fits: s.file.Fits, Next: s.models.NewGeneration}
}

// The method `given` returns the data on which a training depends.
func (s *Session) given() *training.Given {
	g := &training.Given{
		Lab: &s.lab, Set: &s.doc.Settings, Live: s.run.Live(), Seed: s.run.Seed(), Data: s.file.Recorded(), DataName: s.file.Name(),
		Coded: s.models.Shelf.Coded(), A: s.models.A(), B: s.models.B(), ModelComing: s.models.Shelf.Coming(s.on().Now), Cores: s.cores,
	}
	g.Kept = s.models.Shelf.Kept.Find(g.A.Called())
	_, g.DataComing = s.file.Restoring()
	if f := s.file.File(); f != nil {
		g.File, g.Unlike = f, f.Unlike
	}
	return g
}

// forSweeps returns the data on which a sweep depends.
func forSweeps(g *training.Given) sweeps.Given {
	return sweeps.Given{Method: g.Set.Method, Force: g.Recipe().Force}
}

// Work implements wire.Session. The run plays, models follow it, and files are read; the
// remaining time is for trainings.
func (s *Session) Work(budget time.Duration) (busy bool, notice *wire.Notice) {
	began := s.now()
	played := s.run.Advance(s.now, s.doc.Speed, budget)
	s.settle(played)
	s.settle(s.models.Tick(s.on(), began))
	// After a long step of the simulation, the other work still gets a quarter of the
	// budget. If there is a training, half of the time left is for it.
	from := s.now()
	left := max(budget/4, budget-from.Sub(began))
	share := left
	if s.Training() {
		share = left / 2
	}
	behind, e := s.models.Follow(s.on(), from, share)
	s.settle(e)
	others := s.workExtras(share)
	others = s.workSurvey(budget) || others
	followed := s.changes
	reads, n := s.workFile(from, share)
	others = others || reads || s.run.Preparing() || s.run.Live().Player().Busy()
	if n == nil && s.train.Trains() {
		g := s.given()
		g.Others = others
		n = s.learned(s.train.Work(g, from, left))
	}
	if n == nil {
		n = s.workSweeps(share)
	}
	if played.Notice != nil {
		n = played.Notice
	}
	return others || behind || s.models.Active() || s.Training() || s.changes != followed, s.answer(n)
}

// workFile reads the user's file, opens a waiting file, or measures a model.
func (s *Session) workFile(began time.Time, budget time.Duration) (busy bool, n *wire.Notice) {
	if c := s.file.Waiting(); c != nil {
		return true, s.do(*c)
	}
	busy, read, e := s.file.Work(began, budget)
	if n = e.Notice; read != nil {
		n = s.read(read)
	}
	s.settle(e)
	return busy, n
}

// workSurvey works on the survey, if the user has opened its panel. It gets only a quarter of
// the budget, because nobody waits for its results.
func (s *Session) workSurvey(budget time.Duration) (busy bool) {
	busy, changed := s.survey.Work(s.forSurvey(), budget/4)
	s.settle(effect.Effect{Panel: changed})
	return busy
}

// forSurvey returns the data on which the survey depends.
func (s *Session) forSurvey() *survey.Given {
	g := &survey.Given{Set: &s.doc.Settings, Run: s.described(), Playable: s.run.Playable(), A: s.models.A()}
	switch {
	case g.A == nil && len(s.lab.Shipped) == 0:
		g.Lacks = "There is no model yet. Train one by the method “flow for every ε and ẑ dim”: this panel needs a model that follows both."
	case g.A != nil && g.A.Training:
		g.Steps = s.train.Live().Step()
	}
	return g
}

// workExtras works on the lab's extras for about the time given as budget.
func (s *Session) workExtras(budget time.Duration) (busy bool) {
	if s.extras.None() || !s.run.Playable() {
		return false
	}
	s.extras.Look(s.forExtras())
	busy, changed := s.extras.Work(s.now, budget)
	s.settle(effect.Effect{Frame: changed, Panel: changed})
	return busy
}

// forExtras returns the data on which the extras depend.
func (s *Session) forExtras() extras.Now {
	now := extras.Now{Run: s.described(), Members: s.doc.Members}
	if s.models.Reveals(picture.Prediction) {
		now.A = s.models.A()
	}
	return now
}

// sweeping reports whether the sweep may work now. It waits while another model is trained.
func (s *Session) sweeping() bool { return s.sweeps.Running() && !s.train.Trains() }

// workSweeps works on the sweep for about the time given as budget.
func (s *Session) workSweeps(budget time.Duration) *wire.Notice {
	if !s.sweeping() {
		s.sweeps.Rest()
		return nil
	}
	return s.swept(s.sweeps.Work(budget))
}

// swept handles the result of a piece of work on a sweep.
func (s *Session) swept(n *wire.Notice, err error) *wire.Notice {
	s.settle(effect.Restated())
	if err != nil {
		return effect.Failure(err)
	}
	return n
}

// Lab implements wire.Session.
func (s *Session) Lab() string { return s.lab.Link() }

// Panel implements wire.Session.
func (s *Session) Panel() *wire.Panel { return lab.Panel(&s.lab, s.run.Live(), &s.doc.Settings) }

// Status implements wire.Session.
func (s *Session) Status() wire.Status { return s.view().status() }

// Training implements wire.Session.
func (s *Session) Training() bool { return s.train.Trains() || s.sweeps.Running() }

// StateChanged implements wire.Session.
func (s *Session) StateChanged() bool { return s.stale.state }

// State implements wire.Session.
func (s *Session) State() wire.State {
	s.models.Paint(s.on()) // the figures must belong to the run's present frame
	s.stale.state = false
	return State(s.view())
}

// AppendFrame implements wire.Session.
func (s *Session) AppendFrame(b []byte) []byte {
	if !s.stale.frame {
		return b
	}
	s.stale.frame = false
	s.settle(effect.Effect{Panel: s.models.Paint(s.on())})
	if !s.extras.None() && s.run.Playable() {
		s.extras.Look(s.forExtras())
	}
	Fill(&s.frame, s.view())
	return s.frame.AppendChanges(b)
}

// Forget implements wire.Session.
func (s *Session) Forget() {
	s.frame.Forget()
	s.stale.frame = true
}
