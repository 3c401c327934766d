package describe

import (
	"math"

	"macroscope/model/system"
	"macroscope/model/system/own"
	"macroscope/model/work"
)

const (
	mostRuns    = 20    // runs in which velocities are looked for
	mostFrames  = 30    // frames of each
	isVelocity  = 0.8   // least correlation of a velocity with the change of its position
	leastChange = 1e-18 // least mean square change, relative to that of the rates; below it a coordinate is at rest
)

// velocities returns for each axis the axis whose values are its rate of change, or -1: of those with a correlation of
// isVelocity at least, the one with the largest. An axis that repeats is no velocity. The change from frame to frame, to
// the nearest image, is compared with the mean of the rates before and after. For 100 changes, the fewest that are judged,
// that are independent and normal, such a correlation has a probability below 1e-20. Particles that circle about the
// origin are taken for coordinates and rates, which the user can correct.
func velocities(pause work.Pause, src system.Source, axes []own.Axis, workers int) ([]int, error) {
	d, s := len(axes), src.Shape()
	type sums struct{ xy, xx, yy []float64 }
	runs := make([]sums, min(s.Trajectories, mostRuns))
	err := system.Each(pause, src, len(runs), workers, func(e int, t *system.Trajectory) error {
		r := sums{make([]float64, d*d), make([]float64, d*d), make([]float64, d*d)}
		row := len(t.Species) * d
		for k := range min(len(t.Points)/row-1, mostFrames) {
			for i := k * row; i < (k+1)*row; i += d {
				now, next := t.Points[i:i+d], t.Points[i+row:i+row+d]
				if now[0] != now[0] || next[0] != next[0] { // the particle is not there
					continue
				}
				for a := range d {
					x := float64(next[a]) - float64(now[a])
					if p := axes[a].Period; p > 0 {
						x = math.Remainder(x, p)
					}
					for b := range d {
						y := (float64(now[b]) + float64(next[b])) / 2
						r.xy[a*d+b] += x * y
						r.xx[a*d+b] += x * x
						r.yy[a*d+b] += y * y
					}
				}
			}
		}
		runs[e] = r
		return nil
	})
	if err != nil {
		return nil, err
	}
	rates := make([]int, d)
	for a := range d {
		best := isVelocity
		rates[a] = -1
		for b := range d {
			var xy, xx, yy float64
			for _, r := range runs {
				xy, xx, yy = xy+r.xy[a*d+b], xx+r.xx[a*d+b], yy+r.yy[a*d+b]
			}
			if c := xy / math.Sqrt(xx*yy); a != b && axes[b].Period == 0 && xx > leastChange*yy && c > best {
				best, rates[a] = c, b
			}
		}
	}
	if len(runs)*min(s.Frames-1, mostFrames)*s.Particles < 100 {
		for a := range rates {
			rates[a] = -1
		}
	}
	return rates, nil
}

// kinds names the axes of which others are the velocities: x, y and z, and vx, vy and vz. It changes nothing unless there
// are two or three such axes, or one, and no axis is both.
func kinds(s *own.Spec, rates []int) (found bool) {
	var positions []int
	taken := make(map[int]bool)
	for a, b := range rates {
		if b < 0 {
			continue
		}
		if rates[b] >= 0 || taken[b] {
			return false
		}
		taken[b] = true
		positions = append(positions, a)
	}
	if len(positions) < 1 || len(positions) > 3 {
		return false
	}
	for i, a := range positions {
		s.Axes[a].Name = "xyz"[i : i+1]
		s.Axes[rates[a]].Name, s.Axes[rates[a]].Kind = "v"+s.Axes[a].Name, own.Velocity
	}
	for a := range s.Axes {
		if rates[a] < 0 && !taken[a] {
			s.Axes[a].Kind = own.Mark
		}
	}
	return true
}
