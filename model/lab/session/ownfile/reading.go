package ownfile

import (
	"fmt"
	"time"

	"macroscope/model/lab"
	"macroscope/model/learn/measure"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/work"
)

// reading is a trajectory that is being read. If necessary, its file is opened first.
type reading struct {
	from  *File
	index int // index of the trajectory
	why   Purpose
	frame int // frame to which a restored run goes; -1: it plays from frame 0
	since time.Time

	pieces *work.Pieces
	begun  float64 // progress of opening the file, from 0 to 1
	frames int     // number of frames read so far
}

// The method `all` reads the whole trajectory. If necessary, it first opens the file.
func (r *reading) all(sys *system.System, live system.Live, describe lab.Describe, pause work.Pause) error {
	f := r.from
	f.pause = func(done float64) error {
		r.begun = max(r.begun, done)
		return pause(r.begun)
	}
	first := f.Source == nil
	if first {
		if err := f.open(sys, live, describe); err != nil {
			return err
		}
	}
	r.index = min(r.index, f.Source.Shape().Trajectories-1)
	r.begun = 1
	err := f.Source.Make(&f.first, r.index, func(share float64) error {
		r.frames++
		return pause(share)
	})
	if err == nil && first && sys.Described == nil {
		f.Unlike = measure.NewMismatch(sys, f.Source.Observable(), f.first.Macro)
	}
	return err
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
