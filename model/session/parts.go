package session

import (
	"bytes"
	"slices"
	"time"

	"macroscope/model/beside"
	"macroscope/model/wire"
)

// aside is what this lab alone shows beside the run and the models on show.
type aside struct {
	s     *Session
	parts []beside.Part
}

// look lets the parts follow what is on show.
func (a *aside) look() {
	s := a.s
	now := beside.Now{Run: s.run.described(), Members: s.settings.Members}
	if s.display.revealed&revealPrediction != 0 {
		now.A = s.display.a
	}
	for _, p := range a.parts {
		p.Look(now)
	}
}

// work lets the parts compute for about budget each, and reports whether there is more
// to do.
func (a *aside) work(budget time.Duration) (busy bool) {
	if len(a.parts) == 0 || !a.s.run.playable() {
		return false
	}
	a.look()
	for _, p := range a.parts {
		more, changed := p.Work(a.s.now, budget)
		busy = busy || more
		a.s.frameStale, a.s.stateStale = a.s.frameStale || changed, a.s.stateStale || changed
	}
	return busy
}

// wants names the file that a part would like to have.
func (a *aside) wants() string {
	for _, p := range a.parts {
		if name := p.Wants(); name != "" {
			return name
		}
	}
	return ""
}

// fetched hands that file over.
func (a *aside) fetched(b []byte, err error) *wire.Notice {
	a.s.changed()
	for _, p := range a.parts {
		if p.Wants() != "" {
			return failure(p.Fetched(b, err))
		}
	}
	return nil
}

// put adds the parts' rows to a frame.
func (a *aside) put(f *wire.Frame) {
	if len(a.parts) == 0 || !a.s.run.playable() {
		return
	}
	a.look()
	for _, p := range a.parts {
		p.Put(f)
	}
}

// summary is what there is to say of the parts.
func (a *aside) summary() (text string) {
	for _, p := range a.parts {
		text += p.Summary()
	}
	return text
}

// task is what a part makes the visitor wait for, as beside.Lasting says it.
func (a *aside) task() (text string, share, left float64) {
	for _, p := range a.parts {
		if p, ok := p.(beside.Lasting); ok && text == "" {
			text, share, left = p.Task(a.s.now())
		}
	}
	return text, share, left
}

// helpers is how many helpers the parts have a use for.
func (a *aside) helpers() (n int) {
	for _, p := range a.parts {
		if p, ok := p.(beside.Pooled); ok {
			n += p.Helpers()
		}
	}
	return n
}

// besideJob begins the jobs of parts: those of a training begin with other numbers.
var besideJob = []byte{0xff, 0xff, 0xff, 0xff}

// job returns the next job for a helper and the part that it is of, nil if there is
// none.
func (a *aside) job(helper int) (job []byte, of beside.Pooled) {
	for _, p := range a.parts {
		p, ok := p.(beside.Pooled)
		if !ok {
			continue
		}
		if job := p.Job(helper); job != nil {
			return slices.Concat(besideJob, job), p
		}
	}
	return nil, nil
}

// lost says that a helper is gone.
func (a *aside) lost(helper int) {
	for _, p := range a.parts {
		if p, ok := p.(beside.Pooled); ok {
			p.Lost(helper)
		}
	}
}

// allRounder does the jobs of trainings and of parts.
type allRounder struct{ training, beside wire.Helper }

// Do implements wire.Helper.
func (h allRounder) Do(job []byte) ([]byte, error) {
	if of, ok := bytes.CutPrefix(job, besideJob); ok {
		return h.beside.Do(of)
	}
	return h.training.Do(job)
}
