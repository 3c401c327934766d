package curve_test

import (
	"fmt"

	"macroscope/model/learn/curve"
)

// Of many values, a curve keeps the averages of neighbours.
func Example() {
	var c curve.Curve
	for step := 1; step <= 2*curve.MaxPoints; step++ {
		c.Add(step, float64(step))
	}
	fmt.Println(len(c.Step) < curve.MaxPoints, c.Every, c.Value[0], c.Last())
	// Output:
	// true 4 2.5 1200
}
