package lj

import (
	"math"
	"testing"
)

// TestRatios compares with the definition. A pair may lie so near the cutoff
// that float32 counts it otherwise: of 36 atoms each has about 5 neighbours,
// and one pair of 100 is 0.01 of a ratio. A pair lies within the rounding, 1e-6,
// of the cutoff once in 10⁴ states, and two of them once in 10⁸.
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
