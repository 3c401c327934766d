package verify

import (
	"fmt"
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/file/data"
	"macroscope/model/net/decoder/spline"
	"macroscope/model/net/encoder/deepset"
	"macroscope/model/net/target"
)

// both runs a case in float64 and in float32.
func both(c Case, in64 func(Case, *comparison) error, in32 func(Case, *comparison) error) ([]Result, error) {
	double, single := comparison{floor: floor64}, comparison{floor: floor32}
	if err := in64(c, &double); err != nil {
		return nil, err
	}
	if err := in32(c, &single); err != nil {
		return nil, err
	}
	return []Result{double.result64(), single.result32()}, nil
}

// runSpline checks values, log-derivatives, inverses and all gradients of Σy +
// Σlogdet. Steep bins magnify the rounding of an input to float32 beyond any
// float32 tolerance, so the float32 path is compared with the float64 path on
// the same rounded inputs, which in turn agrees with the reference.
func runSpline(c Case) ([]Result, error) {
	in, err := newSplineInput(c)
	if err != nil {
		return nil, err
	}
	double, single := comparison{floor: floor64}, comparison{floor: floor32}
	for _, got := range splineOutputs[float64](in) {
		double.add(got.y, c.values("y"))
		double.add(got.logdet, c.values("logdet"))
		double.addIf(c, "x_back", got.back)
		double.addIf(c, "grad_x", got.dx)
		double.addIf(c, "grad_widths", got.dwidths)
		double.addIf(c, "grad_heights", got.dheights)
		double.addIf(c, "grad_derivatives", got.dderivatives)
	}
	in.round()
	exact := splineOutputs[float64](in)
	for i, got := range splineOutputs[float32](in) {
		want := exact[i]
		for _, pair := range [][2][]float64{
			{got.y, want.y}, {got.logdet, want.logdet}, {got.back, want.back}, {got.dx, want.dx},
			{got.dwidths, want.dwidths}, {got.dheights, want.dheights}, {got.dderivatives, want.dderivatives},
		} {
			single.add(pair[0], pair[1])
		}
	}
	return []Result{double.result64(), single.result32()}, nil
}

// splineInput is a spline a row and where it is evaluated.
type splineInput struct {
	form spline.Spline
	raw  []float64 // (n, 3K-1)
	x, y []float64 // (n), for the map and for its inverse
}

func newSplineInput(c Case) (in splineInput, err error) {
	bound, err := c.scalar("bound")
	if err != nil {
		return in, err
	}
	shape := c["widths"].Shape
	if len(shape) != 2 {
		return in, fmt.Errorf("widths has the shape %v and should have two dimensions", shape)
	}
	n, k := shape[0], shape[1]
	in.form = spline.Spline{Bins: k, Bound: bound}
	if err := in.form.Validate(); err != nil {
		return in, err
	}
	w, h, d := c.values("widths"), c.values("heights"), c.values("derivatives")
	in.x, in.y = slices.Clone(c.values("x")), slices.Clone(c.values("y"))
	if len(h) != n*k || len(d) != n*(k-1) || len(in.x) != n || len(in.y) != n {
		return in, fmt.Errorf("%d splines of %d bins come with %d heights, %d derivatives, %d and %d samples", n, k, len(h), len(d), len(in.x), len(in.y))
	}
	for i := range n {
		in.raw = append(in.raw, w[i*k:(i+1)*k]...)
		in.raw = append(in.raw, h[i*k:(i+1)*k]...)
		in.raw = append(in.raw, d[i*(k-1):(i+1)*(k-1)]...)
	}
	return in, nil
}

// round makes every input a float32.
func (in *splineInput) round() {
	for _, v := range [][]float64{in.raw, in.x, in.y} {
		for i := range v {
			v[i] = float64(float32(v[i]))
		}
	}
}

// splineOutput is what one implementation makes of a splineInput.
type splineOutput struct {
	y, logdet, back, dx             []float64 // (n)
	dwidths, dheights, dderivatives []float64 // (n, K), (n, K), (n, K-1)
}

