package ownfile

import (
	"bytes"
	"io"

	"macroscope/model/file/frames"
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
	// Unlike says how the first trajectory that was read moves, if the system's dynamics cannot move so.
	Unlike *measure.Mismatch

	first system.Trajectory // the trajectory that was read last
	pause work.Pause        // called between two pieces while the file is opened and read
}

// As returns a File with the same bytes and another observable. The new File is not open.
func (f *File) As(observable string) *File {
	return &File{Name: f.Name, Bytes: f.Bytes, Key: f.Key, Observable: observable}
}

// open opens the file. It returns an error if trajectories are too large to play. The argument
// `playable` finds this out; nil accepts all sizes.
func (f *File) open(sys *system.System, playable func(system.Shape) error) error {
	if f.Key == "" && len(f.Bytes) <= saved.MaxData {
		f.Key = wire.Key(f.Bytes, func(done float64) { _ = f.pause(done) }) // the next pause returns the same error
	}
	file := system.File{Name: f.Name, Bytes: paused{bytes.NewReader(f.Bytes), f}, Size: int64(len(f.Bytes)), Pause: func(done float64) error { return f.pause(done) }, As: system.Reading{Outliers: frames.Keep}}
	src, err := sys.Open(file, f.Observable)
	if err != nil {
		return err
	}
	f.Source = src
	if playable != nil {
		return playable(src.Shape())
	}
	return nil
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
