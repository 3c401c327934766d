package spline

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/compute/tensor"
)

// bijection is the common interface of Rows and Table, with one sample per row.
type bijection[T tensor.Float] struct {
	name     string
	forward  func(y, logdet, x, raw []T)
	inverse  func(x, logdet, y, raw []T)
	backward func(dx, draw, dy, dlogdet []T)
}

func bijections[T tensor.Float](s Spline, max int) []bijection[T] {
	r, t := NewRows[T](s, max), NewTable[T](s, max, max)
	return []bijection[T]{
		{"Rows", r.Forward, r.Inverse, r.Backward},
		{
			"Table",
			func(y, logdet, x, raw []T) { t.Build(raw, len(x)); t.Forward(y, logdet, x, 1) },
			func(x, logdet, y, raw []T) { t.Build(raw, len(y)); t.Inverse(x, logdet, y, 1) },
			func(dx, draw, dy, dlogdet []T) { t.Backward(dx, dy, dlogdet); t.ParamGrad(draw) },
		},
	}
}

// battery runs a test in both precisions, for Rows and for Table.
func battery(t *testing.T, s Spline, n int, f32 func(*testing.T, bijection[float32]), f64 func(*testing.T, bijection[float64])) {
	for _, b := range bijections[float64](s, n) {
		t.Run(b.name+"/float64", func(t *testing.T) { f64(t, b) })
	}
	for _, b := range bijections[float32](s, n) {
		t.Run(b.name+"/float32", func(t *testing.T) { f32(t, b) })
	}
}

// TestGradients compares every gradient of Σ (c·y + e·logdet) with central differences. A step of
// 1e-6 leaves relative errors near 1e-9.
func TestGradients(t *testing.T) {
	for _, k := range []int{2, 3, 7, 16} {
		const n = 9
		for _, s := range []Spline{{Bins: k, Bound: 3}, {Bins: k, Bound: 3, Circular: true}} {
			for _, b := range bijections[float64](s, n) {
				t.Run(fmt.Sprint(b.name, s), func(t *testing.T) {
					c := randomCase[float64](s, n, n, uint64(k))
					c.x[0], c.x[1] = -2.999, 2.999 // the first and the last bin
					checkGradients(t, c, func() {
						b.forward(c.y, c.logdet, c.x, c.raw)
					}, func() {
						b.backward(c.dx, c.draw, c.dy, c.dlogdet)
					})
				})
			}
		}
	}
	for _, circular := range []bool{false, true} {
		testSharedGradients(t, Spline{Bins: 6, Bound: 3, Circular: circular})
	}
}

func testSharedGradients(t *testing.T, s Spline) {
	t.Run(fmt.Sprint("shared", s), func(t *testing.T) {
		const sets, per = 3, 40
		c := randomCase[float64](s, sets, sets*per, 5)
		table := NewTable[float64](s, sets, sets*per)
		checkGradients(t, c, func() {
			table.Build(c.raw, sets)
			table.Forward(c.y, c.logdet, c.x, per)
		}, func() {
			table.Backward(c.dx, c.dy, c.dlogdet)
			table.ParamGrad(c.draw)
		})
		for i, g := range c.draw { // with 40 samples a set, every raw width and height has a gradient
			if g == 0 && i%s.Params() < 2*s.Bins {
				t.Errorf("parameter %d has no gradient", i)
			}
		}
	})
}

