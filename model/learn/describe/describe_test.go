package describe

import (
	"reflect"
	"testing"

	"macroscope/model/system"
	"macroscope/model/system/own"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// TestVelocities recognises the velocities among the coordinates of particles in a channel that repeats along its
// first coordinate. A coordinate that moves on its own and a mark that does not change are none.
func TestVelocities(t *testing.T) {
	const runs, frames, particles, dim = 3, 20, 10, 5
	src := rng.New(1, "test of velocities")
	var all []system.Trajectory
	for range runs {
		tr := system.Trajectory{Species: make([]uint8, particles)}
		x := make([][dim]float64, particles)
		for i := range x {
			for k := range dim {
				x[i][k] = src.NormFloat64()
			}
		}
		for range frames {
			for i := range x {
				p := &x[i]
				p[3] += 0.1 * src.NormFloat64() // the velocity of coordinate 0
				p[0] += 0.5 * p[3]
				p[2] += src.NormFloat64()
				for p[0] > 4 {
					p[0] -= 4
				}
				for p[0] < 0 {
					p[0] += 4
				}
				for _, v := range p {
					tr.Points = append(tr.Points, float32(v))
				}
			}
		}
		all = append(all, tr)
	}
	axes := []own.Axis{{Name: "x1", Period: 4}, {Name: "x2"}, {Name: "x3"}, {Name: "x4"}, {Name: "x5"}}
	memory := system.NewMemory(system.Shape{Trajectories: runs, Frames: frames, Particles: particles, Dim: dim}, all, system.Facts{})
	rates, err := velocities(work.Until(t.Context()), memory, axes, 2)
	if want := []int{3, -1, -1, -1, -1}; err != nil || !reflect.DeepEqual(rates, want) {
		t.Fatalf("velocities %v, want %v; %v", rates, want, err)
	}
	s := own.Spec{Axes: axes}
	want := []own.Axis{{Name: "x", Period: 4}, {Name: "x2", Kind: own.Mark}, {Name: "x3", Kind: own.Mark}, {Name: "vx", Kind: own.Velocity}, {Name: "x5", Kind: own.Mark}}
	if !kinds(&s, rates) || !reflect.DeepEqual(s.Axes, want) {
		t.Errorf("axes %v, want %v", s.Axes, want)
	}
	if kinds(&s, []int{-1, -1, -1, -1, -1}) || kinds(&s, []int{3, -1, -1, 0, -1}) {
		t.Error("axes without velocities, or that are both, are named")
	}
}
