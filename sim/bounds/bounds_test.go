package bounds_test

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"macroscope/sim/bounds"
)

func ExampleCheck() {
	fmt.Println(cmp.Or(bounds.Check("time step", 0.01, 1e-6, 0.1, 0.02), bounds.Check("depth", 300, 0.5, 20, 2.5), bounds.Check("number of waves", 0, 1, 1_000_000, 2)))
	fmt.Println(bounds.Check("number of waves", 0, 1, 1_000_000, 2))
	fmt.Println(bounds.Above("time step", 0, 0, 10, 0.02))
	// Output:
	// the depth is 300; choose a number from 0.5 to 20, for example 2.5
	// the number of waves is 0; choose a number from 1 to 1000000, for example 2
	// the time step is 0; choose a number above 0 and at most 10, for example 0.02
}

func TestEnds(t *testing.T) {
	for v, want := range map[float64]bool{1: true, 2: true, 3: true, 0.9: false, 3.1: false, math.NaN(): false, math.Inf(1): false} {
		if err := bounds.Check("width", v, 1, 3, 2); (err == nil) != want {
			t.Errorf("%g: %v", v, err)
		}
		if err := bounds.Above("width", v, 1, 3, 2); (err == nil) != (want && v != 1) {
			t.Errorf("%g: %v", v, err)
		}
	}
}
