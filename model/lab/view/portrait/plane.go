package portrait

// Plane maps states z (D) to two coordinates u = Axes[0]·z − Offset[0] and v = Axes[1]·z −
// Offset[1]. The axes may have any length and angle.
type Plane struct {
	Axes   [2][]float64
	Offset [2]float64
}

// Along returns the unit vector of variable k of dim.
func Along(k, dim int) []float64 {
	axis := make([]float64, dim)
	axis[k] = 1
	return axis
}

// At returns the coordinates of a state.
func (p *Plane) At(z []float64) (at [2]float64) {
	for i := range at {
		at[i] = dot(p.Axes[i], z) - p.Offset[i]
	}
	return at
}

// Move moves z to the nearest state with these coordinates. If the axes are parallel and there
// is no such state, Move leaves z unchanged and returns false.
func (p *Plane) Move(z []float64, to [2]float64) bool {
	at := p.At(z)
	du, dv := to[0]-at[0], to[1]-at[1]
	a, b, c := dot(p.Axes[0], p.Axes[0]), dot(p.Axes[0], p.Axes[1]), dot(p.Axes[1], p.Axes[1])
	det := a*c - b*b
	if !(det > 1e-9*a*c) {
		return false
	}
	s, t := (c*du-b*dv)/det, (a*dv-b*du)/det
	for i := range z {
		z[i] += s*p.Axes[0][i] + t*p.Axes[1][i]
	}
	return true
}

// Spread projects the covariance c (D, D) of z on the plane. It returns the elements uu, uv and
// vv.
func (p *Plane) Spread(c []float64) (of [3]float64) {
	n := len(p.Axes[0])
	for i := range n {
		row := c[i*n : (i+1)*n]
		u, v := dot(row, p.Axes[0]), dot(row, p.Axes[1])
		of[0] += p.Axes[0][i] * u
		of[1] += p.Axes[0][i] * v
		of[2] += p.Axes[1][i] * v
	}
	return of
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
