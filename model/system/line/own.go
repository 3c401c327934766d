package line

import (
	"context"
	"fmt"
	"math"
	"slices"

	"macroscope/model/system"
)

// Own is a set of the user's own: one trajectory of one frame.
type Own struct {
	name   string
	points []float32 // (n), in the user's unit
}

var _ system.Recorded = (*Own)(nil)

// Shape implements system.Source.
func (o *Own) Shape() system.Shape {
	return system.Shape{Trajectories: 1, Frames: 1, Particles: len(o.points), Dim: 1}
}

// Observable implements system.Recorded.
func (o *Own) Observable() string { return "" }

// Close implements system.Recorded.
func (o *Own) Close() error { return nil }

// Remark says how the model sees the set, if not as it is.
func (o *Own) Remark() string {
	u := unitOf(o.points)
	if u == (unit{0, 1}) {
		return ""
	}
	return fmt.Sprintf("The particles lie outside the region of training, so the model sees (x − %.4g)/%.4g, and ε is in that unit.", u.shift, u.scale)
}

// Raw implements system.Recorded.
func (o *Own) Raw(t *system.Trajectory, index int) error {
	if index != 0 {
		return fmt.Errorf("there is no set %d; there is one", index)
	}
	t.Points, t.Species, t.Macro = append(t.Points[:0], o.points...), nil, nil
	return nil
}

// Each implements system.Source.
func (o *Own) Each(ctx context.Context, count, workers int, each func(int, *system.Trajectory) error) error {
	return system.ForEach(ctx, min(count, 1), workers, func(i int) error {
		return each(i, &system.Trajectory{Points: slices.Clone(o.points)})
	})
}

// Reader implements system.Source.
func (o *Own) Reader() (system.Reader, error) { return &ownReader{src: o}, nil }

type ownReader struct {
	src *Own
	t   system.Trajectory
}

func (r *ownReader) Begin(index int) error          { return r.src.Raw(&r.t, index) }
func (r *ownReader) Advance() (whole bool, _ error) { return true, nil }
func (r *ownReader) Trajectory() *system.Trajectory { return &r.t }
func (r *ownReader) Close()                         {}

// trainedLow and trainedHigh bound what training shows a model.
const trainedLow, trainedHigh = -1.5, 1.5

// unit is the user's coordinate as one of the model's: shift + scale·x.
type unit struct{ shift, scale float32 }

func (u unit) user(x float32) float32  { return u.shift + u.scale*x }
func (u unit) model(v float32) float32 { return (v - u.shift) / u.scale }

// unitOf returns the unit in which values lie where training has shown the model
// any: their own, if it will do, or one in which they reach from -1 to 1.
func unitOf(values []float32) unit {
	low, high := slices.Min(values), slices.Max(values)
	if low >= trainedLow && high <= trainedHigh {
		return unit{0, 1}
	}
	half := high/2 - low/2 // whose difference may be too large for a float32
	if high == low {       // all in one place: any scale does
		return unit{low, 1}
	}
	return unit{low + half, max(half, math.SmallestNonzeroFloat32)}
}
