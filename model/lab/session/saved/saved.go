// Package saved defines the format of a saved session. A saved session contains checkpoints of the
// user's view, the present training and the kept runs. It also contains the user's trajectories,
// but no shipped files.
//
// A browser stores the files of a saved session one after another, each preceded by its name
// and length. Package bundle stores the same files as members of an archive.
package saved

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/curve"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

const (
	magic   = "MSS1"
	visited = "session"
	run     = "run"
	trained = "training"
	brought = "data"
	swept   = "sweep"
	point   = "point"
	made    = "item"
)

// MaxData is the largest size in bytes of a user's file that a browser saves with a session.
const MaxData = 64 << 20

// Files contains the files of a saved session.
type Files struct {
	Session, Training []byte      // checkpoints; Training is nil if there is no training
	Runs              []File      // checkpoints
	Sweep             []byte      // the state of a sweep; nil if there is none
	Points            []File      // checkpoints of the sweep's models
	Items             []wire.Part // the simulated data of the training (see fit.Live.Items); not in a bundle
	Data              File        // the user's trajectories, unchanged; Bytes is nil if there are none
}

// File is a file and its key (see wire.Key).
type File struct {
	Key   string // "" for a file that Split or OfBundle returned
	Bytes []byte
}

// Is reports whether a file begins like a saved session.
func Is(b []byte) bool { return bytes.HasPrefix(b, []byte(magic)) }

// Parts returns the files as parts. Split reads the concatenation of the parts. Data larger than
// MaxData are left out.
func (f *Files) Parts() []wire.Part {
	first := append([]byte(magic), named(visited, f.Session)...)
	if f.Training != nil {
		first = append(first, named(trained, f.Training)...)
	}
	if f.Sweep != nil {
		first = append(first, named(swept, f.Sweep)...)
	}
	parts := []wire.Part{{Bytes: func() []byte { return first }}}
	add := func(name string, of File) {
		parts = append(parts, wire.Part{Key: name + " " + of.Key, Bytes: func() []byte { return named(name, of.Bytes) }})
	}
	for _, r := range f.Runs {
		add(run, r)
	}
	for _, p := range f.Points {
		add(point, p)
	}
	for _, item := range f.Items {
		parts = append(parts, wire.Part{Key: made + " " + item.Key, Bytes: func() []byte { return named(made, item.Bytes()) }})
	}
	if f.Data.Bytes != nil && len(f.Data.Bytes) <= MaxData {
		add(brought, f.Data)
	}
	return parts
}

// OfBundle returns the files of a saved session in a bundle, as slices of the bundle's
// bytes.
func OfBundle(b *bundle.Bundle) *Files {
	f := &Files{Session: b.Session, Training: b.Training, Sweep: b.Sweep, Data: File{Bytes: b.Data}}
	for _, r := range b.Runs {
		f.Runs = append(f.Runs, File{Bytes: r})
	}
	for _, p := range b.Points {
		f.Points = append(f.Points, File{Bytes: p})
	}
	return f
}

// Bundle returns the files as a bundle.
func (f *Files) Bundle() *bundle.Bundle {
	b := &bundle.Bundle{Session: f.Session, Training: f.Training, Sweep: f.Sweep, Data: f.Data.Bytes}
	for _, r := range f.Runs {
		b.Runs = append(b.Runs, r.Bytes)
	}
	for _, p := range f.Points {
		b.Points = append(b.Points, p.Bytes)
	}
	return b
}

// named returns a file preceded by its name and length.
func named(name string, file []byte) []byte {
	b := make([]byte, 0, 1+len(name)+4+len(file))
	b = append(append(b, byte(len(name))), name...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(file))), file...)
}

// Split reads joined Parts. The files are slices of b.
func Split(b []byte) (*Files, error) {
	if !Is(b) {
		return nil, errors.New("it is not of this lab, or of an earlier version")
	}
	files := new(Files)
	for b = b[len(magic):]; len(b) > 0; {
		name, file, rest, err := cut(b)
		if err != nil {
			return nil, err
		}
		b = rest
		switch {
		case name == visited && files.Session == nil:
			files.Session = file
		case name == swept && files.Sweep == nil:
			files.Sweep = file
		case name == point:
			files.Points = append(files.Points, File{Bytes: file})
		case name == made:
			files.Items = append(files.Items, wire.Part{Bytes: func() []byte { return file }})
		case name == run:
			files.Runs = append(files.Runs, File{Bytes: file})
		case name == brought && files.Data.Bytes == nil:
			files.Data.Bytes = file
		case name == trained && files.Training == nil:
			files.Training = file
		default:
			return nil, fmt.Errorf("it holds a part called %s", setting.Quote(name))
		}
	}
	if files.Session == nil {
		return nil, errors.New("it holds no settings")
	}
	return files, nil
}

// cut separates the first file from the rest of b.
func cut(b []byte) (name string, file, rest []byte, err error) {
	short := errors.New("it is cut short")
	if len(b) < 1 {
		return "", nil, nil, short
	}
	n := 1 + int(b[0])
	if len(b) < n+4 {
		return "", nil, nil, short
	}
	name = string(b[1:n])
	size := binary.LittleEndian.Uint32(b[n:])
	if b = b[n+4:]; uint64(size) > uint64(len(b)) {
		return "", nil, nil, short
	}
	return name, b[:size], b[size:], nil
}

// Lab returns the lab of a saved session, or "" if its name cannot be read.
func (f *Files) Lab() string {
	session, err := ckpt.Decode(bytes.NewReader(f.Session))
	if err != nil {
		return "" // Open will return the error
	}
	return doc.LabOf(session)
}

// Encoded returns a checkpoint as bytes.
func Encoded(f *ckpt.File) ([]byte, error) {
	var b bytes.Buffer
	err := ckpt.Encode(&b, f)
	return b.Bytes(), err
}

// Session is a saved session that has been read.
type Session struct {
	*doc.Sheet
	Runs     []runs.Run
	Training *ckpt.File // nil if the session has none
	Curves   *curve.Curves
	Items    [][]byte // the simulated data of the training
	Sweep    []byte   // nil if the session has none
	Points   []File   // the sweep's models
}

// Open reads the files of a session of a lab. It calls the function `open` for each model. The error
// says why the session could not be opened. In the error's text, "it" is the session.
func (f *Files) Open(l *lab.Lab, open func(*ckpt.File) (*model.Model, error)) (*Session, error) {
	r := &Session{Sweep: f.Sweep, Points: f.Points}
	session, err := ckpt.Decode(bytes.NewReader(f.Session))
	for _, file := range f.Runs {
		var f *ckpt.File
		if err == nil {
			f, err = ckpt.Decode(bytes.NewReader(file.Bytes))
		}
		if err == nil {
			r.Runs, err = runs.Read(r.Runs, f, open)
		}
	}
	if err == nil && f.Training != nil {
		if r.Training, err = ckpt.Decode(bytes.NewReader(f.Training)); err == nil {
			_, err = open(r.Training)
		}
	}
	if err == nil {
		r.Sheet, r.Curves, err = doc.Decode(l, session)
	}
	if err == nil && r.Trained.UnderWay() && r.Training == nil {
		err = errors.New("its training is missing")
	}
	if err != nil {
		return nil, err
	}
	for _, item := range f.Items {
		r.Items = append(r.Items, item.Bytes())
	}
	return r, nil
}
