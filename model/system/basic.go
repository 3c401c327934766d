package system

import (
	"errors"
	"time"
)

// Basic is the part of a Live that not every system needs: a run that is there at
// once and cannot be edited, without recordings and without numbers of its own. A
// Live that embeds it declares only what it has more.
type Basic struct{}

// Check implements Live: all settings can be played.
func (Basic) Check() error { return nil }

// Preparing implements Live: a run begins at once.
func (Basic) Preparing() (what string, share float64) { return "", 0 }

// Prepare implements Live.
func (Basic) Prepare(func() time.Time, time.Duration) error { return nil }

// Record implements Live for a System whose Open opens nothing.
func (Basic) Record(*Trajectory, string) {}

// Recorded implements Live.
func (Basic) Recorded() bool { return false }

// Edit implements Live: nothing can be edited.
func (Basic) Edit(command, value string) (handled bool, err error) { return false, nil }

// Press implements Live: there are no buttons.
func (Basic) Press(id string) (handled bool, err error) { return false, nil }

// Figures implements Live: there are none.
func (Basic) Figures(map[string]string) {}

// Foreign implements Live: models can know of every run.
func (Basic) Foreign(recorded bool) string { return "" }

// Save implements Live: a link carries all there is.
func (Basic) Save() (positions []float32, note string) { return nil, "" }

// Restore implements Live.
func (Basic) Restore(positions []float32, note string) error {
	if len(positions) > 0 {
		return errors.New("particles of this system cannot be edited, and the saved state has positions of such; start anew")
	}
	return nil
}

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
