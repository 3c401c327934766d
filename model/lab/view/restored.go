package view

import (
	"math"

	"macroscope/model/learn/model"
	"macroscope/model/net/decoder"
	"macroscope/model/system"
)

// Restored contains the points that a decoder restores from ẑ of the displayed picture. It is
// not safe for concurrent use.
type Restored struct {
	model   *model.Model
	decoder decoder.Points[float32]

	Points []float32 // (Ends[last], dim) in simulation units
	Ends   []int     // for each group of points, the index after its last point; a group is one set, or all sets together (see decoder.Points)
	Spread float64   // spread of the points about the means of their sets, relative to the spread of the particles
	Off    float64   // root mean square distance of a point from the nearest particle, relative to the spread of the particles
}

// NewRestored returns a Restored, or nil if the model restores no points.
func NewRestored(m *model.Model) *Restored {
	p := m.Points()
	if p == nil {
		return nil
	}
	ends := p.Ends()
	return &Restored{model: m, decoder: p, Ends: ends, Points: make([]float32, ends[len(ends)-1]*m.Config.Dim())}
}

// Take restores points from ẑ of all sets of a frame (S·ZDim), and compares them with the
// frame.
func (v *Restored) Take(z []float32, f *system.Frame) {
	_, params := v.model.Weights.Split(v.model.Weights.Params)
	d, s := v.model.Config.Dim(), &v.model.Scale
	for i, x := range v.decoder.Restore(params, z) {
		v.Points[i] = float32(float64(x)*s.Std[i%d] + s.Mean[i%d])
	}
	var points, particles, off float64
	begin, from := 0, 0
	for k, end := range v.Ends {
		to := len(f.Points)
		if len(v.Ends) > 1 {
			to = d * f.Ends[k]
		}
		restored, given := v.Points[d*begin:d*end], f.Points[from:to]
		points += squaresAbout(restored, d)
		particles += squaresAbout(given, d)
		off += squaresTo(restored, given, d)
		begin, from = end, to
	}
	spread := particles / float64(len(f.Points)/d)
	n := float64(len(v.Points) / d)
	v.Spread, v.Off = math.Sqrt(points/n/spread), math.Sqrt(off/n/spread)
}

// squaresAbout returns the sum of the squared distances of points (n, d) from their mean.
func squaresAbout(x []float32, d int) (sum float64) {
	n := float64(len(x) / d)
	for j := range d {
		var first, second float64
		for i := j; i < len(x); i += d {
			v := float64(x[i])
			first, second = first+v, second+v*v
		}
		sum += math.Max(0, second-first*first/n)
	}
	return sum
}

// squaresTo returns the sum of the squared distances from each point of x (n, d) to the nearest
// point of `others` (m, d).
func squaresTo(x, others []float32, d int) (sum float64) {
	for i := 0; i < len(x); i += d {
		least := math.Inf(1)
		for k := 0; k < len(others); k += d {
			r := 0.0
			for j := range d {
				e := float64(x[i+j] - others[k+j])
				r += e * e
			}
			least = min(least, r)
		}
		sum += least
	}
	return sum
}
