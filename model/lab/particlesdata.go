package lab

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"

	"macroscope/model/data"
	"macroscope/sim/particle"
)

// Recorded is one trajectory: positions and the macroscopic variable, frame
// by frame.
type Recorded struct {
	Frames []float32 // (T, N, Dim)
	Macro  []float64 // (T)
}

// Shape says how much there is in a Source.
type Shape struct {
	Trajectories, Frames, Particles, Dim int
}

// Source gives trajectories of one shape.
type Source interface {
	Shape() Shape
	// Each hands the first count trajectories to each, which several
	// goroutines call at once and in any order; the argument holds until it
	// returns. The first error ends it.
	Each(ctx context.Context, count, workers int, each func(index int, t *Recorded) error) error
}

// What is simulated for training, for tests and for the user must never be the
// same, whatever the seeds are: each has a range of indices of its own.
const (
	trainFirst = 1 << 32
	testFirst  = 1 << 33
	heldFirst  = 3 << 32 // to watch a training by
)

// Simulated is a Source that simulates as it goes.
type Simulated struct {
	System particle.Config
	Seed   uint64
	Count  int
	first  int
}

// NewSimulated returns count trajectories of a system, which are those that
// the command simulate writes for the seed.
func NewSimulated(system particle.Config, seed uint64, count int) *Simulated {
	return &Simulated{System: system, Seed: seed, Count: count}
}

// TrainingSource returns the trajectories that a configuration is trained on
// unless there are others.
func (c ParticlesConfig) TrainingSource() *Simulated {
	return &Simulated{System: c.system(), Seed: c.Seed, Count: max(c.Trajectories, c.Law.Trajectories), first: trainFirst}
}

// heldOutSource returns trajectories like those of TrainingSource that no
// training draws from.
func (c ParticlesConfig) heldOutSource(count int) *Simulated {
	return &Simulated{System: c.system(), Seed: c.Seed, Count: count, first: heldFirst}
}

// TestSet names one of the paper's sets of trajectories that no training
// draws from.
type TestSet struct {
	Name       string
	Particles  int
	Components int
}

// TestSets are those of section 4.2. Training has 300 particles from two
// Gaussians.
func TestSets() []TestSet {
	return []TestSet{{"in-dst", 300, 2}, {"diff-init", 300, 3}, {"diff-N", 400, 2}}
}

// Source returns count trajectories of the set.
func (t TestSet) Source(seed uint64, count int) *Simulated {
	p := particle.Default()
	p.N, p.Components = t.Particles, t.Components
	return &Simulated{System: p, Seed: seed, Count: count, first: testFirst + t.Particles<<8 + t.Components<<20}
}

// Shape implements Source.
func (s *Simulated) Shape() Shape {
	return Shape{s.Count, s.System.Steps + 1, s.System.N, 2}
}

// Each implements Source.
func (s *Simulated) Each(ctx context.Context, count, workers int, each func(int, *Recorded) error) error {
	return particle.Generate(ctx, s.System, s.Seed, s.first, count, workers, func(index int, t *particle.Trajectory) error {
		return each(index-s.first, &Recorded{t.Frames, t.Energy})
	})
}

// Recording is a Source that reads a NumPy file: an array trajectories (E, T,
// N, Dim), and where the observable is not computed, another with its values
// (E, T) or (E, T, 1).
type Recording struct {
	shape Shape
	file  io.ReaderAt
	size  int64
	name  string    // of the observable
	macro []float64 // (E, T); nil where it is computed
}

// trajectoriesArray and macroArray are the authors' names.
const (
	trajectoriesArray = "trajectories"
	macroArray        = "macro"
)

