package scene

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/plot"
)

// The bits of the row "shown": what the visitor has revealed so far.
const (
	showsLatent = 1 << iota
	showsDensity
	showsPrediction
	showsAll = showsLatent | showsDensity | showsPrediction
)

// The stages of the row "lit".
const (
	litNone = iota
	litEncoder
	litFlow
	litLaw
)

// The tools of the row "tool": what the pointer does to the particles.
const (
	toolLook = iota
	toolMove
	toolAdd
	toolRemove
	toolDraw
)

// The densities of the row "density".
const (
	densityBoth = iota
	densityLearned
	densityTarget
	densityDifference
)

// particlesFrame is the rows of a frame, checked: lengths agree, counts are
// small and not negative, and what is missing or makes no sense is nil or NaN.
// Numbers may still be anything.
type particlesFrame struct {
	lattice
	now, known, horizon int     // frames
	dt                  float64 // time between frames, 1 if it is missing

	x, samples []float32 // (N,2), (M,2)
	label      []float32 // (N), nil: particles have no colours
	sigma      float64
	q, p, pB   []float32 // (ny,nx)
	kl, klB    float64
	predicted  bool // p is decoded from the predicted ẑ
	density    int

	z, zhat, zhatB []float32 // (d)
	zpast, zfuture []float32 // (K,d), (horizon+1,d)
	zstride        int
	d              int // dimension of ẑ

	energy, pred, predB, err, errB []float32
	mre, mreB                      float64
	macro, units                   []byte
	nameA, nameB                   []byte

	lit, shown, tool int
	left             int // -1: never
	leftWhat         []byte

	shuffles          int
	dz, dzOrdered     float64
	orders, ordered   []float32 // (R, turn), each row a prediction
	turn, turnOrdered int
	stage             []byte
	lossStep, loss    []float32
	mreStep, mreVal   []float32
	note              []byte
	any, comparing    bool // a frame is there, of two runs
}

// largestCount bounds the counts that a frame gives.
const largestCount = 1 << 20

// count returns a row as a whole number, what stands for missing if it is none.
func count(f *wire.Frame, name string, missing int) int {
	if v := f.Number(name); v >= 0 && v <= largestCount {
		return int(v)
	}
	return missing
}

// read takes the rows of f, which it keeps using.
func (p *particlesFrame) read(f *wire.Frame) {
	*p = particlesFrame{
		any: true, dt: shortest(f.Number("dt")), sigma: f.Number("sigma"),
		x: pairs(f.Numbers("x")), samples: pairs(f.Numbers("samples")),
		kl: f.Number("kl"), klB: f.Number("klB"), predicted: f.On("source"),
		energy: f.Numbers("energy"), pred: f.Numbers("pred"), predB: f.Numbers("predB"),
		err: f.Numbers("error"), errB: f.Numbers("errorB"), mre: f.Number("mre"), mreB: f.Number("mreB"),
		macro: f.Text("macro"), units: f.Text("units"), nameA: f.Text("nameA"), nameB: f.Text("nameB"),
		lit: count(f, "lit", litNone), shown: count(f, "shown", showsAll), tool: count(f, "tool", toolLook),
		left: count(f, "left", -1), leftWhat: f.Text("leftwhat"), note: f.Text("note"),
		shuffles: count(f, "shuffles", 0), dz: f.Number("dz"), dzOrdered: f.Number("dzOrdered"),
		stage: f.Text("trainStage"),
		z:     f.Numbers("z"), zhat: f.Numbers("zhat"), zhatB: f.Numbers("zhatB"), zstride: max(1, count(f, "zstride", 1)),
	}
	p.known = count(f, "known", max(0, len(p.energy)-1))
	p.horizon = max(1, p.known, count(f, "horizon", len(p.pred)-1))
	p.now = min(count(f, "now", 0), p.horizon)
	if !(p.dt > 0) || math.IsInf(p.dt, 0) {
		p.dt = 1
	}
	if l := f.Numbers("label"); len(l) == len(p.x)/2 && count(f, "colours", 1) != 0 {
		p.label = l
	}
	p.readGrid(f)
	p.readLatent(f)
	p.lossStep, p.loss = series(f, "lossStep", "loss")
	p.mreStep, p.mreVal = series(f, "mreStep", "mreVal")
	p.orders, p.turn = rows(f.Numbers("orders"), p.horizon+1)
	p.ordered, p.turnOrdered = rows(f.Numbers("ordered"), p.horizon+1)
	p.comparing = len(p.predB) > 0 || p.pB != nil || len(p.nameB) > 0
	if p.macro == nil {
		p.macro = energyName
	}
	if p.nameA == nil {
		p.nameA = runA
	}
	if p.nameB == nil {
		p.nameB = runB
	}
}

