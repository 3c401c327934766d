package lj

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestContacts compares contactsOf with a loop over every pair of atoms. The atoms lie in a box,
// beside the box, in a heap in which all touch, on the points of a small grid, or far from the
// origin.
func TestContacts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	const n, cutoff = 300, 2.5
	for name, at := range map[string]func() float64{
		"a box":        func() float64 { return 24 * r.Float64() },
		"beside it":    func() float64 { return -7 - 24*r.Float64() },
		"a heap":       func() float64 { return r.Float64() },
		"a few points": func() float64 { return cutoff * float64(r.IntN(5)) },
		"far out":      func() float64 { return float64(r.IntN(3)) * math.Pow(10, float64(38*r.IntN(2))) },
	} {
		x, species := make([]float32, 2*n), make([]uint8, n)
		for i := range x {
			x[i] = float32(at())
		}
		for i := range species {
			species[i] = uint8(1 + r.IntN(2))
		}
		var want contacts
		for i := range n {
			for j := range i {
				dx, dy := x[2*i]-x[2*j], x[2*i+1]-x[2*j+1]
				if float32(dx*dx)+float32(dy*dy) < cutoff*cutoff {
					want[species[i]+species[j]-2]++
				}
			}
		}
		if got, _ := contactsOf(x, species, cutoff); got != want || want == (contacts{}) {
			t.Errorf("%s: contacts %v, want %v", name, got, want)
		}
	}
}

// TestContactsOfMany checks that contactsOf examines few pairs of many atoms, even if one atom
// is far away.
func TestContactsOfMany(t *testing.T) {
	const side = 200
	x, species := make([]float32, 2*side*side), make([]uint8, side*side)
	for i := range species {
		x[2*i], x[2*i+1], species[i] = float32(i%side), float32(i/side), uint8(1+i%2)
	}
	x[0] = -1e6
	if _, looked := contactsOf(x, species, 2.5); looked > 30*len(species) {
		t.Errorf("%d pairs of %d atoms were looked at", looked, len(species))
	}
}

// TestRatios compares Ratios with the definition. In float32 a pair within 1e-6 of the cutoff may
// be counted wrongly. One state in 10⁴ has such a pair, and one in 10⁸ has two. A ratio counts
// about 100 pairs, so one pair changes it by 0.01.
func TestRatios(t *testing.T) {
	cfg := Default()
	cfg.Width, cfg.Height, cfg.Boundary, cfg.Relaxation = 8, 8, 4, 50
	for index := range 20 {
		s, err := Start(cfg, 3, index)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			if err := s.Step(); err != nil {
				t.Fatal(err)
			}
		}
		x, species := make([]float32, 2*s.N()), make([]uint8, s.N())
		s.Positions(x)
		s.Species(species)
		got, want := Ratios(x, species, cfg.Cutoff), s.Observe().Ratios
		for k := range want {
			if !(math.Abs(got[k]-want[k]) <= 0.02) || want[k] == 0 {
				t.Errorf("run %d: ratio %d is %g, want %g", index, k, got[k], want[k])
			}
		}
	}
}
