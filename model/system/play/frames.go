package play

import "fmt"

// Frames is a Run of whole frames, from 0 to Last. They are made in pieces of work; code
// outside this package makes and stores them. A frame is displayed until all pieces of the next
// frame are done. Frames is not safe for concurrent use.
type Frames struct {
	Last      int     // index of the last frame, the horizon
	Made      int     // the last frame that has been made
	Shown     int     // the displayed frame
	PerSecond float64 // frames per second at speed 1
	Pieces    int     // pieces per frame
	// The function Make computes a piece of frame Made+1. Show discards the pieces of an unfinished
	// frame. Make must therefore be able to compute the same piece again. Make may be nil if all
	// frames exist.
	Make func(piece int) error

	done int // finished pieces of the next frame
}

var _ Run = (*Frames)(nil)

// Horizon implements Run.
func (f *Frames) Horizon() int { return f.Last }

// Known implements Run.
func (f *Frames) Known() int { return f.Made }

// At implements Run.
func (f *Frames) At() (frame int, between bool) { return f.Shown, f.done > 0 }

// Forward implements Run. It makes one piece of the next frame. If that frame already exists,
// Forward takes the same number of calls to reach it but makes nothing.
func (f *Frames) Forward() error {
	if f.Shown == f.Made {
		if err := f.Make(f.done); err != nil {
			return err
		}
	}
	if f.done++; f.done < f.Pieces {
		return nil
	}
	if f.done = 0; f.Shown == f.Made {
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
	f.Shown, f.done = k, 0
	return nil
}

// Pace implements Run. The clock is read after every piece.
func (f *Frames) Pace() (perSecond float64, burst int) { return f.PerSecond * float64(f.Pieces), 1 }
