package lab

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"macroscope/model/data"
	"macroscope/model/metric"
	"macroscope/model/wire"
)

// ownArray stands, among the observables, for an array of the visitor's file.
const ownArray = "array"

// ownData is trajectories of the visitor's own.
type ownData struct {
	name       string // of the file
	bytes      []byte
	observable string // one of observables, or ownArray
	array      string // of the file that ownArray stands for, "" if there is none
	rec        *Recording
	rows       *recordingRows
	trajectory int // on show, from 0

	reader   *recordingReader
	measured *measurement
}

// measurement is the MRE of a model over all trajectories, worked out in
// pieces, with the figures of ParticlesModel.Evaluate.
type measurement struct {
	model  *ParticlesModel
	ahead  *forecast
	reader *recordingReader
	next   int // trajectory
	begun  bool
	rolls  bool // the trajectory has been read
	truth  []float32
	result Rollouts
}

// openData opens a NumPy file with an observable.
func openData(name string, b []byte, observable string) (*ownData, error) {
	d := &ownData{name: name, bytes: b, observable: observable}
	names, err := data.Names(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		if d.array == "" && n != trajectoriesArray && n != macroArray && n != "types" {
			d.array = n
		}
	}
	what := observable
	if observable == ownArray {
		if what = d.array; what == "" {
			return nil, errors.New("the file has no array beside trajectories, macro and types that could be the observable")
		}
	}
	if d.rec, err = OpenRecording(bytes.NewReader(b), int64(len(b)), what); err != nil {
		return nil, err
	}
	s := d.rec.Shape()
	switch {
	case s.Dim != 2:
		return nil, fmt.Errorf("the particles have %d coordinates, and the page shows those in the plane; the command line trains on others", s.Dim)
	case s.Particles > MaxParticles:
		return nil, fmt.Errorf("the trajectories have %d particles, and the page has room for %d; the command line takes more", s.Particles, MaxParticles)
	}
	if err := checkPlayed(s.Particles, s.Frames-1); err != nil {
		return nil, err
	}
	d.rows = &recordingRows{src: d.rec}
	d.reader = newRecordingReader(d.rec, d.rows)
	return d, nil
}

// close lets the file go.
func (d *ownData) close() {
	if d != nil {
		d.rows.close()
		if d.measured != nil {
			d.measured.reader.rows.close()
		}
	}
}

// macroName is the observable in words.
func (d *ownData) macroName() string {
	switch d.observable {
	case Energy:
		return "energy per pair"
	case Gyration:
		return "radius of gyration"
	case ownArray:
		return d.array
	}
	return d.observable
}

// read returns a trajectory, whose memory is the caller's.
func (d *ownData) read(index int) (*Recorded, error) {
	if err := d.reader.begin(index); err != nil {
		return nil, err
	}
	for {
		whole, err := d.reader.advance()
		if err != nil {
			return nil, err
		}
		if whole {
			t := d.reader.recorded()
			return &Recorded{slices.Clone(t.Frames), slices.Clone(t.Macro)}, nil
		}
	}
}

// file takes a dropped file: a checkpoint, or trajectories.
func (s *ParticlesSession) file(name string, b []byte) *wire.Notice {
	if isSafetensors(name, b) {
		return s.openCheckpoint(name, b)
	}
	d, err := openData(name, b, Energy)
	if err == nil {
		err = s.takeData(d, 0)
	}
	if err != nil {
		return failure(fmt.Errorf("%s was not opened: %w", quote(name), err))
	}
	shape := d.rec.Shape()
	text := fmt.Sprintf("Read %d trajectories of %d particles and %d frames from %s.", shape.Trajectories, shape.Particles, shape.Frames, quote(name))
	if d.array != "" {
		text += fmt.Sprintf(" Its array %s can be the observable too.", quote(d.array))
	}
	return &wire.Notice{Text: text}
}

// takeData shows a trajectory of own data, which become the session's.
func (s *ParticlesSession) takeData(d *ownData, index int) error {
	t, err := d.read(index)
	if err != nil {
		return err
	}
	if s.data != d {
		s.data.close()
	}
	s.data, d.trajectory = d, index
	dt := DefaultParticlesSettings().Dt
	if s.a != nil {
		dt = s.a.model.Config.Law.Dt
	}
	s.play.record(t, dt)
	s.hand, s.note = false, fmt.Sprintf("%s, trajectory %d of %d", d.name, index+1, d.rec.Shape().Trajectories)
	s.begun()
	s.measureData()
	s.play.play()
	return nil
}

