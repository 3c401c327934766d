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

// Lab is the system's name in links, frames and earlier checkpoints.
const Lab = "demo"

const validationStream = "demo held-out sets"

// System returns the system of sets of points on a line.
func System() *system.System {
	return &system.System{
		Traits: system.Traits{
			Name: "line", Link: Lab, Title: "One dimension", Dim: 1, Sets: []string{""}, Scaling: system.AsIs,
			Streams: system.Streams{Weights: "demo weights", Sets: "demo sets"},
		},
		Files: &system.Contents{Own: "points on a line have none", Particle: "point", Read: open},
		Draw:  draw, Validation: validation, Density: validationDensity, Live: func() system.Live { return newLive() },
	}
}

// draw draws a set for training. The points are sorted, so neighbours in the set are neighbours on the line.
func draw(points []float32, src *rng.Source) {
	gauss.Draw(src.Rand).Sample(points, src.Rand)
	slices.Sort(points)
}

// validation draws a validation set. The points are in the order in which they were drawn.
func validation(points []float32, src *rng.Source, seed uint64, index int) {
	validationMixture(src, seed, index).Sample(points, src.Rand)
}

func validationMixture(src *rng.Source, seed uint64, index int) gauss.Mixture {
	src.Seed(seed, validationStream, uint64(index))
	return gauss.Draw(src.Rand)
}

// validationDensity writes the density of a mixture at the points x (n) to dst (n). The validation
// set with this index is drawn from this mixture.
func validationDensity(dst, x []float32, seed uint64, index int) {
	density(dst, x, validationMixture(rng.New(seed, validationStream), seed, index))
}

func density(dst, x []float32, m gauss.Mixture) {
	for i, v := range x {
		dst[i] = float32(m.Density(float64(v)))
	}
}

// open reads a set of points from one file.
func open(_ *system.System, f system.File, _ string) (system.Recorded, error) {
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
	return record(values), nil
}
