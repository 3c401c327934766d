package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var white = RGB(0xffffff)

func TestScaleRoundTrip(t *testing.T) {
	for _, s := range []Scale{
		{Lo: -2, Hi: 3, A: 10, B: 700},
		{Lo: 0, Hi: 1.2, A: 400, B: 30}, // y grows downwards
		{Lo: 1e-3, Hi: 10, A: 300, B: 20, Log: true},
		{Lo: 0, Hi: 6, A: 40, B: 600, Near: 0.2},
	} {
		if a, b := s.Pos(s.Lo), s.Pos(s.Hi); a != s.A || b != s.B {
			t.Errorf("%+v: ends at %v, %v", s, a, b)
		}
		for _, u := range []float64{0.01, 0.3, 0.77} {
			v := s.Value(s.A + float32(u)*(s.B-s.A))
			// Pixels are float32: near 1000 they are accurate to 1e-4.
			if got := s.Pos(v); math.Abs(float64(got-(s.A+float32(u)*(s.B-s.A)))) > 1e-3 {
				t.Errorf("%+v: value %v at %v", s, v, got)
			}
		}
	}
	if got := (Scale{Lo: 0.1, Hi: 1, B: 1, Log: true}).Pos(-1); got == got {
		t.Errorf("a negative number has the place %v on a logarithmic scale", got)
	}
}

func TestEased(t *testing.T) {
	var e Eased
	if e.To(3, 0.01, 0.1, 0.01) || e.V != 3 {
		t.Fatalf("the first call stopped at %v, want 3 at once", e.V)
	}
	last, n := 3.0, 0
	for e.To(5, 0.016, 0.1, 0.01) {
		if e.V <= last || e.V > 5 {
			t.Fatalf("from %v to %v on the way to 5", last, e.V)
		}
		last = e.V
		if n++; n > 1000 {
			t.Fatal("never arrives")
		}
	}
	// The distance falls from 2 to the tolerance 0.01 in ln 200 = 5.3 time constants of 0.1 s.
	if e.V != 5 || n < 25 || n > 40 {
		t.Errorf("at %v after %d frames of 16 ms, want 5 after about 33", e.V, n)
	}
	if e.To(-1, 0.016, 0, 0.01) || e.V != -1 {
		t.Errorf("without a time constant at %v, want -1", e.V)
	}
}

