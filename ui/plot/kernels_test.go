package plot

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// exact returns the sum of kernels at a place, with 2·images+1 copies along each axis that repeats.
func exact(points []float32, of Spread, widths [2]float64, images int, x, y float64) (sum float64) {
	for i := 0; i < len(points); i += 2 {
		v := 1.0
		for a, at := range [2]float64{x, y} {
			period, n, along := of.Window[2*a+1]-of.Window[2*a], 0, 0.0
			if of.Repeats[a] {
				n = images
			}
			for k := -n; k <= n; k++ {
				d := (at - float64(points[i+a]) + float64(k)*period) / widths[a]
				along += math.Exp(-d*d/2) / (math.Sqrt(2*math.Pi) * widths[a])
			}
			v *= along
		}
		sum += v
	}
	return 2 * sum / float64(len(points))
}

// TestKernels draws a set with six ε in pictures of three sizes, on an open plane, in a box that repeats, and with axes
// of different scales. At the centre of every pixel, the drawn density differs from the exact sum of the kernels by less
// than 1 % of its largest value. Kernels are as wide as ε says or, if that is less than a pixel, as wide as a pixel.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	points := make([]float32, 2*60)
	for i := range points {
		points[i] = float32(0.5 * r.NormFloat64())
	}
	copy(points, []float32{-1, 1, 0.2, 0.2, 0.2004, 0.2, 0.21, 0.2}) // one in a corner; three close together
	for name, of := range map[string]Spread{
		"open":     {Window: [4]float64{-1.3, 1.3, -1.3, 1.3}},
		"periodic": {Window: [4]float64{-1, 1, -0.7, 0.8}, Repeats: [2]bool{true, true}},
		"half":     {Window: [4]float64{-1, 1, -2, 2}, Repeats: [2]bool{true, false}},
	} {
		points := slices.Clone(points)
		for i := 0; i < len(points); i += 6 { // some points lie whole periods outside the window
			for a, repeats := range of.Repeats {
				if repeats {
					points[i+a] += float32((float64(i%4) - 1) * (of.Window[2*a+1] - of.Window[2*a]))
				}
			}
		}
		for _, side := range []int{120, 300, 700} {
			for _, eps := range []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3} {
				t.Run(fmt.Sprint(name, " ", side, " pixels, ε ", eps), func(t *testing.T) {
					of.Widths = [2]float64{0.7 * eps, 1.1 * eps}
					for a := range of.Least {
						of.Least[a] = (of.Window[2*a+1] - of.Window[2*a]) / float64(side)
					}
					var k Kernels
					k.Set(points, of)
					k.Fill()
					pixel := true // whether there are enough cells for kernels as wide as a pixel
					if cells := float64(k.NX-2*k.Pad) * float64(k.NY-2*k.Pad); cells > 0.99*allCells {
						pixel = false
					}
					for a, drawn := range k.Drawn {
						want := max(of.Widths[a], of.Least[a])
						if pixel && drawn != want || drawn < want || drawn > 1.5*want {
							t.Errorf("along axis %d it is %g wide, want %g", a, drawn, want)
						}
					}
					if times, wider := k.Wider(); wider != (k.Drawn != of.Widths) || wider != (times > 1) {
						t.Errorf("it says that kernels are %g times as wide: %v", times, wider)
					}
					most, off, sum := 0.0, 0.0, 0.0
					test := func(i, j int) {
						u, v := (float64(i)+0.5)/float64(side), (float64(j)+0.5)/float64(side)
						x, y := of.Window[0]+u*(of.Window[1]-of.Window[0]), of.Window[2]+v*(of.Window[3]-of.Window[2])
						want := exact(points, of, k.Drawn, 4, x, y)
						most, off = max(most, want), max(off, math.Abs(k.At(u, v)-want))
						sum = max(sum, math.Abs(k.Value(x, y)-want))
					}
					for i := 0; i < side; i += 7 {
						for j := 0; j < side; j += 5 {
							test(i, j)
						}
					}
					for i := 0; i < len(points); i += 2 { // the pixels around the points
						at := func(a int) int {
							w := of.Window[2*a : 2*a+2]
							return int(float64(side) * (float64(points[i+a]) - w[0]) / (w[1] - w[0]))
						}
						for dx := -2; dx <= 2; dx++ {
							for dy := -2; dy <= 2; dy++ {
								test(min(max(at(0)+dx, 0), side-1), min(max(at(1)+dy, 0), side-1))
							}
						}
					}
					if off > 0.01*most || sum > 1e-3*most {
						t.Errorf("it is off by %.2f %% of %g, and its Value by %.2f %%", 100*off/most, most, 100*sum/most)
					}
				})
			}
		}
	}
}

