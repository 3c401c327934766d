package system

import "macroscope/model/work"

// Part is a part of recorded trajectories: some of them, each with some of its frames. It implements
// Recorded.
type Part struct {
	Recorded
	Trajectories []int // indices of the part's trajectories in Recorded, in ascending order
	First, End   int   // the part has the frames [First, End) of each
}

var _ Recorded = (*Part)(nil)

// Shape implements Source.
func (p *Part) Shape() Shape {
	s := p.Recorded.Shape()
	s.Trajectories, s.Frames = len(p.Trajectories), p.End-p.First
	return s
}

// Force returns the force of the trajectories' particles, see ForceOf.
func (p *Part) Force() string { return ForceOf(p.Recorded) }

// Make implements Source.
func (p *Part) Make(t *Trajectory, index int, pause work.Pause) error {
	return p.cut(t, index, func(index int) error { return p.Recorded.Make(t, index, pause) })
}

// Raw implements Recorded.
func (p *Part) Raw(t *Trajectory, index int) error {
	return p.cut(t, index, func(index int) error { return p.Recorded.Raw(t, index) })
}

// cut makes a trajectory with a function of its index in Recorded, and removes the frames that the part
// does not have. Macroscopic variables may be missing.
func (p *Part) cut(t *Trajectory, index int, make func(index int) error) error {
	if err := CheckIndex(index, len(p.Trajectories)); err != nil {
		return err
	}
	if err := make(p.Trajectories[index]); err != nil {
		return err
	}
	frames := p.Recorded.Shape().Frames
	n, m := len(t.Points)/frames, len(t.Macro)/frames
	t.Points = append(t.Points[:0], t.Points[p.First*n:p.End*n]...)
	t.Macro = append(t.Macro[:0], t.Macro[p.First*m:p.End*m]...)
	return nil
}
