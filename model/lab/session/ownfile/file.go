package ownfile

import (
	"bytes"
	"io"

	"macroscope/model/lab/session/saved"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// pieceBytes is the number of file bytes read between two pauses.
const pieceBytes = 64 << 10

// File is a file of trajectories.
type File struct {
	Name       string
	Bytes      []byte
	Key        string          // of Bytes; "" before they are read, or if a saved session has no room for them
	Observable string          // value of the control; "" is the system's own
	Source     system.Recorded // nil before it is open
	Trajectory int             // displayed, from 0

	reader system.Reader
	pause  func(done float64) // called by the reader
}

// As returns the same file, to be read with another observable.
func (f *File) As(observable string) *File {
	return &File{Name: f.Name, Bytes: f.Bytes, Key: f.Key, Observable: observable}
}

// open opens the file; playable, which may be nil, says why its trajectories are too large.
func (f *File) open(sys system.System, playable func(system.Shape) error) error {
	if f.Key == "" && len(f.Bytes) <= saved.MaxData {
		f.Key = wire.Key(f.Bytes, f.pause)
	}
	file := system.File{Name: f.Name, Bytes: paused{bytes.NewReader(f.Bytes), f}, Size: int64(len(f.Bytes)), Pause: func(done float64) { f.pause(done) }}
	src, err := sys.Open(file, f.Observable)
	if err != nil {
		return err
	}
	f.Source = src
	if playable != nil {
		if err := playable(src.Shape()); err != nil {
			return err
		}
	}
	reader, err := src.Reader()
	if err == nil {
		f.reader = reader
	}
	return err
}

// Close closes the file, if there is one.
func (f *File) Close() {
	if f == nil {
		return
	}
	if f.reader != nil {
		f.reader.Close()
	}
	if f.Source != nil {
		f.Source.Close()
	}
}

// paused is a file that is read with pauses.
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
		p.of.pause(float64(at+int64(n)) / float64(len(p.of.Bytes)))
	}
	return n, err
}
