package line

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"macroscope/model/file/data"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/sim/gauss"
	"macroscope/sim/rng"
)

// System is the system of sets of points on a line. It is a system.Sampler.
type System struct{ system.Timeless }

var _ system.Sampler = System{}

// Lab is the system's name in links, frames and earlier checkpoints.
const Lab = "demo"

const validationStream = "demo held-out sets"

// Traits implements system.System.
func (System) Traits() system.Traits {
	return system.Traits{
		Name: "line", Link: Lab, Title: "One dimension", Dim: 1, Sets: []string{""}, Scaling: system.AsIs,
		Streams: system.Streams{Weights: "demo weights", Sets: "demo sets"},
	}
}

// Draw implements system.Sampler. The points are sorted, so neighbours in the set are
// neighbours on the line.
func (System) Draw(points []float32, src *rng.Source) {
	gauss.Draw(src.Rand).Sample(points, src.Rand)
	slices.Sort(points)
}

// Validation implements system.Sampler. The points are in the order in which they were drawn.
func (System) Validation(points []float32, src *rng.Source, seed uint64, index int) {
	validationMixture(src, seed, index).Sample(points, src.Rand)
}

func validationMixture(src *rng.Source, seed uint64, index int) gauss.Mixture {
	src.Seed(seed, validationStream, uint64(index))
	return gauss.Draw(src.Rand)
}

// ValidationDensity writes the density of a mixture at the points x (n) to dst (n). The validation
// set with this index is drawn from this mixture.
func (System) ValidationDensity(dst, x []float32, seed uint64, index int) {
	density(dst, x, validationMixture(rng.New(seed, validationStream), seed, index))
}

func density(dst, x []float32, m gauss.Mixture) {
	for i, v := range x {
		dst[i] = float32(m.Density(float64(v)))
	}
}

// Frame implements system.System. There is one frame.
func (System) Frame(dst *system.Frame, t *system.Trajectory, k, dim int) { dst.One(t.Points, dim) }

// Finish implements system.System. It rejects points that are not finite.
func (System) Finish(t *system.Trajectory, dim int, observable string) error {
	if err := checkObservable(observable); err != nil {
		return err
	}
	for i, v := range t.Points {
		if v-v != 0 {
			return fmt.Errorf("point %d is %v; leave it out", i+1, v)
		}
	}
	return nil
}

// Open implements system.System and returns an *Own.
func (System) Open(f system.File, observable string) (system.Recorded, error) {
	if err := checkObservable(observable); err != nil {
		return nil, err
	}
	if len(f.More) > 0 {
		return nil, fmt.Errorf("there are %d files, and points on a line are read from one; open it alone", 1+len(f.More))
	}
	if f.Size > data.MaxFileBytes {
		f.Size = data.MaxFileBytes + 1 // Particles1D rejects this size
	}
	b := make([]byte, f.Size)
	if n, err := f.Bytes.ReadAt(b, 0); err != nil && !(errors.Is(err, io.EOF) && n == len(b)) {
		return nil, fmt.Errorf("%s: reading failed: %w", setting.Quote(f.Name), err)
	}
	values, err := data.Particles1D(f.Name, b)
	if err != nil {
		return nil, err
	}
	if len(values) > MaxParticles {
		return nil, fmt.Errorf("%s holds %d numbers and the lab shows at most %d; keep a part of them", setting.Quote(f.Name), len(values), MaxParticles)
	}
	return newOwn(values), nil
}

// Live implements system.System and returns a *Live.
func (System) Live() system.Live { return newLive() }

func checkObservable(name string) error {
	if name != "" {
		return fmt.Errorf("points on a line have no observable %s; leave it out", setting.Quote(name))
	}
	return nil
}
