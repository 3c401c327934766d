package circle_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"macroscope/model/net/circle"
)

func Example() {
	box := circle.Of([]float64{5, 0, 5}) // x and z repeat, y does not
	points := []float64{0.5, 7, -1.25}
	fmt.Println(box.Width(3), len(circle.See(box, make([]float64, 5), points, 3)))
	circle.WrapPoints(box, points, 3)
	fmt.Println(points)
	// Output:
	// 5 5
	// [0.5 7 0.75]
}

// TestSee checks that a network sees the same of a point and of its images, and that the gradient is that
// of the sum of a function of the cosine and the sine.
func TestSee(t *testing.T) {
	const s circle.Set = 0b10
	of := func(x ...float64) []float64 { return slices.Clone(circle.See(s, make([]float64, 3), x, 2)) }
	for k := range 5 {
		a, b := of(0.3, 0.9), of(0.3, 0.9-float64(2*k))
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-12 {
				t.Errorf("image %d is seen as %g instead of %g", k, b, a)
			}
		}
	}
	const x, h = 0.37, 1e-6
	loss := func(x float64) float64 { v := of(0, x); return 3*v[1] - 2*v[2]*v[2] }
	v := of(0, x)
	got, want := circle.Gradient(v[1], v[2], 3, -4*v[2]), (loss(x+h)-loss(x-h))/(2*h)
	if math.Abs(got-want) > 1e-7 {
		t.Errorf("gradient %g, by differences %g", got, want)
	}
}
