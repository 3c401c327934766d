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
	trajectories, frames, dim int
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
	d.read = make([]float32, d.trajectories*d.frames*d.dim)
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
	for _, t := range []method.Training{c.Fit, c.Roll} {
		if n := frames - c.Begin; t.Steps > 0 && t.Window*t.Stride >= n {
			return fmt.Errorf("stage II compares stretches of %d frames, and the trajectories have %d", t.Window*t.Stride+1, n)
		}
	}
	return nil
}

// of returns the unscaled z of all images of trajectory e (images, T, V).
func (d *states) of(e int) []float32 { return d.read[e*d.itemSize() : (e+1)*d.itemSize()] }

func (d *states) itemSize() int { return d.images * d.frames * d.dim }

// item implements store.
func (d *states) item() item {
	return &statesItem{d, make([]float32, d.itemSize())}
}

// entered implements store.
func (d *states) entered(index int) item { return &statesItem{d, d.of(index)} }

// statesItem holds z of one trajectory and its mirror images before scaling.
type statesItem struct {
	*states
	z []float32 // (images, T, V), unscaled
}

// fill implements item. It pauses after each frame.
func (k *statesItem) fill(t *system.Trajectory, index int, pause work.Pause) error {
	coder := k.coders.Get().(*model.Coder)
	defer k.coders.Put(coder)
	coder.Prepare(t, index)
	for next := range k.images * k.frames {
		if image := next / k.frames; next > 0 && next%k.frames == 0 {
			// The bits of an image's number say in which ways it is mirrored.
			k.model.System.Mirror(t.Points, len(t.Species), uint(image^(image-1)))
		}
		if err := pause(float64(next) / float64(k.images*k.frames)); err != nil {
			return err
		}
		if err := coder.FrameOf(k.z[next*k.dim:(next+1)*k.dim], t, index, next%k.frames); err != nil {
			return fmt.Errorf("trajectory %d: %w", k.model.Config.KeptOut.Index(index), err)
		}
	}
	return nil
}

// pass implements item.
func (k *statesItem) pass(m *message) (ok bool) {
	values(m, k.z)
	return !m.short
}

// enter implements item.
func (k *statesItem) enter(index int) { copy(k.of(index), k.z) }

// ready implements store. It computes the ranges of ẑ and of the memory inputs
// (method.Dynamics.Memory) for the model's scales, and scales these variables to about [-1, 1]. See
// method.Dynamics.Narrowest for the
// exception.
func (d *states) ready(int) error {
	if d.z != nil {
		return nil
	}
	d.z = slices.Clone(d.read)
	m := d.model
	ranges, widest := make([][2]float64, d.dim), 0.0
	for _, i := range m.Config.Ranged() {
		low, high := math.Inf(1), math.Inf(-1)
		for j := i; j < len(d.z); j += d.dim {
			low, high = min(low, float64(d.z[j])), max(high, float64(d.z[j]))
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
