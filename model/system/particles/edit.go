package particles

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"macroscope/model/setting"
	"macroscope/model/system/core"
	"macroscope/model/wire"
	"macroscope/sim/rng"
)

// Commands that the picture sends. It also sends wire.Add and wire.Remove, each with the two
// coordinates of a point.
const (
	Drag = "drag" // "i x y" moves particle i to (x, y)
	Draw = "draw" // "x y x y …" adds particles along a stroke
)

// furthest is the largest coordinate of an added particle.
const furthest = 1000

// The Note of a run whose first frame the user has edited or drawn.
const (
	editedNote = "edited"
	drawnNote  = "drawn"
)

// Press implements system.Live. "clear" removes all particles, so that the user can draw a set.
func (l *Live) Press(id string) (handled bool, err error) {
	if id != "clear" {
		return false, nil
	}
	l.Player().Pause()
	l.sketch = l.sketch[:0]
	l.About.Blank, l.About.Note = true, "an empty plane: draw particles"
	l.centre, l.half = [dim]float64{}, 1.25 // approximately the region of the sets in training
	l.Changed()
	return true, nil
}

// Edit implements system.Live. It changes the particles of the displayed frame, which become
// frame 0 of a new run.
func (l *Live) Edit(command, value string) (handled bool, err error) {
	switch command {
	case Drag, wire.Add, wire.Remove, Draw:
		return true, l.edit(command, value)
	}
	return false, nil
}

func (l *Live) edit(command, value string) error {
	numbers, err := core.Coordinates(value, furthest)
	if err != nil {
		return err
	}
	at, err := l.changed(slices.Clone(l.onShow()), command, value, numbers)
	if err != nil {
		return err
	}
	n := len(at) / dim
	switch {
	case n > MaxParticles:
		return fmt.Errorf("there would be %d particles, and the page has room for %d", n, MaxParticles)
	case l.About.Blank && n < MinParticles:
		l.sketch, l.About.Note = at, fmt.Sprintf("%d of at least %d particles", n, MinParticles)
		return nil
	case n < MinParticles: // a link or a saved session cannot contain so few
		return fmt.Errorf("there would be %s, and the page simulates %d at least", setting.Count(n, "particle", "particles"), MinParticles)
	case command == Draw:
		return l.start(at, drawnNote)
	case l.Edited != nil && !l.About.Blank:
		return l.start(at, l.About.Note)
	}
	return l.start(at, editedNote)
}

// changed returns the particles (n, 2) after a command has changed them.
func (l *Live) changed(at []float32, command, value string, numbers []float64) ([]float32, error) {
	switch {
	case command == Drag && len(numbers) == 3:
		i := numbers[0]
		if i != math.Trunc(i) || i < 0 || int(i) >= len(at)/dim {
			return nil, fmt.Errorf("there is no particle %g; there are %d", i, len(at)/dim)
		}
		at[dim*int(i)], at[dim*int(i)+1] = float32(numbers[1]), float32(numbers[2])
		return at, nil
	case command == wire.Add && len(numbers) == 2:
		return append(at, float32(numbers[0]), float32(numbers[1])), nil
	case command == wire.Remove && len(numbers) == 2:
		return l.without(at, numbers[0], numbers[1])
	case command == Draw && len(numbers) >= 2 && len(numbers)%2 == 0:
		return l.stroke(at, numbers), nil
	}
	return nil, fmt.Errorf("%s is no position; give two numbers for each point", setting.Quote(value))
}

// without returns the particles except the one nearest to (x, y).
func (l *Live) without(at []float32, x, y float64) ([]float32, error) {
	if len(at) == 0 {
		return nil, errors.New("there is no particle to remove")
	}
	i := nearest(at, x, y)
	return slices.Delete(at, dim*i, dim*i+dim), nil
}

// nearest returns the index of the particle (n, 2) nearest to (x, y).
func nearest(xy []float32, x, y float64) int {
	best, least := 0, math.Inf(1)
	for i := range len(xy) / dim {
		dx, dy := float64(xy[dim*i])-x, float64(xy[dim*i+1])-y
		if d := dx*dx + dy*dy; d < least {
			best, least = i, d
		}
	}
	return best
}

const (
	strokeSpacing = 0.012 // distance along a stroke between two particles
	strokeWidth   = 0.03  // standard deviation across the stroke
)

// stroke adds particles along the line through points (n, 2).
func (l *Live) stroke(at []float32, points []float64) []float32 {
	r := rng.New(l.settings.Seed, "particles strokes", uint64(len(at)))
	put := func(x, y float64) {
		at = append(at, float32(x+strokeWidth*r.NormFloat64()), float32(y+strokeWidth*r.NormFloat64()))
	}
	put(points[0], points[1])
	rest := strokeSpacing
	for i := dim; i+1 < len(points); i += dim {
		x, y := points[i-2], points[i-1]
		dx, dy := points[i]-x, points[i+1]-y
		length := math.Hypot(dx, dy)
		for ; rest <= length && len(at)/dim <= MaxParticles; rest += strokeSpacing {
			put(x+dx*rest/length, y+dy*rest/length)
		}
		rest -= length
	}
	return at
}