func checkGradients(t *testing.T, c arrays[float64], forward, backward func()) {
	loss := func() (sum float64) {
		forward()
		for i := range c.y {
			sum += c.dy[i]*c.y[i] + c.dlogdet[i]*c.logdet[i]
		}
		return sum
	}
	loss()
	backward()
	for _, group := range []struct {
		name     string
		at, grad []float64
	}{{"x", c.x, c.dx}, {"parameter", c.raw, c.draw}} {
		for i := range group.at {
			const h = 1e-6
			keep := group.at[i]
			group.at[i] = keep + h
			up := loss()
			group.at[i] = keep - h
			down := loss()
			group.at[i] = keep
			want := (up - down) / (2 * h)
			if got := group.grad[i]; !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("%s %d: gradient %g, by differences %g", group.name, i, got, want)
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for _, s := range []Spline{{Bins: 16, Bound: 5}, {Bins: 16, Bound: 5, Circular: true}} {
		battery(t, s, 1000,
			func(t *testing.T, b bijection[float32]) { testRoundTrip(t, s, b, 2e-6, 1e-2) },
			func(t *testing.T, b bijection[float64]) { testRoundTrip(t, s, b, 1e-14, 1e-9) })
	}
}

// testRoundTrip allows an error of tolX·(1 + 1/slope) in x, because the inverse amplifies rounding
// errors of y where the spline is flat.
func testRoundTrip[T tensor.Float](t *testing.T, s Spline, b bijection[T], tolX, tolDet float64) {
	const n = 1000
	c := randomCase[T](s, n, n, 7)
	back, backdet := make([]T, n), make([]T, n)
	b.forward(c.y, c.logdet, c.x, c.raw)
	b.inverse(back, backdet, c.y, c.raw)
	for i := range n {
		if d := math.Abs(float64(back[i] - c.x[i])); !(d <= tolX*(1+math.Exp(-float64(c.logdet[i])))) {
			t.Errorf("x = %g came back as %g from a slope of e^%g", c.x[i], back[i], c.logdet[i])
		}
		if d := math.Abs(float64(backdet[i] + c.logdet[i])); !(d <= tolDet) {
			t.Errorf("log-derivatives %g and %g at x = %g do not cancel", c.logdet[i], backdet[i], c.x[i])
		}
	}
}

// TestSeam checks that a circular spline has the same slope at both ends of its interval, which is not 1.
func TestSeam(t *testing.T) {
	s := Spline{Bins: 7, Bound: 1, Circular: true}
	battery(t, s, 2, func(*testing.T, bijection[float32]) {}, func(t *testing.T, b bijection[float64]) {
		c := randomCase[float64](s, 2, 2, 3)
		copy(c.raw[s.Params():], c.raw[:s.Params()])
		c.x[0], c.x[1] = -1, 1
		b.forward(c.y, c.logdet, c.x, c.raw)
		if c.logdet[0] == 0 || math.Abs(c.logdet[0]-c.logdet[1]) > 1e-12 || math.Abs(c.y[0]+1) > 1e-12 || math.Abs(c.y[1]-1) > 1e-12 {
			t.Errorf("slopes e^%g and e^%g at %g and %g", c.logdet[0], c.logdet[1], c.y[0], c.y[1])
		}
	})
}

// TestLogDerivative compares logdet with central differences of y with step 1e-6.
func TestLogDerivative(t *testing.T) {
	s := Spline{Bins: 8, Bound: 2}
	const n = 300
	for _, b := range bijections[float64](s, n) {
		t.Run(b.name, func(t *testing.T) {
			c := randomCase[float64](s, n, n, 3)
			const h = 1e-6
			up, down, x, det := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range x {
				x[i] = c.x[i] + h
			}
			b.forward(up, det, x, c.raw)
			for i := range x {
				x[i] = c.x[i] - h
			}
			b.forward(down, det, x, c.raw)
			b.forward(c.y, c.logdet, c.x, c.raw)
			for i := range x {
				want := math.Log((up[i] - down[i]) / (2 * h))
				if !(math.Abs(c.logdet[i]-want) <= 1e-5) {
					t.Errorf("x = %g: log-derivative %g, by differences %g", c.x[i], c.logdet[i], want)
				}
			}
		})
	}
}

func TestTailsAreTheIdentity(t *testing.T) {
	s := Spline{Bins: 5, Bound: 2}
	battery(t, s, 6, testTails[float32], testTails[float64])
}

func testTails[T tensor.Float](t *testing.T, b bijection[T]) {
	inf := T(math.Inf(1))
	x := []T{-inf, -1e30, -2.5, 2.0001, 77, inf}
	c := randomCase[T](Spline{Bins: 5, Bound: 2}, len(x), len(x), 1)
	for _, mapping := range []func(_, _, _, _ []T){b.forward, b.inverse} {
		mapping(c.y, c.logdet, x, c.raw)
		for i := range x {
			if c.y[i] != x[i] || c.logdet[i] != 0 {
				t.Errorf("x = %g became %g with log-derivative %g", x[i], c.y[i], c.logdet[i])
			}
		}
	}
	b.forward(c.y, c.logdet, x, c.raw)
	for i := range c.draw {
		c.draw[i] = T(math.NaN()) // Backward must overwrite every element
	}
	b.backward(c.dx, c.draw, c.dy, c.dlogdet)
	for i := range x {
		if c.dx[i] != c.dy[i] {
			t.Errorf("gradient %g at x = %g became %g", c.dy[i], x[i], c.dx[i])
		}
	}
	for i, g := range c.draw {
		if g != 0 {
			t.Errorf("parameter %d has gradient %g", i, g)
		}
	}
	nan := T(math.NaN())
	b.forward(c.y[:1], c.logdet[:1], []T{nan}, c.raw)
	if c.y[0] == c.y[0] {
		t.Errorf("NaN became %g", c.y[0])
	}
}

func TestIdentity(t *testing.T) {
	s := Spline{Bins: 10, Bound: 4}
	battery(t, s, 101, // the tolerances are a few rounding errors of numbers as large as the bound
		func(t *testing.T, b bijection[float32]) { testIdentity(t, s, b, 4e-6) },
		func(t *testing.T, b bijection[float64]) { testIdentity(t, s, b, 1e-14) })
}

func testIdentity[T tensor.Float](t *testing.T, s Spline, b bijection[T], tolerance float64) {
	const n = 101
	c := randomCase[T](s, n, n, 1)
	for i := range c.raw {
		c.raw[i] = 0.3
		if i%s.Params() >= 2*s.Bins {
			c.raw[i] = T(UnitSlope)
		}
	}
	for i := range c.x {
		c.x[i] = T(-4.5 + 0.09*float64(i))
	}
	b.forward(c.y, c.logdet, c.x, c.raw)
	for i, x := range c.x {
		if math.Abs(float64(c.y[i]-x)) > tolerance || math.Abs(float64(c.logdet[i])) > tolerance {
			t.Errorf("x = %g became %g with log-derivative %g", x, c.y[i], c.logdet[i])
		}
	}
}

// TestExtremeParameters covers a softmax that overflows or underflows without a shift, a softmax
// with elements near 0, derivatives at their lower limit and steep derivatives.
func TestExtremeParameters(t *testing.T) {
	s := Spline{Bins: 16, Bound: 5}
	const n = 2001
	battery(t, s, n,
		func(t *testing.T, b bijection[float32]) { testExtremes(t, s, b, 1e-5) },
		func(t *testing.T, b bijection[float64]) { testExtremes(t, s, b, 1e-13) })
}

func testExtremes[T tensor.Float](t *testing.T, s Spline, b bijection[T], slack T) {
	const n = 2001
	for _, tc := range []struct {
		name                string
		shift, scale, slope float64
	}{
		{"shifted up", 500, 1, 1},
		{"shifted down", -500, 1, 1},
		{"spread", 0, 40, 1},
		{"spread wide", 0, 400, 1},
		{"flat knots", 0, 1, -50},
		{"steep knots", 0, 1, 30},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := randomCase[T](s, n, n, 2)
			p := s.Params()
			for i := range c.raw {
				if i >= p { // the other rows repeat the first row
					c.raw[i] = c.raw[i-p]
				} else if i < 2*s.Bins {
					c.raw[i] = T(tc.shift + tc.scale*float64(c.raw[i]))
				} else {
					c.raw[i] *= T(tc.slope)
				}
			}
			for i := range c.x {
				c.x[i] = T(-5 + float64(i)/200)
			}
			b.forward(c.y, c.logdet, c.x, c.raw)
			b.backward(c.dx, c.draw, c.dy, c.dlogdet)
			back := make([]T, n)
			b.inverse(back, nil, c.y, c.raw)
			for i := range c.x {
				if i > 0 && !(c.y[i] >= c.y[i-1]-slack) {
					t.Fatalf("not monotone: %g after %g at x = %g", c.y[i], c.y[i-1], c.x[i])
				}
				if i > 0 && !(back[i] >= back[i-1]-slack) {
					t.Fatalf("inverse not monotone: %g after %g at y = %g", back[i], back[i-1], c.y[i])
				}
				if finite := c.y[i] - c.y[i] + c.logdet[i] - c.logdet[i] + c.dx[i] - c.dx[i]; finite != 0 {
					t.Fatalf("x = %g gives %g, log-derivative %g, gradient %g", c.x[i], c.y[i], c.logdet[i], c.dx[i])
				}
			}
			for i, g := range c.draw {
				if g-g != 0 {
					t.Fatalf("gradient %g of parameter %d", g, i)
				}
			}
			if c.y[0] < -5-slack || c.y[n-1] > 5+slack {
				t.Errorf("image [%g, %g] leaves the bound", c.y[0], c.y[n-1])
			}
		})
	}
}

