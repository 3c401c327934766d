// Package spread shares work on indices among goroutines.
package spread

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each divides the indices 0 to count-1 into runs [from, to) of `side` indices; the last run may be
// shorter. `workers` goroutines (0: one per core) take the runs in ascending order. Each goroutine
// first calls `worker` once, and gets a function `do` with its own reusable memory. Then it calls
// `do` for each of its runs. The first error, of ctx or of `do`, stops all goroutines and is
// returned.
func Each(ctx context.Context, count, side, workers int, worker func() (do func(ctx context.Context, from, to int) error)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, (count+side-1)/side) {
		wg.Go(func() {
			do := worker()
			for ctx.Err() == nil {
				from := int(next.Add(int64(side))) - side
				if from >= count {
					return
				}
				if err := do(ctx, from, min(from+side, count)); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
