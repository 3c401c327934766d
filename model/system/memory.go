package system

import (
	"slices"

	"macroscope/model/work"
)

// Memory is a Source of trajectories in memory. It makes copies of them.
type Memory struct {
	shape Shape
	of    []Trajectory
}

// NewMemory returns a source of these trajectories, which all have the shape s. It does not
// copy them.
func NewMemory(s Shape, of []Trajectory) *Memory { return &Memory{s, of} }

// Shape implements Source.
func (m *Memory) Shape() Shape { return m.shape }

// Make implements Source.
func (m *Memory) Make(t *Trajectory, index int, _ work.Pause) error {
	if err := CheckIndex(index, len(m.of)); err != nil {
		return err
	}
	of := &m.of[index]
	*t = Trajectory{
		append(t.Points[:0], of.Points...), append(t.Species[:0], of.Species...), append(t.Macro[:0], of.Macro...),
		slices.Clone(of.Params), of.Interval,
	}
	return nil
}
