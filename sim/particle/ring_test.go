package particle

import (
	"math"
	"testing"
)

// ringRadius returns the radius of a ring on which evenly spread particles are at rest. In the
// limit of many particles, the radius is the root of
//
//	∫_0^{π/2} F(2R sin θ) sin θ dθ = 0
//
// (Kolokolnikov et al. 2011). Such a ring may be unstable: for a = 4, b = 0.1 the pattern is an
// annulus around the ring. A root exists for a > 0 and -tanh(a) < b < 1: the force repels at
// short distances and attracts at long distances.
func ringRadius(a, b float64) float64 {
	// A ring smaller than the root expands; a larger ring shrinks.
	low, high := 0.0, 1.0
	for ringForce(a, b, high) > 0 {
		low, high = high, 2*high
	}
	for range 60 {
		if mid := (low + high) / 2; ringForce(a, b, mid) > 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// ringForce computes the integral in the comment of ringRadius with the midpoint rule. In the
// tests, the error is about 1e-6.
func ringForce(a, b, radius float64) (sum float64) {
	const points = 400
	for k := range points {
		sin := math.Sin((float64(k) + 0.5) * (math.Pi / 2 / points))
		sum += refForce(a, b, 2*radius*sin) * sin
	}
	return sum * (math.Pi / 2 / points)
}

// TestRingAtRest checks that particles on a ring of radius ringRadius hardly move.
func TestRingAtRest(t *testing.T) {
	for _, c := range []struct{ a, b, want float64 }{
		{4, 0.1, 0.6323}, {6, 0.5, 0.7722}, {4, 0, 0.6069}, {5, 0.2, 0.6516}, {10, 0.1, 0.6076},
	} {
		got := ringRadius(c.a, c.b)
		if math.Abs(got-c.want) > 6e-5 {
			t.Errorf("ringRadius(%g, %g) = %.5f, want %.4f", c.a, c.b, got, c.want)
		}

		// The particles of a ring of radius ringRadius have a speed of at most about 1/n². A
		// smaller ring expands, and a larger ring shrinks.
		const n = 500
		speed := func(radius float64) float64 {
			x, v := make([]float64, 2*n), make([]float64, 2*n)
			for i := range n {
				sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
				x[2*i], x[2*i+1] = radius*cos, radius*sin
			}
			Definition(v, x, c.a, c.b)
			return v[0]
		}
		if v := speed(got); math.Abs(v) > 1e-4 {
			t.Errorf("a=%g b=%g: particles on the ring move at %.2g", c.a, c.b, v)
		}
		if in, out := speed(0.95*got), speed(1.05*got); in <= 0 || out >= 0 {
			t.Errorf("a=%g b=%g: inside the ring v = %g, outside %g", c.a, c.b, in, out)
		}
	}
}
