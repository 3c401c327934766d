package panel

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/plot"
)

// Bits of the row "revealed": the results that the user has revealed so far. If a frame has no
// such row, everything is revealed.
const (
	Latent = 1 << iota
	Density
	Prediction
	everything = Latent | Density | Prediction
)

// revealed reports whether all results in the mask `bits` have been revealed.
func revealed(f *wire.Frame, bits int) bool { return Count(f, "revealed", everything)&bits == bits }

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

// share returns a row as a number from 0 to 1, or NaN if the row is not such a number.
func share(f *wire.Frame, name string) float64 {
	if v := f.Number(name); v >= 0 && v <= 1 {
		return v
	}
	return math.NaN()
}

// shortest returns the number with the fewest digits that rounds to the float32 v. For example, 300
// frames at intervals of 0.02 last 6, not 5.99999987.
func shortest(v float64) float64 {
	var b [32]byte
	x, _ := strconv.ParseFloat(string(strconv.AppendFloat(b[:0], v, 'g', -1, 32)), 64)
	return x
}

// position writes a number with all digits of a float32.
func position(x float64) string { return strconv.FormatFloat(x, 'g', -1, 32) }

// pairs returns v, or v without the last number if the length of v is odd.
func pairs(v []float32) []float32 { return v[:len(v)&^1] }

// at returns element i of v, NaN if there is none.
func at(v []float32, i int) float64 {
	if i < 0 || i >= len(v) {
		return math.NaN()
	}
	return float64(v[i])
}

// table returns v, cut to complete rows of n numbers each.
func table(v []float32, n int) []float32 {
	if n < 1 {
		return nil
	}
	return v[:len(v)/n*n]
}

// column consists of every (skip+1)-th number of a slice, starting with the first.
type column struct {
	v    []float32
	skip int // how many numbers of v lie between two elements of the column
}

// columnOf returns column i of a table with n numbers per row. With n = 0, it returns all
// numbers from i on.
func columnOf(v []float32, i, n int) column { return column{v[min(i, len(v)):], max(0, n-1)} }

// appendTo appends the column to dst.
func (c column) appendTo(dst []float32) []float32 {
	for i := 0; i < len(c.v); i += c.skip + 1 {
		dst = append(dst, c.v[i])
	}
	return dst
}

func (c column) len() int         { return (len(c.v) + c.skip) / (c.skip + 1) }
func (c column) at(i int) float64 { return at(c.v, i*(c.skip+1)) }

// history is ẑ over time.
type history struct {
	d, step   int       // d: number of components; step: frames from one row of `past` to the next
	now, past []float32 // now: ẑ of the displayed frame; past: ẑ so far (K, d)
}

// mostLatents is the largest number of components.
const mostLatents = 64

func (h *history) read(f *wire.Frame, now, past, step string) {
	h.now, h.step = f.Numbers(now), max(1, Count(f, step, 1))
	if h.d = len(h.now); h.d > mostLatents {
		h.d, h.now = 0, nil
	}
	h.past = table(f.Numbers(past), h.d)
}

// first returns the index of the first component of part k, when the components are cut into n
// parts.
func (h *history) first(k, n int) int { return (k*h.d + n - 1) / n }

// The method `at` returns one component of the ẑ of a frame. The components are cut into n parts.
// The returned component is the first one in part k. It is NaN if the frame has no ẑ.
func (h *history) at(frame, now, k, n int) float64 {
	i := h.first(k, n)
	switch {
	case frame == now:
		return at(h.now, i)
	case frame%h.step != 0:
		return math.NaN()
	}
	return columnOf(h.past, i, h.d).at(frame / h.step)
}

// Model says to which of the displayed models a row or a curve belongs.
type Model uint8

// The displayed models.
const (
	NoModel Model = iota
	ModelA
	ModelB // the model with which A is compared: its curves have rings, its bands have dotted edges
	models
)

// word names a model.
func (m Model) word() string { return [...]string{"", "model 1", "model 2"}[m] }

// append appends the word for the model to dst. If the row "nameA" or "nameB" contains the model's
// name, append also appends the name.
func (m Model) append(dst []byte, f *wire.Frame) []byte {
	dst = append(dst, m.word()...)
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
	return squares(len(grid), func(i int) float64 { return math.Max(0, float64(grid[i])) })
}

// squares returns Σv²/Σ|v| over the finite values.
func squares(n int, v func(i int) float64) float64 {
	var sum, squares float64
	for i := range n {
		if d := math.Abs(v(i)); d <= math.MaxFloat32 {
			sum += d
			squares += d * d
		}
	}
	if sum == 0 {
		return 0
	}
	return squares / sum
}

// top returns the largest value, and extent returns the largest absolute value. Without values,
// both return 0.
func top(rows ...[]float32) float64 {
	if _, hi, ok := plot.Range(rows...); ok {
		return hi
	}
	return 0
}

func extent(rows ...[]float32) float64 {
	if lo, hi, ok := plot.Range(rows...); ok {
		return math.Max(-lo, hi)
	}
	return 0
}
