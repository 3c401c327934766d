package plot

import (
	"math"
	"slices"
)

// Kernels is the sum of equal Gaussian kernels around points in the plane, divided by their number. Its cells follow the
// width of the kernels, so the function differs from the exact sum by less than 1 % of its largest value. It reuses its memory.
type Kernels struct {
	Grid
	// Drawn are the standard deviations with which the kernels are drawn. A kernel that is narrower than Spread.Least
	// is drawn as wide as that.
	Drawn [2]float64

	of         Spread
	points     []float32
	reach      [2]float64
	cells      [2]int     // number of cells in the rectangle
	size       [2]float64 // of a cell
	filled     bool       // whether the weights are up to date
	across, up []float32  // scratch memory
}

// Spread says how the kernels of a set are drawn.
type Spread struct {
	Window  [4]float64 // the rectangle: x from Window[0] to Window[1], y from Window[2] to Window[3]
	Widths  [2]float64 // standard deviations of a kernel along x and y, above 0
	Repeats [2]bool    // whether the rectangle is one period along x and y
	Least   [2]float64 // the smallest standard deviations that can be drawn: the size of a pixel
	Cells   [2]int     // the smallest number of cells in the rectangle
}

const (
	mostCells = TexelsWide - 2*padding // largest number of cells along an axis
	allCells  = 400_000                // largest number of cells
	fineness  = 1.3                    // a kernel's standard deviation is at least this many cells
	// A kernel ends after this many standard deviations. Less than 4e-4 of it is outside.
	reach = 4
)

// Set chooses the points (n, 2), and how their kernels are drawn. Points that are not finite do not count.
func (k *Kernels) Set(points []float32, of Spread) {
	if of == k.of && slices.Equal(points, k.points) {
		return
	}
	k.of, k.points, k.filled = of, append(k.points[:0], points...), false
	k.cells = k.choose()
}

// Fill computes the weights of the cells, unless they are up to date. It returns whether it has computed them.
func (k *Kernels) Fill() (changed bool) {
	if k.filled {
		return false
	}
	k.filled = true
	points, of, n := k.points, &k.of, k.cells
	k.resize(n[0]+2*padding, n[1]+2*padding, padding)
	clear(k.Weights)
	var narrow [2]float64
	scale := 1 / max(1, float64(count(points)))
	for a := range narrow {
		k.size[a] = (of.Window[2*a+1] - of.Window[2*a]) / float64(n[a])
		// The bump of a cell has the variance size²/3. Together with it, the narrowed kernel is as wide as the kernel.
		narrow[a] = math.Sqrt(k.Drawn[a]*k.Drawn[a] - k.size[a]*k.size[a]/3)
		scale /= math.Sqrt(2*math.Pi) * narrow[a]
	}
	for i := 0; i+1 < len(points); i += 2 {
		p := Point{points[i], points[i+1]}
		if !p.Finite() {
			continue
		}
		for x, dx := k.image(0, float64(p.X)); x <= of.Window[1]+k.reach[0]; x += dx {
			var left, low int
			k.across, left = k.shares(k.across, 0, x, narrow[0], scale, k.NX)
			for y, dy := k.image(1, float64(p.Y)); y <= of.Window[3]+k.reach[1]; y += dy {
				k.up, low = k.shares(k.up, 1, y, narrow[1], 1, k.NY)
				for j, u := range k.up {
					row := k.Weights[(low+j)*k.NX+left:][:len(k.across)]
					for i, v := range k.across {
						row[i] += u * v
					}
				}
			}
		}
	}
	return true
}

// count returns the number of finite points.
func count(points []float32) (n int) {
	for i := 0; i+1 < len(points); i += 2 {
		if (Point{points[i], points[i+1]}).Finite() {
			n++
		}
	}
	return n
}

// choose chooses the widths of the kernels, and returns the numbers of cells in the rectangle.
func (k *Kernels) choose() (n [2]int) {
	var want [2]float64
	for a := range want {
		length := k.of.Window[2*a+1] - k.of.Window[2*a]
		k.Drawn[a] = max(k.of.Widths[a], k.of.Least[a], fineness*length/mostCells)
		want[a] = fineness * length / k.Drawn[a]
	}
	coarser := math.Sqrt(max(1, want[0]*want[1]/allCells))
	for a, v := range want {
		n[a] = min(max(int(math.Ceil(v/coarser)), k.of.Cells[a]), mostCells)
		if coarser > 1 {
			k.Drawn[a] *= coarser
		}
		k.reach[a] = reach * k.Drawn[a]
	}
	return n
}

// Wider reports whether the kernels are drawn wider than they are, and how many times.
func (k *Kernels) Wider() (times float64, wider bool) {
	times = math.Sqrt(k.Drawn[0] * k.Drawn[1] / (k.of.Widths[0] * k.of.Widths[1]))
	return times, k.Drawn != k.of.Widths
}

// image returns the first image of a coordinate whose kernel reaches the rectangle, and the distance of the next one.
func (k *Kernels) image(axis int, v float64) (first, period float64) {
	if !k.of.Repeats[axis] {
		return v, math.Inf(1)
	}
	low := k.of.Window[2*axis]
	period = k.of.Window[2*axis+1] - low
	low -= k.reach[axis]
	return v - period*math.Floor((v-low)/period), period
}

// shares writes to dst the values in the middle of the cells along an axis with n cells, from the cell `first` on, as far as
// the kernel around c reaches: scale·exp(−z²/2), z = (x−c)/s, times a term that makes up for the flat tails of a cell's bump. The
// bump's fourth cumulant is −size⁴/30, so the term is 1 + He₄(z)·(size/s)⁴/(30·4!).
func (k *Kernels) shares(dst []float32, axis int, c, s, scale float64, n int) (_ []float32, first int) {
	h := k.size[axis]
	origin := k.of.Window[2*axis] - padding*h
	at := (c - origin) / h
	wide := k.reach[axis] / h
	first = int(min(max(at-wide, 0), float64(n)))
	last := int(min(max(at+wide+1, 0), float64(n)))
	// Each value is the last one times a factor, and this factor changes by a constant factor.
	d := (float64(first) + 0.5 - at) * h / s
	step := h / s
	v, factor, change := scale*math.Exp(-d*d/2), math.Exp(-step*(d+step/2)), math.Exp(-step*step)
	fourth := step * step * step * step / 720
	dst = dst[:0]
	for range last - first {
		z := d * d
		dst = append(dst, float32(v*(1+fourth*(z*z-6*z+3))))
		v *= factor
		factor *= change
		d += step
	}
	return dst, first
}

// Value returns the exact sum of the kernels, as wide as they are drawn, at a place.
func (k *Kernels) Value(x, y float64) (sum float64) {
	for i := 0; i+1 < len(k.points); i += 2 {
		if p := (Point{k.points[i], k.points[i+1]}); p.Finite() {
			sum += k.along(0, x, float64(p.X)) * k.along(1, y, float64(p.Y))
		}
	}
	return sum / max(1, float64(count(k.points)))
}

// along returns the density of a kernel along an axis, with all its images.
func (k *Kernels) along(axis int, x, c float64) (sum float64) {
	s := k.Drawn[axis]
	for v, period := k.image(axis, c); v <= k.of.Window[2*axis+1]+k.reach[axis]; v += period {
		d := (x - v) / s
		sum += math.Exp(-d * d / 2)
	}
	return sum / (math.Sqrt(2*math.Pi) * s)
}
