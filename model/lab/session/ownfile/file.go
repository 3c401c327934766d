package ownfile

import (
	"bytes"
	"io"

	"macroscope/model/file/frames"
	"macroscope/model/lab"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/measure"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

// pieceBytes is the number of bytes read between two calls of pause.
const pieceBytes = 64 << 10

// File is a file of trajectories.
type File struct {
	Name       string
	Bytes      []byte
	Key        string          // wire.Key of Bytes; "" before the file has been read, or if it is too large for a saved session
	Observable string          // value of the control for the observable; "" means the system's default
	Source     system.Recorded // nil before the file is opened
	Trajectory int             // index of the displayed trajectory
	System     *system.System  // the system that the file describes; nil: the session's
	Says       string          // how its observables move, in a part of a sentence; "": nothing was found out
	// Unlike says how the first trajectory that was read moves, if the system's dynamics cannot move so.
	Unlike *measure.Mismatch

	left  []string          // contents of its folder that are not read
	first system.Trajectory // the trajectory that was read last
	pause work.Pause        // called between two pieces while the file is opened and read
}

// As returns a File with the same bytes and another observable. The new File is not open.
func (f *File) As(observable string) *File {
	return &File{Name: f.Name, Bytes: f.Bytes, Key: f.Key, Observable: observable}
}

// open opens the file. It returns an error if trajectories are too large to play by `live`. The argument
// `describe` finds out what the file's system is; nil: it is sys.
func (f *File) open(sys *system.System, live system.Live, describe lab.Describe) error {
	if f.Key == "" && len(f.Bytes) <= saved.MaxData {
		f.Key = wire.Key(f.Bytes, func(done float64) { _ = f.pause(done) }) // the next pause returns the same error
	}
	file := system.File{Name: f.Name, Bytes: paused{bytes.NewReader(f.Bytes), f}, Size: int64(len(f.Bytes)), Pause: func(done float64) error { return f.pause(done) }, As: system.Reading{Outliers: frames.Keep}}
	file, left, err := file.Divided()
	if err != nil {
		return err
	}
	f.left = left
	if describe == nil {
		f.Source, err = f.of(sys).Open(file, f.Observable)
	} else if f.System, f.Source, f.Says, err = describe(file, sys, f.pause); f.System == sys {
		f.System = nil
	}
	if err != nil {
		return err
	}
	if f.System != nil {
		live = f.System.Live()
	}
	if of, ok := live.(interface{ Playable(system.Shape) error }); ok {
		return of.Playable(f.Source.Shape())
	}
	return nil
}

// The method `of` returns the system of the file in a session of another system.
func (f *File) of(sys *system.System) *system.System {
	if f.System != nil {
		return f.System
	}
	return sys
}

// more lists what the user should know of the file, as parts of sentences.
func (f *File) more() []string {
	more := f.Source.Facts().More()
	if len(f.left) > 0 {
		more = append(more, system.NotRead(f.left))
	}
	if f.Says != "" {
		more = append(more, f.Says)
	}
	return more
}

// Close closes the file, if there is one.
func (f *File) Close() {
	if f == nil {
		return
	}
	if f.Source != nil {
		f.Source.Close()
	}
}

// paused is a file that calls pause after every piece that is read.
type paused struct {
	io.ReaderAt
	of *File
}

// ReadAt implements io.ReaderAt.
func (p paused) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = p.ReaderAt.ReadAt(b[n:min(len(b), n+pieceBytes)], at+int64(n))
		n += m
		if paused := p.of.pause(float64(at+int64(n)) / float64(len(p.of.Bytes))); err == nil {
			err = paused
		}
	}
	return n, err
}