// TestKernelsAreDrawn draws a field of kernels in pixels. The colour of each pixel is that of the exact sum.
func TestKernelsAreDrawn(t *testing.T) {
	const side = 60
	points := []float32{-0.5, -0.25, 0.5, 0.125, 0.52, 0.5}
	of := Spread{Window: [4]float64{-1, 1, -1, 1}, Widths: [2]float64{0.09, 0.09}, Least: [2]float64{2.0 / side, 2.0 / side}}
	var k Kernels
	k.Set(points, of)
	k.Fill()
	const top = 5
	var b Batch
	b.Field(Rect{0, side, side, -side}, &k.Grid, 0, 1.0/top, grey)
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	Raster(img, &b, nil)
	for i := range side {
		for j := range side {
			want := grey.At(min(1, exact(points, of, of.Widths, 0, -1+2*(float64(i)+0.5)/side, 1-2*(float64(j)+0.5)/side)/top)).R
			if got := float64(img.RGBAAt(i, j).R); math.Abs(got-255*float64(want)) > 4 {
				t.Fatalf("pixel %d, %d has %v, want %v", i, j, got, 255*want)
			}
		}
	}
}

// TestKernelsOfNothing draws sets without finite points. It then draws a set again and again, which does not allocate.
func TestKernelsOfNothing(t *testing.T) {
	of := Spread{Window: [4]float64{0, 1, 0, 1}, Widths: [2]float64{0.01, 0.01}, Least: [2]float64{0.01, 0.01}}
	var k Kernels
	nan := float32(math.NaN())
	for _, points := range [][]float32{nil, {nan, 0.5}, {100, 0.5}} {
		k.Set(points, of)
		k.Fill()
		if v := k.At(0.5, 0.5); v != 0 || k.Value(0.5, 0.5) != 0 {
			t.Errorf("the density of %v is %g", points, v)
		}
	}
	points := []float32{0.2, 0.3, 0.4, 0.5}
	k.Set(points, of)
	k.Fill()
	if n := testing.AllocsPerRun(5, func() {
		points[0] += 0.01
		k.Set(points, of)
		k.Fill()
		k.Value(0.5, 0.5)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestDifference subtracts a function on a fine grid from one on a coarse grid.
func TestDifference(t *testing.T) {
	const n = 40
	values := make([]float32, n*n)
	wave := func(x, y float64) float64 { return math.Sin(3*x) * math.Cos(4*y) }
	for i := range values {
		values[i] = float32(wave((float64(i%n)+0.5)/n, (float64(i/n)+0.5)/n))
	}
	var p, d Grid
	p.Fit(n, n, values)
	var q Kernels
	q.Set([]float32{0.3, 0.6}, Spread{Window: [4]float64{0, 1, 0, 1}, Widths: [2]float64{0.02, 0.03}, Cells: [2]int{n, n}})
	q.Fill()
	d.Difference(&p, &q.Grid)
	for x := 0.05; x < 0.95; x += 0.083 {
		for y := 0.05; y < 0.95; y += 0.071 {
			if got, want := d.At(x, y), wave(x, y)-q.At(x, y); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("the difference is %g at %g, %g, want %g", got, x, y, want)
			}
			if got, want := p.At(x, y), wave(x, y); math.Abs(got-want) > 1e-4 {
				t.Errorf("the function is %g at %g, %g, want %g", got, x, y, want)
			}
		}
	}
	if n := testing.AllocsPerRun(5, func() { d.Difference(&p, &q.Grid) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkKernels fills the grids of sets in a picture of 500×500 pixels, and draws them.
func BenchmarkKernels(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{300, 5000} {
		points := make([]float32, 2*n)
		for i := range points {
			points[i] = float32(0.5 * r.NormFloat64())
		}
		for _, eps := range []float64{0.001, 0.01, 0.1} {
			var k Kernels
			b.Run(fmt.Sprint("fill/", n, " points, ε ", eps), func(b *testing.B) {
				for b.Loop() {
					points[0] += 1e-4
					k.Set(points, Spread{Window: [4]float64{-1.3, 1.3, -1.3, 1.3}, Widths: [2]float64{eps, eps}, Least: [2]float64{2.6 / 500, 2.6 / 500}})
					k.Fill()
				}
			})
			b.Run(fmt.Sprint("draw/", n, " points, ε ", eps), func(b *testing.B) {
				var batch Batch
				for b.Loop() {
					batch.Reset()
					batch.Field(Rect{0, 0, 500, 500}, &k.Grid, 0, 1, grey)
				}
			})
		}
	}
}