var energyName, runA, runB = []byte("energy per pair"), []byte("run A"), []byte("run B")

// shortest returns the number with the fewest digits that travels as the float32
// v: 300 frames 0.02 apart take 6, not 5.99999987.
func shortest(v float64) float64 {
	var b [32]byte
	x, err := strconv.ParseFloat(string(strconv.AppendFloat(b[:0], v, 'g', -1, 32)), 64)
	if err != nil {
		return v
	}
	return x
}

// pairs returns v without an odd number at its end.
func pairs(v []float32) []float32 { return v[:len(v)&^1] }

// series returns a quantity and the steps that it was measured at, of equal
// length.
func series(f *wire.Frame, steps, values string) (s, v []float32) {
	s, v = f.Numbers(steps), f.Numbers(values)
	n := min(len(s), len(v))
	return s[:n], v[:n]
}

// rows returns v as rows of n numbers each, without a part of a row.
func rows(v []float32, n int) ([]float32, int) {
	if len(v) < n {
		return nil, n
	}
	return v[:len(v)/n*n], n
}

func (p *particlesFrame) readGrid(f *wire.Frame) {
	p.lattice.read(f)
	p.q, p.p, p.pB = p.values(f, "q"), p.values(f, "p"), p.values(f, "pB")
	p.density = count(f, "density", densityBoth)
}

func (p *particlesFrame) readLatent(f *wire.Frame) {
	p.d = max(len(p.z), len(p.zhat))
	if p.d == 0 || p.d > 64 {
		p.d, p.z, p.zhat, p.zhatB = 0, nil, nil, nil
		return
	}
	table := func(name string) []float32 {
		v := f.Numbers(name)
		return v[:len(v)/p.d*p.d]
	}
	p.zpast, p.zfuture = table("zpast"), table("zfuture")
}

// shows reports whether everything in bits has been revealed.
func (p *particlesFrame) shows(bits int) bool { return p.shown&bits == bits }

// time returns the time of a frame.
func (p *particlesFrame) time(frame int) float64 { return float64(frame) * p.dt }

// at returns element i of v, NaN if there is none.
func at(v []float32, i int) float64 {
	if i < 0 || i >= len(v) {
		return math.NaN()
	}
	return float64(v[i])
}

// nearest returns the particle nearest to a place and its distance, -1 if there
// is none.
func (p *particlesFrame) nearest(x, y float64) (index int, distance float64) {
	return nearestPoint(p.x, x, y)
}

// nearestPoint returns the index of the point of points (N,2) that is nearest to a
// place, and its distance; -1 if there is none.
func nearestPoint(points []float32, x, y float64) (index int, distance float64) {
	index, distance = -1, math.Inf(1)
	for i := 0; i+1 < len(points); i += 2 {
		if d := math.Hypot(float64(points[i])-x, float64(points[i+1])-y); d < distance {
			index, distance = i/2, d
		}
	}
	return index, distance
}

// typical returns the density that particles drawn from a grid's density find
// about them on average, Σv²/Σv: unlike the largest it does not jump when two
// particles share a cell.
func typical(grid []float32) float64 {
	var sum, squares float64
	for _, v := range grid {
		if v > 0 && v <= math.MaxFloat32 {
			sum += float64(v)
			squares += float64(v) * float64(v)
		}
	}
	if sum == 0 {
		return 0
	}
	return squares / sum
}

// differenceTop returns the end of the colour scale for p_θ − q_X on either side:
// half as much again as its typical size, but not so little that rounding shows.
func (p *particlesFrame) differenceTop(top float64) float64 {
	var sum, squares float64
	for i := range min(len(p.p), len(p.q)) {
		if d := math.Abs(float64(p.p[i]) - float64(p.q[i])); d <= math.MaxFloat32 {
			sum += d
			squares += d * d
		}
	}
	if sum == 0 {
		return top
	}
	return math.Max(1.5*squares/sum, 0.05*top)
}

// densityTop returns the end of the maps' colour scale, of those that are shown.
func (p *particlesFrame) densityTop() float64 {
	var top float64
	for _, g := range [...][]float32{p.p, p.pB} {
		if _, v, ok := plot.Range(g); ok {
			// A flow may put a narrow peak anywhere: it must not pale the rest.
			top = math.Max(top, math.Min(v, 2.5*typical(g)))
		}
	}
	switch target := 1.4 * typical(p.q); {
	case top == 0 || p.density == densityTarget && !p.comparing:
		top = target
	case p.density != densityLearned && !p.comparing:
		// Nor must a target of spikes pale the learned density beside it.
		top = math.Max(top, math.Min(target, 1.6*top))
	}
	if !(top > 0) {
		return 1
	}
	return top
}
