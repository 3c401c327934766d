package model

import (
	"math"
	"slices"
	"testing"

	"macroscope/model/system"
	"macroscope/sim/rng"
)

// plane are the traits of a system of particles in the plane that prefers no direction.
func plane() *system.Traits { return &system.Traits{Dim: 2, Vectors: [][]int{{0, 1}}} }

func TestTurn(t *testing.T) {
	of := plane()
	for _, tc := range []struct {
		angle  float64
		mirror bool
		want   []float32
	}{
		{math.Pi / 2, false, []float32{0, 1, -4, 3}}, {0, true, []float32{1, 0, 3, -4}},
		{math.Pi / 2, true, []float32{0, 1, 4, 3}}, {math.Pi, false, []float32{-1, 0, -3, -4}},
	} {
		x := []float32{1, 0, 3, 4}
		turn := PlaneTurn(tc.angle, tc.mirror)
		turn.Apply(x, x, of)
		if far(x, tc.want) > 1e-6 {
			t.Errorf("%v: got %v, want %v", tc.angle, x, tc.want)
		}
	}

	// RandomTurn must draw angles in every quadrant, and mirror half of the frames.
	r, quadrants, mirrored := rng.New(1, "test of turns"), map[[2]bool]int{}, 0
	y := make([]float32, 4)
	for range 1000 {
		turn := RandomTurn(of, r)
		turn.Apply(y, []float32{1, 0, 0, 1}, of)
		quadrants[[2]bool{y[0] > 0, y[1] > 0}]++
		if y[0]*y[3]-y[1]*y[2] < 0 {
			mirrored++
		}
		if d := math.Abs(math.Hypot(float64(y[0]), float64(y[1])) - 1); d > 1e-6 {
			t.Fatalf("a length changes by %g", d)
		}
	}
	// The limits are five standard deviations of the counts from their means: 68 from 250 for a
	// quadrant, and 79 from 500 for mirroring.
	if len(quadrants) != 4 || mirrored < 420 || mirrored > 580 {
		t.Errorf("mirrored %d of 1000 times, quadrants %v", mirrored, quadrants)
	}
	for q, n := range quadrants {
		if n < 182 || n > 318 {
			t.Errorf("quadrant %v: %d of 1000 times", q, n)
		}
	}
}

// TestTurnsOfSpaceAndBoxes checks what turns leave unchanged: distances from the centre and angles between
// positions and velocities; in a box, the distances between nearest images. Other coordinates do not change.
func TestTurnsOfSpaceAndBoxes(t *testing.T) {
	for name, of := range map[string]*system.Traits{
		"space":           {Dim: 3, Vectors: [][]int{{0, 1, 2}}, Centre: []float64{1, 2, 3}},
		"with velocities": {Dim: 7, Vectors: [][]int{{0, 1, 2}, {4, 5, 6}}},
		"square box":      {Dim: 4, Vectors: [][]int{{0, 1}, {2, 3}}, Periods: []float64{5, 5, 0, 0}, Centre: make([]float64, 4)},
		"box":             {Dim: 3, Vectors: [][]int{{0, 1, 2}}, Periods: []float64{5, 4, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			src := rng.New(2, "test of turns", 1)
			points := make([]float32, 6*of.Dim)
			for i := range points {
				points[i] = float32(src.NormFloat64())
			}
			before := invariants(of, points)
			changed := 0
			for range 50 {
				turned := slices.Clone(points)
				turn := RandomTurn(of, src)
				turn.Apply(turned, turned, of)
				for i, v := range invariants(of, turned) {
					if math.Abs(v-before[i]) > 1e-4 {
						t.Fatalf("invariant %d changes from %g to %g", i, before[i], v)
					}
				}
				if far(turned, points) > 0.1 {
					changed++
				}
			}
			if changed < 40 {
				t.Errorf("%d of 50 turns change anything", changed)
			}
		})
	}
}

// invariants returns numbers of a set that no turn may change.
func invariants(of *system.Traits, points []float32) (all []float64) {
	inVector := make([]bool, of.Dim)
	for _, axes := range of.Vectors {
		for _, k := range axes {
			inVector[k] = true
		}
	}
	n := len(points) / of.Dim
	at := func(i, k int) float64 {
		v := float64(points[i*of.Dim+k])
		if of.Periods == nil && of.Centre != nil {
			v -= of.Centre[k]
		}
		return v
	}
	for i := range n {
		for j := range n {
			for a, axes := range of.Vectors {
				sum := 0.0
				for b, k := range axes {
					switch {
					case of.Periods != nil && of.Periods[k] > 0: // only differences are defined
						d := math.Remainder(at(i, k)-at(j, k), of.Periods[k])
						sum += d * d
					default:
						sum += at(i, k) * at(j, of.Vectors[(a+1)%len(of.Vectors)][b])
					}
				}
				if of.Periods == nil || of.Periods[axes[0]] > 0 || len(of.Vectors) == 1 {
					all = append(all, sum)
				}
			}
		}
		for k := range of.Dim {
			if !inVector[k] {
				all = append(all, at(i, k))
			}
		}
	}
	return all
}
