package plot

import (
	"image"
	"math"
	"testing"
)

var grey = Blend(Shade{L: 0}, Shade{L: 1})

// fieldRaster draws a field of n×n cells, each of `cell` pixels in width and height.
func fieldRaster(n, cell int, values []float32, ramp *Ramp) *image.RGBA {
	var b Batch
	b.Field(Rect{0, 0, float32(n * cell), float32(n * cell)}, &Grid{NX: n, NY: n, Weights: values}, 0, 1, ramp)
	img := image.NewRGBA(image.Rect(0, 0, n*cell, n*cell))
	Raster(img, &b, nil)
	return img
}

// TestFieldIsRound checks that a single cell looks round and smooth, without corners and
// edges.
func TestFieldIsRound(t *testing.T) {
	const n, cell = 9, 16
	values := make([]float32, n*n)
	values[4*n+4] = 2
	img := fieldRaster(n, cell, values, grey)
	at := func(x, y float64) float64 { return float64(img.RGBAAt(int(x), int(y)).R) }
	const middle = 4.5 * cell
	for _, r := range []float64{4, 8, 12, 16} {
		least, most := math.Inf(1), math.Inf(-1)
		for k := range 24 {
			sin, cos := math.Sincos(float64(k) * math.Pi / 12)
			v := at(middle+r*cos, middle+r*sin)
			least, most = min(least, v), max(most, v)
		}
		// On each circle the values, from 0 to 255, are nearly equal. With bilinear
		// interpolation they would differ by about 50 on the circle of radius 8.
		if most-least > 20 {
			t.Errorf("at %v pixels from the middle it is %v to %v", r, least, most)
		}
	}
	for x := 1.0; x < n*cell; x++ {
		if d := math.Abs(at(x, middle) - at(x-1, middle)); d > 20 {
			t.Errorf("an edge of %v at %v", d, x)
		}
	}
	if top, far := at(middle, middle), at(1, 1); top < 200 || far > 1 {
		t.Errorf("%v in the middle, %v far off", top, far)
	}
}

// TestFieldColors checks that every field has the colours of its own ramp, whatever else the
// batch contains. NaN has the lowest colour.
func TestFieldColors(t *testing.T) {
	red, nan := Blend(Shade{L: 0.2, C: 0.1, H: 20}, Shade{L: 0.8, C: 0.1, H: 20}), float32(math.NaN())
	var b Batch
	const n, side = 200, 20
	level := make([]float32, n*n)
	want := map[int]Color{}
	for k, tc := range []struct {
		ramp  *Ramp
		level float32
		shown float64
	}{{grey, 0.25, 0.25}, {red, 0.75, 0.75}, {grey, -9, 0}, {red, 3, 1}, {grey, nan, 0}, {red, 0.5, 0.5}} {
		for i := range level {
			level[i] = tc.level
		}
		b.Field(Rect{float32(k * side), 0, side, side}, &Grid{NX: n, NY: n, Weights: level}, 0, 1, tc.ramp)
		want[k] = tc.ramp.At(tc.shown)
	}
	img := image.NewRGBA(image.Rect(0, 0, 6*side, side))
	Raster(img, &b, nil)
	for k, c := range want {
		for _, x := range []int{0, side / 2, side - 1} {
			got := img.RGBAAt(k*side+x, x)
			if math.Abs(float64(got.R)-255*float64(c.R)) > 1.5 || math.Abs(float64(got.B)-255*float64(c.B)) > 1.5 || got.A != 255 {
				t.Errorf("field %d: %v at %d, want %v", k, got, x, c)
			}
		}
	}
	size, whole := len(b.Texels.Pix), Grid{NX: n, NY: n, Weights: level}
	if n := testing.AllocsPerRun(5, func() {
		b.Reset()
		for range 3 {
			b.Field(Rect{0, 0, side, side}, &whole, 0, 1, grey)
		}
	}); n != 0 || len(b.Texels.Pix) >= size {
		t.Errorf("%v allocations, %d bytes of three fields and %d of six", n, len(b.Texels.Pix), size)
	}
	b.Reset()
	b.Field(Rect{0, 0, side, side}, &Grid{NX: TexelsWide + 1, NY: 1, Weights: make([]float32, TexelsWide+1)}, 0, 1, grey)
	b.Field(Rect{0, 0, 0, side}, &Grid{NX: 1, NY: 1, Weights: level}, 0, 1, grey)
	if len(b.Vertices) > 0 {
		t.Error("what cannot be drawn is")
	}
}