// OpenRecording reads a file's header. The observable is one of those that can
// be computed, or the name of an array in the file. The energy is taken from
// the array macro where there is one. Positions are read and checked by Each,
// a trajectory at a time.
func OpenRecording(file io.ReaderAt, size int64, observable string) (*Recording, error) {
	r := &Recording{file: file, size: size, name: observable}
	rows, err := data.OpenRows(file, size, trajectoriesArray)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	s := rows.Shape
	if len(s) != 4 {
		return nil, fmt.Errorf("the trajectories have %d dimensions, and four are needed: trajectories, frames, particles, coordinates", len(s))
	}
	r.shape = Shape{s[0], s[1], s[2], s[3]}
	switch {
	case s[0] < 1:
		return nil, fmt.Errorf("the file holds no trajectory; record one at least")
	case s[1] < 2:
		return nil, fmt.Errorf("the trajectories have fewer than two frames, so nothing moves; record two at least")
	case s[2] < 1:
		return nil, fmt.Errorf("the trajectories have no particles; record one at least")
	case s[2] > maxSetSize:
		return nil, fmt.Errorf("the trajectories have %d particles, and the limit is %d; record fewer", s[2], maxSetSize)
	case s[3] < 1 || s[3] > 16:
		return nil, fmt.Errorf("the particles have %d coordinates; 1 to 16 can be used", s[3])
	}
	names, err := data.Names(file, size)
	if err != nil {
		return nil, err
	}
	array := observable
	if observable == Energy && slices.Contains(names, macroArray) {
		array = macroArray
	}
	if !slices.Contains(names, array) {
		return r, checkObservable(observable, s[3])
	}
	r.macro, err = r.readMacro(array)
	return r, err
}

func (r *Recording) readMacro(array string) ([]float64, error) {
	rows, err := data.OpenRows(r.file, r.size, array)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	s := rows.Shape
	if !(len(s) == 2 || len(s) == 3 && s[2] == 1) || s[0] != r.shape.Trajectories || s[1] != r.shape.Frames {
		return nil, fmt.Errorf("the array %s has the shape %v, and with these trajectories it needs [%d %d] or [%d %d 1]",
			quote(array), s, r.shape.Trajectories, r.shape.Frames, r.shape.Trajectories, r.shape.Frames)
	}
	macro := make([]float64, r.shape.Trajectories*r.shape.Frames)
	for e := range r.shape.Trajectories {
		if err := rows.Next64(macro[e*r.shape.Frames : (e+1)*r.shape.Frames]); err != nil {
			return nil, err
		}
	}
	for i, v := range macro {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("the array %s holds %v for frame %d of trajectory %d; leave that trajectory out", quote(array), v, i%r.shape.Frames, i/r.shape.Frames)
		}
	}
	return macro, nil
}

// Shape implements Source.
func (r *Recording) Shape() Shape { return r.shape }

// Each implements Source. One goroutine reads, the workers do the rest.
func (r *Recording) Each(ctx context.Context, count, workers int, each func(int, *Recorded) error) error {
	rows, err := data.OpenRows(r.file, r.size, trajectoriesArray)
	if err != nil {
		return err
	}
	defer rows.Close()
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type job struct {
		index int
		t     *Recorded
	}
	jobs, spare := make(chan job), make(chan *Recorded, workers+1)
	for range workers + 1 {
		spare <- &Recorded{make([]float32, r.shape.Frames*r.shape.Particles*r.shape.Dim), make([]float64, r.shape.Frames)}
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			o := newObserver(r.name, r.shape.Dim)
			for j := range jobs {
				if ctx.Err() == nil {
					err := r.finish(j.index, j.t, o)
					if err == nil {
						err = each(j.index, j.t)
					}
					if err != nil {
						cancel(err)
					}
				}
				spare <- j.t
			}
		})
	}
	for e := range min(count, r.shape.Trajectories) {
		if ctx.Err() != nil {
			break
		}
		t := <-spare
		if err := rows.Next(t.Frames); err != nil {
			cancel(err)
			break
		}
		jobs <- job{e, t}
	}
	close(jobs)
	wg.Wait()
	return context.Cause(ctx)
}

// finish checks a trajectory and sets its observable.
func (r *Recording) finish(index int, t *Recorded, o *observer) error {
	for f := range t.Macro {
		if err := r.finishFrame(index, f, t, o); err != nil {
			return err
		}
	}
	return nil
}

// finishFrame is finish of one frame.
func (r *Recording) finishFrame(index, f int, t *Recorded, o *observer) error {
	size := r.shape.Particles * r.shape.Dim
	frame := t.Frames[f*size : (f+1)*size]
	for i, v := range frame {
		if v-v != 0 {
			return fmt.Errorf("coordinate %d of particle %d in frame %d of trajectory %d is %v; leave that trajectory out",
				i%r.shape.Dim, i/r.shape.Dim, f, index, v)
		}
	}
	if r.macro != nil {
		t.Macro[f] = r.macro[index*r.shape.Frames+f]
		return nil
	}
	v, err := o.observe(frame)
	if err != nil {
		return fmt.Errorf("frame %d of trajectory %d: %w", f, index, err)
	}
	t.Macro[f] = v
	return nil
}
