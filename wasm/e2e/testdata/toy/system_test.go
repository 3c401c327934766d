package diffusion

import (
	"fmt"
	"math"
	"testing"
)

// TestSpreadsAsTheory measures the mean square displacement at one time. The squared
// displacement of a particle is exponentially distributed, so the mean of N particles has a
// relative standard deviation of 1/√N. Five of these standard deviations, 0.25, are practically
// never exceeded.
func TestSpreadsAsTheory(t *testing.T) {
	const k = 300
	for _, d := range []float64{0.01, 1, 10} {
		l := System().Live()
		if err := l.Set("d", fmt.Sprint(d)); err != nil {
			t.Fatal(err)
		}
		for range k {
			l.Player().Next()
		}
		got, want := l.Macro(k)[0], 4*d*dt*k
		if math.Abs(got/want-1) > 5/math.Sqrt(count) {
			t.Errorf("D = %g: mean square displacement %g, want %g", d, got, want)
		}
	}
}
