package view

import "time"

// The levels of detail of a density in the plane, from the coarsest on. Each level has twice as
// many cells along a side as the level before. For a projected density, each level has more draws
// instead of more cells.
const (
	Levels = 3
	Finest = Levels - 1
)

// RestAfter is how long a picture is drawn coarsely after its last change.
const RestAfter = 150 * time.Millisecond

// across returns the number of cells along a side at a level.
func across(level int) int { return GridSide << level >> Finest }

// work returns the number of points that are evaluated at a level.
func (v *Density) work(level int) int {
	switch {
	case v.thrown != nil:
		return thrownParts[level] * thrownAPart
	case v.dim == 1:
		return GridPoints
	}
	return across(level) * across(level)
}

// Detail decides how finely the densities of a picture are drawn. While the run plays or a slider
// is dragged, each picture gets the finest level that can be evaluated completely in the available
// time. At rest the picture gets the finest level of all. Detail is not safe for concurrent use.
type Detail struct {
	level   int
	point   float64   // measured nanoseconds per point; 0 before the first measurement
	changed time.Time // when a density was last drawn coarsely
	drawn   time.Time // when a density was last drawn
}

// NewDetail returns a Detail that begins with the finest level.
func NewDetail() *Detail { return &Detail{level: Finest} }

// choose chooses the level for densities that must be drawn in a given time. It chooses a finer
// level than the last one only with time to spare. Otherwise the level would alternate from
// picture to picture.
func (d *Detail) choose(densities []*Density, within time.Duration) int {
	last := d.level
	for d.level = Finest; d.level > 0; d.level-- {
		need := 0.0
		for _, v := range densities {
			need += d.point * float64(v.work(d.level))
		}
		if d.level > last {
			need *= 1.5
		}
		if need <= float64(within) {
			break
		}
	}
	return d.level
}

// The method `took` records the duration of an evaluation of some points. A single slow evaluation
// has little weight.
func (d *Detail) took(points int, time time.Duration) {
	now := float64(time) / float64(points)
	if d.point == 0 {
		d.point = now
		return
	}
	d.point += (min(now, 2*d.point) - d.point) / 4
}

// Sketch draws all densities for which Whole is false. It chooses a level of detail that takes
// about the given time.
func (d *Detail) Sketch(densities []*Density, now func() time.Time, within time.Duration) {
	began, work, level := now(), 0, d.choose(densities, within)
	for _, v := range densities {
		if v.Whole {
			continue
		}
		v.Sketch(level)
		work += v.work(level)
	}
	if work == 0 {
		return
	}
	end := now()
	d.drawn = end
	d.took(work, end.Sub(began))
	if level < Finest {
		d.changed = end
	}
}

// Rests reports whether the picture has been unchanged for long enough to draw finer densities.
func (d *Detail) Rests(now time.Time) bool { return now.Sub(d.changed) >= RestAfter }

// Still reports whether no density has been drawn for so long that densities may become deeper than the finest level.
func (d *Detail) Still(now time.Time) bool { return now.Sub(d.drawn) >= RestAfter }

// interpolate fills the finest grid by linear interpolation between side×side cells.
func interpolate(dst, rough []float32, side int) {
	between := func(i int) (first int, share float32) {
		at := (float32(i)+0.5)*float32(side)/GridSide - 0.5
		at = min(max(at, 0), float32(side-1))
		first = min(int(at), side-2)
		return first, at - float32(first)
	}
	for j := range GridSide {
		above, down := between(j)
		for i := range GridSide {
			left, along := between(i)
			upper, lower := rough[above*side+left:], rough[(above+1)*side+left:]
			dst[j*GridSide+i] = (upper[0]*(1-along)+upper[1]*along)*(1-down) + (lower[0]*(1-along)+lower[1]*along)*down
		}
	}
}
