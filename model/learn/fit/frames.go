package fit

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/net/circle"
	"macroscope/model/net/encoder"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/work"
)

// maxDim is the largest number of coordinates of a particle.
const maxDim = encoder.MaxDim

// frames holds the data of stage I. Trajectories may be added during training.
type frames struct {
	model *model.Model
	kept  []int // indices of the kept frames in the longest trajectory, in ascending order
	of    []keptFrames

	scaled bool // whether the coordinates have scales, computed from the initial trajectories
	ranged bool // whether the macroscopic variables have ranges, computed from all trajectories
}

// keptFrames holds the kept frames of one trajectory. A shorter trajectory has fewer of them.
type keptFrames struct {
	points  []float32 // points of all frames, one frame after another, packed if the system can pack them; nil until read
	at      []int     // (F+1): the indices in `points` at which the frames begin, then the index at which the last frame ends
	ends    []int     // (F, S): cumulative numbers of particles in the sets of each frame
	macro   []float64 // (F, M): macroscopic variables, only for a one-step loss
	moments moments
}

// moments is one trajectory's contribution to the scales.
type moments struct {
	count        int             // number of particles in the kept frames
	sum, squares [maxDim]float64 // sums over the particles, for every coordinate
	low, high    [maxDim]float64
	macro        [][2]float64 // smallest and largest value of each macroscopic variable, over all frames
}

// newFrames returns the store for trajectories of shape s, without any trajectory.
func newFrames(m *model.Model, s system.Shape) *frames {
	return &frames{
		model: m, kept: m.Config.Data.Frames(m.System, s.Frames), of: make([]keptFrames, min(m.Config.Data.Trajectories, s.Trajectories)),
	}
}

// ready implements store. A resumed training keeps its scales of coordinates.
func (d *frames) ready(there int) (err error) {
	if !d.ranged && there == len(d.of) {
		d.ranged = true
		if err = d.checkMotion(); err == nil {
			err = d.scaleMacro()
		}
	}
	if err == nil && !d.scaled {
		err, d.scaled = d.scalePoints(), true
	}
	return err
}

// has reports whether there is a frame i with particles in every set. Frames are counted over all trajectories so far, as if all had the frames
// of the longest.
func (d *frames) has(i int) bool {
	return d.of[i/len(d.kept)].has(i%len(d.kept), d.model.Config.Sets())
}

// has reports whether there is a frame k with particles in every one of its sets. An empty set has no density.
func (k *keptFrames) has(frame, sets int) bool {
	return frame < len(k.at)-1 && !hasEmpty(k.ends[frame*sets:(frame+1)*sets])
}

// frame returns the points of frame i and the ends of its sets, see has.
func (d *frames) frame(i, sets int) (points []float32, ends []int) {
	t, k := &d.of[i/len(d.kept)], i%len(d.kept)
	return t.points[t.at[k]:t.at[k+1]], t.ends[k*sets : (k+1)*sets]
}

// macros returns the macroscopic variables of frame i, see has.
func (d *frames) macros(i int) []float64 {
	t, k := &d.of[i/len(d.kept)], i%len(d.kept)
	n := d.model.Config.Variables
	return t.macro[k*n : (k+1)*n]
}

// item implements store.
func (d *frames) item() item { return &framesItem{frames: d} }

// entered implements store.
func (d *frames) entered(index int) item { return &framesItem{d, d.of[index]} }

// framesItem holds the frames of one trajectory.
type framesItem struct {
	*frames
	keptFrames
}

