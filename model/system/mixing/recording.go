package mixing

import (
	"context"
	"fmt"
	"slices"

	"macroscope/model/file/data"
	"macroscope/model/system"
)

// Open implements system.System: a NumPy archive, or text files, each of which is
// one trajectory.
func (System) Open(f system.File, observable string) (system.Recorded, error) {
	if err := checkObservable(observable); err != nil {
		return nil, err
	}
	if !f.Text() {
		return openRecording(f)
	}
	return system.OpenRecorded(f, system.Reading{
		Variables: variables,
		Check:     checkShape,
		Species:   speciesOf,
		Finisher: func() func(context.Context, *system.Trajectory, int, int) error {
			return func(_ context.Context, t *system.Trajectory, index, k int) error { return finishFrame(t, k, true, "") }
		},
	})
}

// speciesOf makes species of a text's types.
func speciesOf(types []int64, particles int) ([]uint8, error) {
	if types == nil {
		return nil, fmt.Errorf("the file says nothing of the particles' types, and mixing needs two species; add a column type of 1 and 2")
	}
	species := make([]uint8, particles)
	for i, k := range types {
		if k != 1 && k != 2 {
			return nil, fmt.Errorf("an atom is of type %d; use 1 and 2", k)
		}
		species[i] = uint8(k)
	}
	return species, checkSpecies(species)
}

// openRecording opens a NumPy archive: the arrays trajectories (E, T, N, 2) and types
// (E, N), of 1 and 2, and where there is one, macro (E, T, 2) with the mixing
// ratios, which are computed otherwise; and one (E) of every parameter that is not
// the usual.
func openRecording(f system.File) (system.Recorded, error) {
	s, err := system.ReadShape(f)
	if err != nil {
		return nil, err
	}
	if err := checkShape(s); err != nil {
		return nil, err
	}
	names, err := data.Names(f.Bytes, f.Size)
	if err != nil {
		return nil, err
	}
	if names == nil {
		return nil, fmt.Errorf("an .npy holds positions alone, and mixing needs species; save an .npz with the arrays trajectories and types")
	}
	types, err := readTypes(f, s)
	if err != nil {
		return nil, err
	}
	params, _, err := parameters.Read(f.Bytes, f.Size, names, s.Trajectories)
	if err != nil {
		return nil, err
	}
	var ratios []float64 // (E, T, 2), or nil
	if slices.Contains(names, system.MacroArray) {
		if ratios, err = readRatios(f, s); err != nil {
			return nil, err
		}
	}
	return system.NewArchive(f, s, system.Contents{
		Variables: variables,
		Fill: func(t *system.Trajectory, index int) error {
			t.Species = append(t.Species[:0], types[index*s.Particles:(index+1)*s.Particles]...)
			if params != nil {
				t.Params = params[index]
			}
			if ratios != nil {
				t.Macro = append(t.Macro, ratios[index*variables*s.Frames:(index+1)*variables*s.Frames]...)
			}
			return nil
		},
		Finisher: func() func(context.Context, *system.Trajectory, int, int) error {
			return func(_ context.Context, t *system.Trajectory, index, k int) error {
				return finishFrame(t, k, ratios == nil, fmt.Sprintf(" of trajectory %d", index))
			}
		},
	}), nil
}

// checkShape says why trajectories of a shape, which Shape.Check lets pass, are none
// of mixing.
func checkShape(s system.Shape) error {
	if s.Particles < 2 {
		return fmt.Errorf("the trajectories have %d particle, and mixing needs one of each species at least", s.Particles)
	}
	return checkDim(s.Dim)
}

// readTypes returns the species of all atoms (E, N).
func readTypes(f system.File, s system.Shape) ([]uint8, error) {
	a, err := data.ReadArray(f.Bytes, f.Size, system.TypesArray, func(shape []int) error {
		if !slices.Equal(shape, []int{s.Trajectories, s.Particles}) {
			return fmt.Errorf("it has the shape %v, and with these trajectories it needs [%d %d]", shape, s.Trajectories, s.Particles)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	types := make([]uint8, a.Len())
	for i, v := range a.Float64s() {
		if v != 1 && v != 2 {
			return nil, fmt.Errorf("particle %d of trajectory %d is of species %v; use 1 and 2", i%s.Particles, i/s.Particles, v)
		}
		types[i] = uint8(v)
	}
	for e := range s.Trajectories {
		if err := checkSpecies(types[e*s.Particles : (e+1)*s.Particles]); err != nil {
			return nil, system.OfTrajectory(e, err)
		}
	}
	return types, nil
}

// readRatios returns the mixing ratios (E, T, 2) of the file.
func readRatios(f system.File, s system.Shape) ([]float64, error) {
	a, err := data.ReadArray(f.Bytes, f.Size, system.MacroArray, func(shape []int) error {
		if !slices.Equal(shape, []int{s.Trajectories, s.Frames, variables}) {
			return fmt.Errorf("it has the shape %v, and with these trajectories the mixing ratios need [%d %d 2]; leave it out to have them computed",
				shape, s.Trajectories, s.Frames)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ratios := a.Float64s()
	for i, v := range ratios {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("the array macro holds the mixing ratio %v for frame %d of trajectory %d; leave it out to have the ratios computed",
				v, i/variables%s.Frames, i/variables/s.Frames)
		}
	}
	return ratios, nil
}
