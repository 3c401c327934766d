package ownfile

import (
	"fmt"
	"iter"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Reading is a trajectory that is being read, of a file that is opened first if it is not
// open. It is not safe for concurrent use.
type Reading struct {
	From  *File
	Index int // of the trajectory, from 0

	next   func() bool
	end    func()
	begun  float64 // share of what comes before the first frame
	frames int     // read so far
	err    error   // at the end
}

// readFrom begins to read a trajectory of a file of a system, or the last one if there is none
// of that index. playable, which may be nil, says why trajectories are too large.
func readFrom(f *File, index int, sys system.System, playable func(system.Shape) error) *Reading {
	r := &Reading{From: f, Index: index}
	r.next, r.end = inPieces(func(pause func()) { r.err = r.all(sys, playable, pause) })
	return r
}

// all reads all that there is to read.
func (r *Reading) all(sys system.System, playable func(system.Shape) error, pause func()) error {
	f := r.From
	f.pause = func(done float64) {
		r.begun = max(r.begun, done)
		pause()
	}
	if f.Source == nil {
		if err := f.open(sys, playable); err != nil {
			return err
		}
	}
	r.Index = min(r.Index, f.Source.Shape().Trajectories-1)
	if err := f.reader.Begin(r.Index); err != nil {
		return err
	}
	for r.begun = 1; ; pause() {
		whole, err := f.reader.Advance()
		if r.frames++; whole || err != nil {
			return err
		}
	}
}

// Next reads a piece and says whether there is more.
func (r *Reading) Next() bool { return r.next() }

// End stops reading. The file stays open.
func (r *Reading) End() { r.end() }

// Trajectory returns what has been read, once there is no more, or why it cannot be. It
// holds until another of the file is read.
func (r *Reading) Trajectory() (*system.Trajectory, error) {
	if r.err != nil {
		return nil, r.err
	}
	return r.From.reader.Trajectory(), nil
}

// Task says what is being read, and how far that is.
func (r *Reading) Task() (text string, share float64) {
	text = "reading " + setting.Quote(r.From.Name)
	if r.frames == 0 {
		return text, r.begun / 2
	}
	frames := r.From.Source.Shape().Frames
	at := min(r.frames, frames)
	return fmt.Sprintf("%s, frame %d of %d", text, at, frames), (1 + float64(at)/float64(max(1, frames))) / 2
}

// inPieces makes work something that next does piece by piece, each until work calls
// pause, and says whether there is more of. What is left after end is not done. A
// pause that is called while next is not at work is none.
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
