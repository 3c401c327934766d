package model

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"macroscope/model/net/encoder"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

// Coder encodes frames. After the first frame it allocates nothing for frames of the same size.
// It is not safe for concurrent use.
type Coder struct {
	model  *Model
	enc    encoder.Encoder[float32]
	scaled []float32    // the points, in the networks' units
	sorted system.Frame // the frame in its canonical order
	turned []float32
	viewed system.Frame // a mirrored view of the frame
	plane  [][2]float32 // scratch for sorting
	rows   rows         // scratch for sorting
	list   List         // the order of the trajectory that Follow has begun
	listed bool         // whether Canonical uses this order
}

// NewCoder returns a coder of the model. Each call encodes with the weights that the model has
// at that time.
func (m *Model) NewCoder() *Coder {
	return &Coder{model: m, enc: m.Weights.net.Encoder.Float32().Frozen(m.Config.Sets())}
}

// Takes returns an error if a frame cannot be encoded.
func (m *Model) Takes(f *system.Frame) error { return m.Config.Encoder.Takes(m.Config.Shape, f.Ends) }

// Encode writes unscaled ẑ of every set of a frame (S, ZDim) to dst. It does not reorder the
// particles.
func (c *Coder) Encode(dst []float32, f *system.Frame) { c.encode(dst, f.Points, f.Ends) }

func (c *Coder) encode(dst, points []float32, ends []int) {
	m := c.model
	c.scaled = slices.Grow(c.scaled[:0], len(points))[:len(points)]
	m.Scale.Points(c.scaled, points)
	m.Centre(c.scaled, ends)
	m.Hide(c.scaled)
	enc, _ := m.Weights.Split(m.Weights.Params)
	copy(dst, c.enc.Encode(enc, encoder.Batch[float32]{Points: c.scaled, Ends: ends}))
}

// Hide changes scaled points (n, Dim): the coordinate that the encoder does not see (Data.Unseen)
// becomes the scaled value of 0.
func (m *Model) Hide(points []float32) {
	if k := m.Config.Data.Unseen; k > 0 {
		m.Scale.Stretch(points, k-1, 0)
	}
}

// Scaled scales ẑ of every set (S, ZDim) to [-1, 1]. dst may be z.
func (m *Model) Scaled(dst, z []float32) {
	for i, v := range z {
		dst[i] = float32(m.Scale.State(m.Config.Variables+i, float64(v)))
	}
}

// Unscaled is the inverse of Scaled.
func (m *Model) Unscaled(dst, z []float32) {
	for i, v := range z {
		dst[i] = float32(m.Scale.Value(m.Config.Variables+i, float64(v)))
	}
}

// Follow makes Canonical use the list of the trajectory that begins with this frame, if the encoder reads a list (see
// method.Data.Listed). After Follow(nil), Canonical takes each frame for the first of a trajectory, as for a new Coder.
func (c *Coder) Follow(first *system.Frame) {
	if c.listed = first != nil && c.model.Config.Data.Listed; c.listed {
		c.list.Begin(first, c.model.Config.Dim())
	}
}

// Canonical returns the frame with the particles of every set in canonical order. The bits of
// results then do not depend on the original order. If the encoder reads a list, this is the order of the
// trajectory (see Follow). If the encoder depends on the order otherwise,
// Canonical returns the frame unchanged. The result is valid until the next call.
func (c *Coder) Canonical(f *system.Frame) *system.Frame {
	cfg := &c.model.Config
	if cfg.Encoder.Ordered() && !cfg.Data.Listed {
		return f
	}
	dim := cfg.Dim()
	if c.sorted.Copy(f); c.listed {
		c.list.Arrange(&c.sorted)
		return &c.sorted
	}
	for s := range f.Ends {
		c.sort(c.sorted.Set(s, dim), dim)
	}
	return &c.sorted
}

// sort sorts points (n, dim) by their coordinates.
func (c *Coder) sort(points []float32, dim int) {
	switch dim {
	case 1:
		slices.Sort(points)
	case 2:
		c.plane = c.plane[:0]
		for i := 0; i+1 < len(points); i += 2 {
			c.plane = append(c.plane, [2]float32{points[i], points[i+1]})
		}
		slices.SortFunc(c.plane, func(a, b [2]float32) int {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			return cmp.Compare(a[1], b[1])
		})
		for i, p := range c.plane {
			points[2*i], points[2*i+1] = p[0], p[1]
		}
	default:
		c.rows = rows{points, dim}
		sort.Sort(&c.rows)
	}
}

// rows sorts points (n, dim) by their coordinates. It is a sort.Interface.
type rows struct {
	points []float32
	dim    int
}

func (r *rows) Len() int { return len(r.points) / r.dim }

func (r *rows) of(i int) []float32 { return r.points[i*r.dim : (i+1)*r.dim] }

func (r *rows) Less(i, j int) bool { return slices.Compare(r.of(i), r.of(j)) < 0 }

func (r *rows) Swap(i, j int) {
	a, b := r.of(i), r.of(j)
	for k, v := range a {
		a[k], b[k] = b[k], v
	}
}

