package system

import "math"

// Rotation is the view of three coordinates from a direction of the user's choice. The zero Rotation is none: the picture
// then shows two coordinates as they are.
type Rotation struct {
	Of     [3]int // the coordinates that are across, up and toward the viewer before the rotation
	Middle [3]float64
	Period [3]float64 // places are shown within half a period of the middle; 0: this coordinate does not repeat
	// Rows are the directions across, up and toward the viewer of the picture.
	Rows [3][3]float64
}

// Rotate sets Rows. A positive `turn` moves what is near to the right, a positive `tilt` moves it down, both in degrees.
func (r *Rotation) Rotate(turn, tilt float64) {
	s, c := math.Sincos(turn * math.Pi / 180)
	u, v := math.Sincos(tilt * math.Pi / 180)
	r.Rows = [3][3]float64{{c, 0, s}, {u * s, v, -u * c}, {-v * s, u, v * c}}
}

// On reports whether there is a rotation.
func (r *Rotation) On() bool { return r.Rows != [3][3]float64{} }

// At returns the place in the picture of a particle x (D), and how near it is.
func (r *Rotation) At(x []float32) (at [3]float64) {
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

// Widths returns the standard deviations across and up of a kernel with the standard deviations sigma (D).
func (r *Rotation) Widths(sigma []float64) (widths [2]float64) {
	for i := range widths {
		for k, of := range r.Of {
			widths[i] = math.Hypot(widths[i], r.Rows[i][k]*sigma[of])
		}
	}
	return widths
}
