package verify

import (
	"fmt"
	"slices"

	"macroscope/sim/lj"
)

// runLJ checks forces, potential and mixing ratios in float64 by the
// simulator's definition, and forces in float32 by the simulator itself. Where
// atoms touch, a force magnifies the rounding of positions to float32 beyond
// any float32 tolerance, so the latter are compared with the definition at the
// same rounded positions, which agrees with the reference otherwise.
func runLJ(c Case) ([]Result, error) {
	cfg := lj.Default()
	var err error
	if cfg.Cutoff, err = c.scalar("cutoff"); err != nil {
		return nil, err
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	types, err := c["types"].Int64s()
	if err != nil {
		return nil, fmt.Errorf("types: %w", err)
	}
	species := make([]uint8, len(types))
	for i, k := range types {
		if k != 1 && k != 2 {
			return nil, fmt.Errorf("atom %d is of type %d and should be of type 1 or 2", i, k)
		}
		species[i] = uint8(k)
	}
	positions := slices.Clone(c.values("positions"))
	if len(species) == 0 || len(positions) != 2*len(species) {
		return nil, fmt.Errorf("positions has the shape %v and should hold the two coordinates of %d atoms", c["positions"].Shape, len(species))
	}

	double, single := comparison{floor: floor64}, comparison{floor: floor32}
	forces := make([]float64, len(positions))
	potential, ratios := lj.Definition(forces, positions, species, cfg)
	double.add(forces, c.values("forces"))
	double.add([]float64{potential}, c.values("potential"))
	double.add(ratios[:], c.values("ratios"))

	for i, x := range positions {
		positions[i] = float64(float32(x))
	}
	lj.Definition(forces, positions, species, cfg)
	got := make([]float32, len(forces))
	lj.Forces(got, positions, species, cfg)
	single.add(from(got), forces)
	return []Result{double.result64(), single.result32()}, nil
}
