package scene

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/plot"
)

// The tools of the mixing's row "tool": whether the pointer can take the boundary.
const (
	mixingLook = iota
	mixingBoundary
)

// mixingFrame is the rows of a frame of two species that mix, checked as those of
// particlesFrame are. Ratios are in pairs, R_AB and R_BA.
type mixingFrame struct {
	lattice
	any                 bool
	now, known, horizon int     // frames
	dt                  float64 // time between frames, 1 if it is missing

	x        []float32 // (N,2)
	kind     []float32 // (N), 1 or 2
	label    []float32 // (N), nil: atoms have the colours of their species
	atoms    [2]int    // of each species
	boundary float64   // x at which the species were given out, NaN if there is none
	relaxing float64   // share of the relaxation that is done, NaN when it is over
	tool     int
	note     []byte

	q, p [2][]float32 // (ny,nx) of each species
	kl   [2]float64

	d       int       // closures of both species together, those of A first
	z       []float32 // (d)
	zpast   []float32 // (K,d)
	zstride int

	ratios            []float32 // (known+1,2)
	mean, low, high   []float32 // (horizon+1,2)
	meanB, lowB       []float32
	highB             []float32
	paths             []float32 // (K,horizon+1,2)
	coverage, nominal float64
	nameA, nameB      []byte
	comparing         bool

	temperature, energy []float32 // (known+1)

	shuffles       int
	dz             float64
	lit, shown     int
	stage          []byte
	lossStep, loss []float32
}

// read takes the rows of f, which it keeps using.
func (p *mixingFrame) read(f *wire.Frame) {
	*p = mixingFrame{
		any: true, dt: shortest(f.Number("dt")),
		x: pairs(f.Numbers("x")), boundary: f.Number("boundary"), relaxing: share(f, "relaxing"),
		tool: count(f, "tool", mixingBoundary), note: f.Text("note"),
		kl:     [2]float64{f.Number("klA"), f.Number("klB")},
		z:      f.Numbers("z"),
		ratios: pairs(f.Numbers("ratios")),
		mean:   pairs(f.Numbers("mean")), low: pairs(f.Numbers("low")), high: pairs(f.Numbers("high")),
		meanB: pairs(f.Numbers("meanB")), lowB: pairs(f.Numbers("lowB")), highB: pairs(f.Numbers("highB")),
		coverage: share(f, "coverage"), nominal: share(f, "nominal"),
		nameA: f.Text("nameA"), nameB: f.Text("nameB"),
		temperature: f.Numbers("temperature"), energy: f.Numbers("energy"),
		shuffles: count(f, "shuffles", 0), dz: f.Number("dz"),
		lit: count(f, "lit", litNone), shown: count(f, "shown", showsAll),
		stage: f.Text("trainStage"),
	}
	p.known = count(f, "known", max(0, len(p.ratios)/2-1))
	p.horizon = max(1, p.known, count(f, "horizon", len(p.mean)/2-1))
	p.now = min(count(f, "now", 0), p.horizon)
	if !(p.dt > 0) || math.IsInf(p.dt, 0) {
		p.dt = 1
	}
	p.readAtoms(f)
	p.lattice.read(f)
	p.q = [2][]float32{p.values(f, "qA"), p.values(f, "qB")}
	p.p = [2][]float32{p.values(f, "pA"), p.values(f, "pB")}
	p.readClosures(f)
	p.paths, _ = rows(f.Numbers("paths"), 2*(p.horizon+1))
	p.lossStep, p.loss = series(f, "lossStep", "loss")
	p.comparing = len(p.meanB) > 0 || len(p.nameB) > 0
	if p.nameA == nil {
		p.nameA = runA
	}
	if p.nameB == nil {
		p.nameB = runB
	}
}

// share returns a row as a number from 0 to 1, NaN if it is none.
func share(f *wire.Frame, name string) float64 {
	if v := f.Number(name); v >= 0 && v <= 1 {
		return v
	}
	return math.NaN()
}

func (p *mixingFrame) readAtoms(f *wire.Frame) {
	n := len(p.x) / 2
	if k := f.Numbers("kind"); len(k) == n {
		p.kind = k
	}
	if l := f.Numbers("label"); len(l) == n && count(f, "colours", 0) != 0 {
		p.label = l
	}
	for i := range n {
		p.atoms[p.species(i)]++
	}
}

// mostClosures bounds the closures that are drawn.
const mostClosures = 64

func (p *mixingFrame) readClosures(f *wire.Frame) {
	p.d, p.zstride = len(p.z), max(1, count(f, "zstride", 1))
	if p.d == 0 || p.d > mostClosures {
		p.d, p.z = 0, nil
		return
	}
	v := f.Numbers("zpast")
	p.zpast = v[:len(v)/p.d*p.d]
}

// species returns the species of an atom, 0 or 1.
func (p *mixingFrame) species(i int) int {
	if i < len(p.kind) && p.kind[i] == 2 {
		return 1
	}
	return 0
}

// shows reports whether everything in bits has been revealed.
func (p *mixingFrame) shows(bits int) bool { return p.shown&bits == bits }

// relaxes reports whether the atoms are of one species yet.
func (p *mixingFrame) relaxes() bool { return p.relaxing == p.relaxing }

// time returns the time of a frame.
func (p *mixingFrame) time(frame int) float64 { return float64(frame) * p.dt }

// ratioRange returns the range of the ratios' axes: from 0 to a half, where both
// end when equal shares have mixed, or further. It does not shrink to fit, so that
// it stands still while the ensemble grows. What a law predicts beyond 0 and 1
// follows the edge.
func (p *mixingFrame) ratioRange() (lo, hi float64) {
	for _, v := range [...][]float32{p.ratios, p.high, p.highB, p.mean, p.meanB} {
		if _, top, ok := plot.Range(v); ok {
			hi = math.Max(hi, top)
		}
	}
	return 0, math.Min(1.08*math.Max(hi, 0.5), 1.02)
}

// closureRange returns the range of the closures' axis, at least training's.
func (p *mixingFrame) closureRange() (lo, hi float64) {
	lo, hi = -1, 1
	for _, v := range [...][]float32{p.z, p.zpast} {
		if a, z, ok := plot.Range(v); ok {
			lo, hi = math.Max(-3, math.Min(lo, a)), math.Min(3, math.Max(hi, z))
		}
	}
	return lo - 0.1, hi + 0.1
}

// densityTop returns the end of a species' colour scale.
func (p *mixingFrame) densityTop(species int) float64 {
	top := 1.4 * typical(p.q[species])
	if _, v, ok := plot.Range(p.p[species]); ok {
		// As of the particles: spikes must not pale the learned density beside
		// them, nor a peak of it the target.
		learned := math.Min(v, 2.5*typical(p.p[species]))
		top = math.Max(learned, math.Min(top, 1.6*learned))
	}
	if !(top > 0) {
		return 1
	}
	return top
}
