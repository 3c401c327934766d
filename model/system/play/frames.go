package play

import "fmt"

// Frames is a Run of whole frames, from 0 to Last, each of which is kept by whoever
// makes it. It is not safe for concurrent use.
type Frames struct {
	Last      int          // the horizon
	Made      int          // the last frame that there is
	Shown     int          // the frame on show
	PerSecond float64      // at speed 1
	Make      func() error // makes frame Made+1; nil where all are there
}

var _ Run = (*Frames)(nil)

// Horizon implements Run.
func (f *Frames) Horizon() int { return f.Last }

// Known implements Run.
func (f *Frames) Known() int { return f.Made }

// At implements Run.
func (f *Frames) At() (frame int, between bool) { return f.Shown, false }

// Forward implements Run. A frame that is there is not made again.
func (f *Frames) Forward() error {
	if f.Shown == f.Made {
		if err := f.Make(); err != nil {
			return err
		}
		f.Made++
	}
	f.Shown++
	return nil
}

// Show implements Run.
func (f *Frames) Show(k int) error {
	if k < 0 || k > f.Made {
		return fmt.Errorf("there is no frame %d yet; the run is known to frame %d", k, f.Made)
	}
	f.Shown = k
	return nil
}

// Pace implements Run. The clock is looked at after every frame.
func (f *Frames) Pace() (perSecond float64, burst int) { return f.PerSecond, 1 }
