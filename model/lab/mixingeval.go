package lab

import (
	"context"
	"fmt"
	"math"
	"sync"

	"macroscope/model/metric"
	"macroscope/model/sde"
	"macroscope/sim/rng"
)

// MixingForecast is what a model predicts of trajectories, from their first
// frame alone, beside what happened.
type MixingForecast struct {
	Frames, Members int
	Pred            []float32 // R_AB and R_BA of every member (E, Members, T, 2)
	Truth           []float32 // (E, T, 2)
}

// Evaluate predicts the first count trajectories of a source: frame 0 is
// encoded, then the laws advance it by Euler–Maruyama steps, so many times
// (members) with noise of their own, which seed names. done is told how many
// trajectories have been read.
func (m *MixingModel) Evaluate(ctx context.Context, src MixingSource, count, members int, seed uint64, workers int, done func(int)) (*MixingForecast, error) {
	s := src.Shape()
	count = min(count, s.Trajectories)
	v, row := m.variables(), 2*s.Frames
	z0 := make([]float32, count*v)
	f := &MixingForecast{Frames: s.Frames, Members: members, Pred: make([]float32, count*members*row), Truth: make([]float32, count*row)}
	encoders := sync.Pool{New: func() any { return m.newEncoder(s.Particles) }}
	seen := counter(done)
	err := src.Each(ctx, count, workers, func(e int, t *Mixed) error {
		for i, r := range t.Ratios {
			f.Truth[e*row+i] = float32(r)
		}
		enc := encoders.Get().(*mixingEncoder)
		m.state(z0[e*v:(e+1)*v], enc, t.Frames[:2*s.Particles], t.Types, t.Ratios[:2])
		encoders.Put(enc)
		seen()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, m.roll(ctx, f.Pred, z0, count, members, s.Frames, seed, workers)
}

// Predict advances one frame (N, 2) with its mixing ratios (2) and writes those
// of every member to dst (members, frames, 2).
func (m *MixingModel) Predict(dst []float32, frame []float32, types []uint8, ratios []float64, members, frames int, seed uint64) {
	z := make([]float32, m.variables())
	m.state(z, m.newEncoder(len(types)), frame, types, ratios)
	_ = m.roll(context.Background(), dst, z, 1, members, frames, seed, 1) // whose only error is the context's
}

// state writes the variables of a frame (N, 2), in [-1, 1]. The atoms are
// brought into one order first, so that every order gives the same bits.
func (m *MixingModel) state(dst []float32, enc *mixingEncoder, frame []float32, types []uint8, ratios []float64) {
	sorted := make([]float32, len(frame))
	first := bySpecies(sorted, frame, types)
	copy(sorted, ordered(sorted[:2*first], 2))
	copy(sorted[2*first:], ordered(sorted[2*first:], 2))
	kinds := make([]uint8, len(types))
	for i := range kinds {
		kinds[i] = 2
		if i < first {
			kinds[i] = 1
		}
	}
	enc.encode(dst, sorted, kinds, ratios)
	for i := 2; i < m.closures(); i++ {
		dst[i] = float32(m.Scale.Macro(i, float64(dst[i])))
	}
}

// roll advances the states z0 (E, V) and writes the ratios of all members to
// dst (E, Members, T, 2).
func (m *MixingModel) roll(ctx context.Context, dst, z0 []float32, count, members, frames int, seed uint64, workers int) error {
	const block = 8 // trajectories that go together, whatever the workers
	variables := m.variables()
	type room struct {
		advance []*sde.EulerMaruyama[float32]
		own, z  []float32
	}
	rooms := sync.Pool{New: func() any {
		r := &room{own: make([]float32, block*variables), z: make([]float32, block*members*frames*variables)}
		for _, l := range m.laws {
			n := min(block*members, 64)
			drift, noise := l.parts(n, 0)
			r.advance = append(r.advance, sde.NewEulerMaruyama(drift, noise, n))
		}
		return r
	}}
	return forEach(ctx, (count+block-1)/block, workers, func(b int) error {
		r := rooms.Get().(*room)
		defer rooms.Put(r)
		n := min(block, count-b*block)
		src := rng.New(seed, "mixing rollouts", uint64(b))
		for i, l := range m.laws {
			d := len(l.of)
			l.gather(r.own, z0[b*block*variables:], n, variables)
			r.advance[i].Rollout(r.z, m.LawParams, r.own, n, members, frames-1, m.Config.Law.Dt, src.Rand)
			for k := range l.ratios {
				ratio := l.of[k]
				for j := range n * members * frames {
					dst[(b*block*members*frames+j)*2+ratio] = float32(m.Scale.Unscaled(ratio, float64(r.z[j*d+k])))
				}
			}
		}
		return nil
	})
}

// trajectories returns E.
func (f *MixingForecast) trajectories() int { return len(f.Truth) / (2 * f.Frames) }

// MMD returns the discrepancy of section 4.3 between the true trajectories and
// as many predicted ones, the first member of each: see metric.MMD. It is
// infinite where a rollout has left all bounds.
func (f *MixingForecast) MMD() float64 {
	row := 2 * f.Frames
	pred := make([]float32, 0, len(f.Truth))
	for e := range f.trajectories() {
		pred = append(pred, f.Pred[e*f.Members*row:][:row]...)
	}
	mmd := metric.MMD(make([]float64, f.Frames), pred, f.Truth, 2)
	if math.IsNaN(mmd) {
		return math.Inf(1)
	}
	return mmd
}

// Floor returns the MMD between the true trajectories with even and with odd
// numbers, which is what the noise of sampling alone comes to; ensembles twice
// as large, which MMD compares, have about half of it. One trajectory has no
// halves, which is an error of the caller's.
func (f *MixingForecast) Floor() float64 {
	if f.trajectories() < 2 {
		panic(fmt.Sprintf("lab: halves of %d trajectories", f.trajectories()))
	}
	row := 2 * f.Frames
	var halves [2][]float32
	for e := range f.trajectories() {
		halves[e%2] = append(halves[e%2], f.Truth[e*row:(e+1)*row]...)
	}
	return metric.MMD(make([]float64, f.Frames), halves[0], halves[1], 2)
}

// Coverage returns the share of true ratios after frame 0 that lie between the
// smallest and the largest of their members, and what that share is where truth
// and members follow one law: (Members-1)/(Members+1).
func (f *MixingForecast) Coverage() (share, nominal float64) {
	row, inside := 2*f.Frames, 0
	for e := range f.trajectories() {
		members := f.Pred[e*f.Members*row : (e+1)*f.Members*row]
		for i := 2; i < row; i++ {
			low, high := members[i], members[i]
			for j := i; j < len(members); j += row {
				low, high = min(low, members[j]), max(high, members[j])
			}
			if v := f.Truth[e*row+i]; low <= v && v <= high {
				inside++
			}
		}
	}
	k := float64(f.Members)
	return float64(inside) / float64(f.trajectories()*(row-2)), (k - 1) / (k + 1)
}

// Band returns mean and standard deviation over trajectories (N, T, 2), each (T,
// 2).
func Band(x []float32, frames int) (mean, sd []float64) {
	row := 2 * frames
	n := float64(len(x) / row)
	mean, sd = make([]float64, row), make([]float64, row)
	for i, v := range x {
		mean[i%row] += float64(v) / n
	}
	for i, v := range x {
		d := float64(v) - mean[i%row]
		sd[i%row] += d * d / n
	}
	for i, v := range sd {
		sd[i] = math.Sqrt(v)
	}
	return mean, sd
}
