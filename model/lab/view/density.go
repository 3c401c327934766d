package view

import (
	"math"
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/learn/model"
	"macroscope/model/net/circle"
	"macroscope/model/net/decoder"
	"macroscope/model/net/target"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

const (
	GridSide   = 56  // number of cells along each axis of a density in the plane
	gridWide   = 112 // cells along x of a projected density, whatever the window
	gridHigh   = 28
	GridPoints = 512 // number of grid points of a density on a line
	gridParts  = 7   // number of parts in which the finest density in the plane is evaluated

	shownSamples  = 300  // number of points drawn from the learned density
	linePoints    = 1024 // number of points at which densities on a line are compared
	planePoints   = 256  // number of points at which densities in the plane are compared
	klPointsLeast = 64
	klExponents   = 300_000 // largest product of the numbers of points and of particles; it bounds the computing time
)

// Grid returns the number of cells along both axes of a drawn density, for particles with dim
// coordinates. The density lies in the plane or is projected on it.
func (w *Window) Grid(dim int) (nx, ny int) {
	switch {
	case dim == 1:
		return GridPoints, 1
	case dim == 2 || w.Axes != [2]int{}:
		return GridSide, GridSide
	}
	return gridWide, gridHigh
}

// Cells returns the number of cells of a drawn density, for particles with dim coordinates. It is the same for
// all windows: gridWide·gridHigh is GridSide².
func Cells(dim int) int {
	if dim == 1 {
		return GridPoints
	}
	return GridSide * GridSide
}

// points returns the largest number of points at which densities are compared.
func points(dim int) int {
	if dim == 1 {
		return linePoints
	}
	return planePoints
}

// Window is the part of space that is drawn, given by two corners in simulation units.
type Window struct {
	Lo, Hi [2]float64
	Axes   [2]int // the coordinates that are drawn; both 0: the first two
	// Repeats is set for a coordinate that repeats with the width of the window.
	Repeats [2]bool
	// Rotation turns three coordinates, if it is not nil. The window then lies across and up in the picture.
	Rotation system.Rotation
}

// wrap moves points (n, 2) of the drawn coordinates into the window along those that repeat.
func (w *Window) wrap(points []float32) {
	for k, repeats := range w.Repeats {
		if !repeats {
			continue
		}
		low, period := w.Lo[k], w.Hi[k]-w.Lo[k]
		for i := k; i < len(points); i += 2 {
			x := float64(points[i]) - low
			points[i] = float32(low + x - period*math.Floor(x/period))
		}
	}
}

// WindowOf returns the window in which a run is drawn.
func WindowOf(live system.Live) Window {
	r := live.Run()
	return Window{Lo: r.Lo, Hi: r.Hi, Axes: r.Axes, Repeats: r.Repeats, Rotation: r.Rotation}
}

// axes returns the coordinates that are drawn.
func (w *Window) axes() [2]int {
	if w.Axes == [2]int{} {
		return [2]int{0, 1}
	}
	return w.Axes
}

// Target is the target density of a set, in simulation units. On a line, it contains the kernel density q_X on
// a grid; in the plane, the picture draws the kernels. It also contains the points at which models are compared
// with q_X. On a line, the points are a second grid, unless the kernels are narrower than its cells. Otherwise
// they are drawn from q_X, always with the same random numbers, so a KL changes only if the set or the model changes.
type Target struct {
	dim     int
	periods []float64 // of the coordinates (dim), 0: open; nil: none repeats
	repeats []float64 // periods in units of σ
	set     []float32 // (n, dim), in a canonical order
	images  []float32 // the points of a set on a line, with their images
	sigma   [maxDim]float64
	Q       []float32 // q_X on the grid of a line, per simulation unit; otherwise nil
	noise   []float64 // (points, dim)
	x64     []float64 // (points, dim): the points; float32 would round away a small ε
	unit    []float64 // x64 in units of σ, so that the kernel has width 1
	unitP   []float64 // the particles in units of σ
	logq    []float32 // (points): ln q_X at x64
	share   []float64 // (points): share of q_X that a point stands for; the sum is 1
	drawn   bool      // whether the points belong to the current set and σ
	smooth
}

// maxDim is the largest number of coordinates of a particle. The picture's plane shows two of them.
const maxDim = 16

// NewTarget returns a Target for sets of particles with dim coordinates. dim is from 1 to maxDim. periods (dim) are those of
// the coordinates, 0 for one that does not repeat; nil: none repeats.
func NewTarget(dim int, periods []float64) *Target {
	t := &Target{dim: dim, periods: periods, noise: make([]float64, dim*points(dim))}
	if dim == 1 {
		t.Q = make([]float32, GridPoints)
	}
	r := rng.New(1, "particles shown KL")
	for i := range t.noise {
		t.noise[i] = r.NormFloat64()
	}
	t.x64, t.unit, t.logq = make([]float64, dim*points(dim)), make([]float64, dim*points(dim)), make([]float32, points(dim))
	t.share = make([]float64, points(dim))
	return t
}

// Take changes the set, the standard deviation of the kernel along each axis, and the window. On a line it computes Q.
func (t *Target) Take(set []float32, sigma [maxDim]float64, w Window) {
	t.aim(set, sigma)
	if t.dim > 1 {
		return
	}
	// Each value is an average over the cell of its grid point. A kernel narrower than a
	// cell is therefore visible.
	half := (w.Hi[0] - w.Lo[0]) / (GridPoints - 1) / 2
	t.images = w.line(t.images[:0], t.set, kernelReach*sigma[0])
	target.Cells(t.Q, t.images, sigma[0], w.Lo[0]-half, w.Hi[0]+half)
	if more := len(t.images); more > len(t.set) { // Cells has divided by the number of all images
		kernel.Scale(t.Q, float32(more)/float32(len(t.set)))
	}
}

// aim changes the set and the standard deviations like Take, but does not compute Q.
func (t *Target) aim(set []float32, sigma [maxDim]float64) {
	if t.sigma != sigma || !slices.Equal(t.set, set) {
		t.drawn, t.smooth.value = false, math.NaN()
	}
	t.set, t.sigma = append(t.set[:0], set...), sigma
}

// Flat appends two coordinates of points (n, dim).
func Flat(dst, points []float32, dim int, axes [2]int) []float32 {
	for i := 0; i < len(points); i += dim {
		dst = append(dst, points[i+axes[0]], points[i+axes[1]])
	}
	return dst
}

// flat appends points (n, dim) as they lie in the window (n, 2).
func (w *Window) flat(dst, points []float32, dim int) []float32 {
	n := len(dst)
	if w.Rotation != nil {
		for i := 0; i < len(points); i += dim {
			at := w.Rotation.At(points[i : i+dim])
			dst = append(dst, float32(at[0]), float32(at[1]))
		}
	} else {
		dst = Flat(dst, points, dim, w.axes())
	}
	w.wrap(dst[n:])
	return dst
}

// line appends points (n) on a line that lie in the window. If it repeats, the points are wrapped, and their images are
// added that are no farther than `reach` from it.
func (w *Window) line(dst, points []float32, reach float64) []float32 {
	if !w.Repeats[0] {
		return append(dst, points...)
	}
	period := w.Hi[0] - w.Lo[0]
	for _, v := range points {
		x := float64(v) - w.Lo[0]
		for x -= period * (1 + math.Floor(x/period)); x < period+reach; x += period {
			if x > -reach {
				dst = append(dst, float32(w.Lo[0]+x))
			}
		}
	}
	return dst
}

// widths returns the standard deviations in the window of a kernel with the standard deviations sigma.
func (w *Window) widths(sigma [maxDim]float64) [2]float64 {
	if w.Rotation != nil {
		return w.Rotation.Widths(sigma)
	}
	axes := w.axes()
	return [2]float64{sigma[axes[0]], sigma[axes[1]]}
}

// kernelReach is the range of a kernel, in standard deviations.
const kernelReach = 5

// draw chooses the points for the current set.
func (t *Target) draw() {
	if t.drawn {
		return
	}
	t.drawn = true
	d, n := t.dim, len(t.set)/t.dim
	m := max(klPointsLeast, min(points(d), klExponents/n))
	low, cell, even := t.evenly(m)
	t.x64, t.unit, t.logq, t.share = t.x64[:d*m], t.unit[:d*m], t.logq[:m], t.share[:m]
	t.unitP, t.repeats = t.unitP[:0], t.repeats[:0]
	for k, period := range t.periods {
		t.repeats = append(t.repeats, period/t.sigma[k])
	}
	for i, v := range t.set {
		t.unitP = append(t.unitP, float64(v)/t.sigma[i%d])
	}
	for k := range m {
		t.share[k] = 1 / float64(m)
		if even {
			t.x64[k] = low + cell*(float64(k)+0.5)
			t.unit[k] = t.x64[k] / t.sigma[0]
			continue
		}
		// The points are distributed evenly over the particles.
		i := (2*k + 1) * n / (2 * m)
		for j := range d {
			t.unit[d*k+j] = t.unitP[d*i+j] + t.noise[d*k+j]
			t.x64[d*k+j] = float64(t.set[d*i+j]) + t.sigma[j]*t.noise[d*k+j]
		}
	}
	t.logDensity(t.logq, t.unit, t.unitP, 1)
	area := 0.0
	for j := range d {
		area += math.Log(t.sigma[j])
	}
	for k := range t.logq {
		t.logq[k] -= float32(area)
	}
	if even {
		sum := 0.0
		for k, q := range t.logq {
			t.share[k] = math.Exp(float64(q))
			sum += t.share[k]
		}
		for k := range t.share {
			t.share[k] /= sum
		}
	}
}

// evenly divides the part of a line that contains q_X into m cells. It returns false if the particles
// have more coordinates, or if a cell would be wider than the kernels.
func (t *Target) evenly(m int) (low, cell float64, ok bool) {
	const reach = kernelReach
	sigma := t.sigma[0]
	if t.periods != nil && t.periods[0] > 0 {
		cell = t.periods[0] / float64(m)
		return 0, cell, t.dim == 1 && cell <= sigma
	}
	low = float64(slices.Min(t.set)) - reach*sigma
	cell = (float64(slices.Max(t.set)) + reach*sigma - low) / float64(m)
	return low, cell, t.dim == 1 && cell <= sigma
}

// logDensity writes to dst (n) the logarithm of the density of the particles (m, dim) with the kernel width h, at the points
// x (n, dim). All are in units of σ.
func (t *Target) logDensity(dst []float32, x, particles []float64, h float64) {
	target.LogDensityIn(dst, x, particles, t.dim, h, t.repeats)
}

// mean returns the mean of a - b over q_X. Both are given at the points.
func (t *Target) mean(a, b []float32) (sum float64) {
	for k, share := range t.share {
		if share > 0 {
			sum += share * float64(a[k]-b[k])
		}
	}
	return sum
}

// Density evaluates the learned density of one set, without allocating. All values of P belong
// to the same z. It is not safe for concurrent use.
type Density struct {
	model   *model.Model
	dim     int
	density decoder.Density[float32]
	src     *rng.Source
	x       []float32 // points in the networks' units (points, dim)
	logp    []float32 // (points): ln p_θ at x
	Samples []float32 // (shownSamples, dim), in simulation units

	window Window
	grids  [Levels][]float32 // centres of the cells of every level, in the networks' units
	deep   depth
	rough  []float32 // density on the cells of a coarse level
	thrown *thrown   // draws from the flow, if the density is projected by means of draws; otherwise nil
	z      []float32 // argument z of p_θ(x | z)
	P      []float32 // density on the grid, or on a deeper one (see Deepen), in the unit of Target.Q
	finest []float32 // the next density, which is being evaluated; it replaces P when it is complete
	parts  int       // number of parts of `finest` that have been evaluated
	Blank  bool      // whether nothing has been evaluated on the present grid
	Whole  bool      // whether P is the density of z at the finest level
	Stale  bool      // whether the weights have changed since P was requested
}

// NewDensity returns a Density, or nil if the method learns no density.
func NewDensity(m *model.Model) *Density {
	d := m.Config.Dim()
	v := &Density{model: m, dim: d, src: rng.New(1, "particles shown samples"), Blank: true}
	if v.density = m.Density(max(GridPoints, points(d), shownSamples, thrownAPart)); v.density == nil {
		return nil
	}
	v.x, v.logp, v.Samples = make([]float32, d*points(d)), make([]float32, points(d)), make([]float32, d*shownSamples)
	v.P, v.finest = make([]float32, Cells(d)), make([]float32, Cells(d))
	switch d {
	case 1:
		v.grids[Finest] = make([]float32, GridPoints)
	case 2:
		for level := range v.grids {
			v.grids[level] = make([]float32, 2*across(level)*across(level))
		}
		v.rough = make([]float32, across(Finest-1)*across(Finest-1))
	default:
		v.thrown = newThrown(d)
	}
	v.z = make([]float32, m.Config.ZDim())
	return v
}

// newCompared returns a Density that can only compute KLs. It needs less memory than a Density that
// is drawn.
func newCompared(m *model.Model) *Density {
	d := m.Config.Dim()
	return &Density{model: m, dim: d, density: m.Density(points(d)), x: make([]float32, d*points(d)), logp: make([]float32, points(d))}
}

func (v *Density) params() []float32 {
	_, dec := v.model.Weights.Split(v.model.Weights.Params)
	return dec
}

// Sigma returns the standard deviation of the kernel along each axis in simulation units,
// for an ε in the networks' units.
func Sigma(m *model.Model, eps float64) (sigma [maxDim]float64) {
	s := m.Scale.Std
	for j := range sigma {
		sigma[j] = eps * s[min(j, len(s)-1)]
	}
	return sigma
}

// Aim requests p_θ(x | z) over the window. Sketch and Evaluate then compute P.
func (v *Density) Aim(w Window, z []float32) {
	same := v.window == w
	if same && !v.Stale && slices.Equal(v.z, z) {
		return
	}
	copy(v.z, z)
	v.parts, v.Whole, v.Stale = 0, false, false
	v.deep.level, v.deep.parts, v.deep.done = Finest, 0, false
	if same {
		return
	}
	v.window, v.Blank, v.deep.of = w, true, 0
	switch v.dim {
	case 1:
		at := v.grids[Finest][:0]
		for i := range GridPoints {
			at = append(at, float32(w.Lo[0]+(w.Hi[0]-w.Lo[0])*float64(i)/(GridPoints-1)))
		}
		v.model.Scale.Points(at, at)
		circle.WrapPoints(v.model.Config.Shape.Circles, at, v.dim)
	case 2:
		for level, at := range v.grids {
			w.centres(at, across(level))
			v.model.Scale.Points(at, at)
			circle.WrapPoints(v.model.Config.Shape.Circles, at, v.dim)
		}
	}
}

// centres writes the centres of side×side cells (side², 2).
func (w *Window) centres(dst []float32, side int) {
	share := func(k, i int) float32 {
		return float32(w.Lo[k] + (float64(i)+0.5)/float64(side)*(w.Hi[k]-w.Lo[k]))
	}
	axes := w.axes()
	for i := range side * side {
		dst[2*i+axes[0]], dst[2*i+axes[1]] = share(0, i%side), share(1, i/side)
	}
}

// Sketch computes the whole density of z at once, at a level of detail, and writes it to P. A
// density on a line has only one level.
func (v *Density) Sketch(level int) {
	switch {
	case v.Whole:
	case v.thrown != nil:
		for part := range thrownParts[level] {
			v.throw(v.P, part, thrownParts[level])
		}
		v.Blank, v.Whole = false, level == Finest
	case v.dim == 1 || level == Finest:
		for !v.Evaluate() {
		}
	default:
		n := across(level)
		v.evaluate(v.rough[:n*n], v.grids[level])
		v.P = sized(v.P, GridSide*GridSide)
		interpolate(v.P, v.rough, n)
		v.Blank = false
	}
}

// Evaluate evaluates a part of the density of z at the finest level of detail. It returns true
// after the last part. P changes only after the last part.
func (v *Density) Evaluate() (whole bool) {
	if v.Whole {
		return true
	}
	all := gridParts
	if v.dim == 1 {
		all = 1
	}
	v.finest = sized(v.finest, Cells(v.dim))
	n := len(v.finest) / all
	if v.thrown != nil {
		v.throw(v.finest, v.parts, all)
	} else {
		v.evaluate(v.finest[n*v.parts:n*(v.parts+1)], v.grids[Finest][v.dim*n*v.parts:v.dim*n*(v.parts+1)])
	}
	if v.parts++; v.parts == all {
		v.P, v.finest = v.finest, v.P
		v.parts, v.Blank, v.Whole = 0, false, true
	}
	return v.Whole
}

// evaluate writes the density at the points to p. The points are in the networks' units, the
// density is in 1/(simulation unit)^dim.
func (v *Density) evaluate(p, points []float32) {
	v.density.LogProb(p, v.params(), points, v.z)
	kernel.ExpTo(p, p)
	kernel.Scale(p, float32(1/v.area()))
}

// area returns the volume, in simulation units, of a cube with side 1 in the networks' units.
func (v *Density) area() float64 {
	a := 1.0
	for _, s := range v.model.Scale.Std {
		a *= s
	}
	return a
}

// KL returns KL(q_X ‖ p_θ(· | z)) in nats, computed at the target's points.
func (v *Density) KL(t *Target, z []float32) float64 {
	t.draw()
	n, s := len(t.logq), &v.model.Scale
	for i, x := range t.x64 {
		v.x[i] = float32((x - s.Mean[i%v.dim]) / s.Std[i%v.dim])
	}
	circle.WrapPoints(v.model.Config.Shape.Circles, v.x[:v.dim*n], v.dim)
	v.density.LogProb(v.logp[:n], v.params(), v.x[:v.dim*n], z)
	return t.mean(t.logq, v.logp[:n]) + math.Log(v.area())
}

// Draw fills Samples with draws from p_θ(· | z). The random numbers are always the same, so the
// points move only if z changes.
func (v *Density) Draw(z []float32) {
	v.src.Seed(1, "particles shown samples")
	v.density.Sample(v.Samples, v.params(), z, v.src.Rand)
	s := &v.model.Scale
	for i := range v.Samples {
		v.Samples[i] = float32(float64(v.Samples[i])*s.Std[i%v.dim] + s.Mean[i%v.dim])
	}
}
