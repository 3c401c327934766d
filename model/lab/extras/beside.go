// Package extras defines the panels of one lab only, next to its run and the displayed
// models: a Part.
package extras

import (
	"time"

	"macroscope/model/lab/view"
	"macroscope/model/wire"
)

// Now is the displayed state.
type Now struct {
	Run     *view.Run
	A       *view.Shown // nil if there is no model
	Members int         // of ensembles
}

// Part is the extra panels of a lab. It is not safe for concurrent use.
type Part interface {
	// Look follows the displayed state and the user's settings. It is called before all other
	// methods.
	Look(Now)
	// Wants names a file of the bundle that the part needs; "" is none.
	Wants() string
	// Fetched passes the file that Wants named, or the error of fetching it.
	Fetched(data []byte, err error) error
	// Work computes for about budget, and says whether there is more to do and whether the
	// picture has changed.
	Work(clock func() time.Time, budget time.Duration) (busy, changed bool)
	// Put adds the part's rows to a frame.
	Put(f *wire.Frame)
	// Summary returns its part of the summary, sentences that each begin with a space.
	Summary() string
	// Task returns the task that the user waits for, its share done, of 1, and the remaining
	// seconds, 0 if unknown; "" is none.
	Task(now time.Time) (text string, share, left float64)
	Pooled
}

// Pooled is a Part with jobs for other workers, as in wire.Pooled: every job of a helper is
// answered once, in order, or lost.
type Pooled interface {
	// Helpers returns the number of helpers that it can use.
	Helpers() int
	// Job returns the next job for a helper, nil if there is none. It is valid until the next
	// call.
	Job(helper int) []byte
	// Done passes the answer to the oldest open job of a helper, or the error.
	Done(helper int, result []byte, err error)
	// Lost says that a helper is gone.
	Lost(helper int)
}
