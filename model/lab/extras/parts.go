package extras

import (
	"bytes"
	"slices"
	"time"

	"macroscope/model/wire"
)

// Parts is the Part of a lab, or empty.
type Parts struct{ Part }

// NewParts returns Parts with a part; nil is none.
func NewParts(part Part) *Parts {
	if part == nil {
		part = nothing{}
	}
	return &Parts{part}
}

// None says whether it is empty.
func (p *Parts) None() bool { return p.Part == nothing{} }

// mark begins the jobs of parts: jobs of a training begin with other numbers.
var mark = []byte{0xff, 0xff, 0xff, 0xff}

// Job returns the next job for a helper, in the form that Helper reads, and its part; nil if
// there is none.
func (p *Parts) Job(helper int) (job []byte, of Pooled) {
	if job := p.Part.Job(helper); job != nil {
		return slices.Concat(mark, job), p.Part
	}
	return nil, nil
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

// nothing is a Part that shows nothing.
type nothing struct{}

func (nothing) Look(Now)                                                  {}
func (nothing) Wants() string                                             { return "" }
func (nothing) Fetched([]byte, error) error                               { return nil }
func (nothing) Work(func() time.Time, time.Duration) (busy, changed bool) { return false, false }
func (nothing) Put(*wire.Frame)                                           {}
func (nothing) Summary() string                                           { return "" }
func (nothing) Task(time.Time) (text string, share, left float64)         { return "", 0, 0 }
func (nothing) Helpers() int                                              { return 0 }
func (nothing) Job(int) []byte                                            { return nil }
func (nothing) Done(int, []byte, error)                                   {}
func (nothing) Lost(int)                                                  {}
