package extras

import (
	"bytes"
	"slices"
	"time"

	"macroscope/model/wire"
)

// Parts wraps the Part of a lab. The wrapper is empty if the lab has no Part.
type Parts struct{ Part }

// NewParts returns a Parts that wraps part, or an empty Parts if part is nil.
func NewParts(part Part) *Parts {
	if part == nil {
		part = nothing{}
	}
	return &Parts{part}
}

// None reports whether p is empty.
func (p *Parts) None() bool { return p.Part == nothing{} }

// mark precedes every job of a Part. Jobs of a training never begin with these bytes.
var mark = []byte{0xff, 0xff, 0xff, 0xff}

// Job returns the next job for a helper, or nil if there is none. The job begins with the bytes
// `mark`. The answer to the job must be passed to the returned Pooled.
func (p *Parts) Job(helper int) (job []byte, of Pooled) {
	if job := p.Part.Job(helper); job != nil {
		return slices.Concat(mark, job), p.Part
	}
	return nil, nil
}

// Helper does jobs of trainings and jobs of a Part.
type Helper struct{ Trainings, Parts wire.Helper }

// Do implements wire.Helper.
func (h *Helper) Do(job []byte, alive func()) ([]byte, error) {
	if of, ok := bytes.CutPrefix(job, mark); ok {
		return h.Parts.Do(of, alive)
	}
	return h.Trainings.Do(job, alive)
}

// A lab without extra panels has a Part of the type `nothing`.
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
