package lab

import (
	"cmp"
	"math"
	"slices"

	"macroscope/model/flow"
	"macroscope/model/kernel"
	"macroscope/model/metric"
	"macroscope/model/set"
	"macroscope/model/target"
	"macroscope/sim/rng"
)

// planeOrder brings particles in the plane into one order, as ordered does,
// without allocating once it has seen so many.
type planeOrder struct {
	points [][2]float32
	flat   []float32
}

// sorted returns the particles (N, 2) sorted by their coordinates. They hold
// until the next call.
func (o *planeOrder) sorted(frame []float32) []float32 {
	o.points, o.flat = o.points[:0], o.flat[:0]
	for i := 0; i+1 < len(frame); i += 2 {
		o.points = append(o.points, [2]float32{frame[i], frame[i+1]})
	}
	slices.SortFunc(o.points, comparePoints)
	for _, p := range o.points {
		o.flat = append(o.flat, p[0], p[1])
	}
	return o.flat
}

func comparePoints(a, b [2]float32) int {
	if a[0] != b[0] {
		return cmp.Compare(a[0], b[0])
	}
	return cmp.Compare(a[1], b[1])
}

const (
	gridSide  = 56 // cells along a side of the densities
	gridBands = 7  // parts in which a density is evaluated: every seventh row
	bandCells = gridSide * gridSide / gridBands
	bandStep  = 3 // from one part to the next, which scatters them

	shownSamples  = 300 // drawn from the flow
	klPoints      = 256 // at which the densities of a frame are compared
	klPointsLeast = 64
	klExponents   = 300_000 // bounds points times particles, and with it the time
)

// particlesTarget is what a frame is to be learned as: the kernel density q_X
// on a grid, and points drawn from it at which models are compared with it. The
// points come from the same deviates every time, so that a KL moves only with
// what it measures.
type particlesTarget struct {
	order  planeOrder
	plane  target.Plane[float32]
	sorted []float32 // the frame's particles in one order (N, 2)
	sigma  [2]float64
	lo, hi [2]float64
	q      []float32 // (gridSide, gridSide) in simulation units
	noise  []float64 // (klPoints, 2)
	x64    []float64 // (points, 2) drawn from q_X: float32 would lose a small ε
	unit   []float64 // the same and the particles in units of σ, where ε is 1
	unitP  []float64
	logq   []float32 // (points) in simulation units
}

func newParticlesTarget() *particlesTarget {
	t := &particlesTarget{q: make([]float32, gridSide*gridSide), noise: make([]float64, 2*klPoints)}
	r := rng.New(1, "particles shown KL")
	for i := range t.noise {
		t.noise[i] = r.NormFloat64()
	}
	t.x64, t.unit, t.logq = make([]float64, 2*klPoints), make([]float64, 2*klPoints), make([]float32, klPoints)
	return t
}

// set takes a frame, the kernel's standard deviation along each axis and the
// square that is shown.
func (t *particlesTarget) set(frame []float32, sigma, lo, hi [2]float64) {
	t.sorted, t.sigma, t.lo, t.hi = t.order.sorted(frame), sigma, lo, hi
	t.plane.Cells(t.q, t.sorted, sigma, lo, hi, gridSide, gridSide)
}

// draw draws the points of the frame that was set.
func (t *particlesTarget) draw() {
	sigma := t.sigma
	n := len(t.sorted) / 2
	m := max(klPointsLeast, min(klPoints, klExponents/n))
	t.x64, t.unit, t.logq = t.x64[:2*m], t.unit[:2*m], t.logq[:m]
	t.unitP = t.unitP[:0]
	for i, v := range t.sorted {
		t.unitP = append(t.unitP, float64(v)/sigma[i%2])
	}
	for k := range m {
		// Every part of the set has its share of the points.
		i := (2*k + 1) * n / (2 * m)
		for j := range 2 {
			t.unit[2*k+j] = t.unitP[2*i+j] + t.noise[2*k+j]
			t.x64[2*k+j] = float64(t.sorted[2*i+j]) + sigma[j]*t.noise[2*k+j]
		}
	}
	target.LogDensity(t.logq, t.unit, t.unitP, 2, 1)
	area := float32(math.Log(sigma[0] * sigma[1]))
	for k := range t.logq {
		t.logq[k] -= area
	}
}

// particlesView evaluates a model on one frame at a time, without allocating.
// It serves one goroutine at a time.
type particlesView struct {
	model *ParticlesModel
	enc   *set.Workspace[float32]
	dec   *flow.Workspace[float32]
	src   *rng.Source

	order   planeOrder
	points  []float32 // standardised (N, 2)
	ends    [1]int
	x       []float32 // (klPoints, 2)
	logp    []float32 // (klPoints)
	samples []float32 // (shownSamples, 2) in simulation units

	lo, hi [2]float64
	grid   []float32 // standardised centres of the cells, part by part (gridBands, bandCells, 2)
	z      []float32 // what the density is decoded from
	p      []float32 // (gridSide, gridSide) in simulation units
	band   []float32 // (bandCells)
	next   int       // part to evaluate next
	behind int       // parts that are of an earlier z
	blank  int       // parts that have not been evaluated on this grid
	stale  bool      // the weights have changed
}

