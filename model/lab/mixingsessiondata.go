package lab

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"macroscope/model/wire"
)

// ownMixing is trajectories of two species of the visitor's own.
type ownMixing struct {
	name       string // of the file
	src        MixingSource
	read       func(index int) (*Mixed, error) // whose result is the caller's
	close      func()
	trajectory int // on show, from 0

	measured *mixingMeasurement
}

// openOwnMixing opens a NumPy archive, or else a LAMMPS dump, which is one
// trajectory.
func openOwnMixing(name string, b []byte) (*ownMixing, error) {
	d := &ownMixing{name: name, close: func() {}}
	if bytes.HasPrefix(b, []byte("PK")) || bytes.HasPrefix(b, []byte("\x93NUMPY")) {
		r, err := OpenMixing(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return nil, err
		}
		rows := &recordingRows{src: r.positions}
		d.src, d.close = r, rows.close
		d.read = func(index int) (*Mixed, error) { return r.trajectory(rows, index) }
	} else {
		r, err := OpenDumps([]string{name}, func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil })
		if err != nil {
			return nil, errors.Unwrap(err) // without the name, which comes before it anyway
		}
		d.src, d.read = r, r.dump
	}
	s := d.src.Shape()
	if s.Particles > MaxParticles {
		return nil, fmt.Errorf("the trajectories have %d atoms, and the page has room for %d; the command line takes more", s.Particles, MaxParticles)
	}
	return d, checkPlayed(s.Particles, s.Frames-1)
}

// trajectory reads one trajectory, whose memory is the caller's.
func (r *MixingRecording) trajectory(rows *recordingRows, index int) (*Mixed, error) {
	in := newRecordingReader(r.positions, rows)
	if err := in.begin(index); err != nil {
		return nil, err
	}
	for whole := false; !whole; {
		var err error
		if whole, err = in.advance(); err != nil {
			return nil, err
		}
	}
	s := r.Shape()
	m := &Mixed{Frames: in.recorded().Frames, Types: r.types[index*s.Particles : (index+1)*s.Particles], Ratios: make([]float64, 2*s.Frames)}
	if r.ratios != nil {
		copy(m.Ratios, r.ratios[index*2*s.Frames:])
	} else {
		ratios(m.Ratios, m.Frames, m.Types)
	}
	return m, nil
}

// file takes a dropped file: a checkpoint, or trajectories.
func (s *MixingSession) file(name string, b []byte) *wire.Notice {
	if isSafetensors(name, b) {
		return s.openCheckpoint(name, b)
	}
	d, err := openOwnMixing(name, b)
	if err == nil {
		err = s.takeData(d, 0)
	}
	if err != nil {
		return failure(fmt.Errorf("%s was not opened: %w", quote(name), err))
	}
	shape := d.src.Shape()
	return &wire.Notice{Text: fmt.Sprintf("Read %d trajectories of %d atoms and %d frames from %s.", shape.Trajectories, shape.Particles, shape.Frames, quote(name))}
}

// takeData shows a trajectory of own data, which become the session's.
func (s *MixingSession) takeData(d *ownMixing, index int) error {
	t, err := d.read(index)
	if err != nil {
		return err
	}
	if s.data != nil && s.data != d {
		s.data.close()
	}
	s.data, d.trajectory = d, index
	s.relax.cancel()
	lo, hi := bounds(t.Frames)
	s.play.record(t, lo, hi)
	s.note = fmt.Sprintf("%s, trajectory %d of %d", d.name, index+1, d.src.Shape().Trajectories)
	s.begin = -1
	s.begun()
	s.measureData()
	return nil
}

// bounds returns the box that a trajectory (T, N, 2) is shown in: from the origin
// if it lies there, else as far as the atoms go.
func bounds(frames []float32) (lo, hi [2]float64) {
	for i, v := range frames {
		lo[i%2], hi[i%2] = min(lo[i%2], float64(v)), max(hi[i%2], float64(v))
	}
	for k := range hi {
		lo[k], hi[k] = math.Floor(lo[k]), max(math.Ceil(hi[k]), lo[k]+1)
	}
	return lo, hi
}

// setTrajectory shows another trajectory of own data, counted from 1.
func (s *MixingSession) setTrajectory(value string) error {
	if s.data == nil {
		return errors.New("there are no trajectories of your own; open a file first")
	}
	var k int
	if err := assignInt(&k, "the trajectory", value, 1, s.data.src.Shape().Trajectories); err != nil {
		return err
	}
	return s.takeData(s.data, k-1)
}