// setTrajectory shows another trajectory of own data, counted from 1.
func (s *ParticlesSession) setTrajectory(value string) error {
	if s.data == nil {
		return errors.New("there are no trajectories of your own; open a file first")
	}
	var k int
	if err := assignInt(&k, "the trajectory", value, 1, s.data.rec.Shape().Trajectories); err != nil {
		return err
	}
	return s.takeData(s.data, k-1)
}

// setObservable reads own data with another observable.
func (s *ParticlesSession) setObservable(value string) error {
	if s.data == nil {
		if value == Energy {
			return nil
		}
		return errors.New("the observable of simulated particles is their energy; open a file to choose another")
	}
	if value != ownArray && !slices.Contains(observables, value) {
		return fmt.Errorf("there is no observable called %s", quote(value))
	}
	d, err := openData(s.data.name, s.data.bytes, value)
	if err != nil {
		return err
	}
	return s.takeData(d, s.data.trajectory)
}

// closeData goes back to the simulation.
func (s *ParticlesSession) closeData() error {
	if s.data == nil {
		return errors.New("there are no trajectories of your own; open a file first")
	}
	s.data.close()
	s.data = nil
	if err := s.generate(); err != nil {
		return err
	}
	s.play.play()
	return nil
}

// recorded says whether the run on show is of own data.
func (s *ParticlesSession) recorded() bool { return s.play.sim == nil }

// speaksOf says whether a model predicts the observable of the run on show.
func (s *ParticlesSession) speaksOf(m *ParticlesModel) bool {
	if s.data == nil || !s.recorded() {
		return m.Config.Macro == Energy
	}
	return m.Config.Macro == s.data.rec.name
}

// measureData begins to measure model A on own data, if there are any.
func (s *ParticlesSession) measureData() {
	d := s.data
	if d == nil || s.a == nil {
		return
	}
	if d.measured != nil {
		if d.measured.model == s.a.model && !s.a.live {
			return
		}
		d.measured.reader.rows.close()
		d.measured = nil
	}
	if s.a.live || !s.speaksOf(s.a.model) {
		return
	}
	shape := d.rec.Shape()
	d.measured = &measurement{
		model: s.a.model, ahead: newForecast(s.a.model), reader: newRecordingReader(d.rec, &recordingRows{src: d.rec}),
		truth: make([]float32, shape.Frames), result: Rollouts{Frames: shape.Frames, MRE: make([]float64, shape.Trajectories)},
	}
}

// done says whether every trajectory has been measured.
func (m *measurement) done() bool { return m.next == len(m.result.MRE) }

// advance does a piece of work.
func (m *measurement) advance() error {
	switch {
	case m.done():
		return nil
	case !m.begun:
		m.begun = true
		return m.reader.begin(m.next)
	case !m.rolls:
		whole, err := m.reader.advance()
		if err != nil || !whole {
			return err
		}
		t := m.reader.recorded()
		for f, v := range t.Macro {
			m.truth[f] = float32(m.model.Scale.Macro(0, v))
		}
		m.ahead.begin(t.Frames[:m.reader.src.shape.Particles*2], t.Macro[0], len(t.Macro)-1, false)
		m.rolls = true
		return nil
	}
	if m.ahead.step() {
		return nil
	}
	metric.MRE(m.result.MRE[m.next:m.next+1], m.ahead.pred, m.truth)
	m.next++
	m.begun, m.rolls = false, false
	return nil
}

// workData measures until the budget is spent, and reports whether there is more
// to do.
func (s *ParticlesSession) workData(began time.Time, budget time.Duration) (busy bool, notice *wire.Notice) {
	if s.data == nil || s.data.measured == nil || s.data.measured.done() {
		return false, nil
	}
	m := s.data.measured
	for s.now().Sub(began) < budget {
		if err := m.advance(); err != nil {
			s.data.measured = nil
			return false, failure(err)
		}
		if m.done() {
			s.stateStale = true
			mean, median, largest := m.result.Summary()
			return false, &wire.Notice{Text: fmt.Sprintf("MRE over %d trajectories of %s: %.3e on average, median %.3e, largest %.3e.", m.next, quote(s.data.name), mean, median, largest)}
		}
	}
	s.stateStale = true
	return true, nil
}

// dataFigure is the MRE over all own trajectories in words.
func (s *ParticlesSession) dataFigure() string {
	if s.data == nil || s.data.measured == nil || s.data.measured.next == 0 {
		return ""
	}
	m := s.data.measured
	so := Rollouts{MRE: m.result.MRE[:m.next]}
	mean, _, _ := so.Summary()
	if math.IsNaN(mean) {
		return ""
	}
	text := fmt.Sprintf("%.2e", mean)
	if !m.done() {
		text += " of " + strconv.Itoa(m.next)
	}
	return text
}
