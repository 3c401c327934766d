package system

import (
	"context"
	"sync"

	"macroscope/sim/spread"
)

// Source gives trajectories of one shape.
type Source interface {
	Shape() Shape
	// Each passes the first count trajectories to each, from several goroutines and in any
	// order; the argument is valid until each returns and may be changed. The first error
	// ends it.
	Each(ctx context.Context, count, workers int, each func(index int, t *Trajectory) error) error
	// Reader returns a reader of the same trajectories, to the bit, in pieces.
	Reader() (Reader, error)
}

// Reader makes a source's trajectories one at a time, in pieces of work short enough for a
// page to respond between them. It is not safe for concurrent use.
type Reader interface {
	// Begin starts a trajectory, and drops an unfinished one.
	Begin(index int) error
	// Advance does one piece of work and says whether the trajectory is whole.
	Advance() (whole bool, err error)
	// Trajectory returns the whole trajectory. It is valid until the next Begin, and may be
	// changed.
	Trajectory() *Trajectory
	Close()
}

// ForEach calls do for 0 to count-1, from so many goroutines at once (0: one a core). The
// first error, of ctx or of do, ends it.
func ForEach(ctx context.Context, count, workers int, do func(index int) error) error {
	return spread.Each(ctx, count, 1, workers, func() func(context.Context, int, int) error {
		return func(_ context.Context, index, _ int) error { return do(index) }
	})
}

// Counter returns a function that several goroutines may call. It passes the number of its
// calls to done.
func Counter(done func(int)) func() {
	var mu sync.Mutex
	n := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		n++
		done(n)
	}
}