func TestTicks(t *testing.T) {
	for _, tc := range []struct {
		lo, hi float64
		want   int
		ticks  []float64
	}{
		{0, 1, 6, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{-1.8, 1.8, 4, []float64{-1, 0, 1}},
		{0, 3000, 4, []float64{0, 1000, 2000, 3000}},
		{-0.25, 0.25, 3, []float64{-0.2, 0, 0.2}},
		{1, 1, 5, nil},
		{1, 0, 5, nil},
		{math.NaN(), 1, 5, nil},
		{0, math.Inf(1), 5, nil},
		{0, 1, 0, nil},
	} {
		got, _ := Ticks(nil, tc.lo, tc.hi, tc.want)
		if !slices.EqualFunc(got, tc.ticks, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("Ticks(%v, %v, %d) = %v, want %v", tc.lo, tc.hi, tc.want, got, tc.ticks)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		lo := r.NormFloat64() * math.Pow(10, float64(r.IntN(12)-6))
		hi := lo + math.Pow(10, float64(r.IntN(12)-6))*r.Float64()
		if hi-lo < 1e-9*math.Abs(lo) {
			continue
		}
		want := 2 + r.IntN(8)
		got, step := Ticks(nil, lo, hi, want)
		if len(got) > want || step <= 0 {
			t.Fatalf("Ticks(%v, %v, %d) = %v, step %v", lo, hi, want, got, step)
		}
		for _, v := range got {
			if v < lo-1e-6*step || v > hi+1e-6*step {
				t.Fatalf("Ticks(%v, %v, %d) has %v", lo, hi, want, v)
			}
		}
	}
}

func TestTicksOfOneAxis(t *testing.T) {
	for _, tc := range []struct {
		ticks []float64
		want  string
	}{
		{[]float64{0.001, 0.01, 1}, "0.001 0.01 1"},
		{[]float64{1e-5, 1e-4, 1e-3, 0.1, 1, 10, 100}, "10⁻⁵ 10⁻⁴ 10⁻³ 10⁻¹ 1 10 10²"},
		{[]float64{0, 5e-4, 2e-3}, "0 5×10⁻⁴ 2×10⁻³"},
		{[]float64{1e5, 20}, "10⁵ 2×10¹"},
	} {
		var got []string
		for _, v := range tc.ticks {
			got = append(got, string(AppendTickAmong(nil, v, v, tc.ticks)))
		}
		if got := strings.Join(got, " "); got != tc.want {
			t.Errorf("%v: %s, want %s", tc.ticks, got, tc.want)
		}
	}
}

func TestLogTicks(t *testing.T) {
	for _, tc := range []struct {
		lo, hi float64
		want   int
		ticks  []float64
	}{
		{0.01, 1, 4, []float64{0.01, 0.1, 1}},
		{0.015, 0.6, 8, []float64{0.02, 0.05, 0.1, 0.2, 0.5}},
		{1e-8, 1, 4, []float64{1e-6, 1e-3, 1}},
		{0, 1, 4, nil},
		{1, 1, 4, nil},
		{math.NaN(), 1, 4, nil},
	} {
		got := LogTicks(nil, tc.lo, tc.hi, tc.want)
		if !slices.EqualFunc(got, tc.ticks, func(a, b float64) bool { return math.Abs(a/b-1) < 1e-9 }) {
			t.Errorf("LogTicks(%v, %v, %d) = %v, want %v", tc.lo, tc.hi, tc.want, got, tc.ticks)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, tc := range []struct {
		v, step     float64
		tick        string
		value, shrt string
	}{
		{0, 0.2, "0", "0", "0"},
		{0.4, 0.2, "0.4", "0.400", "0.4"},
		{-1.5, 0.5, "−1.5", "−1.50", "−1.5"},
		{1, 0.5, "1.0", "1.00", "1"},
		{3000, 1000, "3000", "3000", "3000"},
		{0.0153, 0.0001, "0.0153", "0.0153", "0.0153"},
		{0.1, 0.1, "0.1", "0.100", "0.1"},
		{12.345, 1, "12", "12.3", "12.3"},
		{9.999, 1, "10", "10.0", "10"},
		{1e-8, 1e-8, "10⁻⁸", "1.00×10⁻⁸", "10⁻⁸"},
		{-2.5e-6, 1e-7, "−2.5×10⁻⁶", "−2.50×10⁻⁶", "−2.5×10⁻⁶"},
		{2e7, 1e7, "2×10⁷", "2.00×10⁷", "2×10⁷"},
		{1.234e12, 1e11, "1.2×10¹²", "1.23×10¹²", "1.23×10¹²"},
		{math.Inf(-1), 1, "−infinite", "−infinite", "−infinite"},
		{math.NaN(), 1, "–", "–", "–"},
		// A float32 has many digits when written as a float64.
		{float64(float32(0.3)), 0.1, "0.3", "0.300", "0.3"},
		{float64(float32(3e-5)), 1e-5, "3×10⁻⁵", "3.00×10⁻⁵", "3×10⁻⁵"},
	} {
		if got := string(AppendTick(nil, tc.v, tc.step)); got != tc.tick {
			t.Errorf("tick %v by %v: got %q, want %q", tc.v, tc.step, got, tc.tick)
		}
		if got := string(AppendValue(nil, tc.v)); got != tc.value {
			t.Errorf("value %v: got %q, want %q", tc.v, got, tc.value)
		}
		if got := string(AppendShort(nil, tc.v)); got != tc.shrt {
			t.Errorf("short %v: got %q, want %q", tc.v, got, tc.shrt)
		}
	}
	for v, want := range map[float64]string{math.Inf(1): "infinite", math.Inf(-1): "−infinite"} {
		if got := string(AppendValue(nil, v)); got != want {
			t.Errorf("value %v: got %q, want %q", v, got, want)
		}
	}
	if got := string(AppendShort(nil, math.NaN())); got != "–" {
		t.Errorf("NaN: got %q", got)
	}
}

func TestBoxCoverage(t *testing.T) {
	for _, tc := range []struct {
		name   string
		r      Rect
		radius float32
		want   float64
		tol    float64
	}{
		{"whole pixels", Rect{3, 4, 10, 7}, 0, 70, 1e-3},
		{"hairline", Rect{3, 4, 1, 12}, 0, 12, 1e-3},
		{"rounded", Rect{3, 4, 20, 16}, 5, 320 - (4-math.Pi)*25, 1},
		{"disc", Rect{3, 4, 16, 16}, 8, math.Pi * 64, 1},
		{"nothing", Rect{3, 4, 0, 7}, 0, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b Batch
			b.Box(tc.r, tc.radius, white)
			if got := total(raster(&b, 30, 30)); math.Abs(got-tc.want) > tc.tol {
				t.Errorf("covers %v pixels, want %v", got, tc.want)
			}
		})
	}
}

func TestLineCoverage(t *testing.T) {
	arc := make([]Point, 40)
	for i := range arc {
		a := math.Pi * float64(i) / float64(len(arc)-1)
		arc[i] = Point{float32(30 - 24*math.Cos(a)), float32(40 - 24*math.Sin(a))}
	}
	for _, tc := range []struct {
		name string
		pts  []Point
		pen  Pen
		want float64 // pixels covered
		tol  float64
	}{
		{"level", []Point{{5, 20.5}, {45, 20.5}}, Pen{Width: 3}, 120, 0.1},
		{"slanted", []Point{{5, 5}, {45, 35}}, Pen{Width: 3}, 150, 2},
		{"two parts in line", []Point{{5, 20}, {25, 20}, {45, 20}}, Pen{Width: 4}, 160, 0.1},
		{"arc", arc, Pen{Width: 4}, math.Pi * 24 * 4, 3},
		// The corner is rounded: the shape consists of two legs and a quarter of a disc.
		{"sharp corner", []Point{{10, 40}, {10, 10}, {40, 10}}, Pen{Width: 6}, 360 - 9 + math.Pi*9/4, 2},
		{"there and back", []Point{{10, 20}, {40, 20}, {10, 20}}, Pen{Width: 4}, 120 + math.Pi*2, 2},
		{"gap", []Point{{5, 20}, {15, 20}, {float32(math.NaN()), 20}, {25, 20}, {35, 20}}, Pen{Width: 2}, 40, 0.1},
		{"point", []Point{{5, 20}}, Pen{Width: 2}, 0, 0},
		{"same point", []Point{{5, 20}, {5, 20}}, Pen{Width: 2}, 0, 0},
		{"nothing", nil, Pen{Width: 2}, 0, 0},
		// Four dashes, 10 apart: each is 4 long and 2 wide, with round ends of radius 1.
		{"dashed", []Point{{5, 20}, {45, 20}}, Pen{Width: 2, Dash: 4, Period: 10}, 4 * (8 + math.Pi), 2.5},
		{"dotted", []Point{{5, 20}, {45, 20}}, Pen{Width: 4, Period: 10}, 4 * math.Pi * 4, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.pen.Color = white
			var b Batch
			b.Line(tc.pts, tc.pen)
			img := raster(&b, 60, 60)
			if got := total(img); math.Abs(got-tc.want) > tc.tol {
				t.Errorf("covers %.2f pixels, want %.2f ± %v", got, tc.want, tc.tol)
			}
		})
	}
}

// TestLineHasNoHoles checks that every pixel along the middle of a curve is drawn, whatever the
// curve's corners.
func TestLineHasNoHoles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 30 {
		pts := []Point{{6, 30}}
		for pts[len(pts)-1].X < 90 {
			pts = append(pts, Point{pts[len(pts)-1].X + r.Float32()*6, 6 + 50*r.Float32()})
		}
		var b Batch
		b.Line(pts, Pen{Width: 3, Color: white})
		img := raster(&b, 100, 64)
		for i := 1; i < len(pts); i++ {
			for u := float32(0.02); u < 1; u += 0.02 {
				x, y := pts[i-1].X+(pts[i].X-pts[i-1].X)*u, pts[i-1].Y+(pts[i].Y-pts[i-1].Y)*u
				// The centre of this pixel is at most 0.71 from the line, and the line
				// extends 1.5 to either side.
				if got := img[int(y)*100+int(x)]; x > 7 && x < 90 && got < 0.7 {
					t.Fatalf("trial %d: coverage %.2f at %v, %v", trial, got, x, y)
				}
			}
		}
	}
}

func TestAreaCoverage(t *testing.T) {
	var b Batch
	nan := float32(math.NaN())
	b.Area([]Point{{5, 30}, {15, 10}, {25, 30}, {nan, 3}, {30, 20}, {40, 20}}, 30, white, white)
	if got := total(raster(&b, 50, 40)); math.Abs(got-(200+100)) > 6 {
		t.Errorf("covers %v pixels, want 300", got)
	}
	b.Reset()
	b.Area([]Point{{5, 30}, {15, 30}}, 30, white, white)
	b.Area(nil, 30, white, white)
	if len(b.Vertices) != 0 {
		t.Errorf("an area of no height has %d vertices", len(b.Vertices))
	}
}

func TestThin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pts := make([]Point, 5000)
	for i := range pts {
		pts[i] = Point{float32(i) * 0.02, r.Float32()}
	}
	pts[2500].Y = float32(math.NaN())
	lo, hi, first, last := extremes(pts)
	got := Thin(slices.Clone(pts))
	glo, ghi, gfirst, glast := extremes(got)
	if !slices.Equal(lo, glo) || !slices.Equal(hi, ghi) || !slices.Equal(first, gfirst) || !slices.Equal(last, glast) {
		t.Error("a column lost its first, lowest, highest or last point")
	}
	if len(got) > 4*101+5 {
		t.Errorf("%d points are left of 100 columns", len(got))
	}
	for i := 1; i < len(got); i++ {
		if got[i].X <= got[i-1].X {
			t.Fatalf("order lost at %d", i)
		}
	}
	few := []Point{{0.1, 3}, {0.4, 1}, {2, 2}, {5, 5}}
	if got := Thin(slices.Clone(few)); !slices.Equal(got, few) {
		t.Errorf("got %v, want %v", got, few)
	}
}

