package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// count pauses n times, and appends what it does to a list.
func count(n int, did *[]string) func(Pause) error {
	return func(pause Pause) error {
		for i := range n {
			*did = append(*did, fmt.Sprint(i))
			if err := pause(float64(i+1) / float64(n)); err != nil {
				*did = append(*did, "closed")
				return err
			}
		}
		return nil
	}
}

// TestPieces runs work to its end, gives other work up in the middle, and closes pieces that have not
// begun or have ended.
func TestPieces(t *testing.T) {
	var did []string
	p := Begin(count(2, &did))
	for i, want := range []float64{0.5, 1} {
		if more, err := p.Next(); !more || err != nil || p.Share() != want || len(did) != i+1 {
			t.Errorf("piece %d: more %t, error %v, share %g, did %q", i, more, err, p.Share(), did)
		}
	}
	if more, err := p.Next(); more || err != nil || p.Share() != 1 {
		t.Errorf("the end: more %t, error %v, share %g", more, err, p.Share())
	}
	p.Close()

	did = nil
	p = Begin(count(5, &did))
	p.Next()
	p.Close()
	p.Close()
	if want := []string{"0", "closed"}; !slices.Equal(did, want) {
		t.Errorf("work that was given up did %q, want %q", did, want)
	}

	errs := 0
	p = Begin(func(pause Pause) error {
		for range 5 { // work that does not end at the first error
			if pause(0) != nil {
				errs++
			}
		}
		return nil
	})
	p.Next()
	if p.Close(); errs != 5 {
		t.Errorf("%d of 5 pauses say that the work was given up", errs)
	}

	did = nil
	Begin(count(1, &did)).Close()
	if did != nil {
		t.Errorf("work that has not begun did %q", did)
	}

	failed := errors.New("failed")
	if more, err := Begin(func(Pause) error { return failed }).Next(); more || err != failed {
		t.Errorf("failing work: more %t, error %v", more, err)
	}
}

// TestPauseFromOutside calls the pause of a piece while the piece waits, and after its end, as a file does
// that was opened in one piece and is read in another. Nothing may happen.
func TestPauseFromOutside(t *testing.T) {
	var kept Pause
	p := Begin(func(pause Pause) error {
		kept = pause
		return pause(0.5)
	})
	p.Next()
	if err := kept(0.7); err != nil || p.Share() != 0.5 {
		t.Errorf("a waiting piece: error %v, share %g", err, p.Share())
	}
	if more, err := p.Next(); more || err != nil {
		t.Errorf("the end: more %t, error %v", more, err)
	}
	if err := kept(0.7); err != nil {
		t.Errorf("after the end: %v", err)
	}
}

// TestEach varies the number of indices, the length of a run and the number of goroutines. Every index
// must occur in one run. No run may exceed the requested length. The shares may not fall with a single
// worker, and the last one is 1. Each must return the first error or the error of the pause.
func TestEach(t *testing.T) {
	for _, count := range []int{0, 1, 7, 64} {
		for _, side := range []int{1, 3, 8} {
			for _, workers := range []int{0, 1, 4} {
				done, share := make([]int, count), 0.0
				pause := Until(t.Context())
				if workers == 1 {
					pause = func(now float64) error {
						if now < share {
							t.Errorf("the share fell from %g to %g", share, now)
						}
						share = now
						return nil
					}
				}
				err := Each(pause, count, side, workers, func() func(Pause, int, int) error {
					return func(pause Pause, from, to int) error {
						if pause(0); workers == 1 && share != float64(from)/float64(count) {
							t.Errorf("the share is %g at %d of %d", share, from, count)
						}
						if to-from < 1 || to-from > side || from%side != 0 {
							t.Errorf("a run from %d to %d, %d at a time", from, to, side)
						}
						for i := from; i < to; i++ {
							done[i]++
						}
						return nil
					}
				})
				if err != nil || slices.ContainsFunc(done, func(n int) bool { return n != 1 }) || workers == 1 && share != 1 {
					t.Errorf("%d indices, %d at a time, %d workers: error %v, done %v, share %g", count, side, workers, err, done, share)
				}
			}
		}
	}
	failed := errors.New("failed")
	ctx, cancel := context.WithCancelCause(t.Context())
	for _, workers := range []int{1, 3} {
		if err := ForEach(Until(t.Context()), 100, workers, func(_ Pause, i int) error {
			if i == 5 {
				return failed
			}
			return nil
		}); err != failed {
			t.Errorf("%d workers: error %v, want the first one", workers, err)
		}
	}
	cancel(failed)
	for _, workers := range []int{1, 3} {
		if err := ForEach(Until(ctx), 100, workers, func(pause Pause, i int) error { return pause(0) }); err != failed {
			t.Errorf("%d workers: error %v, want the context's", workers, err)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	p := Begin(func(pause Pause) error {
		for {
			if err := pause(0); err != nil {
				return err
			}
		}
	})
	defer p.Close()
	for b.Loop() {
		p.Next()
	}
}
