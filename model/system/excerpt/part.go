package excerpt

import (
	"macroscope/model/system"
	"macroscope/model/work"
)

// Part is a part of recorded trajectories: some of them, each with some of its frames. It implements
// system.Recorded.
type Part struct {
	system.Recorded
	Trajectories []int // indices of the part's trajectories in Recorded, in ascending order
	First, End   int   // the part has the frames [First, End) of each
}

var _ system.Recorded = (*Part)(nil)

// Shape implements system.Source.
func (p *Part) Shape() system.Shape {
	s := p.Recorded.Shape()
	s.Trajectories, s.Frames = len(p.Trajectories), p.End-p.First
	return s
}

// Make implements system.Source.
func (p *Part) Make(t *system.Trajectory, index int, pause work.Pause) error {
	return p.cut(t, index, func(index int) error { return p.Recorded.Make(t, index, pause) })
}

// Raw implements system.Recorded.
func (p *Part) Raw(t *system.Trajectory, index int) error {
	return p.cut(t, index, func(index int) error { return p.Recorded.Raw(t, index) })
}

// cut makes a trajectory with a function of its index in Recorded, and removes the frames that the part
// does not have. Macroscopic variables may be missing.
func (p *Part) cut(t *system.Trajectory, index int, make func(index int) error) error {
	if err := system.CheckIndex(index, len(p.Trajectories)); err != nil {
		return err
	}
	if err := make(p.Trajectories[index]); err != nil {
		return err
	}
	n := len(t.Species) * p.Recorded.Shape().Dim
	frames := len(t.Points) / n
	m := len(t.Macro) / frames
	end := min(p.End, frames)
	t.Points = append(t.Points[:0], t.Points[p.First*n:end*n]...)
	t.Macro = append(t.Macro[:0], t.Macro[p.First*m:end*m]...)
	return nil
}