// TestBin checks a bin at its edges, and at a point where the quadratic formula of the inverse
// suffers cancellation.
func TestBin(t *testing.T) {
	for v, want := range map[float64]float64{-1e-9: 0, 0: 0, 0.25: 0.25, 1: 1, 1 + 1e-9: 1} {
		if got := unit(v); got != want {
			t.Errorf("unit(%g) = %g, want %g", v, got, want)
		}
	}
	flat := bin[float64]{w: 1, h: 1, invW: 1, s: 1, d1: 1} // a bin with d0 = 0
	if got := flat.inverse(0); got != 0 {
		t.Errorf("the inverse of 0 in a bin that begins flat is %g", got)
	}
	steep, exact := bin[float32]{w: 1, h: 1, invW: 1, s: 1, d0: 1, d1: 11000}, bin[float64]{w: 1, h: 1, invW: 1, s: 1, d0: 1, d1: 11000}
	for _, eta := range []float32{1e-3, 1e-2, 0.1, 0.5} {
		if got, want := float64(steep.inverse(eta)), exact.inverse(float64(eta)); !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("the inverse of %g in a steep bin is %g, want %g", eta, got, want)
		}
	}
}

// TestNarrowBins has a narrow, steep bin far from 0. float32 rounds its left knot by 2e-5 of the
// bin's width, which would change the results by 7e-5 to 3e-4. The bin's dx and dy correct this.
// The errors of the results are then at most 1.3e-6; the test allows 5e-6.
func TestNarrowBins(t *testing.T) {
	s := Spline{Bins: 16, Bound: 5}
	const n, steep = 64, 13
	for _, inverse := range []bool{false, true} {
		narrow, wide := steep, s.Bins+steep
		if inverse {
			narrow, wide = wide, narrow
		}
		raw32, raw64 := make([]float32, n*s.Params()), make([]float64, n*s.Params())
		for r := range n {
			for i := range s.Params() {
				v := 0.0 // float32 represents the exponential of 0 exactly
				switch i {
				case narrow:
					v = -9
				case wide:
					v = 3
				}
				raw32[r*s.Params()+i], raw64[r*s.Params()+i] = float32(v), float64(float32(v))
			}
		}
		table := NewTable[float64](s, 1, 1)
		table.Build(raw64, 1)
		knots := table.x
		if inverse {
			knots = table.y
		}
		at32, at64 := make([]float32, n), make([]float64, n)
		for i := range at32 {
			at32[i] = float32(knots[steep] + (knots[steep+1]-knots[steep])*(float64(i)+0.5)/n)
			at64[i] = float64(at32[i])
		}
		exact := bijections[float64](s, n)
		for i, b := range bijections[float32](s, n) {
			got, want := make([]float32, n), make([]float64, n)
			if inverse {
				b.inverse(got, nil, at32, raw32)
				exact[i].inverse(want, nil, at64, raw64)
			} else {
				b.forward(got, make([]float32, n), at32, raw32)
				exact[i].forward(want, make([]float64, n), at64, raw64)
			}
			for j, w := range want {
				if !(math.Abs(float64(got[j])-w) <= 5e-6) {
					t.Errorf("%s, inverse %v: %g became %.8g, want %.8g", b.name, inverse, at32[j], got[j], w)
				}
			}
		}
	}
}

