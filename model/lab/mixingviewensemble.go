package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"macroscope/model/sde"
	"macroscope/sim/rng"
)

// mixingEnsemble advances states by the laws of a model, many members of each,
// a frame at a time. Its paths are those of Predict or, block by block of eight
// states, of Evaluate, to the bit.
type mixingEnsemble struct {
	model            *MixingModel
	initial, members int
	frame            int
	laws             []ensembleLaw
	gauss            *rand.Rand
	path             pathSource
}

// ensembleLaw is the members' states under one law.
type ensembleLaw struct {
	law     *mixingLaw
	advance *sde.EulerMaruyama[float32]
	z, dW   []float32 // (rows, D)
	paths   []rand.PCG
}

// pathSource is a source of random numbers that can be exchanged.
type pathSource struct{ *rand.PCG }

func (m *MixingModel) newEnsemble(initial, members int) *mixingEnsemble {
	rows := initial * members
	e := &mixingEnsemble{model: m, initial: initial, members: members}
	e.gauss = rand.New(&e.path)
	for i := range m.laws {
		l := &m.laws[i]
		drift, noise := l.parts(rows, 0)
		n := rows * len(l.of)
		e.laws = append(e.laws, ensembleLaw{
			law: l, advance: sde.NewEulerMaruyama(drift, noise, rows), z: make([]float32, n), dW: make([]float32, n), paths: make([]rand.PCG, rows),
		})
	}
	return e
}

// begin puts all members at their states z0 (initial, V), with noise of their own
// that seed and block name.
func (e *mixingEnsemble) begin(z0 []float32, seed, block uint64) {
	e.frame = 0
	src := rng.New(seed, "mixing rollouts", block)
	v := e.model.variables()
	for i := range e.laws {
		l := &e.laws[i]
		d := len(l.law.of)
		for r := range l.paths {
			l.paths[r].Seed(src.Uint64(), src.Uint64())
			l.law.gather(l.z[r*d:(r+1)*d], z0[r/e.members*v:], 1, v)
		}
	}
}

// step goes to the next frame under the laws' parameters.
func (e *mixingEnsemble) step(params []float32) {
	dt := e.model.Config.Law.Dt
	root := math.Sqrt(dt)
	for i := range e.laws {
		l := &e.laws[i]
		d := len(l.law.of)
		for r := range l.paths {
			e.path.PCG = &l.paths[r]
			for j := range d {
				l.dW[r*d+j] = float32(root * e.gauss.NormFloat64())
			}
		}
		l.advance.Step(l.z, params, l.z, l.dW, len(l.paths), dt)
	}
	e.frame++
}

// ratio writes ratio k, 0 for R_AB and 1 for R_BA, of the members of a state to
// dst (Members).
func (e *mixingEnsemble) ratio(dst []float32, state, k int) {
	for i := range e.laws {
		l := &e.laws[i]
		d := len(l.law.of)
		for at, of := range l.law.of[:l.law.ratios] {
			if of != k {
				continue
			}
			for m := range e.members {
				dst[m] = float32(e.model.Scale.Unscaled(k, float64(l.z[(state*e.members+m)*d+at])))
			}
			return
		}
	}
	panic(fmt.Sprintf("lab: no law has ratio %d", k))
}

// bandShare is the part of a law's probability that the band on show holds: from
// its 5 % to its 95 % quantile.
const bandShare = 0.9

// quantiles returns what the values lie between, and sorts them. Of members and
// a truth that follow one law, the truth lies between with the probability that
// bandNominal returns.
func quantiles(values []float32) (low, high float32) {
	slices.Sort(values)
	j := bandRank(len(values))
	return values[j], values[len(values)-1-j]
}

// bandRank is the place of the lower end of the band among sorted members.
func bandRank(members int) int {
	return max(0, int(math.Round((1-bandShare)/2*float64(members+1)))-1)
}

func bandNominal(members int) float64 {
	return 1 - 2*float64(bandRank(members)+1)/float64(members+1)
}

// mixingPaths is how many members are drawn one by one.
const mixingPaths = 6

// mixingAhead is what a model predicts of a run from its frame 0 alone, worked
// out a frame at a time so that a page need not wait for it.
type mixingAhead struct {
	model    *MixingModel
	ensemble *mixingEnsemble
	encoder  *mixingEncoder
	horizon  int
	done     int       // the last frame that is there; -1 before frame 0 is encoded
	z0       []float32 // (V)
	mean     []float32 // (horizon+1, 2), NaN where it is not there yet
	low      []float32
	high     []float32
	paths    []float32 // (mixingPaths, horizon+1, 2)
	values   []float32 // (Members)
	version  uint64    // generation of what is predicted as it stands
}

// begin starts anew from frame 0 (N, 2) with its mixing ratios.
func (a *mixingAhead) begin(m *MixingModel, frame []float32, kinds []uint8, ratios []float64, horizon, members int, seed uint64) {
	if a.ensemble == nil || a.ensemble.members != members || a.model != m {
		a.ensemble = m.newEnsemble(1, members)
		a.values = make([]float32, members)
	}
	a.model, a.horizon = m, horizon
	if len(a.z0) != m.variables() {
		a.z0 = make([]float32, m.variables())
	}
	if a.encoder == nil || a.encoder.model != m || len(a.encoder.frame) != len(frame) {
		a.encoder = m.newEncoder(len(kinds))
	}
	m.state(a.z0, a.encoder, frame, kinds, ratios)
	n := 2 * (horizon + 1)
	for _, v := range []*[]float32{&a.mean, &a.low, &a.high} {
		*v = allNaN(*v, n)
	}
	a.paths = allNaN(a.paths, mixingPaths*n)
	a.ensemble.begin(a.z0, seed, 0)
	a.done = -1
	a.keep()
}

// allNaN returns n of them, in v's memory where that suffices.
func allNaN(v []float32, n int) []float32 {
	v = slices.Grow(v[:0], n)[:n]
	for i := range v {
		v[i] = float32(math.NaN())
	}
	return v
}

// keep notes the ensemble's present frame.
func (a *mixingAhead) keep() {
	a.done++
	a.version = generation()
	for k := range 2 {
		a.ensemble.ratio(a.values, 0, k)
		at := 2*a.done + k
		for i := range min(mixingPaths, len(a.values)) {
			a.paths[2*i*(a.horizon+1)+at] = a.values[i]
		}
		sum := 0.0
		for _, v := range a.values {
			sum += float64(v)
		}
		a.mean[at] = float32(sum / float64(len(a.values)))
		a.low[at], a.high[at] = quantiles(a.values)
	}
}

// step predicts one more frame, and reports whether there was one left.
func (a *mixingAhead) step() bool {
	if a.complete() {
		return false
	}
	a.ensemble.step(a.model.LawParams)
	a.keep()
	return true
}

// complete says whether every frame has been predicted.
func (a *mixingAhead) complete() bool { return a.done == a.horizon }

// within counts the true ratios (n, 2) of frames 1 to n that lie in the band, as
// far as it has been predicted.
func (a *mixingAhead) within(frame int, truth [2]float64) (n int) {
	for k, v := range truth {
		if float64(a.low[2*frame+k]) <= v && v <= float64(a.high[2*frame+k]) {
			n++
		}
	}
	return n
}
