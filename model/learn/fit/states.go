package fit

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/work"
)

// states contains z for all frames of trajectories. A trajectory and its mirror images (see
// method.Dynamics.Images) are consecutive, and count as trajectories of their own.
type states struct {
	model                     *model.Model
	trajectories, frames, dim int       // frames is T, that of the longest trajectory
	lengths                   []int     // frames of each trajectory (E); nil: all have T
	images                    int       // number of images of each trajectory, itself included; unused if z was given
	read                      []float32 // (E, T, V), as encoded
	z                         []float32 // (E, T, V), scaled to [-1, 1] over all trajectories; nil until all have been read
	coders                    sync.Pool // pool of *model.Coder
}

// newStates returns the store of stage II for trajectories of shape s, without any trajectory.
func newStates(m *model.Model, s system.Shape) *states {
	c := &m.Config
	d := &states{model: m, images: c.Dynamics.Images, frames: s.Frames, dim: c.States()}
	d.trajectories = min(c.Dynamics.Trajectories, s.Trajectories) * d.images
	d.read, d.lengths = make([]float32, d.trajectories*d.frames*d.dim), slices.Repeat([]int{d.frames}, d.trajectories)
	d.coders.New = func() any { return m.NewCoder() }
	return d
}

// statesBytes returns how many bytes stage II takes to keep z of trajectories with shape s.
func statesBytes(c *method.Config, s system.Shape) int {
	return 2 * 4 * min(c.Dynamics.Trajectories, s.Trajectories) * c.Dynamics.Images * s.Frames * c.States()
}

// checkStretches returns an error if the dynamics cannot be trained on trajectories with the
// given number of frames.
func checkStretches(c *method.Dynamics, frames int) error {
	for _, t := range []method.DynamicsTraining{c.Velocity, c.Rollout} {
		if n := frames - c.Begin; t.Steps > 0 && t.Window*t.Stride >= n {
			return fmt.Errorf("stage II compares stretches of %d frames, and the trajectories have %d", t.Window*t.Stride+1, n)
		}
	}
	return nil
}

// length returns the number of frames of trajectory e.
func (d *states) length(e int) int {
	if d.lengths == nil {
		return d.frames
	}
	return d.lengths[e]
}

// of returns z of trajectory e (T, V), for its own T.
func (d *states) of(z []float32, e int) []float32 {
	return z[e*d.frames*d.dim:][:d.length(e)*d.dim]
}

// item implements store.
func (d *states) item() item { return &statesItem{states: d} }

// entered implements store.
func (d *states) entered(index int) item {
	k := &statesItem{states: d}
	for e := index * d.images; e < (index+1)*d.images; e++ {
		k.z = append(k.z, d.of(d.read, e)...)
	}
	return k
}

// statesItem holds z of one trajectory and its mirror images before scaling.
type statesItem struct {
	*states
	z []float32 // (images, T, V), unscaled, for the T of this trajectory
}

// fill implements item. It pauses after each frame.
func (k *statesItem) fill(t *system.Trajectory, index int, pause work.Pause) error {
	coder := k.coders.Get().(*model.Coder)
	defer k.coders.Put(coder)
	coder.Prepare(t, index)
	frames := t.Frames(k.model.Config.Variables)
	k.z = make([]float32, k.images*frames*k.dim)
	for next := range k.images * frames {
		if image := next / frames; next > 0 && next%frames == 0 {
			// The bits of an image's number say in which ways it is mirrored.
			k.model.System.Mirror(t.Points, len(t.Species), uint(image^(image-1)))
		}
		if err := pause(float64(next) / float64(k.images*frames)); err != nil {
			return err
		}
		if err := coder.FrameOf(k.z[next*k.dim:(next+1)*k.dim], t, index, next%frames); err != nil {
			return fmt.Errorf("trajectory %d: %w", k.model.Config.Data.KeptOut.Index(index), err)
		}
	}
	return nil
}

// pass implements item. An item is the rest of a message.
func (k *statesItem) pass(m *message) (ok bool) {
	if m.reads {
		k.z = make([]float32, min(len(m.b)/4, k.images*k.frames*k.dim))
	}
	values(m, k.z)
	return !m.short && len(k.z) > 0 && len(k.z)%(k.images*k.dim) == 0
}

// enter implements item.
func (k *statesItem) enter(index int) {
	size := len(k.z) / k.images
	for i := range k.images {
		e := index*k.images + i
		k.lengths[e] = size / k.dim
		copy(k.of(k.read, e), k.z[i*size:])
	}
}

// ready implements store. It computes the ranges of ẑ and of the memory inputs
// (method.Dynamics.Memory) for the model's scales, and scales these variables to about [-1, 1]. See
// method.Dynamics.Narrowest for the
// exception.
func (d *states) ready(int) error {
	if d.z != nil {
		return nil
	}
	m := d.model
	if longest := slices.Max(d.lengths); longest < d.frames { // the longest is kept out
		if err := checkStretches(&m.Config.Dynamics, longest); err != nil {
			return err
		}
	}
	d.z = slices.Clone(d.read)
	ranges, widest := make([][2]float64, d.dim), 0.0
	for _, i := range m.Config.Ranged() {
		low, high := math.Inf(1), math.Inf(-1)
		for e := range d.trajectories {
			z := d.of(d.z, e)
			for j := i; j < len(z); j += d.dim {
				low, high = min(low, float64(z[j])), max(high, float64(z[j]))
			}
		}
		if !(high > low) || math.IsInf(high-low, 0) {
			return fmt.Errorf("closure variable %d goes from %g to %g over the training set, which cannot be scaled; train stage I again with another seed or a lower rate", i-m.Config.Variables, low, high)
		}
		if ranges[i] = [2]float64{low, high}; i < m.Config.Moving() {
			widest = max(widest, high-low)
		}
	}
	for _, i := range m.Config.Ranged() {
		low, high := ranges[i][0], ranges[i][1]
		if more := m.Config.Dynamics.Narrowest*widest - (high - low); more > 0 && i < m.Config.Moving() {
			low, high = low-more/2, high+more/2
		}
		m.Scale.SetRange(i, low, high)
		for j := i; j < len(d.z); j += d.dim {
			d.z[j] = float32(m.Scale.State(i, float64(d.z[j])))
		}
	}
	return nil
}
