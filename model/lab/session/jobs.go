package session

import (
	"time"

	"macroscope/model/lab/extras"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/survey"
	"macroscope/model/wire"
)

// jobs shares the worker's time among all long work: the run, the models' results for it, the user's file, the
// training and the sweep of the workspace, the survey, and the lab's extras. It also says which files this work needs.
type jobs struct {
	w        *workspace
	arrivals *arrivals
	survey   *survey.Survey
	extras   *extras.Parts
}

func newJobs(w *workspace, a *arrivals) jobs {
	var parts extras.Part
	if w.lab.Beside != nil {
		parts = w.lab.Beside(w.run.Live())
	}
	return jobs{w: w, arrivals: a, survey: survey.New(w.now), extras: extras.NewParts(parts)}
}

// work computes for about the time given as budget. The run plays, models follow it, and files are read; the
// remaining time is for trainings.
func (j *jobs) work(budget time.Duration) (busy bool, notice *wire.Notice) {
	w := j.w
	began := w.now()
	played := w.run.Advance(w.now, w.doc.Speed, budget)
	w.settle(played)
	w.settle(w.picture.Tick(w.on(), began))
	// After a long step of the simulation, the other work still gets a quarter of the
	// budget. If there is a training, half of the time left is for it.
	from := w.now()
	left := max(budget/4, budget-from.Sub(began))
	share := left
	if w.trains() {
		share = left / 2
	}
	behind, e := w.picture.Follow(w.on(), from, share)
	w.settle(e)
	others := j.workExtras(share)
	others = j.workSurvey(budget) || others
	followed := w.page.changes
	reads, n := j.workFile(from, share)
	others = others || reads || w.run.Preparing() || w.run.Live().Player().Busy()
	if n == nil && w.train.Trains() {
		g := w.given()
		g.Others = others
		n = w.learned(w.train.Work(g, from, left))
	}
	if n == nil {
		n = j.workSweeps(share)
	}
	if played.Notice != nil {
		n = played.Notice
	}
	return others || behind || w.picture.Active() || w.trains() || w.page.changes != followed, n
}

// workFile reads the user's file, opens a waiting file, or measures a model.
func (j *jobs) workFile(began time.Time, budget time.Duration) (busy bool, n *wire.Notice) {
	if c := j.w.file.Waiting(); c != nil {
		j.arrivals.clear()
		return true, j.arrivals.take(c.Name, c.Data)
	}
	busy, read, e := j.w.file.Work(began, budget)
	if n = e.Notice; read != nil {
		n = j.arrivals.read(read)
	}
	j.w.settle(e)
	return busy, n
}

// workSurvey works on the survey, if the user has opened its panel. It gets only a quarter of
// the budget, because nobody waits for its results.
func (j *jobs) workSurvey(budget time.Duration) (busy bool) {
	busy, changed := j.survey.Work(j.forSurvey(), budget/4)
	j.w.settle(effect.Effect{Panel: changed})
	return busy
}

// forSurvey returns the data on which the survey depends.
func (j *jobs) forSurvey() *survey.Given {
	g := &survey.Given{Set: &j.w.doc.Settings, Run: j.w.described(), Playable: j.w.run.Playable(), A: j.w.picture.A()}
	switch {
	case g.A == nil && len(j.w.lab.Shipped) == 0:
		g.Lacks = "There is no model yet. Train one by the method “flow for every ε and ẑ dim”: this panel needs a model that follows both."
	case g.A != nil && g.A.Training:
		g.Steps = j.w.train.Live.Step()
	}
	return g
}

// workExtras works on the lab's extras for about the time given as budget.
func (j *jobs) workExtras(budget time.Duration) (busy bool) {
	if j.extras.None() || !j.w.run.Playable() {
		return false
	}
	j.extras.Look(j.forExtras())
	busy, changed := j.extras.Work(j.w.now, budget)
	j.w.settle(effect.Effect{Frame: changed, Panel: changed})
	return busy
}

// forExtras returns the data on which the extras depend.
func (j *jobs) forExtras() extras.Now {
	now := extras.Now{Run: j.w.described(), Members: j.w.doc.Members}
	if j.w.picture.Reveals(picture.Prediction) {
		now.A = j.w.picture.A()
	}
	return now
}

// workSweeps works on the sweep for about the time given as budget.
func (j *jobs) workSweeps(budget time.Duration) *wire.Notice {
	if !j.w.sweeping() {
		j.w.sweeps.Rest()
		return nil
	}
	return j.swept(j.w.sweeps.Work(budget))
}

// swept handles the result of a piece of work on a sweep.
func (j *jobs) swept(n *wire.Notice, err error) *wire.Notice {
	j.w.settle(effect.Restated())
	if err != nil {
		return effect.Failure(err)
	}
	return n
}
