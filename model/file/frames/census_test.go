package frames

import (
	"math"
	"strings"
	"testing"

	"macroscope/sim/rng"
)

// census returns the Census of one run, and what End says.
func census[T float32 | float64](dim int, frames ...[]T) (*Census, string, bool) {
	c := NewCensus(axes[:dim])
	for _, f := range frames {
		Add(c, f)
	}
	bad, finite := c.End(false)
	return c, bad, finite
}

// TestOutliers checks that a coordinate absurdly far from all others is named, and that particles that
// collapse while one stays away, or that have heavy tails, are not.
func TestOutliers(t *testing.T) {
	src := rng.New(1, "census test")
	cloud := func(scale float64) []float64 {
		x := make([]float64, 200)
		for i := range x {
			x[i] = scale * src.NormFloat64()
		}
		return x
	}
	usual, far := cloud(1), cloud(1)
	far[2*30+1] = 1000
	if _, bad, finite := census(2, usual, far); !strings.Contains(bad, "y of particle 30 in frame 1 is 1000") || !finite {
		t.Errorf("said %q", bad)
	}
	late := cloud(1e-4)
	late[8] = 1.5
	if _, bad, _ := census(2, usual, late); bad != "" {
		t.Errorf("a particle that stays away: %q", bad)
	}
	// A sample of 100 from Student's t with 3 degrees of freedom has an interquartile range of 1.5, and
	// exceeds 300 of them with a probability of 100 · 2e-8 a coordinate.
	heavy := make([]float64, 200)
	for i := range heavy {
		a, b, c := src.NormFloat64(), src.NormFloat64(), src.NormFloat64()
		heavy[i] = src.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
	}
	if _, bad, _ := census(2, heavy); bad != "" {
		t.Errorf("heavy tails: %q", bad)
	}
	usual[7] = math.NaN()
	if _, bad, finite := census(2, usual); finite || !strings.Contains(bad, "y of particle 3 in frame 0 is NaN") {
		t.Errorf("said %q", bad)
	}
	if _, bad, finite := census(1, []float32{2, 2, 2}); bad != "" || !finite {
		t.Errorf("points in one place: %q", bad)
	}
}

// TestOffset checks that an offset is taken out where single precision would lose digits, and only
// there, and that lost digits are an error.
func TestOffset(t *testing.T) {
	for _, tc := range []struct {
		at, extent float64
		offset     bool
	}{{0, 1, false}, {3, 1, false}, {100, 1, false}, {1e6, 5.6, true}, {-1e8, 1, true}, {1e6, 0, true}} {
		x := []float64{tc.at, tc.at + tc.extent/2, tc.at + tc.extent}
		c, _, _ := census(1, x)
		offset := c.Offset()
		if (offset != nil) != tc.offset {
			t.Errorf("at %g: offset %v", tc.at, offset)
		}
		if err := c.Check(offset, 52); err != nil {
			t.Errorf("at %g: %v", tc.at, err)
		}
		if offset == nil {
			continue
		}
		for _, v := range x {
			if kept := float64(float32(v-offset[0])) + offset[0]; math.Abs(kept-v) > 1e-6*max(tc.extent, 1) {
				t.Errorf("%g becomes %g", v, kept)
			}
		}
	}
	c, _, _ := census(1, []float32{1e5, 1e5 + 0.5, 1e5 + 1})
	if err := c.Check(c.Offset(), 23); err == nil || !strings.Contains(err.Error(), "save it as float64") {
		t.Errorf("digits that the file has lost: %v", err)
	}
	for _, tc := range []struct {
		low, high float64
		bits      int
		says      string
	}{{1000, 1001, 10, "numbers of 16 bits have kept 0.0 digits"}, {-1, 1, 10, ""}, {0, 1e39, 52, "use another unit"}, {0, 1e-300, 52, "use another unit"}, {0, 1e-36, 52, ""}} {
		c, _, _ = census(1, []float64{tc.low, tc.high})
		if err := c.Check(nil, tc.bits); (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%+v: %v", tc, err)
		}
	}
	c, _, _ = census(1, []float64{0, 1})
	Add(c, []float64{1e9, 1e9 + 1})
	c.End(false)
	if err := c.Check(c.Offset(), 52); err == nil || !strings.Contains(err.Error(), "digits of a run’s extent") {
		t.Errorf("two runs far from one another: %v", err)
	}
}
