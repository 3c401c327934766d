package own

import (
	"math"
	"testing"

	"macroscope/model/file/data"
)

// TestRotation turns and tilts a particle that is near, to the right of and above the middle, and compares its places with those
// by hand. A particle that has left a box that repeats is shown inside it.
func TestRotation(t *testing.T) {
	r := rotation{Of: [3]int{1, 0, 2}, Middle: [3]float64{10, 20, 30}}
	x := []float32{22, 11, 33} // 1 across, 2 up, 3 toward the viewer
	for _, tc := range []struct {
		turn, tilt float64
		want       [3]float64
	}{
		{0, 0, [3]float64{11, 22, 33}}, {90, 0, [3]float64{13, 22, 29}}, {0, 90, [3]float64{11, 17, 32}}, {-90, 0, [3]float64{7, 22, 31}}, {90, 90, [3]float64{13, 21, 32}},
	} {
		r.rotate(tc.turn, tc.tilt)
		for i, v := range r.At(x) {
			if math.Abs(v-tc.want[i]) > 1e-9 {
				t.Errorf("turned by %g and tilted by %g: at %v, want %v", tc.turn, tc.tilt, r.At(x), tc.want)
				break
			}
		}
	}
	r.rotate(30, 50)
	for i, p := range r.Rows {
		for k, q := range r.Rows {
			dot := p[0]*q[0] + p[1]*q[1] + p[2]*q[2]
			if want := map[bool]float64{true: 1}[i == k]; math.Abs(dot-want) > 1e-12 {
				t.Errorf("the product of directions %d and %d is %g", i, k, dot)
			}
		}
	}
	if w := r.Widths([data.MaxDim]float64{2, 2, 2}); math.Abs(w[0]-2) > 1e-12 || math.Abs(w[1]-2) > 1e-12 {
		t.Errorf("a round kernel has the widths %v", w)
	}
	r.Period = [3]float64{4, 0, 0}
	if p, q := r.At([]float32{22, 11, 33}), r.At([]float32{22, 19, 33}); p != q {
		t.Errorf("two periods further it is at %v instead of %v", q, p)
	}
}
