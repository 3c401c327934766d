package work

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each divides the indices 0 to count-1 into runs [from, to) of `side` indices; the last run may be
// shorter. `workers` goroutines (0: one per core) take the runs in ascending order. Each goroutine first
// calls `worker` once, and gets a function `do` with its own reusable memory. Then it calls `do` for each
// of its runs. The first error of a pause or of `do` stops all goroutines and is returned.
//
// Each pauses after each run. A single worker is the caller's own goroutine, so the work can pause for a
// page. Several workers call pause from their goroutines.
func Each(pause Pause, count, side, workers int, worker func() (do func(pause Pause, from, to int) error)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if workers = min(workers, (count+side-1)/side); workers <= 1 {
		return inTurn(pause, count, side, worker)
	}
	var (
		next, done atomic.Int64
		failed     atomic.Bool
		once       sync.Once
		first      error
		wg         sync.WaitGroup
	)
	alive := func(float64) error {
		if failed.Load() {
			return errClosed
		}
		return pause(float64(done.Load()) / float64(count))
	}
	for range workers {
		wg.Go(func() {
			do := worker()
			err := alive(0)
			for err == nil {
				from := int(next.Add(int64(side))) - side
				if from >= count {
					return
				}
				to := min(from+side, count)
				if err = do(alive, from, to); err == nil {
					done.Add(int64(to - from))
					err = alive(0)
				}
			}
			once.Do(func() { first = err })
			failed.Store(true)
		})
	}
	wg.Wait()
	return first
}

// inTurn is Each with a single worker.
func inTurn(pause Pause, count, side int, worker func() func(Pause, int, int) error) error {
	if count == 0 {
		return pause(1)
	}
	do, all := worker(), float64(count)
	for from := 0; from < count; from += side {
		to := min(from+side, count)
		part := pause.Part(float64(from)/all, float64(to)/all)
		err := do(part, from, to)
		if err == nil {
			err = part(1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ForEach calls a function with the indices 0 to count-1, as Each does.
func ForEach(pause Pause, count, workers int, do func(pause Pause, index int) error) error {
	return Each(pause, count, 1, workers, func() func(Pause, int, int) error {
		return func(pause Pause, index, _ int) error { return do(pause, index) }
	})
}
