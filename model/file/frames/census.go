package frames

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/file/data"
)

// Census collects what the coordinates of all runs say about a file: their ranges, coordinates that
// never change, and coordinates far outside of all others. It is not safe for concurrent use.
type Census struct {
	Low, High []float64 // range of each coordinate over all runs (D)
	narrow    []float64 // smallest extent of each coordinate in one run, if it is above 0

	axes   []string
	frame  int // frames of the current run
	low    []float64
	high   []float64
	spread []float64 // largest interquartile range in a frame of the current run
	worst  []outlier // for each coordinate, the furthest from its frame's median
	sample []float64
	bad    *outlier // the first coordinate that is not finite
}

// outlier is a coordinate of one particle in one frame of a run.
type outlier struct {
	frame, particle int
	axis            int
	value, off      float64 // the coordinate, and its distance from the frame's median
}

// NewCensus returns an empty Census of coordinates with these names.
func NewCensus(axes []string) *Census {
	c := &Census{axes: axes}
	for range axes {
		c.Low, c.High = append(c.Low, math.Inf(1)), append(c.High, math.Inf(-1))
		c.narrow = append(c.narrow, math.Inf(1))
	}
	c.begin()
	return c
}

func (c *Census) begin() {
	d := len(c.axes)
	c.frame, c.bad = 0, nil
	c.low, c.high = slices.Repeat([]float64{math.Inf(1)}, d), slices.Repeat([]float64{math.Inf(-1)}, d)
	c.spread, c.worst = make([]float64, d), make([]outlier, d)
}

// mostSampled is the number of particles from which the quartiles of a frame are estimated.
const mostSampled = 255

// Add adds the next frame (N, D) of the current run.
func Add[T float32 | float64](c *Census, points []T) {
	d := len(c.axes)
	n := len(points) / d
	step := (n + mostSampled - 1) / mostSampled
	for axis := range min(d, n*d) { // none of an empty frame
		s := c.sample[:0]
		for i := 0; i < n; i += step {
			s = append(s, float64(points[i*d+axis]))
		}
		slices.Sort(s)
		c.sample = s
		low, mid, high := s[len(s)/4], s[len(s)/2], s[len(s)-1-len(s)/4]
		c.spread[axis] = max(c.spread[axis], high-low)
		for i := range n {
			v := float64(points[i*d+axis])
			if v-v != 0 && c.bad == nil {
				c.bad = &outlier{c.frame, i, axis, v, math.Inf(1)}
			}
			c.low[axis], c.high[axis] = min(c.low[axis], v), max(c.high[axis], v)
			if off := math.Abs(v - mid); off > c.worst[axis].off {
				c.worst[axis] = outlier{c.frame, i, axis, v, off}
			}
		}
	}
	c.frame++
}

// absurd is the distance from the median of a frame, in interquartile ranges, from which on a
// coordinate is no member of a distribution that the networks could learn: its square alone would
// set their scales.
const absurd = 300

// End ends the current run. It returns "", or a sentence about a coordinate that is not finite or
// absurdly far from all others, and whether all coordinates are finite. A run with such a coordinate
// has no part in the ranges if leave is set.
func (c *Census) End(leave bool) (bad string, finite bool) {
	defer c.begin()
	if finite = c.bad == nil; !finite {
		bad = fmt.Sprintf("%s of particle %d in frame %d is %v", c.axes[c.bad.axis], c.bad.particle, c.bad.frame, c.bad.value)
	}
	widest := slices.Max(c.spread)
	for axis, w := range c.worst {
		s := c.spread[axis]
		if s == 0 {
			s = widest
		}
		if bad == "" && s > 0 && w.off > absurd*s {
			bad = fmt.Sprintf("%s of particle %d in frame %d is %.4g, %.2g times as far from the others as these are from each other", c.axes[axis], w.particle, w.frame, w.value, w.off/s)
		}
	}
	if bad != "" && leave || c.frame == 0 {
		return bad, finite
	}
	for axis := range c.axes {
		c.Low[axis], c.High[axis] = min(c.Low[axis], c.low[axis]), max(c.High[axis], c.high[axis])
		if extent := c.high[axis] - c.low[axis]; extent > 0 {
			c.narrow[axis] = min(c.narrow[axis], extent)
		}
	}
	return bad, finite
}

// enoughDigits is how many digits of a run's extent single precision must keep so that no offset is
// taken out.
const enoughDigits = 4.5

// smallest is the smallest number that single precision keeps with all digits.
const smallest = 0x1p-126

// digits returns how many decimal digits of the smallest extent of a coordinate single precision
// keeps if the coordinate's largest absolute value is `largest`.
func (c *Census) digits(axis int, largest float64) float64 {
	if math.IsInf(c.narrow[axis], 1) || largest == 0 {
		return math.Inf(1)
	}
	return data.Digits(c.narrow[axis], max(largest, smallest))
}

// Offset returns the numbers (D) that are to be subtracted from the coordinates before they are
// rounded to single precision: round numbers near the middle of the coordinates if these are far
// from the origin, otherwise 0. The result is nil if all are 0.
func (c *Census) Offset() (offset []float64) {
	offset = make([]float64, len(c.axes))
	none := true
	for axis := range c.axes {
		low, high := c.Low[axis], c.High[axis]
		if low == high && math.Abs(low) > 1e3 || c.digits(axis, max(math.Abs(low), math.Abs(high))) < enoughDigits {
			unit := math.Pow(10, math.Ceil(math.Log10(max(high-low, math.Abs(low)*1e-6))))
			offset[axis] = math.Round((low+high)/2/unit) * unit
			none = none && offset[axis] == 0
		}
	}
	if none {
		return nil
	}
	return offset
}

// Check returns an error if single precision would lose the digits of a coordinate although an
// offset (nil: none) is subtracted, or if it cannot hold the coordinate. `bits` is the number of bits
// in the fractions of the file's numbers: 52, or fewer, with which the file has lost digits already.
func (c *Census) Check(offset []float64, bits int) error {
	for axis, name := range c.axes {
		low, high := c.Low[axis], c.High[axis]
		if offset != nil && bits == 52 {
			low, high = low-offset[axis], high-offset[axis]
		}
		largest := max(math.Abs(low), math.Abs(high))
		d, needed := c.digits(axis, largest), data.FewestDigits
		if bits < 23 { // half precision has 3 digits at best
			d, needed = d-float64(23-bits)*math.Log10(2), data.FewestDigits-1
		}
		switch {
		case largest > math.MaxFloat32, d < float64(needed) && largest < 1<<23*smallest:
			return fmt.Errorf("%s goes from %g to %g, beyond the numbers of single precision; use another unit", name, c.Low[axis], c.High[axis])
		case d >= float64(needed):
		case bits < 52:
			return fmt.Errorf("%s goes from %g to %g, and the file’s numbers of %d bits have kept %.1f digits of a run’s extent of %.3g, where %d are needed; save it as float64", name, c.Low[axis], c.High[axis], map[int]int{10: 16, 23: 32}[bits], max(d, 0), c.narrow[axis], needed)
		default:
			return fmt.Errorf("%s goes from %.9g to %.9g, and single precision keeps %.1f digits of a run’s extent of %.3g, where %d are needed; subtract from each run where it begins", name, c.Low[axis], c.High[axis], max(d, 0), c.narrow[axis], data.FewestDigits)
		}
	}
	return nil
}

// Still reports whether a coordinate never changes and is the same for all particles.
func (c *Census) Still(axis int) bool { return c.Low[axis] == c.High[axis] }
