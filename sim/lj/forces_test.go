package lj

import (
	"math"
	"math/rand/v2"
	"testing"
)

// state returns a State at rest.
func state(positions []float64, species []uint8) (s State) {
	for i, k := range species {
		s.X, s.Y = append(s.X, positions[2*i]), append(s.Y, positions[2*i+1])
		s.VX, s.VY = append(s.VX, 0), append(s.VY, 0)
		s.Species = append(s.Species, k)
	}
	return s
}

func resume(t testing.TB, cfg Config, from State) *Simulation {
	t.Helper()
	s, err := Resume(cfg, from)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// largest returns the largest |x|.
func largest(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// with(t, test) runs a test for every implementation.
func with(t *testing.T, test func(*testing.T)) {
	t.Helper()
	choice.Each(func(im *impl) { t.Run(im.name, test) })
}

// checkForces compares forces with the definition at the saved positions. Rounding to float32 moves
// an atom by up to 2⁻²⁴ of the box. This changes the force of a pair by the pair's stiffness times
// the change of the distance. The arithmetic has a relative error of a few times 2⁻²⁴ in both the
// attraction and the repulsion. A pair exactly at the cutoff may be left out.
func checkForces(t *testing.T, s *Simulation) {
	t.Helper()
	var at State
	s.Save(&at)
	positions, want, got := make([]float64, 2*s.N()), make([]float64, 2*s.N()), make([]float32, 2*s.N())
	interleave(positions, at.X, at.Y)
	potential, ratios := Definition(want, positions, at.Species, s.cfg)
	s.Forces(got)
	moved := 2 * 6e-8 * max(s.cfg.Width, s.cfg.Height)
	l := s.cfg.mixing()
	for i := range at.X {
		tol := 1e-12
		for j := range at.X {
			r := math.Hypot(at.X[i]-at.X[j], at.Y[i]-at.Y[j])
			if i == j || r > l.cutoff+moved {
				continue
			}
			a, b := at.Species[i]-1, at.Species[j]-1
			twelve, six := 12*l.c12[a][b]/math.Pow(r, 13), 6*l.c6[a][b]/math.Pow(r, 7)
			tol += (13*twelve+7*six)/r*moved + (twelve+six)*5e-7
			if r > l.cutoff-moved {
				tol += math.Abs(twelve - six)
			}
		}
		for k := 2 * i; k < 2*i+2; k++ {
			if d := math.Abs(float64(got[k]) - want[k]); !(d <= tol) {
				t.Fatalf("%d atoms in %g × %g: force[%d] = %.9g, want %.9g within %.2g", s.N(), s.cfg.Width, s.cfg.Height, k, got[k], want[k], tol)
			}
		}
	}
	o := s.Observe()
	if math.Abs(o.Potential-potential) > 1e-10*(1+math.Abs(potential)) || o.Ratios != ratios {
		t.Errorf("%d atoms: potential %.12g, ratios %v, want %.12g, %v", s.N(), o.Potential, o.Ratios, potential, ratios)
	}
}

// scatter places n atoms at random, with distances of at least 0.85.
func scatter(r *rand.Rand, n int, width, height float64) (positions []float64, species []uint8) {
next:
	for tries := 0; len(species) < n && tries < 100*n; tries++ {
		x, y := r.Float64()*width, r.Float64()*height
		for i := range species {
			if math.Hypot(x-positions[2*i], y-positions[2*i+1]) < 0.85 {
				continue next
			}
		}
		positions = append(positions, x, y)
		species = append(species, uint8(1+r.IntN(2)))
	}
	species[0], species[1] = 1, 2
	return positions, species
}

// TestForcesAgainstDefinition uses numbers of atoms around the vector widths, sparse and dense
// systems, boxes of one strip and of many, and short and long cutoffs.
func TestForcesAgainstDefinition(t *testing.T) {
	with(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, box := range []struct{ width, height, cutoff float64 }{
			{4, 4, 2.5}, {12, 7, 2.5}, {7, 12, 1.2}, {40, 4, 3}, {9, 30, 6}, {30, 30, 2.5}, {200, 5, 0.5},
		} {
			sizes := []int{2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 34, 47, 64, 65, 67, 500}
			for _, n := range sizes {
				cfg := Default()
				cfg.Width, cfg.Height, cfg.Cutoff, cfg.Boundary = box.width, box.height, box.cutoff, 1
				cfg.AA, cfg.BB, cfg.AB = Pair{0.7, 1}, Pair{1.3, 0.8}, Pair{0.2, 0.9}
				positions, species := scatter(r, n, box.width, box.height)
				s := resume(t, cfg, state(positions, species))
				checkForces(t, s)
			}
		}
	})
}

// TestForceIsGradient compares forces with central differences of the potential. The differences
// are off by at most 7e-7, for a force of 150.
func TestForceIsGradient(t *testing.T) {
	const h = 1e-5
	cfg := Default()
	positions, species := scatter(rand.New(rand.NewPCG(3, 4)), 40, 9, 9)
	scratch, forces := make([]float64, len(positions)), make([]float64, len(positions))
	Definition(forces, positions, species, cfg)
	var total [2]float64
	for k := range positions {
		at := positions[k]
		positions[k] = at + h
		up, _ := Definition(scratch, positions, species, cfg)
		positions[k] = at - h
		down, _ := Definition(scratch, positions, species, cfg)
		positions[k] = at
		if want := -(up - down) / (2 * h); math.Abs(forces[k]-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("force[%d] = %.9g, want -∂U = %.9g", k, forces[k], want)
		}
		total[k%2] += forces[k]
	}
	if math.Hypot(total[0], total[1]) > 1e-12*largest(forces)*40 {
		t.Errorf("the forces add up to %v, want 0", total)
	}
}

// TestForcesAddUpToNothing checks Newton's third law: the forces of two atoms on each other,
// computed separately in float32, cancel up to rounding.
func TestForcesAddUpToNothing(t *testing.T) {
	with(t, func(t *testing.T) {
		s := start(t, Default(), 2)
		run(t, s, 300)
		f := make([]float32, 2*s.N())
		s.Forces(f)
		var total [2]float64
		size := 0.0
		for k, v := range f {
			total[k%2] += float64(v)
			size += math.Abs(float64(v))
		}
		if math.Hypot(total[0], total[1]) > 1e-6*size {
			t.Errorf("the forces add up to %v, want 0 within 1e-6 of %g", total, size)
		}
	})
}

// TestForcesAnywhere shifts all atoms together, so that many lie outside the box. Coordinates up to
// 64 are rounded by up to 2e-6. Stiff pairs amplify this error, here by up to 1e3.
func TestForcesAnywhere(t *testing.T) {
	with(t, func(t *testing.T) {
		cfg := Default()
		positions, species := scatter(rand.New(rand.NewPCG(7, 8)), 150, 20, 20)
		want, got := make([]float64, len(positions)), make([]float32, len(positions))
		for _, shift := range [][2]float64{{0, 0}, {-10, -10}, {40, 0}, {0, 40}, {-30, 35}} {
			for k := range positions {
				positions[k] += shift[k%2]
			}
			Definition(want, positions, species, cfg)
			Forces(got, positions, species, cfg)
			for k := range positions {
				positions[k] -= shift[k%2]
				if math.Abs(float64(got[k])-want[k]) > 4e-3 {
					t.Fatalf("moved by %v: force[%d] = %.7g, want %.7g", shift, k, got[k], want[k])
				}
			}
		}
	})
}

// TestListHoldsEveryNeighbour compares forces with the definition at every step of a hot run, which
// makes many neighbour lists.
func TestListHoldsEveryNeighbour(t *testing.T) {
	with(t, func(t *testing.T) {
		cfg := Default()
		cfg.Width, cfg.Height, cfg.Boundary, cfg.Temperature, cfg.Relaxation = 14, 12, 7, 5, 0
		s := start(t, cfg, 3)
		lists := 0
		for range 300 {
			before := s.now.list
			run(t, s, 1)
			if s.now.list != before {
				lists++
			}
			checkForces(t, s)
		}
		if lists < 10 {
			t.Errorf("%d lists in 300 steps; the test wants more", lists)
		}
	})
}

// BenchmarkForces times the forces alone.
func BenchmarkForces(b *testing.B) {
	choice.Each(func(im *impl) {
		b.Run(im.name, func(b *testing.B) {
			s := start(b, Default(), 1)
			run(b, s, 500)
			for b.Loop() {
				s.forces(&s.now)
			}
			b.ReportMetric(float64(b.N)*float64(s.N())/b.Elapsed().Seconds()/1e6, "Matoms/s")
		})
	})
}