// TestBuildForgets checks that the gradients of one Build do not affect the next Build.
func TestBuildForgets(t *testing.T) {
	s := Spline{Bins: 6, Bound: 3}
	const n = 40
	c := randomCase[float64](s, 1, n, 2)
	table := NewTable[float64](s, 1, n)
	run := func() []float64 {
		draw := make([]float64, s.Params())
		table.Build(c.raw, 1)
		table.Forward(c.y, c.logdet, c.x, n)
		table.Backward(c.dx, c.dy, c.dlogdet)
		table.ParamGrad(draw)
		return draw
	}
	if first, again := run(), run(); !slices.Equal(first, again) {
		t.Errorf("gradients %v, after another Build %v", first, again)
	}
}

// TestKnots checks that Table and Rows map knots to knots, with equal log-derivatives.
func TestKnots(t *testing.T) {
	s := Spline{Bins: 9, Bound: 3}
	table := NewTable[float64](s, 1, s.Bins+1)
	c := randomCase[float64](s, 1, s.Bins+1, 4)
	table.Build(c.raw, 1)
	table.Forward(c.y, c.logdet, table.x, s.Bins+1)
	rows := NewRows[float64](s, s.Bins+1)
	var raw []float64
	for range s.Bins + 1 {
		raw = append(raw, c.raw...)
	}
	y, logdet := make([]float64, s.Bins+1), make([]float64, s.Bins+1)
	rows.Forward(y, logdet, table.x, raw)
	for j, want := range table.y {
		if math.Abs(c.y[j]-want) > 1e-14 || math.Abs(y[j]-want) > 1e-14 {
			t.Errorf("knot %d: Table %g, Rows %g, want %g", j, c.y[j], y[j], want)
		}
		if !(math.Abs(c.logdet[j]-logdet[j]) <= 1e-12) {
			t.Errorf("knot %d: log-derivatives %g of Table, %g of Rows", j, c.logdet[j], logdet[j])
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	s := Spline{Bins: 16, Bound: 5}
	const n = 130
	c := randomCase[float32](s, n, n, 1)
	for _, b := range bijections[float32](s, n) {
		if got := testing.AllocsPerRun(5, func() {
			b.forward(c.y, c.logdet, c.x, c.raw)
			b.backward(c.dx, c.draw, c.dy, c.dlogdet)
			b.inverse(c.dx, c.logdet, c.y, c.raw)
		}); got != 0 {
			t.Errorf("%s: %v allocations", b.name, got)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		s    Spline
		want string // the error must contain this
	}{
		{Spline{Bins: 16, Bound: 5}, ""},
		{Spline{Bins: 2, Bound: 0.5}, ""},
		{Spline{Bins: MaxBins, Bound: 8}, ""},
		{Spline{Bins: 1, Bound: 5}, "1 bins"},
		{Spline{Bins: MaxBins + 1, Bound: 5}, "513 bins"},
		{Spline{Bins: 16, Bound: 0}, "bound 0"},
		{Spline{Bins: 16, Bound: math.NaN()}, "bound NaN"},
		{Spline{Bins: 16, Bound: math.Inf(1)}, "bound +Inf"},
	} {
		got := ""
		if err := tc.s.Validate(); err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tc.want) || (tc.want == "") != (got == "") {
			t.Errorf("%+v: error %q, want %q", tc.s, got, tc.want)
		}
	}
}

// A spline with equal bins and a flat inner knot: points stay inside the bound, and the inverse
// returns the original points.
func ExampleTable() {
	s := Spline{Bins: 2, Bound: 1}
	t := NewTable[float64](s, 1, 3)
	t.Build([]float64{0, 0, 0, 0, -20}, 1) // widths, heights, derivative
	x, y, logdet := []float64{-0.5, 0, 0.5}, make([]float64, 3), make([]float64, 3)
	t.Forward(y, logdet, x, 3)
	fmt.Printf("%.3f\n", y)
	t.Inverse(x, nil, y, 3)
	fmt.Printf("%.3f\n", x)
	// Output:
	// [-0.334 0.000 0.334]
	// [-0.500 0.000 0.500]
}
