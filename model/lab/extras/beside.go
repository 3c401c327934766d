// Package extras defines Part, which adds panels that only one lab has.
package extras

import (
	"time"

	"macroscope/model/lab/view"
	"macroscope/model/wire"
)

// Now is the part of the session's state that a Part can use.
type Now struct {
	Run     *view.Run
	A       *view.Shown // nil if there is no model
	Members int         // number of members of an ensemble
}

// Part contains the extra panels of a lab. It is not safe for concurrent use.
type Part interface {
	// Look updates the part to the displayed state and the user's settings. It is called
	// before all other methods.
	Look(Now)
	// Wants returns the name of the next file of the page's assets that the part needs. The name
	// is "" if the part needs none.
	Wants() string
	// Fetched receives the file that Wants has named, or the error of fetching it.
	Fetched(data []byte, err error) error
	// Work continues the computations of the part, and returns after about the duration `budget`.
	// It reports whether there is more to do, and whether the picture has changed.
	Work(clock func() time.Time, budget time.Duration) (busy, changed bool)
	// Put adds the part's rows to a frame.
	Put(f *wire.Frame)
	// Summary returns sentences for the end of the run's summary. Each begins with a space.
	Summary() string
	// Task describes the task for which the user is waiting. text is "" if there is no task. share
	// is the finished part, from 0 to 1. left is the remaining time in seconds, or 0 if it is
	// unknown.
	Task(now time.Time) (text string, share, left float64)
	Pooled
}

// Pooled contains the methods by which a Part gives jobs to helpers, which are other workers of the
// page (see wire.Pooled). A helper answers its jobs in order, unless it is lost.
type Pooled interface {
	// Helpers returns how many helpers the part can use.
	Helpers() int
	// Job returns the next job for a helper, or nil if there is none. The result is valid until
	// the next call.
	Job(helper int) []byte
	// Done receives a helper's answer to the oldest of the helper's outstanding jobs, or an
	// error.
	Done(helper int, result []byte, err error)
	// Lost is called when a helper has ended.
	Lost(helper int)
}
