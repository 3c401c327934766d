package fit

import (
	"context"
	"fmt"
	"math"

	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

// maxDim bounds the coordinates of a particle.
const maxDim = 16

// frames is what stage I draws from. Trajectories may come while it trains.
type frames struct {
	kept []int // which frames of every trajectory
	of   []keptFrames
}

// keptFrames are those of one trajectory.
type keptFrames struct {
	points  []float32 // of all of them, packed where the system can, one after another; nil until it is there
	at      []int     // (F+1): where each begins, in numbers
	ends    []int     // (F, S): where the sets of each end
	macro   []float64 // (F, M), for a one-step loss alone
	moments moments
}

// moments are what the scales need of a trajectory.
type moments struct {
	count        int             // particles in the kept frames
	sum, squares [maxDim]float64 // of every coordinate
	low, high    [maxDim]float64
	macro        [][2]float64 // lowest and highest of each macroscopic variable, over all frames
}

// newFrames makes room for the trajectories of a source, without any of them.
func newFrames(m *experiment.Model, s system.Shape) *frames {
	return &frames{
		kept: m.Config.Frames(m.System, s.Frames), of: make([]keptFrames, min(m.Config.Trajectories, s.Trajectories)),
	}
}

// frame returns frame i of all that are there: its points and where its sets end.
func (d *frames) frame(i, sets int) (points []float32, ends []int) {
	t, k := &d.of[i/len(d.kept)], i%len(d.kept)
	return t.points[t.at[k]:t.at[k+1]], t.ends[k*sets : (k+1)*sets]
}

// macros returns the macroscopic variables of frame i of all that are there.
func (d *frames) macros(i int) []float64 {
	t, k := &d.of[i/len(d.kept)], i%len(d.kept)
	n := len(t.macro) / len(d.kept)
	return t.macro[k*n : (k+1)*n]
}

// keep returns the frames of a trajectory that stage I uses.
func (d *frames) keep(m *experiment.Model, t *system.Trajectory) (keptFrames, error) {
	var f system.Frame
	dim := m.Config.Dim()
	k := keptFrames{at: []int{0}, moments: newMoments(m.Config.Variables)}
	packer, packs := m.System.(system.Packer)
	for _, frame := range d.kept {
		if packs {
			packer.Pack(&f, t, frame)
		} else {
			m.System.Frame(&f, t, frame, dim)
		}
		if err := m.Config.Trains(f.Ends); err != nil {
			return k, err
		}
		k.points = append(k.points, f.Points...)
		k.at = append(k.at, len(k.points))
		k.ends = append(k.ends, f.Ends...)
		if m.Config.Decoder.Step.On() {
			k.macro = append(k.macro, t.Macro[frame*m.Config.Variables:(frame+1)*m.Config.Variables]...)
		}
	}
	k.moments.addMacro(t.Macro)
	return k, nil
}

// put adds trajectory e.
func (d *frames) put(e int, m *experiment.Model, k keptFrames) {
	dim := m.Config.Dim()
	if m.Config.Scaling() == system.AsIs {
		d.of[e] = k
		return
	}
	if packer, packs := m.System.(system.Packer); packs {
		var f system.Frame
		for i := range d.kept {
			packer.Unpack(&f, k.points[k.at[i]:k.at[i+1]])
			k.moments.addPoints(f.Points, dim)
		}
	} else {
		k.moments.addPoints(k.points, dim)
	}
	d.of[e] = k
}

func newMoments(variables int) moments {
	m := moments{macro: make([][2]float64, variables)}
	for i := range maxDim {
		m.low[i], m.high[i] = math.Inf(1), math.Inf(-1)
	}
	for i := range m.macro {
		m.macro[i] = [2]float64{math.Inf(1), math.Inf(-1)}
	}
	return m
}

func (m *moments) addMacro(macro []float64) {
	for i, v := range macro {
		r := &m.macro[i%len(m.macro)]
		r[0], r[1] = min(r[0], v), max(r[1], v)
	}
}

func (m *moments) addPoints(points []float32, dim int) {
	m.count += len(points) / dim
	for i, p := range points {
		k, v := i%dim, float64(p)
		m.sum[k] += v
		m.squares[k] += v * v
		m.low[k], m.high[k] = min(m.low[k], v), max(m.high[k], v)
	}
}

// collect reads the frames of stage I and finds the scales of the macroscopic
// variables and, unless a training goes on that has them, of coordinates.
func collect(ctx context.Context, m *experiment.Model, src system.Source, workers int, goesOn bool, done func(trajectories int)) (*frames, error) {
	d := newFrames(m, src.Shape())
	seen := system.Counter(done)
	err := src.Each(ctx, len(d.of), workers, func(e int, t *system.Trajectory) error {
		k, err := d.keep(m, t)
		if err != nil {
			return fmt.Errorf("trajectory %d: %w", e, err)
		}
		d.put(e, m, k)
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := d.scaleMacro(m); err != nil || goesOn {
		return d, err
	}
	return d, d.scalePoints(m)
}

// scaleMacro finds the ranges of the macroscopic variables, over all
// trajectories of stage I.
func (d *frames) scaleMacro(m *experiment.Model) error {
	for i := range m.Config.Variables {
		low, high := math.Inf(1), math.Inf(-1)
		for e := range d.of {
			r := d.of[e].moments.macro[i]
			low, high = min(low, r[0]), max(high, r[1])
		}
		if !(high > low) {
			return fmt.Errorf("the %s is %g in every frame, so there is nothing to learn; choose other trajectories or another observable", m.System.Variables(m.Config.Observable)[i], low)
		}
		m.Scale.Low[i], m.Scale.High[i] = low, high
	}
	return nil
}

// scalePoints finds the scales of coordinates, over the trajectories that stage I
// begins with: they cannot change under a network that trains.
func (d *frames) scalePoints(m *experiment.Model) error {
	first := d.of[:m.Config.Available(0, len(d.of))]
	dim := m.Config.Dim()
	all := newMoments(0)
	for e := range first {
		q := &first[e].moments
		all.count += q.count
		for k := range dim {
			all.sum[k] += q.sum[k]
			all.squares[k] += q.squares[k]
			all.low[k], all.high[k] = min(all.low[k], q.low[k]), max(all.high[k], q.high[k])
		}
	}
	if m.Config.Turn && m.Config.Traits.Mirrors == 0 { // about the origin, which makes the coordinates alike
		all.sum[0], all.sum[1] = 0, 0
		all.squares[0] = (all.squares[0] + all.squares[1]) / 2
		all.squares[1] = all.squares[0]
	}
	s := &m.Scale
	for k := range dim {
		switch m.Config.Scaling() {
		case system.Standardise:
			n := float64(all.count)
			s.Mean[k] = all.sum[k] / n
			s.Std[k] = math.Sqrt(max(all.squares[k]/n-s.Mean[k]*s.Mean[k], 0))
		case system.Span:
			s.Mean[k], s.Std[k] = (all.low[k]+all.high[k])/2, (all.high[k]-all.low[k])/2
		}
		if !(s.Std[k] > 0) {
			return fmt.Errorf("coordinate %d of all particles is %g in every frame; leave it out", k, s.Mean[k])
		}
	}
	s.Prepare()
	return nil
}

// frameBytes returns the size of what stage I keeps of a source.
func frameBytes(m *experiment.Config, sys system.System, s system.Shape) int {
	return 4 * min(m.Trajectories, s.Trajectories) * len(m.Frames(sys, s.Frames)) * s.Particles * s.Dim
}
