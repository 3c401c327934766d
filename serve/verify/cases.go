package verify

import (
	"fmt"

	"macroscope/model/kernel"
	"macroscope/model/set"
	"macroscope/model/spline"
	"macroscope/model/target"
	"macroscope/model/tensor"
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

func runSpline(c Case) ([]Result, error) { return both(c, splineCase[float64], splineCase[float32]) }

// splineCase checks values, log-derivatives, inverses and all gradients of
// Σy + Σlogdet, both with a spline a sample and with one shared by samples.
func splineCase[T tensor.Float](c Case, cmp *comparison) error {
	bound, err := c.scalar("bound")
	if err != nil {
		return err
	}
	shape := c["widths"].Shape
	if len(shape) != 2 {
		return fmt.Errorf("widths has the shape %v and should have two dimensions", shape)
	}
	n, k := shape[0], shape[1]
	s := spline.Spline{Bins: k, Bound: bound}
	if err := s.Validate(); err != nil {
		return err
	}
	w, h, d, x := c.values("widths"), c.values("heights"), c.values("derivatives"), to[T](c.values("x"))
	if len(h) != n*k || len(d) != n*(k-1) || len(x) != n {
		return fmt.Errorf("%d splines of %d bins come with %d heights, %d derivatives and %d samples", n, k, len(h), len(d), len(x))
	}
	raw := make([]T, 0, n*s.Params())
	for i := range n {
		raw = append(raw, to[T](w[i*k:(i+1)*k])...)
		raw = append(raw, to[T](h[i*k:(i+1)*k])...)
		raw = append(raw, to[T](d[i*(k-1):(i+1)*(k-1)])...)
	}
	ones := make([]T, n)
	for i := range ones {
		ones[i] = 1
	}
	compare := func(y, logdet, back, dx, draw []T) {
		cmp.add(from(y), c.values("y"))
		cmp.add(from(logdet), c.values("logdet"))
		cmp.addIf(c, "x_back", from(back))
		cmp.addIf(c, "grad_x", from(dx))
		var gotRaw, wantRaw []float64 // one row of parameters is one array
		for name, span := range map[string][2]int{"grad_widths": {0, k}, "grad_heights": {k, 2 * k}, "grad_derivatives": {2 * k, s.Params()}} {
			if c[name] == nil {
				continue
			}
			wantRaw = append(wantRaw, c.values(name)...)
			for i := range n {
				gotRaw = append(gotRaw, from(draw[i*s.Params()+span[0]:i*s.Params()+span[1]])...)
			}
		}
		cmp.add(gotRaw, wantRaw)
	}
	wantY := to[T](c.values("y"))
	y, logdet, back, inverse, dx := make([]T, n), make([]T, n), make([]T, n), make([]T, n), make([]T, n)

	rows := spline.NewRows[T](s, n)
	rows.Inverse(back, inverse, wantY, raw)
	rows.Forward(y, logdet, x, raw)
	draw := make([]T, len(raw))
	rows.Backward(dx, draw, ones, ones)
	compare(y, logdet, back, dx, draw)

	table := spline.NewTable[T](s, n, n)
	table.Build(raw, n)
	table.Inverse(back, inverse, wantY, 1)
	table.Forward(y, logdet, x, 1)
	clear(draw)
	table.Backward(dx, ones, ones)
	table.ParamGrad(draw)
	compare(y, logdet, back, dx, draw)
	return nil
}

func runDeepSet(c Case) ([]Result, error) { return both(c, deepSetCase[float64], deepSetCase[float32]) }

// deepSetCase checks ẑ and the gradients of Σ ẑ².
func deepSetCase[T tensor.Float](c Case, cmp *comparison) error {
	counts, err := c["counts"].Int64s()
	if err != nil {
		return fmt.Errorf("counts: %w", err)
	}
	points := c["points"]
	if len(points.Shape) != 2 {
		return fmt.Errorf("points has the shape %v and should have two dimensions", points.Shape)
	}
	var ends []int
	end := 0
	for _, n := range counts {
		if n < 1 || n > int64(points.Shape[0]) {
			return fmt.Errorf("a set of %d particles among %d", n, points.Shape[0])
		}
		end += int(n)
		ends = append(ends, end)
	}
	if end != points.Shape[0] || len(ends) == 0 {
		return fmt.Errorf("the counts add up to %d and there are %d particles", end, points.Shape[0])
	}
	width := func(name string) int { return len(c.values(name)) }
	cfg := set.Config{
		Dim: points.Shape[1], Hidden: []int{width("b0"), width("b1")}, Head: []int{width("b2")}, ZDim: width("b3"), Act: kernel.Softplus,
	}
	if err := cfg.Validate(); err != nil {
		return err
	}
	var layout tensor.Layout
	e := set.New(cfg, &layout, "e")
	names := []string{"w0", "b0", "w1", "b1", "w2", "b2", "w3", "b3"} // in the layout's order
	params, grads := make([]T, layout.Size()), make([]T, layout.Size())
	for i, p := range layout.Params() {
		if v := c.values(names[i]); len(v) != p.Len() {
			return fmt.Errorf("%s holds %d values and should hold %d", names[i], len(v), p.Len())
		}
		copy(tensor.Of(params, p), to[T](c.values(names[i])))
	}
	x := to[T](points.Float64s())
	ws := set.NewWorkspace[T](e, len(ends), end)
	z := set.Encode(e, ws, params, x, ends)
	cmp.add(from(z), c.values("z"))
	dz := make([]T, len(z))
	for i, v := range z {
		dz[i] = 2 * v
	}
	set.Backward(e, ws, params, grads, x, ends, dz)
	for i, p := range layout.Params() {
		cmp.addIf(c, "grad_"+names[i], from(tensor.Of(grads, p)))
	}
	return nil
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
