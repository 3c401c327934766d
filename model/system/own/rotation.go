package own

import (
	"math"

	"macroscope/model/file/data"
	"macroscope/model/system"
)

var _ system.Rotation = (*rotation)(nil)

// rotation is the view of three coordinates from a direction of the user's choice.
type rotation struct {
	Of     [3]int // the coordinates that are across, up and toward the viewer before the rotation
	Middle [3]float64
	Period [3]float64 // places are shown within half a period of the middle; 0: this coordinate does not repeat
	// Rows are the directions across, up and toward the viewer of the picture.
	Rows [3][3]float64
}

// rotate sets Rows. A positive `turn` moves what is near to the right, a positive `tilt` moves it down, both in degrees.
func (r *rotation) rotate(turn, tilt float64) {
	s, c := math.Sincos(turn * math.Pi / 180)
	u, v := math.Sincos(tilt * math.Pi / 180)
	r.Rows = [3][3]float64{{c, 0, s}, {u * s, v, -u * c}, {-v * s, u, v * c}}
}

// At implements system.Rotation.
func (r *rotation) At(x []float32) (at [3]float64) {
	var d [3]float64
	for k, of := range r.Of {
		if d[k] = float64(x[of]) - r.Middle[k]; r.Period[k] > 0 {
			d[k] -= r.Period[k] * math.Round(d[k]/r.Period[k])
		}
	}
	for i, row := range r.Rows {
		at[i] = r.Middle[i] + row[0]*d[0] + row[1]*d[1] + row[2]*d[2]
	}
	return at
}

// Widths implements system.Rotation.
func (r *rotation) Widths(sigma [data.MaxDim]float64) (widths [2]float64) {
	for i := range widths {
		for k, of := range r.Of {
			widths[i] = math.Hypot(widths[i], r.Rows[i][k]*sigma[of])
		}
	}
	return widths
}
