package model

import "math"

// Spread is a figure's mean and standard deviation over trainings that differ only in the seed.
type Spread struct {
	Trainings int // number of trainings; with fewer than 2 there is no standard deviation
	Mean, SD  float64
}

// SpreadOf returns the spread of these values. The mean of no values is 0.
func SpreadOf(values []float64) Spread {
	n, sum, rest, square := max(1, float64(len(values))), 0.0, 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	for _, v := range values {
		d := v - sum/n
		rest += d // 0, except for the rounding of the mean, which equal values must not show as a spread
		square += d * d
	}
	return Spread{len(values), sum / n, math.Sqrt(max(0, square-rest*rest/n) / max(1, n-1))}
}

// Order is the result of a comparison of two figures. Smaller figures are better.
type Order int

// The orders of two figures.
const (
	Unknown Order = iota // one of the figures has no standard deviation
	Equal                // the means differ by less than the spread of seeds
	Better
	Worse
)

// Against compares two figures. They are equal if their means differ by less than √(s₁² + s₂²), the
// standard deviation of the difference of two trainings.
func (a Spread) Against(b Spread) Order {
	switch {
	case a.Trainings < 2 || b.Trainings < 2:
		return Unknown
	case math.Abs(a.Mean-b.Mean) < math.Hypot(a.SD, b.SD):
		return Equal
	case a.Mean < b.Mean:
		return Better
	}
	return Worse
}