func newParticlesView(m *ParticlesModel) *particlesView {
	return &particlesView{
		model: m, enc: set.NewWorkspace[float32](m.encoder, 1, encodeBlock), dec: flow.NewWorkspace[float32](m.flow, 1, bandCells),
		src: rng.New(1, "particles shown samples"), x: make([]float32, 2*klPoints), logp: make([]float32, klPoints), samples: make([]float32, 2*shownSamples),
		grid: make([]float32, 2*gridSide*gridSide), z: make([]float32, m.Config.Encoder.ZDim), p: make([]float32, gridSide*gridSide), band: make([]float32, bandCells),
	}
}

// sigma returns the kernel's standard deviation along each axis in simulation
// units for an ε on standardised coordinates.
func (m *ParticlesModel) sigma(eps float64) [2]float64 {
	return [2]float64{eps * m.Scale.Std[0], eps * m.Scale.Std[1]}
}

// encode writes ẑ (ZDim) of particles (N, 2) in the order given to dst, in the
// units of the encoder.
func (v *particlesView) encode(dst, particles []float32) {
	if cap(v.points) < len(particles) {
		v.points = make([]float32, len(particles))
	}
	v.points, v.ends[0] = v.points[:len(particles)], len(particles)/2
	v.model.Scale.standardise(v.points, particles)
	copy(dst, set.EncodeOnly(v.model.encoder, v.enc, v.model.Params, v.points, v.ends[:]))
}

// scaled writes ẑ (ZDim), in the encoder's units, to dst in [-1, 1].
func (v *particlesView) scaled(dst, z []float32) {
	for i, zi := range z {
		dst[i] = float32(v.model.Scale.Macro(i+1, float64(zi)))
	}
}

// unscaled is the inverse of scaled.
func (v *particlesView) unscaled(dst, z []float32) {
	for i, zi := range z {
		dst[i] = float32(v.model.Scale.Unscaled(i+1, float64(zi)))
	}
}

// aim says that p is to become p_θ(x | ẑ) at the centres of a target's cells.
// The work is evaluate's.
func (v *particlesView) aim(t *particlesTarget, z []float32) {
	same := v.lo == t.lo && v.hi == t.hi
	if same && !v.stale && slices.Equal(v.z, z) {
		return
	}
	copy(v.z, z)
	v.behind, v.stale = gridBands, false
	if same {
		return
	}
	v.lo, v.hi, v.blank = t.lo, t.hi, gridBands
	at := v.grid[:0]
	for band := range gridBands {
		for j := band; j < gridSide; j += gridBands {
			for i := range gridSide {
				at = append(at, float32(t.lo[0]+(float64(i)+0.5)/gridSide*(t.hi[0]-t.lo[0])), float32(t.lo[1]+(float64(j)+0.5)/gridSide*(t.hi[1]-t.lo[1])))
			}
		}
	}
	v.model.Scale.standardise(v.grid, at)
}

// evaluate brings the next part of p up to date, and reports whether all of it
// was already. Parts take turns, so that a density that moves too fast to be
// evaluated whole is never more than a few pictures old anywhere.
func (v *particlesView) evaluate() (whole bool) {
	if v.behind == 0 {
		return true
	}
	x := v.grid[2*bandCells*v.next : 2*bandCells*(v.next+1)]
	flow.LogProb(v.model.flow, v.dec, v.model.Params, v.band, x, v.z, 1, bandCells)
	kernel.ExpTo(v.band, v.band)
	kernel.Scale(v.band, float32(1/v.area()))
	for k := range gridSide / gridBands {
		copy(v.p[(v.next+k*gridBands)*gridSide:], v.band[k*gridSide:(k+1)*gridSide])
	}
	v.next = (v.next + bandStep) % gridBands
	v.behind--
	v.blank = max(0, v.blank-1)
	return false
}

// area is that of a standardised unit square in simulation units.
func (v *particlesView) area() float64 { return v.model.Scale.Std[0] * v.model.Scale.Std[1] }

// kl returns KL(q_X || p_θ(·|ẑ)) in nats from the points that the target drew.
func (v *particlesView) kl(t *particlesTarget, z []float32) float64 {
	n := len(t.logq)
	s := &v.model.Scale
	for i, x := range t.x64 {
		v.x[i] = float32((x - s.Mean[i%2]) / s.Std[i%2])
	}
	flow.LogProb(v.model.flow, v.dec, v.model.Params, v.logp[:n], v.x[:2*n], z, 1, n)
	return metric.KL(t.logq, v.logp[:n]) + math.Log(v.area())
}

// draw fills samples with draws from p_θ(·|ẑ), by the same deviates every time,
// so that they move as ẑ does.
func (v *particlesView) draw(z []float32) {
	v.src.Seed(1, "particles shown samples")
	flow.Sample(v.model.flow, v.dec, v.model.Params, v.samples, z, 1, shownSamples, v.src.Rand)
	s := &v.model.Scale
	for i := range v.samples {
		v.samples[i] = float32(float64(v.samples[i])*s.Std[i%2] + s.Mean[i%2])
	}
}
