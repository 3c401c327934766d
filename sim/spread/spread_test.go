package spread

import (
	"context"
	"errors"
	"testing"
)

// TestEach varies the number of indices, the length of a range and the number of goroutines. Every
// index must occur in one range. No range may exceed the requested length. The function Each must
// return the first error or the error of the context.
func TestEach(t *testing.T) {
	for _, count := range []int{0, 1, 7, 64} {
		for _, side := range []int{1, 3, 8} {
			for _, workers := range []int{0, 1, 4} {
				done := make([]int, count)
				err := Each(t.Context(), count, side, workers, func() func(context.Context, int, int) error {
					return func(_ context.Context, from, to int) error {
						if to-from < 1 || to-from > side || from%side != 0 {
							t.Errorf("a run from %d to %d, %d at a time", from, to, side)
						}
						for i := from; i < to; i++ {
							done[i]++
						}
						return nil
					}
				})
				if err != nil {
					t.Error(err)
				}
				for i, n := range done {
					if n != 1 {
						t.Errorf("%d at a time on %d workers: index %d of %d is done %d times", side, workers, i, count, n)
					}
				}
			}
		}
	}

	failed := errors.New("failed")
	var calls int
	err := Each(t.Context(), 100, 1, 1, func() func(context.Context, int, int) error {
		return func(_ context.Context, from, _ int) error {
			calls++
			if from == 3 {
				return failed
			}
			return nil
		}
	})
	if !errors.Is(err, failed) || calls != 4 {
		t.Errorf("%d calls and %v; want 4 and the error of the last", calls, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = Each(ctx, 1, 1, 1, func() func(context.Context, int, int) error {
		return func(context.Context, int, int) error { t.Error("work after the end"); return nil }
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}
