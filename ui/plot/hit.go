package plot

import "math"

// Nearest returns the index of the value nearest to x. It ignores NaN. Without values it returns -1.
func Nearest(values []float32, x float64) (index int) {
	index, distance := -1, math.Inf(1)
	for i, v := range values {
		if d := math.Abs(float64(v) - x); d < distance {
			index, distance = i, d
		}
	}
	return index
}

// Sample returns the value at x of a curve by linear interpolation. The curve's samples are
// equidistant over [lo, hi] and include both ends. The value is NaN for an x outside [lo, hi],
// for an empty range, and for a curve with fewer than two samples.
func Sample(curve []float32, lo, hi, x float64) float64 {
	n := len(curve) - 1
	if n < 1 || !(hi > lo && x >= lo && x <= hi) {
		return math.NaN()
	}
	t := (x - lo) / (hi - lo) * float64(n)
	i := min(int(t), n-1)
	f := t - float64(i)
	return float64(curve[i])*(1-f) + float64(curve[i+1])*f
}

// Range returns the smallest and the largest finite value of some rows. ok is false if there
// are no finite values.
func Range(rows ...[]float32) (lo, hi float64, ok bool) {
	least, most := float32(math.Inf(1)), float32(math.Inf(-1))
	for _, values := range rows {
		for _, v := range values {
			if v-v == 0 { // neither NaN nor infinite
				least, most = min(least, v), max(most, v)
			}
		}
	}
	return float64(least), float64(most), least <= most
}
