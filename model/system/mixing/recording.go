package mixing

import (
	"fmt"

	"macroscope/model/system"
	"macroscope/sim/lj"
)

// files describes the files of trajectories. The species are ones and twos. A NumPy archive may have the mixing
// ratios as the array macro (E, T, 2); otherwise they are computed.
var files = system.Contents{
	Read:     system.ReadRecordings,
	Own:      "particles that mix are always described by the mixing ratios R_AB and R_BA",
	Particle: "particle", Walls: true, Array: system.MacroArray, Check: checkShape, Species: checkSpecies,
	Valid: func(ratio float64) bool { return ratio >= 0 && ratio <= 1 },
	Observer: func(string, string, int) (system.Observer, error) {
		return func(ratios []float64, frame []float32, of *system.Trajectory) error {
			r := lj.Ratios(frame, of.Species, lj.Default().Cutoff)
			copy(ratios, r[:])
			return nil
		}, nil
	},
}

// checkShape returns an error if trajectories of this shape, which is within the limits of all systems, cannot
// belong to this system.
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
