// Package extras is what a lab shows beside its run and the models on show, which
// other labs do not have: a Part.
package extras

import (
	"time"

	"macroscope/model/lab/view"
	"macroscope/model/wire"
)

// Now is what is on show.
type Now struct {
	Run     *view.Run
	A       *view.Shown // nil if there is no model
	Members int         // of ensembles
}

// Part is all that a lab shows so. It is not safe for concurrent use.
type Part interface {
	// Look follows what is on show, and what the visitor has chosen. It is called
	// before all else.
	Look(Now)
	// Wants names a file of the bundle that the part would like to have; "" is none.
	Wants() string
	// Fetched hands over the file that Wants named, or why it could not be had.
	Fetched(data []byte, err error) error
	// Work computes for about budget, and says whether there is more to do and whether
	// the picture has changed.
	Work(clock func() time.Time, budget time.Duration) (busy, changed bool)
	// Put adds the part's rows to a frame.
	Put(f *wire.Frame)
	// Summary is what there is to say of it, sentences that each begin with a space.
	Summary() string
	// Task returns what a visitor waits for, how much of it is done, of 1, and the seconds
	// that the rest will take, 0 if that is not known; "" is nothing.
	Task(now time.Time) (text string, share, left float64)
	Pooled
}

// Pooled is what other workers compute for, as of wire.Pooled: every job of a helper is
// answered once, in their order, or lost.
type Pooled interface {
	// Helpers is how many helpers it has a use for.
	Helpers() int
	// Job returns the next job for a helper, nil if there is none. It holds until the
	// next call.
	Job(helper int) []byte
	// Done hands over the answer to the oldest open job of a helper, or why there is
	// none.
	Done(helper int, result []byte, err error)
	// Lost says that a helper is gone.
	Lost(helper int)
}
