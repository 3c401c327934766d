package system

import "context"

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

// Raw implements Recorded.
func (p *Part) Raw(t *Trajectory, index int) error {
	if err := CheckIndex(index, len(p.Trajectories)); err != nil {
		return err
	}
	err := p.Recorded.Raw(t, p.Trajectories[index])
	p.cut(t)
	return err
}

// Each implements Source. It reads the trajectories of Recorded from the first to the last that it
// needs, and passes on those of the part.
func (p *Part) Each(ctx context.Context, count, workers int, each func(index int, t *Trajectory) error) error {
	if count = min(count, len(p.Trajectories)); count < 1 {
		return ctx.Err()
	}
	at := make(map[int]int, count)
	for i, of := range p.Trajectories[:count] {
		at[of] = i
	}
	return p.Recorded.Each(ctx, p.Trajectories[count-1]+1, workers, func(of int, t *Trajectory) error {
		i, ok := at[of]
		if !ok {
			return nil
		}
		own := *t
		p.cut(&own)
		return each(i, &own)
	})
}

// Reader implements Source.
func (p *Part) Reader() (Reader, error) {
	r, err := p.Recorded.Reader()
	return &partReader{Reader: r, of: p}, err
}

// cut removes the other frames from a trajectory, whose macroscopic variables may be missing.
func (p *Part) cut(t *Trajectory) {
	frames := p.Recorded.Shape().Frames
	n, m := len(t.Points)/frames, len(t.Macro)/frames
	t.Points, t.Macro = t.Points[p.First*n:p.End*n], t.Macro[p.First*m:p.End*m]
}

// partReader is the Reader of a Part.
type partReader struct {
	Reader
	of  *Part
	own *Trajectory // the part of the complete trajectory; nil before it is asked for
}

// Begin implements Reader.
func (r *partReader) Begin(index int) error {
	r.own = nil
	if err := CheckIndex(index, len(r.of.Trajectories)); err != nil {
		return err
	}
	return r.Reader.Begin(r.of.Trajectories[index])
}

// Trajectory implements Reader.
func (r *partReader) Trajectory() *Trajectory {
	if r.own == nil {
		own := *r.Reader.Trajectory()
		r.of.cut(&own)
		r.own = &own
	}
	return r.own
}
