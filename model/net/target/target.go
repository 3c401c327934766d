package target

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// MinEps is the smallest standard deviation ε of the kernel. The paper sweeps ε from 1e-8 to
// 1e-1.
const MinEps = 1e-8

// exponents is the buffer of one LogDensity call.
type exponents[T tensor.Float] struct{ e []T }

// spare keeps buffers between calls, so drawing a density in every frame does not allocate.
var spare sync.Pool

// LogDensity writes log q_X to dst (n) at the points x (n, d) for particles (m, d), m > 0. Far
// from all particles, where log q_X is outside the range of T, it writes -Inf.
//
// LogDensity subtracts positions in float64 and computes the rest in T. If ε is below about 1e-5 of
// the extent of the set, float32 cannot resolve distances of ε, and x must be float64. dst and
// particles may always be float32.
func LogDensity[T, X, P tensor.Float](dst []T, x []X, particles []P, d int, eps float64) {
	LogDensityIn(dst, x, particles, d, eps, nil)
}

// LogDensityIn is LogDensity in a box that repeats: q_X sums the images of every particle. periods (d) are the
// periods of the coordinates, 0 for one that does not repeat; nil: none repeats.
func LogDensityIn[T, X, P tensor.Float](dst []T, x []X, particles []P, d int, eps float64, periods []float64) {
	n, m := count(len(x), d), count(len(particles), d)
	if m == 0 || len(dst) < n {
		panic(fmt.Sprintf("target: log-density of %d particles at %d points into %d values", m, n, len(dst)))
	}
	buf, ok := spare.Get().(*exponents[T])
	if !ok || cap(buf.e) < m {
		buf = &exponents[T]{make([]T, m)}
	}
	e := buf.e[:m]
	norm := -float64(d)*(math.Log(eps)+0.5*math.Log(2*math.Pi)) - math.Log(float64(m))
	inv := 1 / eps
	for i := range n {
		if periods != nil {
			gatherIn(e, x[i*d:i*d+d], particles, inv, periods)
		} else {
			gather(e, x[i*d:i*d+d], particles, inv)
		}
		top := kernel.Max(e)
		if math.IsInf(float64(top), -1) {
			dst[i] = top
			continue
		}
		for j, v := range e {
			e[j] = v - top
		}
		kernel.ExpTo(e, e)
		dst[i] = T(norm + float64(top) + math.Log(float64(kernel.Sum(e))))
	}
	spare.Put(buf)
}

// gather writes -½|x - x_i|²/ε² to dst for every particle x_i, with inv = 1/ε.
func gather[T, X, P tensor.Float](dst []T, x []X, particles []P, inv float64) {
	switch len(x) {
	case 1:
		x0 := float64(x[0])
		for i, p := range particles {
			r := T((x0 - float64(p)) * inv)
			dst[i] = -0.5 * r * r
		}
	case 2:
		x0, x1 := float64(x[0]), float64(x[1])
		for i := range dst {
			p := particles[2*i : 2*i+2]
			r, q := T((x0-float64(p[0]))*inv), T((x1-float64(p[1]))*inv)
			dst[i] = -0.5 * (r*r + q*q)
		}
	default:
		for i := range dst {
			var sum T
			for j, p := range particles[i*len(x) : (i+1)*len(x)] {
				r := T((float64(x[j]) - float64(p)) * inv)
				sum += r * r
			}
			dst[i] = -0.5 * sum
		}
	}
}

// gatherIn is like gather in a box that repeats. The exponent of a coordinate that repeats is the logarithm of the sum
// over all images, relative to the nearest one.
func gatherIn[T, X, P tensor.Float](dst []T, x []X, particles []P, inv float64, periods []float64) {
	for i := range dst {
		sum := 0.0
		for j, p := range particles[i*len(x) : (i+1)*len(x)] {
			r := (float64(x[j]) - float64(p)) * inv
			if period := periods[j] * inv; period > 0 {
				r = math.Remainder(r, period)
				sum += images(math.Abs(r), period)
			}
			sum -= 0.5 * r * r
		}
		dst[i] = T(sum)
	}
}

