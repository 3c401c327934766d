package plot

import (
	"math"
	"testing"
)

func TestShade(t *testing.T) {
	for _, tc := range []struct {
		shade Shade
		want  Color
	}{
		{Shade{1, 0, 0}, RGB(0xffffff)},
		{Shade{0, 0, 0}, RGB(0x000000)},
		{Shade{0.627955, 0.257683, 29.2339}, RGB(0xff0000)}, // published OKLCH of sRGB's red
		{Shade{0.452014, 0.313214, 264.052}, RGB(0x0000ff)}, // published OKLCH of sRGB's blue
	} {
		got := tc.shade.Color()
		// The wanted colours are rounded to 8 bits, so they are accurate to half a step, 0.002.
		for _, d := range [...]float32{got.R - tc.want.R, got.G - tc.want.G, got.B - tc.want.B, got.A - 1} {
			if math.Abs(float64(d)) > 0.002 {
				t.Errorf("%+v is %+v, want %+v", tc.shade, got, tc.want)
				break
			}
		}
	}
}

func TestRamp(t *testing.T) {
	a, b := Shade{0.2, 0.05, 240}, Shade{0.9, 0.05, 200}
	r := Blend(a, Shade{0.55, 0.1, 220}, b)
	for _, tc := range []struct {
		at   float64
		want Color
	}{
		{-3, a.Color()}, {0, a.Color()}, {0.5, Shade{0.55, 0.1, 220}.Color()}, {1, b.Color()}, {math.Inf(1), b.Color()}, {math.NaN(), Color{}},
	} {
		if got := r.At(tc.at); got != tc.want {
			t.Errorf("at %v: got %+v, want %+v", tc.at, got, tc.want)
		}
	}
}