// fill implements item.
func (k *framesItem) fill(t *system.Trajectory, index int, _ work.Pause) error {
	var f system.Frame
	m := k.model
	c := &m.Config
	k.keptFrames = keptFrames{at: []int{0}, moments: newMoments(c.Variables)}
	there := t.Frames(c.Variables)
	var list model.List
	if c.Data.Listed {
		m.System.Frame(&f, t, 0, c.Dim())
		list.Begin(&f, c.Dim())
	}
	if c.Decoder.Step.On() && there <= k.kept[1] {
		return fmt.Errorf("trajectory %d has %s, and the one-step loss compares frames 0 and %d; leave it out, or set a lower thin", c.Data.KeptOut.Index(index), setting.Count(there, "frame", "frames"), k.kept[1])
	}
	for _, frame := range k.kept {
		if frame >= there {
			break
		}
		if m.System.Unpack != nil {
			m.System.Pack(&f, t, frame)
		} else {
			m.System.Frame(&f, t, frame, c.Dim())
			list.Arrange(&f)
		}
		if err := c.Autoencoder().Trains(f.Ends); err != nil {
			return fmt.Errorf("trajectory %d: %w", c.Data.KeptOut.Index(index), err)
		}
		k.points = append(k.points, f.Points...)
		k.at = append(k.at, len(k.points))
		k.ends = append(k.ends, f.Ends...)
		if c.Decoder.Step.On() {
			k.macro = append(k.macro, t.Macro[frame*c.Variables:(frame+1)*c.Variables]...)
		}
	}
	if !k.trains() {
		return fmt.Errorf("trajectory %d: too few of the frames that train the encoder have particles of all species; leave it out, or keep more frames", c.Data.KeptOut.Index(index))
	}
	k.moments.addMacro(t.Macro)
	return nil
}

// trains reports whether there is a frame with particles in every set or, for a one-step loss, two that follow each other.
func (k *framesItem) trains() bool {
	c := &k.model.Config
	for frame := range len(k.at) - 1 {
		if k.keptFrames.has(frame, c.Sets()) && (!c.Decoder.Step.On() || k.keptFrames.has(frame+1, c.Sets())) {
			return true
		}
	}
	return false
}

// hasEmpty reports whether one of the sets with these ends is empty.
func hasEmpty(ends []int) bool {
	begin := 0
	for _, end := range ends {
		if end == begin {
			return true
		}
		begin = end
	}
	return false
}

// pass implements item.
func (k *framesItem) pass(m *message) (ok bool) {
	c := &k.model.Config
	if m.reads {
		k.moments = newMoments(c.Variables)
	}
	counted(m, &k.points)
	counted(m, &k.at)
	counted(m, &k.ends)
	counted(m, &k.macro)
	for i := range k.moments.macro {
		values(m, k.moments.macro[i][:])
	}
	return !m.short && k.valid()
}

// valid reports whether the method `fill` could have made this item.
func (k *framesItem) valid() bool {
	c, count := &k.model.Config, len(k.at)-1
	sets, macros := c.Sets(), 0
	if c.Decoder.Step.On() {
		macros = count * c.Variables
	}
	if count < 1 || count > len(k.kept) || len(k.ends) != count*sets || len(k.macro) != macros || k.at[0] != 0 || k.at[count] != len(k.points) {
		return false
	}
	for f := range count {
		if k.at[f+1] < k.at[f] || !endsFit(k.ends[f*sets:(f+1)*sets], k.at[f+1]-k.at[f], c) {
			return false
		}
	}
	return k.trains()
}

// endsFit reports whether the sets of a frame can have the given ends, if the frame has the given
// number of coordinates.
func endsFit(ends []int, numbers int, c *method.Config) bool {
	if len(ends) != c.Sets() || c.Autoencoder().Trains(ends) != nil {
		return false
	}
	last := ends[len(ends)-1]
	return last <= c.MaxParticles() && last*c.Dim() == numbers
}

