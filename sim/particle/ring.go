package particle

import (
	"fmt"
	"math"
)

// RingRadius returns the radius at which particles spread evenly over a ring
// are at rest, in the limit of many: the root of
//
//	∫_0^{π/2} F(2R sin θ) sin θ dθ = 0
//
// (Kolokolnikov et al. 2011). Such a ring need not be stable: for a = 4,
// b = 0.1 it is not, and the pattern is an annulus about it. There is no ring
// where the force does not repel at short and attract at long distances.
func RingRadius(a, b float64) (float64, error) {
	if !(a > 0 && b < 1 && b > -math.Tanh(a)) {
		return 0, fmt.Errorf("particle: with a = %g and b = %g no ring is at rest; choose a above 0 and b between %.3g and 1",
			a, b, -math.Tanh(a))
	}
	// Short of the root the ring is pushed out, beyond it drawn in.
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
	return (low + high) / 2, nil
}

// ringForce is the integral above by the midpoint rule, whose error here is
// about 1e-6.
func ringForce(a, b, radius float64) (sum float64) {
	const points = 400
	for k := range points {
		sin := math.Sin((float64(k) + 0.5) * (math.Pi / 2 / points))
		sum += refForce(a, b, 2*radius*sin) * sin
	}
	return sum * (math.Pi / 2 / points)
}