// images returns the logarithm of the sum over k of exp(-((r + k·period)² - r²)/2), for 0 ≤ r ≤ period/2.
func images(r, period float64) float64 {
	const negligible = 40 // exp(-40) is lost in a sum with 1
	sum := 1.0
	for k := 1.0; ; k++ {
		near := k * period * (k*period/2 - r)
		if near > negligible {
			return math.Log(sum)
		}
		sum += math.Exp(-near) + math.Exp(-k*period*(k*period/2+r))
	}
}

// Density writes q_X to dst (n). It has the same arguments as LogDensity.
func Density[T, X, P tensor.Float](dst []T, x []X, particles []P, d int, eps float64) {
	LogDensity(dst, x, particles, d, eps)
	kernel.ExpTo(dst, dst[:count(len(x), d)])
}

// Cells writes to dst the mean of the one-dimensional q_X over each of len(dst) equal cells of
// [lo, hi]. Use it for drawing: if ε is smaller than a pixel, q_X at the pixels misses the
// peaks between them, while the cells keep the total mass.
func Cells[T, P tensor.Float](dst []T, particles []P, eps, lo, hi float64) {
	if len(particles) == 0 || len(dst) == 0 || !(hi > lo) {
		panic(fmt.Sprintf("target: %d cells of [%g, %g] for %d particles", len(dst), lo, hi, len(particles)))
	}
	const reach = 8 // a normal variable is more than 8 standard deviations from its mean with a probability of 1e-15
	clear(dst)
	cells := float64(len(dst))
	width := (hi - lo) / cells
	weight := 0.5 / (width * float64(len(particles)))
	for _, p := range particles {
		c := float64(p)
		first := int(min(max((c-reach*eps-lo)/width, 0), cells))
		last := int(min(max((c+reach*eps-lo)/width+1, 0), cells))
		left := math.Erf((lo + float64(first)*width - c) / (eps * math.Sqrt2))
		for i := first; i < last; i++ {
			right := math.Erf((lo + float64(i+1)*width - c) / (eps * math.Sqrt2))
			dst[i] += T(weight * (right - left))
			left = right
		}
	}
}

// Sample fills dst (n, d) with draws from q_X for particles (m, d), m > 0: a
// uniformly drawn particle plus ε times a standard normal vector.
func Sample[X, P tensor.Float](dst []X, particles []P, d int, eps float64, rng *rand.Rand) {
	n, m := count(len(dst), d), count(len(particles), d)
	if m == 0 {
		panic("target: a sample of no particles")
	}
	for i := range n {
		p := particles[d*rng.IntN(m):]
		for j := range d {
			dst[i*d+j] = X(float64(p[j]) + eps*rng.NormFloat64())
		}
	}
}

// SampleStratified fills dst (n, d) like Sample, but divides the list of particles into n equal
// parts. The k-th draw takes its particle from the k-th part. A mean over all of dst stays
// unbiased. If neighbours in the list are neighbours in space, like sorted particles on a line,
// the mean has a much smaller variance.
func SampleStratified[X, P tensor.Float](dst []X, particles []P, d int, eps float64, rng *rand.Rand) {
	n, m := count(len(dst), d), count(len(particles), d)
	if m == 0 {
		panic("target: a sample of no particles")
	}
	for i := range n {
		part := (float64(i) + rng.Float64()) / float64(n)
		p := particles[d*min(int(part*float64(m)), m-1):] // part·m may round up to m
		for j := range d {
			dst[i*d+j] = X(float64(p[j]) + eps*rng.NormFloat64())
		}
	}
}

// count returns the number of points of dimension d in a slice of `values` numbers.
func count(values, d int) int {
	if d < 1 || values%d != 0 {
		panic(fmt.Sprintf("target: %d values are no points of dimension %d", values, d))
	}
	return values / d
}
