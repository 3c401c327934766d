package system

import (
	"context"
	"sync"

	"macroscope/sim/spread"
)

// Source gives trajectories of one shape.
type Source interface {
	Shape() Shape
	// Each hands the first count trajectories to each, which several
	// goroutines call at once and in any order; the argument holds until it
	// returns and may be changed. The first error ends it.
	Each(ctx context.Context, count, workers int, each func(index int, t *Trajectory) error) error
	// Reader returns what makes the same trajectories, to the bit, a little at a
	// time.
	Reader() (Reader, error)
}

// Reader makes a source's trajectories one at a time, in pieces of work so short
// that a page can be answered between two of them. It is not safe for
// concurrent use.
type Reader interface {
	// Begin starts with a trajectory, whatever has become of the last.
	Begin(index int) error
	// Advance does a piece of it and says whether it is whole.
	Advance() (whole bool, err error)
	// Trajectory is the trajectory once it is whole. It holds until the next
	// Begin, and may be changed.
	Trajectory() *Trajectory
	Close()
}

// ForEach calls do for 0 to count-1, from so many goroutines at once (0: one a
// core). The first error, of ctx or of do, ends it.
func ForEach(ctx context.Context, count, workers int, do func(index int) error) error {
	return spread.Each(ctx, count, 1, workers, func() func(context.Context, int, int) error {
		return func(_ context.Context, index, _ int) error { return do(index) }
	})
}

// Counter returns a function that several goroutines may call and that tells
// done how often they have.
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
