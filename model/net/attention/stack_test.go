package attention

import (
	"math"
	"testing"
)

// TestGelu compares gelu and its slope in single precision with their definitions, within the
// error of the approximation and some rounding.
func TestGelu(t *testing.T) {
	var x []float32
	for v := -12.0; v <= 12; v += 1.0 / 64 {
		x = append(x, float32(v))
	}
	y, d, scratch := make([]float32, len(x)), make([]float32, len(x)), make([]float32, len(x))
	for i := range d {
		d[i] = 2
	}
	gelu(y, x)
	geluGrad(d, x, scratch)
	for i, v := range x {
		v := float64(v)
		below := math.Erfc(-v/math.Sqrt2) / 2
		slope := below + v*math.Exp(-v*v/2)/math.Sqrt(2*math.Pi)
		if e := math.Abs(float64(y[i]) - v*below); e > 3e-7*(1+math.Abs(v)) {
			t.Errorf("gelu(%g) is off by %.2g", v, e)
		}
		if e := math.Abs(float64(d[i]) - 2*slope); e > 6e-7 {
			t.Errorf("its slope at %g is off by %.2g", v, e)
		}
	}
}
