package particle

import (
	"fmt"
	"math"
	"slices"
)

// Force is a table of a user-defined force F(r) between two particles at distance r, and of the
// energy U(r) = ∫_r^1 F. A simulation reads the table for every pair. A Force is immutable, so
// simulations may share it.
//
// The distances from 0 to `reach` are cut into bins; `reach` exceeds any distance between two
// particles. Bin widths grow with distance: every octave of r + offset is cut into 2^octaveBits
// bins, so the first bits of r + offset as a float32 are the bin's number. In a bin, F is the
// cubic through its values at the four points of the Gauss–Lobatto rule, which include both
// ends. U is minus the integral of the same cubic, so particles follow the gradient of the
// reported energy. A bin is at most (r + 1/16)/256 wide, 0.004 at r = 1. The error of F is the
// fourth power of the width times max |F⁗|/1920, plus 3e-7 of the size of F. The error of U is
// of sixth order in the width. A jump of F is spread over its bin.
type Force struct {
	bins []bin
	core float64 // U at r = 0, for particles that coincide
	size float64 // scale of F. Simulation.Step compares an increase of the energy with this scale
}

// bin holds the coefficients of F = c0 + c1 t + c2 t² + c3 t³ in one bin, and U at t = 0. The
// variable t is r + offset - s, and s is the start of the bin. The struct is padded to half of a
// cache line.
type bin struct {
	c    [4]float32
	u    float32
	none [3]float32
}

const (
	offset     = 1. / 16
	reach      = 1<<15 - offset // exceeds 2√2·maxPosition, the largest distance
	octaveBits = 8
	binShift   = 23 - octaveBits     // number of low bits of a float32 that are not part of the bin's number
	binMask    = 1<<32 - 1<<binShift // the bits of a float32 that hold the bin's number
	firstBin   = (127 - 4) << octaveBits
	binCount   = (15 + 4) << octaveBits
	binEnergy  = 16 // offset of u in a bin, in bytes
	// near is the softened distance below which particles count as coincident.
	near = 1.5e-6
	// hardCore is the distance below which F is constant if F(0) is infinite or NaN.
	hardCore = 0.01
	// strongest is the largest |F| allowed. Results computed from it stay finite.
	strongest = 1e24
)

// Tabulate returns the force F(r). It evaluates F about 15 000 times. If F(0) is NaN or
// infinite, F is constant below the distance 0.01. The error names the distance at
// which F is unusable, and a remedy.
func Tabulate(of func(r float64) float64) (*Force, error) {
	f := func(r float64) float64 { return of(max(r, hardCore)) }
	if at := of(0); math.Abs(at) <= strongest {
		f = of
	}
	t := &Force{bins: make([]bin, binCount)}
	begin := f(0)
	for i := range t.bins {
		low, high := binBegin(i), binBegin(i+1)
		h := high - low
		y := [4]float64{begin, f(low + lobatto*h - offset), f(high - lobatto*h - offset), f(high - offset)}
		for k, v := range y {
			if !(math.Abs(v) <= strongest) { // true for NaN too
				return nil, notUsable([4]float64{low, low + lobatto*h, high - lobatto*h, high}[k]-offset, v)
			}
		}
		for k, c := range cubic(y, h) {
			t.bins[i].c[k] = float32(c)
		}
		begin = y[3]
	}
	t.integrate()
	var sizes [256]float64
	for i := range sizes {
		sizes[i], _ = t.At(2 * float64(i) / float64(len(sizes)))
		sizes[i] = math.Abs(sizes[i])
	}
	slices.Sort(sizes[:])
	t.size = max(1, sizes[len(sizes)/2])
	_, t.core = t.At(0)
	return t, nil
}

// binBegin returns the start of bin i as a value of r + offset.
func binBegin(i int) float64 {
	return float64(math.Float32frombits(uint32(firstBin+i) << binShift))
}

// lobatto is the second of the four points of the Gauss–Lobatto rule on [0, 1]: 0,
// (1-1/√5)/2, (1+1/√5)/2, 1.
const lobatto = 0.27639320225002103035908263312687238

// cubic returns the coefficients of t⁰ to t³ of the cubic that has the values y at the
// points of the Gauss–Lobatto rule on [0, h].
func cubic(y [4]float64, h float64) (c [4]float64) {
	x := [4]float64{0, lobatto * h, h - lobatto*h, h}
	for order := 1; order < 4; order++ { // Newton's divided differences
		for k := 3; k >= order; k-- {
			y[k] = (y[k] - y[k-1]) / (x[k] - x[k-order])
		}
	}
	for k := 3; k >= 0; k-- { // c = c·(t - x_k) + y_k
		for j := 3; j > 0; j-- {
			c[j] = c[j-1] - x[k]*c[j]
		}
		c[0] = y[k] - x[k]*c[0]
	}
	return c
}

// integrate sets the energies outwards from U(1) = 0, so that rounding errors are smallest near
// r = 1. From r = 0 outwards, the errors at a singular core would spoil all energies.
func (f *Force) integrate() {
	one, _ := place(1)
	energy := make([]float64, binCount+1)
	over := func(i int) float64 { return f.bins[i].integral(binBegin(i+1) - binBegin(i)) }
	for i := one; i < binCount; i++ {
		energy[i+1] = energy[i] - over(i)
	}
	for i := one - 1; i >= 0; i-- {
		energy[i] = energy[i+1] + over(i)
	}
	for i := range f.bins {
		f.bins[i].u = float32(energy[i])
	}
}

// place returns the bin of a distance, and t, the distance from the bin's start.
func place(r float64) (i int, t float64) {
	i = min(int(math.Float32bits(float32(r+offset))>>binShift)-firstBin, binCount-1)
	return i, r + offset - binBegin(i)
}

// integral is the integral of F from the bin's start to t.
func (b *bin) integral(t float64) float64 {
	return t * (float64(b.c[0]) + t*(float64(b.c[1])/2+t*(float64(b.c[2])/3+t*float64(b.c[3])/4)))
}

// At returns F(r) and U(r) from the table, for r up to the constant `reach`.
func (f *Force) At(r float64) (force, energy float64) {
	i, t := place(r)
	b := &f.bins[i]
	force = float64(b.c[0]) + t*(float64(b.c[1])+t*(float64(b.c[2])+t*float64(b.c[3])))
	return force, float64(b.u) - b.integral(t)
}

func notUsable(r, v float64) error {
	is := fmt.Sprintf("%.3g", v)
	switch {
	case math.IsNaN(v):
		is = "not a number"
	case math.IsInf(v, 0):
		is = "infinite"
	}
	return fmt.Errorf("particle: at the distance r = %.4g the force is %s, and at every distance up to %d it must be a number, at most 1e24; bound what grows, as in min(exp(r), 100), and what is under a root or a logarithm, as in sqrt(max(0, 1-r))",
		r, is, 1<<15)
}
