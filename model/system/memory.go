package system

import "context"

// Memory is a Source of trajectories in memory. It returns copies of them.
type Memory struct {
	shape Shape
	of    []Trajectory
}

// NewMemory returns a source of these trajectories, which all have the shape s. It does not
// copy them.
func NewMemory(s Shape, of []Trajectory) *Memory { return &Memory{s, of} }

// Shape implements Source.
func (m *Memory) Shape() Shape { return m.shape }

// Each implements Source.
func (m *Memory) Each(ctx context.Context, count, workers int, each func(index int, t *Trajectory) error) error {
	return ForEach(ctx, min(count, len(m.of)), workers, func(i int) error { return each(i, m.of[i].Clone()) })
}

// Reader implements Source.
func (m *Memory) Reader() (Reader, error) { return &memoryReader{Memory: m}, nil }

type memoryReader struct {
	*Memory
	t *Trajectory
}

func (r *memoryReader) Begin(index int) error {
	if err := CheckIndex(index, len(r.of)); err != nil {
		return err
	}
	r.t = r.of[index].Clone()
	return nil
}

func (r *memoryReader) Advance() (whole bool, err error) { return true, nil }
func (r *memoryReader) Trajectory() *Trajectory          { return r.t }
func (r *memoryReader) Close()                           {}
