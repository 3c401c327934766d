// Package spread shares work on indices among goroutines.
package spread

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each does the indices 0 to count-1, side consecutive ones at a time, on so many
// goroutines (0: one a core). Each goroutine calls worker for its own do, whose
// closure is the place for what it needs again and again, and do for one run of
// indices [from, to) after another. Runs are begun in ascending order. The first
// error, of ctx or of do, ends it and is returned.
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