// extremes returns the lowest, the highest, the first and the last y of each pixel column.
func extremes(pts []Point) (lo, hi, first, last []float32) {
	column := -1
	for _, p := range pts {
		if !p.Finite() {
			column = -1
			continue
		}
		if c := int(p.X); c != column {
			column = c
			lo, hi, first, last = append(lo, p.Y), append(hi, p.Y), append(first, p.Y), append(last, p.Y)
			continue
		}
		n := len(lo) - 1
		lo[n], hi[n], last[n] = min(lo[n], p.Y), max(hi[n], p.Y), p.Y
	}
	return
}

func TestHits(t *testing.T) {
	nan := float32(math.NaN())
	if i := Nearest([]float32{1, nan, 3, 7}, 3.5); i != 2 {
		t.Errorf("nearest is %d, want 2", i)
	}
	if i := Nearest([]float32{nan}, 3); i != -1 {
		t.Errorf("nearest of none is %d", i)
	}
	curve := []float32{0, 1, 4}
	for x, want := range map[float64]float64{-1: 0, 0: 1, -0.5: 0.5, 0.5: 2.5, 1: 4} {
		if got := Sample(curve, -1, 1, x); math.Abs(got-want) > 1e-12 {
			t.Errorf("sample at %v: got %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{-1.1, 1.1, math.NaN()} {
		if got := Sample(curve, -1, 1, x); got == got {
			t.Errorf("sample at %v: got %v, want NaN", x, got)
		}
	}
	if got := Sample(curve[:1], -1, 1, 0); got == got {
		t.Errorf("sample of one point: got %v, want NaN", got)
	}
	if lo, hi, ok := Range([]float32{nan, 2, -3, float32(math.Inf(1))}); !ok || lo != -3 || hi != 2 {
		t.Errorf("range %v to %v, %v; want -3 to 2", lo, hi, ok)
	}
	if _, _, ok := Range([]float32{nan}); ok {
		t.Error("NaN has a range")
	}
}

func TestRect(t *testing.T) {
	r := Rect{10, 20, 100, 60}
	top, rest := r.CutTop(15, 0)
	if top != (Rect{10, 20, 100, 15}) || rest != (Rect{10, 35, 100, 45}) {
		t.Errorf("cut into %v and %v", top, rest)
	}
	left, rest := r.CutLeft(1000, 0)
	if left != r || rest.W != 0 {
		t.Errorf("cut into %v and %v", left, rest)
	}
	if got := r.Inset(80, 0, 80, 0); got.W != 0 {
		t.Errorf("inset to %v", got)
	}
	if !r.Contains(10, 20) || r.Contains(110, 20) || r.Contains(10, 80) {
		t.Error("the left and top edges belong to a rectangle, the others do not")
	}
}

func TestNothingAllocates(t *testing.T) {
	var b Batch
	pts := make([]Point, 600)
	ticks, text := make([]float64, 0, 32), make([]byte, 0, 64)
	draw := func() {
		b.Reset()
		for i := range pts {
			pts[i] = Point{float32(i), float32(50 + 40*math.Sin(float64(i)/3))}
		}
		b.Area(pts, 100, white, white.Fade(0.3))
		b.Line(pts, Pen{Width: 2, Color: white, Dash: 5, Period: 9})
		b.Box(Rect{1, 2, 3, 4}, 1, white)
		b.Glyph(1, 2, 3, 4, 5, 6, white)
		pts = Thin(pts)[:600]
		ticks, _ = Ticks(ticks[:0], -1.8, 1.8, 7)
		ticks = LogTicks(ticks[:0], 1e-3, 1, 7)
		text = AppendTick(text[:0], -0.25, 0.05)
		text = AppendValue(text[:0], 1.53e-8)
		text = AppendShort(text[:0], 0.025)
	}
	draw()
	if n := testing.AllocsPerRun(20, draw); n != 0 {
		t.Errorf("%v allocations a picture", n)
	}
}

func ExampleTicks() {
	ticks, step := Ticks(nil, -1.2, 1.2, 5)
	for _, v := range ticks {
		fmt.Printf("%s ", AppendTick(nil, v, step))
	}
	// Output: −1.0 −0.5 0 0.5 1.0
}

func BenchmarkLine(b *testing.B) {
	var batch Batch
	pts := make([]Point, 512)
	for i := range pts {
		pts[i] = Point{float32(i) * 1.7, float32(200 + 100*math.Sin(float64(i)/20))}
	}
	for b.Loop() {
		batch.Reset()
		batch.Line(pts, Pen{Width: 2, Color: white})
	}
}
