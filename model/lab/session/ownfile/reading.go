package ownfile

import (
	"fmt"
	"iter"
	"time"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// reading is a trajectory that is being read. Its file is opened first if it is not open.
type reading struct {
	from  *File
	index int // of the trajectory, from 0
	why   Purpose
	frame int // first frame of a restored run, or -1 if it plays
	since time.Time

	next   func() bool // reads a piece and says whether there is more
	end    func()      // stops reading; the file stays open
	begun  float64     // share of the work before the first frame
	frames int         // read so far
	err    error       // at the end
}

// all reads the whole trajectory.
func (r *reading) all(sys system.System, playable func(system.Shape) error, pause func()) error {
	f := r.from
	f.pause = func(done float64) {
		r.begun = max(r.begun, done)
		pause()
	}
	if f.Source == nil {
		if err := f.open(sys, playable); err != nil {
			return err
		}
	}
	r.index = min(r.index, f.Source.Shape().Trajectories-1)
	if err := f.reader.Begin(r.index); err != nil {
		return err
	}
	for r.begun = 1; ; pause() {
		whole, err := f.reader.Advance()
		if r.frames++; whole || err != nil {
			return err
		}
	}
}

// task describes the reading and its progress.
func (r *reading) task() (text string, share float64) {
	text = "reading " + setting.Quote(r.from.Name)
	if r.frames == 0 {
		return text, r.begun / 2
	}
	frames := r.from.Source.Shape().Frames
	at := min(r.frames, frames)
	return fmt.Sprintf("%s, frame %d of %d", text, at, frames), (1 + float64(at)/float64(max(1, frames))) / 2
}

// inPieces runs work piece by piece: each call of next runs it until it calls pause, and says
// whether more remains. end abandons the rest. A pause outside next has no effect.
func inPieces(work func(pause func())) (next func() bool, end func()) {
	type ended struct{}
	atWork := false
	step, end := iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && r != (ended{}) {
				panic(r)
			}
		}()
		work(func() {
			if atWork && !yield(struct{}{}) {
				panic(ended{})
			}
		})
	})
	return func() bool {
		atWork = true
		_, more := step()
		atWork = false
		return more
	}, end
}
