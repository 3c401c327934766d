package line

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/system"
)

// record returns the user's points (n), in the user's unit: one trajectory with one frame. Its facts say how the set
// is shifted and scaled for the model, if it is.
func record(points []float32) system.Recorded {
	f := system.Facts{Axes: []string{"x"}}
	if u := unitOf(points); u != (unit{0, 1}) {
		f.Remarks = append(f.Remarks, fmt.Sprintf("the particles lie outside the region of training, so the model sees (x − %.4g)/%.4g, and ε is in that unit", u.shift, u.scale))
	}
	s := system.Shape{Trajectories: 1, Frames: 1, Particles: len(points), Dim: 1}
	return system.NewMemory(s, []system.Trajectory{{Points: points}}, f)
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
