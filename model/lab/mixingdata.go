package lab

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"macroscope/sim/lj"
	"macroscope/sim/rng"
)

// Mixed is one trajectory of two species: positions and mixing ratios, frame by
// frame.
type Mixed struct {
	Frames []float32 // (T, N, 2)
	Types  []uint8   // (N): 1 or 2, each at least once
	Ratios []float64 // (T, 2): R_AB, R_BA
}

// MixingSource gives trajectories of one shape.
type MixingSource interface {
	Shape() Shape
	// Each hands the first count trajectories to each, which several
	// goroutines call at once and in any order; the argument holds until it
	// returns. The first error ends it.
	Each(ctx context.Context, count, workers int, each func(index int, t *Mixed) error) error
}

// Range is an interval.
type Range struct{ Low, High float64 }

// SimulatedMixing is a MixingSource that simulates as it goes.
type SimulatedMixing struct {
	System lj.Config
	// Boundaries are where each trajectory's boundary is drawn from: any of
	// them, in proportion to its length. Without them it is the system's.
	Boundaries []Range
	Seed       uint64
	Count      int
	first      int
}

// TrainingBoundaries is where the boundaries of training are drawn from.
func TrainingBoundaries() []Range { return []Range{{10, 22}} }

// NewSimulatedMixing returns count trajectories of a system, which are those
// that the command simulate writes for the seed.
func NewSimulatedMixing(system lj.Config, boundaries []Range, seed uint64, count int) *SimulatedMixing {
	return &SimulatedMixing{System: system, Boundaries: boundaries, Seed: seed, Count: count}
}

// TrainingSource returns the trajectories that a configuration is trained on
// unless there are others. They are simulated in either stage.
func (c MixingConfig) TrainingSource() *SimulatedMixing {
	return &SimulatedMixing{
		System: lj.Default(), Boundaries: TrainingBoundaries(), Seed: c.Seed,
		Count: max(c.Trajectories, c.Law.Trajectories), first: trainFirst,
	}
}

// MixingTest names one of the sets of trajectories that no training draws from.
type MixingTest struct {
	Name       string
	Height     float64 // of the box
	Boundaries []Range
}

// MixingTests are the paper's three: the boundaries of training, others, and a
// smaller box, of 437 atoms instead of 529.
func MixingTests() []MixingTest {
	return []MixingTest{
		{"in-dst", 32, TrainingBoundaries()},
		{"diff-init", 32, []Range{{8, 10}, {22, 24}}},
		{"diff-N", 26, TrainingBoundaries()},
	}
}

// MixingAt is a test with one boundary, as the paper's figure has it.
func MixingAt(boundary float64) MixingTest {
	return MixingTest{fmt.Sprintf("boundary %g", boundary), 32, []Range{{boundary, boundary}}}
}

// Source returns count trajectories of the test. Those of different tests have
// nothing in common.
func (t MixingTest) Source(seed uint64, count int) *SimulatedMixing {
	system := lj.Default()
	system.Height = t.Height
	low := t.Boundaries[0].Low
	return &SimulatedMixing{
		System: system, Boundaries: t.Boundaries, Seed: seed, Count: count,
		first: testFirst + int(t.Height)<<20 + int(1000*low)<<28,
	}
}

// Shape implements MixingSource.
func (s *SimulatedMixing) Shape() Shape {
	return Shape{s.Count, s.System.Frames(), s.System.N(), 2}
}

// Boundary returns where the boundary of a trajectory is.
func (s *SimulatedMixing) Boundary(index int) float64 {
	total := 0.0
	for _, b := range s.Boundaries {
		total += b.High - b.Low
	}
	switch {
	case len(s.Boundaries) == 0:
		return s.System.Boundary
	case total == 0:
		return s.Boundaries[0].Low
	}
	at := total * rng.New(s.Seed, "mixing boundary", uint64(s.first+index)).Float64()
	for _, b := range s.Boundaries {
		if width := b.High - b.Low; at < width {
			return b.Low + at
		} else {
			at -= width
		}
	}
	return s.Boundaries[len(s.Boundaries)-1].High // by rounding
}

// Each implements MixingSource.
func (s *SimulatedMixing) Each(ctx context.Context, count, workers int, each func(int, *Mixed) error) error {
	vary := func(index int, c *lj.Config) { c.Boundary = s.Boundary(index - s.first) }
	return lj.Generate(ctx, s.System, s.Seed, s.first, min(count, s.Count), workers, vary, func(index int, t *lj.Trajectory) error {
		return each(index-s.first, &Mixed{t.Frames, t.Species, t.Ratios})
	})
}

// bySpecies writes frames (T, N, 2) to dst with the atoms of species 1 first,
// in the order in which they are, and returns how many those are.
func bySpecies(dst, frames []float32, types []uint8) int {
	n, first := len(types), 0
	for _, k := range types {
		first += int(2 - k)
	}
	for f := 0; f < len(frames); f += 2 * n {
		next := [2]int{f, f + 2*first}
		for i, k := range types {
			to := &next[k-1]
			dst[*to], dst[*to+1] = frames[f+2*i], frames[f+2*i+1]
			*to += 2
		}
	}
	return first
}

// ratios writes the mixing ratios of frames (T, N, 2) to dst (T, 2).
func ratios(dst []float64, frames []float32, types []uint8) {
	cutoff, size := lj.Default().Cutoff, 2*len(types)
	for f := 0; f*size < len(frames); f++ {
		r := lj.Ratios(frames[f*size:(f+1)*size], types, cutoff)
		copy(dst[2*f:], r[:])
	}
}

// forEach calls do for 0 to count-1, from so many goroutines at once (0: one a
// core). The first error, of ctx or of do, ends it.
func forEach(ctx context.Context, count, workers int, do func(index int) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	jobs := make(chan int)
	for range min(workers, count) {
		wg.Go(func() {
			for i := range jobs {
				if ctx.Err() == nil {
					if err := do(i); err != nil {
						cancel(err)
					}
				}
			}
		})
	}
	for i := range count {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	return context.Cause(ctx)
}