// enter implements item.
func (k *framesItem) enter(index int) {
	c := &k.model.Config
	if c.Scaling() != system.AsIs {
		if unpack := k.model.System.Unpack; unpack != nil {
			var f system.Frame
			for i := range len(k.at) - 1 {
				unpack(&f, k.points[k.at[i]:k.at[i+1]])
				k.moments.addPoints(f.Points, c.Dim())
			}
		} else {
			k.moments.addPoints(k.points, c.Dim())
		}
	}
	k.of[index] = k.keptFrames
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

// turn makes the moments those of sets that are turned: about the centre, with equal scales of the coordinates that
// turn together.
func (m *moments) turn(of *system.Traits) {
	n := float64(m.count)
	for _, axes := range of.Vectors {
		square := 0.0 // sum over the axes of the squared distances from the centre
		for _, k := range axes {
			c := 0.0
			if of.Centre != nil {
				c = of.Centre[k]
			}
			square += m.squares[k] + c*(n*c-2*m.sum[k])
			m.sum[k] = n * c
		}
		for _, k := range axes {
			c := m.sum[k] / n
			m.squares[k] = square/float64(len(axes)) + n*c*c
		}
	}
}

// checkMotion returns an error if the kept frames of each trajectory are the same.
func (d *frames) checkMotion() error {
	for e := range d.of {
		t := &d.of[e]
		for k := 1; k < len(t.at)-1; k++ {
			if !slices.Equal(t.points[:t.at[1]], t.points[t.at[k]:t.at[k+1]]) {
				return nil
			}
		}
	}
	if len(d.kept) < 2 {
		return nil
	}
	return errors.New("nothing moves: the frames of each trajectory are all the same, so there is nothing to learn; choose trajectories with particles that move")
}

// constant is the largest range of a macroscopic variable, relative to its largest size, that counts as
// rounding errors. Trajectories have positions in float32, which resolves 6e-8. An observable of 0 ± 1e-9
// does not count as constant: it can be an array of the user in large units, and nothing else in the data
// says its scale. The observables that the program computes are not such: they are sizes, shares and
// energies without constant parts that cancel. Rounding errors move by noise, which is said before a
// training (see measure.Mismatch).
const constant = 1e-7

// scaleMacro computes the ranges of the macroscopic variables over all trajectories of stage I.
func (d *frames) scaleMacro() error {
	m := d.model
	for i := range m.Config.Variables {
		low, high := math.Inf(1), math.Inf(-1)
		for e := range d.of {
			r := d.of[e].moments.macro[i]
			low, high = min(low, r[0]), max(high, r[1])
		}
		if largest := max(math.Abs(low), math.Abs(high)); !(high-low > constant*largest) {
			return fmt.Errorf("the %s is %.6g in every frame, so there is nothing to learn; choose other trajectories or another observable", m.System.Variables(m.Config.Data.Observable)[i], low)
		}
		m.Scale.SetRange(i, low, high)
	}
	return nil
}

// scalePoints computes the scales of coordinates over the initial trajectories of stage I. The
// scales must not change while a network is trained.
func (d *frames) scalePoints() error {
	m := d.model
	first, dim := d.of[:m.Config.Data.Available(0, len(d.of))], m.Config.Dim()
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
	if m.Config.Data.Turn && m.Config.Traits.Mirrors == 0 {
		all.turn(&m.Config.Traits)
	}
	s := &m.Scale
	for k := range dim {
		if m.Config.Circles.Has(k) {
			s.Mean[k], s.Std[k] = 0, m.Config.Traits.Periods[k]/circle.Round
			continue
		}
		switch m.Config.Scaling() {
		case system.Standardise:
			n := float64(all.count)
			s.Mean[k] = all.sum[k] / n
			s.Std[k] = math.Sqrt(max(all.squares[k]/n-s.Mean[k]*s.Mean[k], 0))
		case system.Span:
			s.Mean[k], s.Std[k] = (all.low[k]+all.high[k])/2, (all.high[k]-all.low[k])/2
		}
		if !(s.Std[k] > 0) {
			return fmt.Errorf("%s of all particles is %g in every frame; leave it out", m.System.Axis(k), s.Mean[k])
		}
	}
	s.Prepare()
	return nil
}

// frameBytes returns how many bytes stage I takes to keep the points of trajectories with shape s.
func frameBytes(m *method.Config, sys *system.System, s system.Shape) int {
	return 4 * min(m.Data.Trajectories, s.Trajectories) * len(m.Data.Frames(sys, s.Frames)) * s.Particles * s.Dim
}
