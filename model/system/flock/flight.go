package flock

import "macroscope/sim/flock"

// turn is a change of the noise: η applies from a frame on.
type turn struct {
	frame int
	eta   float64
}

// flight is a system.Simulation of a flock whose noise can change.
type flight struct {
	*flock.Simulation
	turns []turn // in the order of their frames
}

// Step implements system.Simulation.
func (f flight) Step() error {
	for _, t := range f.turns {
		if t.frame == f.Index() {
			if err := f.SetNoise(t.eta); err != nil {
				return err
			}
		}
	}
	f.Simulation.Step()
	return nil
}

// Frame implements system.Simulation.
func (f flight) Frame(points []float32, macro []float64) {
	copy(points, f.Birds())
	macro[0], macro[1] = f.Polarisation(), f.Neighbours()/10
}
