package system

import (
	"fmt"

	"macroscope/model/file/data"
)

// Names of the arrays in a file of trajectories, chosen by the paper's authors.
const (
	TrajectoriesArray = "trajectories" // coordinates (E, T, N, D)
	TypesArray        = "types"        // species (E, N)
	MacroArray        = "macro"        // macroscopic variables (E, T, M)
)

// Limits of the size of a file.
const (
	MaxParticles = data.MaxParticles
	maxDim       = data.MaxDim
)

// ReadShape returns the shape of the trajectories in a NumPy file, or an error if the
// trajectories cannot be used. It reads only the file's header.
func ReadShape(f File) (Shape, error) {
	if len(f.More) > 0 {
		return Shape{}, fmt.Errorf("there are %d files in the folder, and the first is NumPy's, which is read alone; put all trajectories into one array, and name its file", 1+len(f.More))
	}
	s, err := data.CheckRows(f.Bytes, f.Size, TrajectoriesArray)
	if err != nil {
		return Shape{}, err
	}
	if len(s) != 4 {
		return Shape{}, fmt.Errorf("the trajectories have %d dimensions, and four are needed: trajectories, frames, particles, coordinates", len(s))
	}
	shape := Shape{Trajectories: s[0], Frames: s[1], Particles: s[2], Dim: s[3]}
	return shape, shape.Check()
}

// Check returns an error if no system can read trajectories of this shape.
func (s Shape) Check() error {
	switch {
	case s.Trajectories < 1:
		return fmt.Errorf("the file holds no trajectory; record one at least")
	case s.Frames < 2:
		return fmt.Errorf("the trajectories have fewer than two frames, so nothing moves; record two at least")
	case s.Particles < 1:
		return fmt.Errorf("the trajectories have no particles; record one at least")
	case s.Particles > MaxParticles:
		return fmt.Errorf("the trajectories have %d particles, and the limit is %d; record fewer", s.Particles, MaxParticles)
	case s.Dim < 1 || s.Dim > maxDim:
		return fmt.Errorf("the particles have %d coordinates; 1 to %d can be used", s.Dim, maxDim)
	}
	return nil
}
