package frames

import (
	"fmt"
	"io"

	"macroscope/model/file/data"
	"macroscope/model/work"
)

// Limits of a trajectory.
const (
	MaxParticles = data.MaxParticles
	MaxAxes      = data.MaxDim
	maxValues    = data.MaxBytes / 4 // coordinates of one run
)

// Head describes all frames of a file. It is complete once the first frame has been read.
type Head struct {
	Axes   []string // names of the coordinates (D)
	Unused []string // columns that are not read
	Clock  Clock    // what tells the frames apart
	Timed  bool     // whether every frame has a Time
	Units  string   // name of the units; "": not stated
	Images bool     // whether coordinates in a box that repeats have been unwrapped, or never were wrapped
}

// Clock is the quantity that Frame.Step counts.
type Clock int

// The clocks.
const (
	Order  Clock = iota // the place of a frame in the file
	Frames              // the number of a frame, by the file
	Steps               // steps of a simulation
	Times               // times; Step is the place in the file
)

// Frame is one frame as a file has it. Its slices are valid until the next frame is read.
type Frame struct {
	Step    int64
	Time    float64   // if Head.Timed
	Points  []float64 // coordinates (N, D)
	IDs     []int64   // names of the particles (N), ascending; nil: the file tells none
	Species []string  // names of their species (N); nil: the file tells none
	Box     *Box      // nil: the file tells none
}

// Box is an upright box.
type Box struct {
	Low, High [3]float64
	Repeats   [3]bool // whether the box repeats along x, y and z
}

// Reader reads the frames of one file.
type Reader interface {
	// Next reads the next frame. After the last frame it returns io.EOF, otherwise an error is one
	// sentence with the line and the problem. Later calls return the same error.
	Next() (*Frame, error)
	// Head describes the frames.
	Head() *Head
	// Cut describes a last frame that is incomplete and was left out, in words; "": there is none.
	Cut() string
}

var (
	_ Reader = (*dump)(nil)
	_ Reader = (*xyz)(nil)
	_ Reader = (*table)(nil)
	_ Reader = (*sorted)(nil)
)

// Options say how to read a file.
type Options struct {
	Columns []string   // names of the columns with the coordinates; nil: they are recognised by their names
	Pause   work.Pause // called between short pieces of long work
}

// NewReader returns a reader of a text with the given format.
func NewReader(format data.Format, r io.Reader, o Options) (Reader, error) {
	switch format {
	case data.DumpText:
		return &sorted{Reader: newDump(r, o)}, nil
	case data.XYZ:
		return &sorted{Reader: newXYZ(r, o)}, nil
	}
	t, err := newTable(r, o)
	if err != nil {
		return nil, err
	}
	return &sorted{Reader: t}, nil
}

// failed is the state of a reader that has ended.
type failed struct {
	err error
	cut string
}

// Cut implements Reader.
func (f *failed) Cut() string { return f.cut }

func tooManyCoordinates() error {
	return fmt.Errorf("the file is over the limit of %d coordinates; keep fewer frames", maxValues)
}
