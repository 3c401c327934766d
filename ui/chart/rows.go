package chart

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

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

// history is ẑ over time. The row "zpast" has one ẑ every "zstride" frames.
type history struct {
	d, step   int       // d: number of components; step: frames from one row of `past` to the next
	now, past []float32 // now: ẑ of the displayed frame; past: ẑ so far (K, d)
}

// mostLatents is the largest number of components.
const mostLatents = 64

func (h *history) read(f *wire.Frame) {
	h.now, h.step = f.Numbers("z"), max(1, panel.Count(f, "zstride", 1))
	if h.d = len(h.now); h.d > mostLatents {
		h.d, h.now = 0, nil
	}
	h.past = table(f.Numbers("zpast"), h.d)
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
