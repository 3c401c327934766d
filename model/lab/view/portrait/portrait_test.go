package portrait_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"macroscope/model/lab/view/portrait"
	"macroscope/model/lab/view/portrait/linalg"
)

// linear is g(z) = A(z − at), with known fixed point and modes.
type linear struct{ a, at []float64 }

func (l linear) Dim() int { return len(l.at) }

func (l linear) Drift(dst, z []float64) {
	n := len(l.at)
	for i := range n {
		dst[i] = 0
		for j := range n {
			dst[i] += l.a[i*n+j] * (z[j] - l.at[j])
		}
	}
}

func (l linear) Jacobian(dst, _ []float64) { copy(dst, l.a) }

// spiral turns about (0.3, −0.2) at 2 rad per unit of time and decays with the time constant 2,
// while z₃ decays to 0.5 with the time constant 5.
var spiral = linear{a: []float64{-0.5, -2, 0, 2, -0.5, 0, 0, 0, -0.2}, at: []float64{0.3, -0.2, 0.5}}

func TestFixedPointsOfALinearSystem(t *testing.T) {
	fixed := portrait.FixedPoints(spiral, linalg.Gonum{}, []float64{0, 0, 0, 1, 1, 1, -1, 0.5, 1}, 1.5)
	if len(fixed) != 1 {
		t.Fatalf("%d fixed points, want 1: %v", len(fixed), fixed)
	}
	for i, v := range fixed[0].Z {
		if math.Abs(v-spiral.at[i]) > 1e-9 {
			t.Errorf("z* = %v, want %v", fixed[0].Z, spiral.at)
		}
	}
	for i, want := range []complex128{-0.2, complex(-0.5, 2), complex(-0.5, -2)} {
		if got := fixed[0].Modes[i]; cmplx.Abs(got-want) > 1e-9 {
			t.Errorf("mode %d is %v, want %v", i, got, want)
		}
	}
	if k := fixed[0].Kind(0.01); k != portrait.Attracts {
		t.Errorf("kind %d", k)
	}
	if k := fixed[0].Kind(0.3); k != portrait.Neutral {
		t.Errorf("kind %d where rates of 0.3 count as none", k)
	}
	if got := portrait.FixedPoints(spiral, linalg.Gonum{}, []float64{0, 0, 0}, 0.4); len(got) != 0 {
		t.Errorf("beyond reach: %v", got)
	}
}

// well is dz/dt = z − z³, with a second variable that never moves. Its fixed points are −1, 0
// and 1; the fixed point 0 is unstable.
type well struct{}

func (well) Dim() int { return 2 }

func (well) Drift(dst, z []float64) { dst[0], dst[1] = z[0]-z[0]*z[0]*z[0], 0 }

func (well) Jacobian(dst, z []float64) {
	clear(dst)
	dst[0] = 1 - 3*z[0]*z[0]
}

func TestFixedPointsOfADoubleWell(t *testing.T) {
	var starts []float64
	for i := range 21 {
		starts = append(starts, -1.45+0.14*float64(i), 0.7)
	}
	found := make(map[int]portrait.Kind)
	for _, f := range portrait.FixedPoints(well{}, linalg.Gonum{}, starts, 1.5) {
		at := math.Round(f.Z[0])
		if math.Abs(f.Z[0]-at) > 1e-3 || f.Z[1] != 0.7 || len(f.Modes) != 1 {
			t.Errorf("fixed point %v with modes %v", f.Z, f.Modes)
		}
		found[int(at)] = f.Kind(0.1)
	}
	if len(found) != 3 || found[-1] != portrait.Attracts || found[0] != portrait.Repels || found[1] != portrait.Attracts {
		t.Errorf("found %v", found)
	}
}

// flat is g(z) = -atan z. Newton's method without damping diverges from the fixed point if it
// starts at |z| > 1.4.
type flat struct{}

func (flat) Dim() int                { return 1 }
func (flat) Drift(dst, z []float64)  { dst[0] = -math.Atan(z[0]) }
func (flat) Jacobian(j, z []float64) { j[0] = -1 / (1 + z[0]*z[0]) }

func TestFixedPointsByHalvedSteps(t *testing.T) {
	list := portrait.FixedPoints(flat{}, linalg.Gonum{}, []float64{3}, 10)
	if len(list) != 1 || math.Abs(list[0].Z[0]) > 1e-3 {
		t.Errorf("%v, want a fixed point at 0", list)
	}
}

// TestPrincipal computes the principal axes of states that were drawn along a known axis.
func TestPrincipal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var states []float64
	for range 4000 {
		s, e := 2*r.NormFloat64(), 0.1*r.NormFloat64()
		states = append(states, 1+0.6*s-0.8*e, 2-0.8*s-0.6*e, 3)
	}
	mean, axes, share, ok := linalg.Gonum{}.Principal(states, 3)
	// The mean of 4000 values with standard deviation 2 is off by more than 0.2 with a
	// probability of 1e-9.
	if !ok || math.Abs(mean[0]-1) > 0.2 || math.Abs(mean[2]-3) > 1e-9 {
		t.Fatalf("mean %v, %v", mean, ok)
	}
	if math.Abs(axes[0]+0.6) > 0.01 || math.Abs(axes[1]-0.8) > 0.01 || !(share[0] > 0.99) || math.Abs(share[0]+share[1]+share[2]-1) > 1e-9 {
		t.Errorf("axes %v with shares %v", axes, share)
	}
	if _, _, _, ok := (linalg.Gonum{}).Principal(states[:3], 3); ok {
		t.Error("axes of one state")
	}
	if _, _, _, ok := (linalg.Gonum{}).Principal([]float64{1, 2, 1, 2, 1, 2}, 2); ok {
		t.Error("axes of states that do not differ")
	}
}

func TestPlane(t *testing.T) {
	p := portrait.Plane{Axes: [2][]float64{{0.6, 0.8, 0}, portrait.Along(0, 3)}, Offset: [2]float64{0.1, 0}}
	z := []float64{1, 2, 3}
	if !p.Move(z, [2]float64{-0.5, 0.25}) {
		t.Fatal("no way")
	}
	if at := p.At(z); math.Abs(at[0]+0.5) > 1e-12 || math.Abs(at[1]-0.25) > 1e-12 || z[2] != 3 {
		t.Errorf("%v is at %v", z, at)
	}
	c := []float64{4, 0, 0, 0, 9, 0, 0, 0, 1}
	if of := p.Spread(c); math.Abs(of[0]-(0.36*4+0.64*9)) > 1e-12 || math.Abs(of[1]-0.6*4) > 1e-12 || of[2] != 4 {
		t.Errorf("spread %v", of)
	}
	p.Axes[1] = p.Axes[0]
	if p.Move(z, [2]float64{1, 1}) {
		t.Error("moved where there is no way")
	}
}

func Example() {
	fixed := portrait.FixedPoints(spiral, linalg.Gonum{}, []float64{0, 0, 0}, 1)
	for _, m := range fixed[0].Modes {
		fmt.Printf("time constant %.1f, %.1f rad\n", -1/real(m), math.Abs(imag(m)))
	}
	// Output:
	// time constant 5.0, 0.0 rad
	// time constant 2.0, 2.0 rad
	// time constant 2.0, 2.0 rad
}

// TestNoModesOfNoNumber computes the eigenvalues of a Jacobian with NaN or an infinity. The
// computation must end, and must return nil.
func TestNoModesOfNoNumber(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		if modes := (linalg.Gonum{}).Eigenvalues([]float64{1, bad, 2, 1}, 2); modes != nil {
			t.Errorf("%v of a matrix with %v", modes, bad)
		}
	}
}
