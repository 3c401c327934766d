package panel

import (
	"math"
	"strconv"

	"macroscope/model/wire"
)

// Bits of the row "revealed": the results that the user has revealed so far. If a frame has no
// such row, everything is revealed.
const (
	Latent = 1 << iota
	Density
	Prediction
	everything = Latent | Density | Prediction
)

// Revealed reports whether all results in the mask `bits` have been revealed.
func Revealed(f *wire.Frame, bits int) bool { return Count(f, "revealed", everything)&bits == bits }

// largestCount is the largest count that a frame may contain.
const largestCount = 1 << 20

// Count returns the number in a row, rounded down. If the row is missing, or its number is not
// between 0 and largestCount, it returns `missing`.
func Count(f *wire.Frame, name string, missing int) int {
	if v := f.Number(name); v >= 0 && v <= largestCount {
		return int(v)
	}
	return missing
}

// Interval returns the time between two frames, or NaN if it is missing. It is the number with the
// fewest digits that rounds to the row's float32. For example, 300 frames at intervals of 0.02 last
// 6, not 5.99999987.
func Interval(f *wire.Frame) float64 {
	var b [32]byte
	x, err := strconv.ParseFloat(string(strconv.AppendFloat(b[:0], f.Number("dt"), 'g', -1, 32)), 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}

// Share returns a row as a number from 0 to 1, or NaN if the row is not such a number.
func Share(f *wire.Frame, name string) float64 {
	if v := f.Number(name); v >= 0 && v <= 1 {
		return v
	}
	return math.NaN()
}

// pairs returns v, or v without the last number if the length of v is odd.
func pairs(v []float32) []float32 { return v[:len(v)&^1] }

// Model says to which of the displayed models a row or a curve belongs.
type Model uint8

// The displayed models.
const (
	NoModel Model = iota
	ModelA
	ModelB // the model with which A is compared: its curves have rings, its bands have dotted edges
	Models // how many there are, with NoModel
)

// Word names a model.
func (m Model) Word() string { return [...]string{"", "model 1", "model 2"}[m] }

// Append appends the word for the model to dst. If the row "nameA" or "nameB" contains the model's
// name, Append also appends the name. If the names say what the encoders read (row "reads"), Append appends only the name.
func (m Model) Append(dst []byte, f *wire.Frame) []byte {
	if f.On("reads") {
		return append(dst, f.Text([...]string{"", "nameA", "nameB"}[m])...)
	}
	dst = append(dst, m.Word()...)
	if name := f.Text([...]string{"", "nameA", "nameB"}[m]); name != nil {
		dst = append(append(dst, ": "...), name...)
	}
	return dst
}

// nearest finds the point that is nearest to a place among the given points (N, 2). It returns the
// point's index and distance. The index is -1 if there are no points.
func nearest(points []float32, x, y float64) (index int, distance float64) {
	index, distance = -1, math.Inf(1)
	for i := 0; i+1 < len(points); i += 2 {
		if d := math.Hypot(float64(points[i])-x, float64(points[i+1])-y); d < distance {
			index, distance = i/2, d
		}
	}
	return index, distance
}

// typical returns Σv²/Σv of a density on a grid. This is the mean density at particles drawn
// from the density. Unlike the largest value, it does not jump when two particles enter the
// same cell.
func typical(grid []float32) float64 {
	var sum, squares float64
	for _, v := range grid {
		if v > 0 && v <= math.MaxFloat32 {
			sum += float64(v)
			squares += float64(v) * float64(v)
		}
	}
	return squares / max(sum, math.SmallestNonzeroFloat64)
}

// squares returns Σv²/Σ|v| over the finite values.
func squares(grid []float32) float64 {
	var sum, squares float64
	for _, v := range grid {
		if d := math.Abs(float64(v)); d <= math.MaxFloat32 {
			sum += d
			squares += d * d
		}
	}
	return squares / max(sum, math.SmallestNonzeroFloat64)
}
