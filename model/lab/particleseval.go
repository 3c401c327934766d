package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"macroscope/model/metric"
	"macroscope/model/sde"
)

// Rollouts is what a model predicts of trajectories, from their first frame
// alone, beside what happened.
type Rollouts struct {
	Frames int
	Pred   []float32 // z̄ in [-1, 1] (E, T)
	Truth  []float32 // (E, T)
	MRE    []float64 // of each trajectory (E), see metric.MRE
}

// Summary returns the mean, the median and the largest MRE. Where a rollout
// has left all bounds they are infinite.
func (r *Rollouts) Summary() (mean, median, largest float64) {
	e := slices.Clone(r.MRE)
	for i, v := range e {
		if math.IsNaN(v) {
			e[i] = math.Inf(1)
		}
		mean += e[i] / float64(len(e))
	}
	sort.Float64s(e)
	n := len(e)
	return mean, (e[(n-1)/2] + e[n/2]) / 2, e[n-1]
}

// Evaluate predicts the first count trajectories of a source: frame 0 is
// encoded, then z alone is advanced by RK4. done is told how many trajectories
// have been read.
func (m *ParticlesModel) Evaluate(ctx context.Context, src Source, count, workers int, done func(int)) (*Rollouts, error) {
	s := src.Shape()
	if s.Dim != m.Config.Encoder.Dim {
		return nil, fmt.Errorf("the particles have %d coordinates, and the model was trained on %d; use trajectories of the same kind", s.Dim, m.Config.Encoder.Dim)
	}
	count = min(count, s.Trajectories)
	d := m.Config.Law.Drift.Dim
	z0 := make([]float32, count*d)
	r := &Rollouts{Frames: s.Frames, Pred: make([]float32, count*s.Frames), Truth: make([]float32, count*s.Frames), MRE: make([]float64, count)}
	encoders := sync.Pool{New: func() any { return m.newFrameEncoder(s.Particles) }}
	seen := counter(done)
	err := src.Each(ctx, count, workers, func(e int, t *Recorded) error {
		for f, v := range t.Macro {
			r.Truth[e*s.Frames+f] = float32(m.Scale.Macro(0, v))
		}
		enc := encoders.Get().(*frameEncoder)
		m.state(z0[e*d:(e+1)*d], enc, t.Frames[:enc.size], t.Macro[0])
		encoders.Put(enc)
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	m.roll(r.Pred, z0, count, s.Frames, workers)
	metric.MRE(r.MRE, r.Pred, r.Truth)
	return r, nil
}

// Predict rolls out one trajectory from its first frame (N, Dim) and the
// observable there, and writes z̄ in [-1, 1] to dst (T).
func (m *ParticlesModel) Predict(dst []float32, frame []float32, macro float64) {
	z := make([]float32, m.Config.Law.Drift.Dim)
	m.state(z, m.newFrameEncoder(len(frame)/m.Config.Encoder.Dim), frame, macro)
	m.roll(dst, z, 1, len(dst), 1)
}

// state writes z = [z̄, ẑ] in [-1, 1] of a frame (N, Dim). The particles are
// brought into one order first, so that every order gives the same bits.
func (m *ParticlesModel) state(dst []float32, enc *frameEncoder, frame []float32, macro float64) {
	frame = ordered(frame, m.Config.Encoder.Dim)
	dst[0] = float32(m.Scale.Macro(0, macro))
	enc.encode(dst[1:], len(dst), frame)
	for i := 1; i < len(dst); i++ {
		dst[i] = float32(m.Scale.Macro(i, float64(dst[i])))
	}
}

// ordered returns the particles (N, dim) sorted by their coordinates.
func ordered(frame []float32, dim int) []float32 {
	order := make([]int, len(frame)/dim)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(frame[a*dim:(a+1)*dim], frame[b*dim:(b+1)*dim]) })
	sorted := make([]float32, 0, len(frame))
	for _, i := range order {
		sorted = append(sorted, frame[i*dim:(i+1)*dim]...)
	}
	return sorted
}

// roll advances count states z0 (E, D) and writes z̄ of every frame to dst (E,
// T).
func (m *ParticlesModel) roll(dst, z0 []float32, count, frames, workers int) {
	const block = 64
	d := m.Config.Law.Drift.Dim
	var wg sync.WaitGroup
	blocks := make(chan int)
	for range max(1, workers) {
		wg.Go(func() {
			in := sde.NewIntegrator(sde.NewDrift[float32](m.law, block), sde.RK4, block)
			z := make([]float32, block*frames*d)
			for begin := range blocks {
				n := min(block, count-begin)
				in.Rollout(z, m.LawParams, z0[begin*d:], n, frames-1, m.Config.Law.Dt)
				for i := range n * frames {
					dst[begin*frames+i] = z[i*d]
				}
			}
		})
	}
	for begin := 0; begin < count; begin += block {
		blocks <- begin
	}
	close(blocks)
	wg.Wait()
}

// Worst returns the indices of the trajectories with the largest errors.
func (r *Rollouts) Worst(n int) []int {
	order := make([]int, len(r.MRE))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(r.MRE[b], r.MRE[a]) })
	return order[:min(n, len(order))]
}
