package lj

// motion holds the input and output of a drift. Arrays are by slot, (N, 2), padded
// with zeros.
type motion struct {
	x, v           []float64 // positions and velocities before the drift
	f              []float32
	toX            []float64 // positions after the drift
	toV            []float64
	place          []float64 // reference positions: the positions when the list was made
	imageX, imageY []float32 // (N): the new positions in float32

	scale, half, dt float64 // factor of the velocities; half a time step; a time step
	width, height   float64
	limit           float64 // largest allowed squared distance from the reference positions
}

// refDrift scales the velocities, advances them by half a step under the forces, advances the
// positions by a step, and reflects atoms at the walls. It reports whether all atoms are within
// the limit of their reference positions. A NaN counts as outside.
func refDrift(m *motion) (within bool) {
	n := len(m.x)
	x, v, f, toX, toV, place := m.x[:n], m.v[:n], m.f[:n], m.toX[:n], m.toV[:n], m.place[:n]
	imageX, imageY := m.imageX[:n/2], m.imageY[:n/2]
	within = true
	for k := 0; k+1 < n; k += 2 {
		vx := v[k]*m.scale + float64(f[k])*m.half
		vy := v[k+1]*m.scale + float64(f[k+1])*m.half
		xx := x[k] + vx*m.dt
		yy := x[k+1] + vy*m.dt
		if xx < 0 {
			xx, vx = -xx, -vx
		}
		if yy < 0 {
			yy, vy = -yy, -vy
		}
		if xx > m.width {
			xx, vx = 2*m.width-xx, -vx
		}
		if yy > m.height {
			yy, vy = 2*m.height-yy, -vy
		}
		toX[k], toX[k+1], toV[k], toV[k+1] = xx, yy, vx, vy
		imageX[k/2], imageY[k/2] = float32(xx), float32(yy)
		dx, dy := xx-place[k], yy-place[k+1]
		if !(dx*dx+dy*dy <= m.limit) {
			within = false
		}
	}
	return within
}

// refKick adds half·f to v and returns Σv².
func refKick(v []float64, f []float32, half float64) (square float64) {
	f = f[:len(v)]
	for k := range v {
		v[k] += float64(f[k]) * half
		square += v[k] * v[k]
	}
	return square
}

// refScale multiplies v by scale and returns Σv².
func refScale(v []float64, scale float64) (square float64) {
	for k := range v {
		v[k] *= scale
		square += v[k] * v[k]
	}
	return square
}
