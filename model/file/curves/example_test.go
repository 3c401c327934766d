package curves_test

import (
	"fmt"
	"math"

	"macroscope/model/file/curves"
)

func Example() {
	line := []byte("0")
	for _, v := range []float64{0.1, math.NaN(), 1e-9} {
		line = curves.Append(line, v, 32)
	}
	fmt.Println(curves.Predicted + curves.Column("heights 1"))
	fmt.Println(string(line))
	// Output:
	// predicted_heights_1
	// 0,0.1,,1e-09
}
