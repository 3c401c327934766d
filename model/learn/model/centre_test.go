package model

import (
	"math"
	"slices"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/net/circle"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

// TestCentre shifts a frame as a whole: with Data.Centred, the points that the encoder gets must be the same within
// rounding, and without it they are not touched. A coordinate that is no position must not change.
func TestCentre(t *testing.T) {
	m := &Model{Config: method.Config{Data: method.Data{Centred: true}, Traits: system.Traits{Dim: 3}}}
	m.Config.Shape.Dim, m.Config.Circles, m.Config.Places = 3, 0b001, 0b011
	src := rng.New(1, "test of centres")
	points, shifted := make([]float32, 3*20), make([]float32, 3*20)
	for i := range points {
		points[i] = float32(0.4*src.NormFloat64() + 0.3)
	}
	points[2] = 7
	for i, v := range points {
		shifted[i] = v + []float32{1.37, -20, 0}[i%3]
	}
	ends := []int{8, 20}
	m.Centre(points, ends)
	m.Centre(shifted, ends)
	for i, v := range points {
		apart := v - shifted[i]
		if i%3 == 0 {
			apart = circle.Wrap(apart)
		}
		if math.Abs(float64(apart)) > 5e-6 {
			t.Fatalf("coordinate %d of particle %d: %g and, shifted, %g", i%3, i/3, v, shifted[i])
		}
	}
	if points[2] != 7 {
		t.Error("a mark has changed")
	}
	sum := float32(0)
	for i := 1; i < len(points); i += 3 {
		sum += points[i]
	}
	if math.Abs(float64(sum)) > 1e-5 {
		t.Errorf("the sum of the positions is %g", sum)
	}
	m.Config.Data.Centred = false
	before := slices.Clone(shifted)
	if m.Centre(shifted, ends); !slices.Equal(before, shifted) {
		t.Error("points are moved without the setting")
	}
}
