package system

import "errors"

// Unlearned is the part of a System that is about models and their data. A System
// that embeds it is played on the page, and there is no model of it.
type Unlearned struct{}

// Variables implements System: there are none.
func (Unlearned) Variables(observable string) []string { return nil }

// KeepFrame implements System.
func (Unlearned) KeepFrame(k int) bool { return true }

// Frame implements System: all particles are one set.
func (Unlearned) Frame(dst *Frame, t *Trajectory, k, dim int) {
	n := len(t.Species) * dim
	dst.One(t.Points[k*n:(k+1)*n], dim)
}

// Simulated implements System: there are no trajectories to train on.
func (Unlearned) Simulated(Choice) Source { return nil }

// Tests implements System.
func (Unlearned) Tests(int) []Test { return nil }

// Open implements System.
func (Unlearned) Open(File, string) (Recorded, error) {
	return nil, errors.New("this lab plays its own simulation alone")
}

// Finish implements System.
func (Unlearned) Finish(*Trajectory, int, string) error {
	return errors.New("this system has no macroscopic variables")
}
