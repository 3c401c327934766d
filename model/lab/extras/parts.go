package extras

import (
	"bytes"
	"slices"
	"time"

	"macroscope/model/wire"
)

// Parts are all that a lab shows so.
type Parts struct{ list []Part }

// NewParts returns parts, which may be none.
func NewParts(parts []Part) *Parts { return &Parts{parts} }

// None says whether there are none.
func (p *Parts) None() bool { return len(p.list) == 0 }

// Look lets the parts follow what is on show.
func (p *Parts) Look(now Now) {
	for _, part := range p.list {
		part.Look(now)
	}
}

// Work lets the parts compute for about budget each.
func (p *Parts) Work(clock func() time.Time, budget time.Duration) (busy, changed bool) {
	for _, part := range p.list {
		more, other := part.Work(clock, budget)
		busy, changed = busy || more, changed || other
	}
	return busy, changed
}

// Wants names the file that the first of them would like to have; "" is none.
func (p *Parts) Wants() string {
	for _, part := range p.list {
		if name := part.Wants(); name != "" {
			return name
		}
	}
	return ""
}

// Fetched hands that file over, or why it could not be had.
func (p *Parts) Fetched(data []byte, err error) error {
	for _, part := range p.list {
		if part.Wants() != "" {
			return part.Fetched(data, err)
		}
	}
	return nil
}

// Put adds the parts' rows to a frame.
func (p *Parts) Put(f *wire.Frame) {
	for _, part := range p.list {
		part.Put(f)
	}
}

// Summary is what there is to say of the parts.
func (p *Parts) Summary() (text string) {
	for _, part := range p.list {
		text += part.Summary()
	}
	return text
}

// Task is what the first of them makes the visitor wait for, as Lasting says it.
func (p *Parts) Task(now time.Time) (text string, share, left float64) {
	for _, part := range p.list {
		if lasting, ok := part.(Lasting); ok && text == "" {
			text, share, left = lasting.Task(now)
		}
	}
	return text, share, left
}

// Helpers is how many helpers the parts have a use for.
func (p *Parts) Helpers() (n int) {
	for _, part := range p.list {
		if pooled, ok := part.(Pooled); ok {
			n += pooled.Helpers()
		}
	}
	return n
}

// mark begins the jobs of parts: those of a training begin with other numbers.
var mark = []byte{0xff, 0xff, 0xff, 0xff}

// Job returns the next job for a helper, which Helper makes, and the part that it is of;
// nil if there is none.
func (p *Parts) Job(helper int) (job []byte, of Pooled) {
	for _, part := range p.list {
		pooled, ok := part.(Pooled)
		if !ok {
			continue
		}
		if job := pooled.Job(helper); job != nil {
			return slices.Concat(mark, job), pooled
		}
	}
	return nil, nil
}

// Lost says that a helper is gone.
func (p *Parts) Lost(helper int) {
	for _, part := range p.list {
		if pooled, ok := part.(Pooled); ok {
			pooled.Lost(helper)
		}
	}
}

// Helper does the jobs of trainings, and of Parts.
type Helper struct{ Trainings, Parts wire.Helper }

// Do implements wire.Helper.
func (h *Helper) Do(job []byte, alive func()) ([]byte, error) {
	if of, ok := bytes.CutPrefix(job, mark); ok {
		return h.Parts.Do(of, alive)
	}
	return h.Trainings.Do(job, alive)
}
