package ownfile

import (
	"fmt"
	"iter"
	"time"

	"macroscope/model/learn/experiment"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// reading is a trajectory that is being read. If necessary, its file is opened first.
type reading struct {
	from  *File
	index int // index of the trajectory
	why   Purpose
	frame int // frame to which a restored run goes; -1: it plays from frame 0
	since time.Time

	next   func() bool // reads a piece and returns whether there is more
	end    func()      // stops reading; does not close the file
	begun  float64     // progress of opening the file, from 0 to 1
	frames int         // number of frames read so far
	err    error       // error with which the reading has ended
}

// The method `all` reads the whole trajectory. If necessary, it first opens the file. It calls
// pause after every piece.
func (r *reading) all(sys system.System, playable func(system.Shape) error, pause func()) error {
	f := r.from
	f.pause = func(done float64) {
		r.begun = max(r.begun, done)
		pause()
	}
	first := f.Source == nil
	if first {
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
		r.frames++
		if whole && err == nil && first {
			f.Unlike = experiment.NewMismatch(sys, f.Source.Observable(), f.reader.Trajectory().Macro)
		}
		if whole || err != nil {
			return err
		}
	}
}

// task describes the reading. share is the finished part, from 0 to 1.
func (r *reading) task() (text string, share float64) {
	text = "reading " + setting.Quote(r.from.Name)
	if r.frames == 0 {
		return text, r.begun / 2
	}
	frames := r.from.Source.Shape().Frames
	at := min(r.frames, frames)
	return fmt.Sprintf("%s, frame %d of %d", text, at, frames), (1 + float64(at)/float64(max(1, frames))) / 2
}

// inPieces splits the function `work` into pieces. Each call of `next` runs `work` until `work`
// calls `pause`, and returns whether more remains. `end` abandons the rest. After `end`, `pause`
// has no effect.
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
