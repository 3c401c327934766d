package lab

import (
	"fmt"

	"macroscope/model/data"
	"macroscope/sim/particle"
)

// reader makes a source's trajectories one at a time, in pieces of work so short
// that a page can be answered between two of them. The bits are those that the
// source's Each gives.
type reader interface {
	// begin starts with a trajectory, whatever has become of the last.
	begin(index int) error
	// advance does a piece of it and says whether it is whole.
	advance() (whole bool, err error)
	// recorded is the trajectory once it is whole. It holds until the next begin,
	// and may be changed.
	recorded() *Recorded
}

// newReader returns the reader of a source.
func newReader(src Source, rows *recordingRows) (reader, error) {
	switch s := src.(type) {
	case *Simulated:
		return newSimulatedReader(s), nil
	case *Recording:
		return newRecordingReader(s, rows), nil
	}
	return nil, fmt.Errorf("trajectories of type %T cannot be read in pieces; simulate them or open a file", src)
}

// newRecorded makes room for a trajectory.
func newRecorded(s Shape) *Recorded {
	return &Recorded{make([]float32, s.Frames*s.Particles*s.Dim), make([]float64, s.Frames)}
}

// simulatedReader simulates step by step.
type simulatedReader struct {
	src   *Simulated
	sim   *particle.Simulation
	t     *Recorded
	index int
}

func newSimulatedReader(s *Simulated) *simulatedReader {
	return &simulatedReader{src: s, t: newRecorded(s.Shape())}
}

func (r *simulatedReader) begin(index int) (err error) {
	r.index = index
	start := particle.InitialPositions(r.src.System, r.src.Seed, r.src.first+index)
	if r.sim == nil {
		r.sim, err = particle.New(r.src.System, start)
	} else {
		err = r.sim.Reset(start)
	}
	return r.explained(err)
}

func (r *simulatedReader) advance() (whole bool, err error) {
	f, size := r.sim.Index(), 2*r.src.System.N
	r.sim.Positions(r.t.Frames[f*size : (f+1)*size])
	r.t.Macro[f] = r.sim.Energy()
	if f == r.src.System.Steps {
		return true, nil
	}
	return false, r.explained(r.sim.Step())
}

func (r *simulatedReader) explained(err error) error {
	if err != nil {
		return fmt.Errorf("trajectory %d: %w", r.index, err)
	}
	return nil
}

func (r *simulatedReader) recorded() *Recorded { return r.t }

// recordingRows reads positions out of a recording in any order. Going back
// costs a start from the file's beginning.
type recordingRows struct {
	src  *Recording
	rows *data.Rows
	next int
}

// read fills dst (T, N, Dim) with the positions of a trajectory.
func (r *recordingRows) read(dst []float32, index int) (err error) {
	if r.rows == nil || index < r.next {
		r.close()
		if r.rows, err = data.OpenRows(r.src.file, r.src.size, trajectoriesArray); err != nil {
			return err
		}
	}
	for ; r.next <= index; r.next++ {
		if err := r.rows.Next(dst); err != nil {
			return err
		}
	}
	return nil
}

func (r *recordingRows) close() {
	if r.rows != nil {
		r.rows.Close()
		r.rows, r.next = nil, 0
	}
}

// recordingReader reads a trajectory at once, and checks it and computes its
// observable frame by frame.
type recordingReader struct {
	src          *Recording
	rows         *recordingRows
	t            *Recorded
	observer     *observer
	index, frame int
}

func newRecordingReader(s *Recording, rows *recordingRows) *recordingReader {
	return &recordingReader{src: s, rows: rows, t: newRecorded(s.shape), observer: newObserver(s.name, s.shape.Dim)}
}

func (r *recordingReader) begin(index int) error {
	r.index, r.frame = index, 0
	return r.rows.read(r.t.Frames, index)
}

func (r *recordingReader) advance() (whole bool, err error) {
	err = r.src.finishFrame(r.index, r.frame, r.t, r.observer)
	r.frame++
	return err == nil && r.frame == r.src.shape.Frames, err
}

func (r *recordingReader) recorded() *Recorded { return r.t }
