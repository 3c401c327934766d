package target

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPlaneCells compares each cell with the product of two one-dimensional cells, averaged over
// the particles.
func TestPlaneCells(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const nx, ny = 40, 30
	lo, hi := [2]float64{-1, -0.5}, [2]float64{1.5, 0.7}
	for _, eps := range [][2]float64{{0.3, 0.2}, {0.01, 0.02}, {1e-8, 1e-8}, {3, 1}} {
		var g Plane[float64]
		particles := make([]float64, 2*7)
		for i := range particles {
			particles[i] = r.Float64() - 0.5
		}
		got := make([]float64, nx*ny)
		for i := range got {
			got[i] = 5 // Cells overwrites it
		}
		g.Cells(got, particles, eps, lo, hi, nx, ny)
		want, across, up := make([]float64, nx*ny), make([]float64, nx), make([]float64, ny)
		for i := range 7 {
			Cells(across, particles[2*i:2*i+1], eps[0], lo[0], hi[0])
			Cells(up, particles[2*i+1:2*i+2], eps[1], lo[1], hi[1])
			for y := range ny {
				for x := range nx {
					want[y*nx+x] += across[x] * up[y] / 7
				}
			}
		}
		top := 0.0
		for _, v := range want {
			top = max(top, v)
		}
		for i, w := range want {
			if math.Abs(got[i]-w) > 1e-8*top { // allows for the mass beyond six ε
				t.Fatalf("ε = %v: cell %d has %g, want %g", eps, i, got[i], w)
			}
		}
	}
}

func TestPlaneCellsDoNotAllocate(t *testing.T) {
	var g Plane[float32]
	dst, particles := make([]float32, 100), []float32{0.1, 0.2, -0.3, 0}
	draw := func() {
		g.Cells(dst, particles, [2]float64{0.1, 0.1}, [2]float64{-1, -1}, [2]float64{1, 1}, 10, 10)
	}
	draw()
	if n := testing.AllocsPerRun(10, draw); n != 0 {
		t.Errorf("%v allocations a picture", n)
	}
}