// splineOutputs evaluates the input by both implementations, a row a sample
// and a table of shared splines.
func splineOutputs[T tensor.Float](in splineInput) []splineOutput {
	s, n := in.form, len(in.x)
	raw, x, y0 := to[T](in.raw), to[T](in.x), to[T](in.y)
	y, logdet, back, dx, draw, ones := make([]T, n), make([]T, n), make([]T, n), make([]T, n), make([]T, len(raw)), make([]T, n)
	for i := range ones {
		ones[i] = 1
	}
	output := func() splineOutput {
		o := splineOutput{y: from(y), logdet: from(logdet), back: from(back), dx: from(dx)}
		k, p := s.Bins, s.Params()
		for i := range n {
			row := from(draw[i*p : i*p+p])
			o.dwidths = append(o.dwidths, row[:k]...)
			o.dheights = append(o.dheights, row[k:2*k]...)
			o.dderivatives = append(o.dderivatives, row[2*k:]...)
		}
		return o
	}
	rows := spline.NewRows[T](s, n)
	rows.Inverse(back, nil, y0, raw)
	rows.Forward(y, logdet, x, raw)
	rows.Backward(dx, draw, ones, ones)
	outputs := []splineOutput{output()}

	table := spline.NewTable[T](s, n, n)
	table.Build(raw, n)
	table.Inverse(back, nil, y0, 1)
	table.Forward(y, logdet, x, 1)
	table.Backward(dx, ones, ones)
	table.ParamGrad(draw)
	return append(outputs, output())
}

func runDeepSet(c Case) ([]Result, error) { return both(c, deepSetCase[float64], deepSetCase[float32]) }

// deepSetCase checks ẑ and the gradients of Σ ẑ².
func deepSetCase[T tensor.Float](c Case, cmp *comparison) error {
	points, ends, err := c.sets()
	if err != nil {
		return err
	}
	width := func(name string) int { return len(c.values(name)) }
	cfg := deepset.Config{
		Dim: points.Shape[1], Hidden: []int{width("b0"), width("b1")}, Head: []int{width("b2")}, ZDim: width("b3"), Act: kernel.Softplus,
	}
	if err := cfg.Table().Check(); err != nil {
		return err
	}
	var layout tensor.Layout
	e := deepset.New(cfg, &layout, "e")
	names := []string{"w0", "b0", "w1", "b1", "w2", "b2", "w3", "b3"} // in the layout's order
	params, grads := make([]T, layout.Size()), make([]T, layout.Size())
	for i, p := range layout.Params() {
		if v := c.values(names[i]); len(v) != p.Len() {
			return fmt.Errorf("%s holds %d values and should hold %d", names[i], len(v), p.Len())
		}
		copy(tensor.Of(params, p), to[T](c.values(names[i])))
	}
	x := to[T](points.Float64s())
	ws := deepset.NewWorkspace[T](e, len(ends), points.Shape[0])
	z := deepset.Encode(e, ws, params, x, ends)
	cmp.add(from(z), c.values("z"))
	dz := make([]T, len(z))
	for i, v := range z {
		dz[i] = 2 * v
	}
	deepset.Backward(e, ws, params, grads, x, ends, dz)
	for i, p := range layout.Params() {
		cmp.addIf(c, "grad_"+names[i], from(tensor.Of(grads, p)))
	}
	return nil
}

// sets returns the particles of a case and where each of its sets ends.
func (c Case) sets() (points *data.Array, ends []int, err error) {
	counts, err := c["counts"].Int64s()
	if err != nil {
		return nil, nil, fmt.Errorf("counts: %w", err)
	}
	points = c["points"]
	if len(points.Shape) != 2 {
		return nil, nil, fmt.Errorf("points has the shape %v and should have two dimensions", points.Shape)
	}
	end := 0
	for _, n := range counts {
		if n < 1 || n > int64(points.Shape[0]) {
			return nil, nil, fmt.Errorf("a set of %d particles among %d", n, points.Shape[0])
		}
		end += int(n)
		ends = append(ends, end)
	}
	if end != points.Shape[0] || len(ends) == 0 {
		return nil, nil, fmt.Errorf("the counts add up to %d and there are %d particles", end, points.Shape[0])
	}
	return points, ends, nil
}

func runTarget(c Case) ([]Result, error) { return both(c, targetCase[float64], targetCase[float32]) }

// targetCase checks log q_X in T of points in float64, as programs evaluate
// it: a float32 point has lost an ε of 1e-8.
func targetCase[T tensor.Float](c Case, cmp *comparison) error {
	eps, err := c.scalar("eps")
	if err != nil {
		return err
	}
	shape := c["particles"].Shape
	if len(shape) != 2 || shape[1] < 1 || c["x"].Len()%shape[1] != 0 {
		return fmt.Errorf("particles has the shape %v and x %v; both should have a row a point", shape, c["x"].Shape)
	}
	got := make([]T, c["x"].Len()/shape[1])
	target.LogDensity(got, c.values("x"), c.values("particles"), shape[1], eps)
	cmp.add(from(got), c.values("log_q"))
	return nil
}

func to[T tensor.Float](x []float64) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = T(v)
	}
	return y
}

func from[T tensor.Float](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
