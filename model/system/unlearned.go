package system

import "errors"

// Timeless implements the trajectory methods of System, for a System without trajectories.
type Timeless struct{}

// Variables implements System. There are no macroscopic variables.
func (Timeless) Variables(observable string) []string { return nil }

// KeepFrame implements System.
func (Timeless) KeepFrame(k int) bool { return true }

// Simulated implements System. There are no trajectories to train on.
func (Timeless) Simulated(Choice) Source { return nil }

// Tests implements System.
func (Timeless) Tests(int) []Test { return nil }

// Unlearned implements the methods of System that models need. It is for a System that is played on
// the page but not learned.
type Unlearned struct{ Timeless }

// Frame implements System. All particles form one set.
func (Unlearned) Frame(dst *Frame, t *Trajectory, k, dim int) {
	n := len(t.Species) * dim
	dst.One(t.Points[k*n:(k+1)*n], dim)
}

// Open implements System.
func (Unlearned) Open(File, string) (Recorded, error) {
	return nil, errors.New("this lab plays its own simulation alone")
}

// Finish implements System.
func (Unlearned) Finish(*Trajectory, int, string) error {
	return errors.New("this system has no macroscopic variables")
}
