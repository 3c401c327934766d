package image

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDraw compares drawings with pictures computed by hand. Points at the centres of pixels
// reproduce the pixels. If the picture has pixels of twice the size, 16 points contribute to a
// pixel.
func TestDraw(t *testing.T) {
	const rows, cols = 4, 6
	r := rand.New(rand.NewPCG(1, 2))
	given := make([]float64, rows*cols)
	var points []float64
	for i := range given {
		given[i] = r.Float64()
		points = append(points, float64(i%cols)+0.5, float64(i/cols)+0.5, 255*given[i])
	}
	divide := func(x []float64) []float64 {
		most := slices.Max(x)
		for i := range x {
			x[i] /= most
		}
		return x
	}
	compare := func(what string, got, want []float64) {
		t.Helper()
		for i, v := range want {
			if math.Abs(got[i]-v) > 1e-14 {
				t.Errorf("%s: pixel %d is %g, want %g", what, i, got[i], v)
			}
		}
	}
	draw := func(r Raster) []float64 {
		x := slices.Repeat([]float64{7}, r.Size()) // values left over from another picture
		Draw(r, x, points)
		return x
	}
	whole := Raster{Rows: rows, Cols: cols, Pixel: 1}
	compare("whole", draw(whole), divide(slices.Clone(given)))
	inside := Raster{Rows: 2, Cols: 3, Left: 2, Top: 1, Pixel: 1}
	compare("a part", draw(inside), divide([]float64{given[8], given[9], given[10], given[14], given[15], given[16]}))

	// Along each axis, each of these points gives ¾ of its weight to the large pixel in which it
	// lies, and ¼ to the next large pixel. An extra point lies at the centre of a large pixel, and
	// gives this pixel its whole weight 1e4. Draw divides all pixels by this largest value.
	share := []float64{0.25, 0.75, 0.75, 0.25}
	var want float64
	for row, a := range share {
		for col, b := range share {
			want += a * b * 255 * given[row*cols+col]
		}
	}
	large := Raster{Rows: 1, Cols: 20, Left: 1, Top: 1, Pixel: 2}
	x := make([]float64, large.Size())
	Draw(large, x, append(slices.Clone(points), 22, 2, 1e4))
	compare("larger pixels", x[:1], []float64{want / 1e4})

	marked := Raster{Rows: 1, Cols: 2, Pixel: 1, Marked: true}
	x = make([]float64, marked.Size())
	Draw(marked, x, []float64{0.5, 0.5, 0.25, 0.5, 0.5, 0.75, 1, 0.5, 1, math.NaN(), 0, 1, 0, 9, 1})
	compare("marks", x, []float64{1, 0.2, 1.5 / 2.5, 0.2})

	Draw(whole, draw(whole), nil)
	if x := draw(Raster{Rows: 2, Cols: 2, Left: 100, Pixel: 1}); slices.Max(x) != 0 {
		t.Errorf("nothing is drawn as %v", x)
	}
	if n := testing.AllocsPerRun(10, func() { Draw(marked, x, points) }); n != 0 {
		t.Errorf("%v allocations a picture", n)
	}
}