// closeData goes back to the simulation.
func (s *MixingSession) closeData() error {
	if s.data == nil {
		return errors.New("there are no trajectories of your own; open a file first")
	}
	s.forgetData()
	return s.generate(-1)
}

func (s *MixingSession) forgetData() {
	if s.data != nil {
		s.data.close()
		s.data = nil
	}
}

// mixingMeasurement is what eval prints of trajectories in a file, worked out a
// trajectory or a frame at a time.
type mixingMeasurement struct {
	model    *MixingModel
	count    int
	next     int // trajectory to be read
	z0       []float32
	ensemble *mixingEnsemble // of the block under way
	block    int
	values   []float32
	forecast MixingForecast

	done                          bool
	mmd, floor, coverage, nominal float64
}

const (
	measuredMost    = 100    // trajectories that a page measures; MMD grows with the square
	measuredMembers = 19     // as many as eval has
	measuredSeed    = 20_260 // eval's
	measuredBlock   = 8      // as Evaluate has it
)

// measureData begins to measure model A on own data, if there are any.
func (s *MixingSession) measureData() {
	d := s.data
	if d == nil || s.a == nil || s.a.live || d.measured != nil && d.measured.model == s.a.model {
		return
	}
	shape := d.src.Shape()
	n := min(shape.Trajectories, measuredMost)
	d.measured = &mixingMeasurement{model: s.a.model, count: n, values: make([]float32, measuredMembers), forecast: MixingForecast{
		Frames: shape.Frames, Members: measuredMembers,
		Pred: make([]float32, n*measuredMembers*2*shape.Frames), Truth: make([]float32, n*2*shape.Frames),
	}}
}

// advance does a piece of work.
func (m *mixingMeasurement) advance(d *ownMixing) error {
	f, v := &m.forecast, m.model.variables()
	switch {
	case m.done:
	case m.next < m.count:
		t, err := d.read(m.next)
		if err != nil {
			return err
		}
		for i, r := range t.Ratios {
			f.Truth[m.next*2*f.Frames+i] = float32(r)
		}
		m.z0 = slices.Grow(m.z0, v)[:(m.next+1)*v]
		m.model.state(m.z0[m.next*v:], m.model.newEncoder(len(t.Types)), t.Frames[:2*len(t.Types)], t.Types, t.Ratios[:2])
		m.next++
	case m.block*measuredBlock >= m.count:
		m.done = true
		m.coverage, m.nominal = f.Coverage()
		if m.mmd, m.floor = f.MMD(), math.NaN(); m.count > 1 {
			m.floor = f.Floor()
		}
	case m.ensemble == nil:
		n := min(measuredBlock, m.count-m.block*measuredBlock)
		m.ensemble = m.model.newEnsemble(n, measuredMembers)
		m.ensemble.begin(m.z0[m.block*measuredBlock*v:], measuredSeed, uint64(m.block))
		m.keep()
	default:
		m.ensemble.step(m.model.LawParams)
		m.keep()
		if m.ensemble.frame == f.Frames-1 {
			m.ensemble = nil
			m.block++
		}
	}
	return nil
}

// keep enters the block's present frame into the forecast.
func (m *mixingMeasurement) keep() {
	f, e := &m.forecast, m.ensemble
	for i := range e.initial {
		for k := range 2 {
			e.ratio(m.values, i, k)
			for j, r := range m.values {
				f.Pred[(((m.block*measuredBlock+i)*f.Members+j)*f.Frames+e.frame)*2+k] = r
			}
		}
	}
}

// share is how much of it is done.
func (m *mixingMeasurement) share() float64 {
	return (float64(m.next) + float64(m.block*measuredBlock)) / float64(2*m.count)
}

// result says it in words.
func (m *mixingMeasurement) result() string {
	text := fmt.Sprintf("%d trajectories: MMD %.2e", m.count, m.mmd)
	if !math.IsNaN(m.floor) {
		text += fmt.Sprintf(" (%.2e between two halves of the true ones)", m.floor)
	}
	return text + fmt.Sprintf(", %.1f %% of the truth within bands of %.0f %%", 100*m.coverage, 100*m.nominal)
}