// State writes the state (V) of view k of a frame, scaled to [-1, 1], to z. The state consists of
// the macroscopic variables, ẑ of the particles in the given order, and the frozen variables. The
// macroscopic variables are the last row of macro (K, M). For dynamics with a memory, macro must
// contain a row for every frame up to this one.
func (c *Coder) State(z []float32, f *system.Frame, macro []float64, k int) {
	m := c.model
	points := f.Points
	switch {
	case m.Config.Data.Views == 1:
	case m.Config.Traits.Mirrors > 0:
		c.viewed.Copy(f)
		m.System.MirrorFrame(&c.viewed, uint(k))
		points = c.viewed.Points
	default:
		c.turned = slices.Grow(c.turned[:0], len(points))[:len(points)]
		t := view(&m.Config.Traits, k, m.Config.Data.Views)
		t.Apply(c.turned, points, &m.Config.Traits)
		points = c.turned
	}
	c.raw(z, points, f, macro)
	for _, i := range m.ranged {
		z[i] = float32(m.Scale.State(i, float64(z[i])))
	}
}

// raw is like State, but leaves ẑ unscaled, and encodes the given points instead of the frame's
// points.
func (c *Coder) raw(z, points []float32, f *system.Frame, macro []float64) {
	m := c.model
	for i, v := range macro[len(macro)-m.Config.Variables:] {
		z[i] = float32(m.Scale.State(i, v))
	}
	c.encode(z[m.Config.Variables:m.Config.Moving()], points, f.Ends)
	m.freeze(z, f)
	m.remember(z, macro)
}

// States writes the states of all views of a frame (Views, V) to dst, scaled to [-1, 1]. It
// encodes the particles in canonical order.
func (c *Coder) States(dst []float32, f *system.Frame, macro []float64) {
	f = c.Canonical(f)
	v := c.model.Config.States()
	for k := range c.model.Config.Data.Views {
		c.State(dst[k*v:(k+1)*v], f, macro, k)
	}
}

// Trajectory writes the states of all frames of a trajectory (T, V) to dst, for stage II, with
// unscaled ẑ. e is the trajectory's index in its source and selects the random numbers. If
// Data.Turn is set, Trajectory first changes t itself: all frames get the same random turn or
// mirroring. If the encoder depends on the order of particles, all frames get the same order: that of a list, or a random
// one. The error says why the encoder does not accept a frame.
func (c *Coder) Trajectory(dst []float32, t *system.Trajectory, e int) error {
	c.Prepare(t, e)
	v := c.model.Config.States()
	for k := range t.Frames(c.model.Config.Variables) {
		if err := c.FrameOf(dst[k*v:(k+1)*v], t, e, k); err != nil {
			return fmt.Errorf("trajectory %d: %w", e, err)
		}
	}
	return nil
}

// Prepare and FrameOf divide the work of the method Trajectory into pieces. If Data.Turn is set,
// Prepare turns or mirrors all frames of t alike, at random. If the encoder reads a list, Prepare makes the list of t.
func (c *Coder) Prepare(t *system.Trajectory, e int) {
	cfg := &c.model.Config
	if cfg.Data.Listed {
		c.model.System.Frame(&c.sorted, t, 0, cfg.Dim())
		c.list.Begin(&c.sorted, cfg.Dim())
	}
	if !cfg.Data.Turn {
		return
	}
	src := rng.New(cfg.Seed, cfg.Traits.Streams.Turns, uint64(e))
	if n := cfg.Traits.Mirrors; n > 0 {
		c.model.System.Mirror(t.Points, len(t.Species), RandomWays(src, n))
		return
	}
	turn := RandomTurn(&cfg.Traits, src)
	turn.Apply(t.Points, t.Points, &cfg.Traits)
}

// FrameOf writes the state (V) of frame k of a prepared trajectory to z, with unscaled ẑ.
func (c *Coder) FrameOf(z []float32, t *system.Trajectory, e, k int) error {
	m := c.model
	m.System.Frame(&c.sorted, t, k, m.Config.Dim())
	if err := m.Takes(&c.sorted); err != nil {
		return err
	}
	switch {
	case m.Config.Data.Listed:
		c.list.Arrange(&c.sorted)
	case m.Config.Encoder.Ordered():
		Shuffle(&c.sorted, m.Config.Dim(), rng.New(m.Config.Seed, "ordered orders", uint64(e)))
	}
	c.raw(z, c.sorted.Points, &c.sorted, t.Until(k, m.Config.Variables))
	return nil
}

// RandomWays draws a random subset of a system's mirrorings, as one bit per mirroring.
func RandomWays(src *rng.Source, ways int) uint { return uint(src.IntN(1 << ways)) }

// Shuffle puts the particles of every set of a frame in random order. All orders are equally
// likely.
func Shuffle(f *system.Frame, dim int, src *rng.Source) {
	for s := range f.Ends {
		set := f.Set(s, dim)
		for i := len(set)/dim - 1; i > 0; i-- {
			j := src.IntN(i + 1)
			for d := range dim {
				set[dim*i+d], set[dim*j+d] = set[dim*j+d], set[dim*i+d]
			}
		}
	}
}
