package mixing

import (
	"fmt"

	"macroscope/model/system"
	"macroscope/sim/lj"
)

// Open implements system.System. It opens a NumPy archive or text files with one trajectory
// each. An archive has the arrays trajectories (E, T, N, 2) and types (E, N) of ones and twos.
// It has an array (E) for every parameter that differs from its default. It may have the mixing
// ratios as the array macro (E, T, 2); otherwise they are computed.
func (System) Open(f system.File, observable string) (system.Recorded, error) {
	return system.OpenRecorded(f, contents(observable))
}

// Finish implements system.System. It rejects species other than 1 and 2, a species without
// atoms, and coordinates that are not finite. It computes missing mixing ratios.
func (System) Finish(t *system.Trajectory, dim int, observable string) error {
	as := contents(observable)
	return as.Finish(t, dim)
}

// contents describes the system's files of trajectories.
func contents(observable string) system.Contents {
	return system.Contents{
		Observable: observable, Own: "particles that mix are always described by the mixing ratios R_AB and R_BA",
		Variables: variables, Particle: "particle", Walls: true, Parameters: parameters,
		Array:   system.MacroArray,
		Check:   checkShape,
		Species: checkSpecies,
		Valid:   func(ratio float64) bool { return ratio >= 0 && ratio <= 1 },
		Observer: func(int) (system.Observer, error) {
			return func(ratios []float64, frame []float32, of *system.Trajectory) error {
				r := lj.Ratios(frame, of.Species, lj.Default().Cutoff)
				copy(ratios, r[:])
				return nil
			}, nil
		},
	}
}

// checkShape returns an error if trajectories of this shape cannot belong to this system.
// Shape.Check has accepted the shape.
func checkShape(s system.Shape) error {
	switch {
	case s.Particles < 2:
		return fmt.Errorf("the trajectories have %d particle, and mixing needs one of each species at least", s.Particles)
	case s.Dim != dim:
		return fmt.Errorf("the particles have %d coordinates, and mixing is in the plane; save two", s.Dim)
	}
	return nil
}

// checkSpecies rejects species other than 1 and 2, and a species without atoms.
func checkSpecies(species []uint8) error {
	var count [3]int
	for i, k := range species {
		if k != 1 && k != 2 {
			return fmt.Errorf("particle %d is of species %d; use 1 and 2", i, k)
		}
		count[k]++
	}
	for k := 1; k <= 2; k++ {
		if count[k] == 0 {
			return fmt.Errorf("no particle is of species %d; leave that trajectory out", k)
		}
	}
	return nil
}
