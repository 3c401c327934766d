package lab

import (
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
// encoded, then z alone is advanced by RK4. Where the configuration says so, a
// prediction is the mean of those from several views of frame 0, turned and
// mirrored, of which the observable knows nothing. done is told how many
// trajectories have been read.
func (m *ParticlesModel) Evaluate(ctx context.Context, src Source, count, workers int, done func(int)) (*Rollouts, error) {
	s := src.Shape()
	if s.Dim != m.Config.Encoder.Dim {
		return nil, fmt.Errorf("the particles have %d coordinates, and the model was trained on %d; use trajectories of the same kind", s.Dim, m.Config.Encoder.Dim)
	}
	count = min(count, s.Trajectories)
	d := m.Config.Law.Drift.Dim
	views := m.Config.Views
	z0 := make([]float32, count*views*d)
	r := &Rollouts{Frames: s.Frames, Pred: make([]float32, count*s.Frames), Truth: make([]float32, count*s.Frames), MRE: make([]float64, count)}
	encoders := sync.Pool{New: func() any { return m.newFrameEncoder(s.Particles) }}
	seen := counter(done)
	err := src.Each(ctx, count, workers, func(e int, t *Recorded) error {
		for f, v := range t.Macro {
			r.Truth[e*s.Frames+f] = float32(m.Scale.Macro(0, v))
		}
		enc := encoders.Get().(*frameEncoder)
		m.states(z0[e*views*d:(e+1)*views*d], enc, t.Frames[:enc.size], t.Macro[0])
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
	z := make([]float32, m.Config.Views*m.Config.Law.Drift.Dim)
	m.states(z, m.newFrameEncoder(len(frame)/m.Config.Encoder.Dim), frame, macro)
	m.roll(dst, z, 1, len(dst), 1)
}

// Encode writes ẑ of a frame (N, Dim) to dst (ZDim), scaled so that what the
// training set held lies in [-1, 1]. The order of the particles does not matter.
func (m *ParticlesModel) Encode(dst, frame []float32) {
	enc := m.newFrameEncoder(len(frame) / m.Config.Encoder.Dim)
	enc.encode(dst, len(dst), ordered(frame, m.Config.Encoder.Dim))
	for i, v := range dst {
		dst[i] = float32(m.Scale.Macro(i+1, float64(v)))
	}
}

// states writes z = [z̄, ẑ] in [-1, 1] of every view of a frame (N, Dim) to dst
// (Views, D). The particles are brought into one order first, so that every
// order gives the same bits.
func (m *ParticlesModel) states(dst []float32, enc *frameEncoder, frame []float32, macro float64) {
	m.statesAs(dst, enc, ordered(frame, m.Config.Encoder.Dim), macro)
}

// statesAs is states of the particles in the order that they are given in.
func (m *ParticlesModel) statesAs(dst []float32, enc *frameEncoder, frame []float32, macro float64) {
	d := m.Config.Law.Drift.Dim
	for k := range m.Config.Views {
		m.state(dst[k*d:(k+1)*d], enc, frame, macro, k)
	}
}

// state writes z of view k of a frame to z (D).
func (m *ParticlesModel) state(z []float32, enc *frameEncoder, frame []float32, macro float64, k int) {
	if m.Config.Views > 1 {
		frame = enc.view(frame, k)
	}
	z[0] = float32(m.Scale.Macro(0, macro))
	enc.encode(z[1:], len(z), frame)
	for i := 1; i < len(z); i++ {
		z[i] = float32(m.Scale.Macro(i, float64(z[i])))
	}
}

// view returns view k of a frame in the plane: turned by k parts of a full
// turn, and mirrored if k is odd. It holds until the next call.
func (e *frameEncoder) view(frame []float32, k int) []float32 {
	if e.turned == nil {
		e.turned = make([]float32, e.size)
	}
	turn(e.turned, frame, 2*math.Pi*float64(k)/float64(e.model.Config.Views), k%2 == 1)
	return e.turned
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

// roll advances the states z0 (E, Views, D) of count trajectories and writes z̄
// of every frame, the mean over views, to dst (E, T).
func (m *ParticlesModel) roll(dst, z0 []float32, count, frames, workers int) {
	const block = 8 // trajectories
	d, views := m.Config.Law.Drift.Dim, m.Config.Views
	var wg sync.WaitGroup
	blocks := make(chan int)
	for range max(1, workers) {
		wg.Go(func() {
			rows := block * views
			in := sde.NewIntegrator(sde.NewDrift[float32](m.law, rows), sde.RK4, rows)
			z := make([]float32, rows*frames*d)
			for begin := range blocks {
				n := min(block, count-begin)
				in.Rollout(z, m.LawParams, z0[begin*views*d:], n*views, frames-1, m.Config.Law.Dt)
				for e := range n {
					for t := range frames {
						sum := 0.0
						for k := range views {
							sum += float64(z[((e*views+k)*frames+t)*d])
						}
						dst[(begin+e)*frames+t] = float32(sum / float64(views))
					}
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
