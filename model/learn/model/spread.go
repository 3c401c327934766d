package model

import "math"

// Spread is a figure's mean and standard deviation over trainings that differ only in the seed.
type Spread struct {
	Trainings int // number of trainings; with fewer than 2 there is no standard deviation
	Mean, SD  float64
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
