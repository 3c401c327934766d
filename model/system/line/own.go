package line

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/system"
)

// Own is a set of the user's points, in the user's unit: one trajectory with one frame.
type Own struct {
	*system.Memory
	points []float32 // (n)
}

var _ system.Recorded = (*Own)(nil)

func newOwn(points []float32) *Own {
	s := system.Shape{Trajectories: 1, Frames: 1, Particles: len(points), Dim: 1}
	return &Own{system.NewMemory(s, []system.Trajectory{{Points: points}}), points}
}

// Observable implements system.Recorded.
func (o *Own) Observable() string { return "" }

// Close implements system.Recorded.
func (o *Own) Close() error { return nil }

// Facts implements system.Recorded. They say how the set is shifted and scaled for the model, if it is.
func (o *Own) Facts() *system.Facts {
	f := &system.Facts{Axes: []string{"x"}}
	if u := unitOf(o.points); u != (unit{0, 1}) {
		f.Remarks = append(f.Remarks, fmt.Sprintf("the particles lie outside the region of training, so the model sees (x − %.4g)/%.4g, and ε is in that unit", u.shift, u.scale))
	}
	return f
}

// Raw implements system.Recorded.
func (o *Own) Raw(t *system.Trajectory, index int) error {
	*t = system.Trajectory{Points: slices.Clone(o.points)}
	return system.CheckIndex(index, 1)
}

// trainedLow and trainedHigh bound the coordinates in training.
const trainedLow, trainedHigh = -1.5, 1.5

// unit converts the model's coordinate to the user's: shift + scale·x.
type unit struct{ shift, scale float32 }

func (u unit) user(x float32) float32  { return u.shift + u.scale*x }
func (u unit) model(v float32) float32 { return (v - u.shift) / u.scale }

// unitOf returns a unit in which the values lie in the range of training. It is the identity if
// the values already lie there. Otherwise the values span [-1, 1] in the unit.
func unitOf(values []float32) unit {
	low, high := slices.Min(values), slices.Max(values)
	if low >= trainedLow && high <= trainedHigh {
		return unit{0, 1}
	}
	half := high/2 - low/2 // high-low can overflow a float32
	if high == low {       // if all values are equal, any scale will do
		return unit{low, 1}
	}
	return unit{low + half, max(half, math.SmallestNonzeroFloat32)}
}
