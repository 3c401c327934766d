package model

import (
	"math"

	"macroscope/model/net/encoder"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

// Turn is a change of a set that the dynamics do not notice, in a system that prefers no direction: it turns all
// positions and velocities (system.Traits.Vectors) about the system's centre, may mirror them, and shifts
// coordinates on circles. In a box that repeats, it turns by quarter turns.
type Turn struct {
	m     [3][3]float32 // the upper left part has the size of a vector
	shift [encoder.MaxDim]float32
}

// PlaneTurn returns a turn of the plane by an angle, which first mirrors if mirrored is set.
func PlaneTurn(angle float64, mirrored bool) (t Turn) {
	sin, cos := math.Sincos(angle)
	a, b, mirror := float32(cos), float32(sin), float32(1)
	if mirrored {
		mirror = -1
	}
	t.m[0][0], t.m[0][1] = a, -b*mirror
	t.m[1][0], t.m[1][1] = b, a*mirror
	return t
}

// RandomTurn draws a turn of a system's sets. All turns are equally likely.
func RandomTurn(of *system.Traits, src *rng.Source) (t Turn) {
	switch n := len(of.Vectors[0]); {
	case of.Periods != nil:
		t = boxTurn(of, src)
	case n == 2:
		t = PlaneTurn(2*math.Pi*src.Float64(), src.IntN(2) == 1)
	default:
		t = spaceTurn(src)
	}
	for k, period := range of.Periods {
		t.shift[k] = float32(period * src.Float64())
	}
	return t
}

// boxTurn draws a turn of a box: an order of its equal sides, and mirrorings.
func boxTurn(of *system.Traits, src *rng.Source) (t Turn) {
	first := of.Vectors[0]
	order := [3]int{0, 1, 2}
	for i := len(first) - 1; i > 0; i-- {
		if j := src.IntN(i + 1); of.Periods[first[i]] == of.Periods[first[j]] {
			order[i], order[j] = order[j], order[i]
		}
	}
	for i := range first {
		t.m[i][order[i]] = float32(2*src.IntN(2) - 1)
	}
	return t
}

// spaceTurn draws a turn of space, mirrored with probability 1/2, from a uniform unit quaternion.
func spaceTurn(src *rng.Source) (t Turn) {
	var q [4]float64
	size := 0.0
	for i := range q {
		q[i] = src.NormFloat64()
		size += q[i] * q[i]
	}
	size = math.Sqrt(size)
	w, x, y, z := q[0]/size, q[1]/size, q[2]/size, q[3]/size
	mirror := float64(2*src.IntN(2) - 1)
	for i, row := range [3][3]float64{
		{1 - 2*(y*y+z*z), 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), 1 - 2*(x*x+z*z), 2 * (y*z - w*x)},
		{2 * (x*z - w*y), 2 * (y*z + w*x), 1 - 2*(x*x+y*y)},
	} {
		for j, v := range row {
			t.m[i][j] = float32(mirror * v)
		}
	}
	return t
}

// Apply turns points (n, Dim) of a system and writes them to dst, which may be the same slice.
func (t *Turn) Apply(dst, points []float32, of *system.Traits) {
	if of.Dim == 2 && of.Periods == nil && of.Centre == nil {
		for i := 0; i+1 < len(points); i += 2 {
			x, y := points[i], points[i+1]
			dst[i], dst[i+1] = t.m[0][0]*x+t.m[0][1]*y, t.m[1][0]*x+t.m[1][1]*y
		}
		return
	}
	copy(dst, points)
	for begin := 0; begin < len(points); begin += of.Dim {
		p := dst[begin : begin+of.Dim]
		for _, axes := range of.Vectors {
			var from [3]float32
			for i, k := range axes {
				from[i] = p[k] - centre(of, k)
			}
			for i, k := range axes {
				sum := float32(0)
				for j := range axes {
					sum += t.m[i][j] * from[j]
				}
				p[k] = sum + centre(of, k)
			}
		}
		for k, period := range of.Periods {
			if period > 0 {
				p[k] += t.shift[k]
			}
		}
	}
}

// centre returns coordinate k of the point about which a system's sets turn.
func centre(of *system.Traits, k int) float32 {
	if of.Centre == nil {
		return 0
	}
	return float32(of.Centre[k])
}

// view returns turn k of the `views` from which a prediction starts. The first changes nothing.
func view(of *system.Traits, k, views int) Turn {
	if len(of.Vectors[0]) == 2 && of.Periods == nil {
		return PlaneTurn(2*math.Pi*float64(k)/float64(views), k%2 == 1)
	}
	if k == 0 {
		return Turn{m: [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	}
	return RandomTurn(of, rng.New(uint64(k), "views"))
}
