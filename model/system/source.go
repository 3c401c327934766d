package system

import (
	"context"
	"sync"

	"macroscope/sim/spread"
)

// Source provides trajectories that all have the same shape.
type Source interface {
	Shape() Shape
	// Each passes the first `count` trajectories to a function, from several goroutines and in
	// any order. A trajectory is valid until the function returns, and the function may change
	// it. The first error stops all goroutines and is returned.
	Each(ctx context.Context, count, workers int, each func(index int, t *Trajectory) error) error
	// Reader returns a reader that makes the same trajectories, with equal bits, in pieces.
	Reader() (Reader, error)
}

// Reader makes a source's trajectories one at a time, in pieces of work short enough for a
// page to respond between them. It is not safe for concurrent use.
type Reader interface {
	// Begin starts a trajectory, and drops an unfinished one.
	Begin(index int) error
	// Advance does one piece of work and reports whether the trajectory is complete.
	Advance() (whole bool, err error)
	// Trajectory returns the complete trajectory. It is valid until the next Begin, and the
	// caller may change it.
	Trajectory() *Trajectory
	Close()
}

// ForEach calls a function with the indices 0 to count-1, from several goroutines. `workers` is the
// number of goroutines. If `workers` is 0, there is one goroutine per core. The first error of ctx
// or of the function stops all goroutines and is returned.
func ForEach(ctx context.Context, count, workers int, do func(index int) error) error {
	return spread.Each(ctx, count, 1, workers, func() func(context.Context, int, int) error {
		return func(_ context.Context, index, _ int) error { return do(index) }
	})
}

// Counter returns a function that counts its calls and passes the count to `done`. Several
// goroutines may call it.
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
