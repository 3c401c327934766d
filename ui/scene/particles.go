package scene

import (
	"math"
	"strconv"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// particlesPicture is the picture of the interacting particles: the plane with
// their density and the learned one, the energy and its prediction, the closure
// variables, and the way from the one to the other.
type particlesPicture struct {
	pencil
	command func(kind, value string)

	frame wire.Frame
	f     particlesFrame

	particlesLayout
	energyAxes, faultAxes, barAxes, lossAxes, mreAxes, deepAxes, orderedAxes axes
	strip                                                                    strip
	maps                                                                     [2]planeMap
	mapped                                                                   int // of maps
	path                                                                     pipeline

	begun                                bool // a frame has been shown
	top, diff                            plot.Eased
	energyLo, energyHi, faultLo, faultHi plot.Eased
	turnLo, turnHi, zTop                 plot.Eased
	lossEnd, lossLo, lossHi              plot.Eased
	mreEnd, mreLo, mreHi                 plot.Eased

	told int     // the story
	hold float64 // seconds for which it stays
	news newest

	hand   hand
	cursor particlesCursor
}

func init() {
	Register("particles", func(atlas *glyph.Atlas, command func(kind, value string)) Picture {
		return newParticles(atlas, command)
	})
}

func newParticles(atlas *glyph.Atlas, command func(kind, value string)) *particlesPicture {
	s := &particlesPicture{pencil: newPencil(atlas), command: command}
	s.path.blank = &particlesStations
	s.f.read(&wire.Frame{})
	s.f.any = false
	s.hand.asked, s.hand.seek, s.hand.grabbed = -1, -1, -1
	return s
}

// Decode implements Picture.
func (s *particlesPicture) Decode(b []byte) error {
	if err := s.frame.Decode(b); err != nil {
		return err
	}
	s.f.read(&s.frame)
	s.tell()
	s.hand.answered(s.f.now)
	return nil
}

// Resize implements Picture.
func (s *particlesPicture) Resize(w, h, unit float32) { s.w, s.h, s.unit = w, h, unit }

// Advance implements Picture.
func (s *particlesPicture) Advance(dt float64) (moving bool) {
	f := &s.f
	s.send()
	s.lay()
	s.hold = math.Max(0, s.hold-dt)
	tau := glide
	if s.still || !s.begun {
		tau = 0
	}
	s.begun = f.any
	// What is nearer to its goal than a tolerance that nobody sees jumps there: a
	// training changes its axes all the time.
	follow := func(e *plot.Eased, goal, tol float64) {
		if e.To(goal, dt, tau, tol) {
			moving = true
		}
	}
	top := f.densityTop()
	follow(&s.top, top, 2e-2*top)
	if !s.f.comparing && f.density == densityDifference {
		top = f.differenceTop(top)
		follow(&s.diff, top, 2e-2*top)
	}
	lo, hi := f.energyRange()
	follow(&s.energyLo, lo, 2e-3*(hi-lo))
	follow(&s.energyHi, hi, 2e-3*(hi-lo))
	lo, hi = f.errorRange()
	follow(&s.faultLo, lo, 2e-3)
	follow(&s.faultHi, hi, 2e-3)
	lo, hi = f.turnRange()
	follow(&s.turnLo, lo, 2e-3*(hi-lo))
	follow(&s.turnHi, hi, 2e-3*(hi-lo))
	z := f.latentTop()
	follow(&s.zTop, z, 2e-3*z)
	end := stepEnd(f.lossStep, 0)
	follow(&s.lossEnd, end, 1e-2*end)
	end = stepEnd(f.mreStep, 0)
	follow(&s.mreEnd, end, 1e-2*end)
	lo, hi = lossRange(f.lossStep, f.loss)
	follow(&s.lossLo, lo, 1e-2*(hi-lo))
	follow(&s.lossHi, hi, 1e-2*(hi-lo))
	lo, hi = logRange(f.mreVal)
	follow(&s.mreLo, lo-0.2, 2e-3) // room for the name of the axis
	follow(&s.mreHi, hi, 2e-3)
	if !s.still && s.path.advance(dt) {
		moving = true
	}
	s.place()
	return moving
}

// lay lays the page out; what is shown decides how.
func (s *particlesPicture) lay() {
	single := !s.f.comparing && s.f.density != densityBoth
	s.size = min(maxText, max(minText, minText+(s.w-480)/300)) * s.unit
	s.particlesLayout = arrangeParticles(s.w, s.h, s.unit, single)
	p, f := &s.path, &s.f
	p.lit, p.shown = f.lit, f.shown
	p.counts[stationX], p.counts[stationZ], p.counts[stationPrediction] = len(f.x)/2, f.d, f.horizon
	p.lay(&s.pencil, s.particlesLayout.path.W-4*s.unit)
	p.put(&s.pencil, s.particlesLayout.path)
}

// place derives the axes from the layout and the ranges.
func (s *particlesPicture) place() {
	s.placeMaps()
	s.placeTime(&s.energyAxes, s.energy, plot.Scale{Lo: s.energyLo.V, Hi: s.energyHi.V})
	s.placeTime(&s.faultAxes, s.fault, plot.Scale{Lo: math.Pow(10, s.faultLo.V), Hi: math.Pow(10, s.faultHi.V), Log: true})
	s.placeBars()
	left, right := s.story.CutLeft((s.story.W - 16*s.unit) / 2)
	_, right = right.CutLeft(16 * s.unit)
	switch s.told {
	case storyOrders:
		row := s.row() // for how far ẑ moved
		left.Y, left.H = left.Y+row, left.H-row
		right.Y, right.H = right.Y+row, right.H-row
		turn := plot.Scale{Lo: s.turnLo.V, Hi: s.turnHi.V}
		s.placeTime(&s.deepAxes, left, turn)
		s.placeTime(&s.orderedAxes, right, turn)
	case storyTraining:
		if row := s.row(); s.story.H > 8*row { // for what is being done
			left.Y, left.H = left.Y+row, left.H-row
			right.Y, right.H = right.Y+row, right.H-row
		}
		s.placeSteps(&s.lossAxes, left, plot.Scale{Lo: s.lossLo.V, Hi: s.lossHi.V}, s.lossEnd.V)
		s.placeSteps(&s.mreAxes, right, plot.Scale{Lo: math.Pow(10, s.mreLo.V), Hi: math.Pow(10, s.mreHi.V), Log: true}, s.mreEnd.V)
	default:
		s.placeStrip(s.story)
	}
}

// The panels that share one place: what there is to tell decides which.
const (
	storyLatent   = iota // ẑ through time
	storyTraining        // loss and validation
	storyOrders          // what other orders of the particles change
)

// holdOrders is for how many seconds a shuffle keeps the place from a training
// that goes on meanwhile.
const holdOrders = 12

// tell chooses the story: the newest of a shuffle and of what training has
// measured, ẑ when there is neither.
func (s *particlesPicture) tell() {
	f := &s.f
	trained := len(f.stage) > 0 || len(f.loss) > 0 || len(f.mreVal) > 0
	shuffled := len(f.orders) > 0 || len(f.ordered) > 0
	news := newest{f.shuffles, at(f.lossStep, len(f.lossStep)-1), at(f.mreStep, len(f.mreStep)-1)}
	switch {
	case shuffled && news.shuffles != s.news.shuffles:
		s.told, s.hold = storyOrders, holdOrders
	case trained && (news.loss > s.news.loss || news.mre > s.news.mre) && s.hold <= 0:
		s.told = storyTraining
	case s.told == storyOrders && !shuffled, s.told == storyTraining && !trained:
		s.told = storyLatent
	}
	if s.told == storyLatent && trained {
		s.told = storyTraining
	} else if s.told == storyLatent && shuffled {
		s.told = storyOrders
	}
	s.news = news
}

// newest is what the newest shuffle and measurements are known by.
type newest struct {
	shuffles  int
	loss, mre float64
}

// Draw implements Picture.
func (s *particlesPicture) Draw(b *plot.Batch) {
	s.cover(b)
	if !s.f.any {
		s.label(b, "waiting for the first particles", s.w*s.unit/2, s.h*s.unit/2, glyph.Center, s.theme.Muted)
		return
	}
	s.path.draw(&s.pencil, b)
	s.drawMaps(b)
	s.drawEnergy(b)
	if s.fault.H > 0 {
		s.drawFault(b)
	}
	s.drawBars(b)
	switch s.told {
	case storyOrders:
		s.drawOrders(b)
	case storyTraining:
		s.drawTraining(b)
	default:
		s.drawStrip(b)
	}
	if r, ok := s.reading(); ok {
		s.box(b, &r)
	}
}

// Spoken implements Picture.
func (s *particlesPicture) Spoken() string {
	if r, ok := s.reading(); ok {
		return s.words(&r)
	}
	return ""
}

// appendCount appends a whole number.
func appendCount(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// fits reports whether text has room in width.
func fits[T string | []byte](s *pencil, text T, width float32) bool {
	return glyph.Width(s.atlas, text, s.size) <= width
}

// roomiest writes the first of the texts that has room, and returns its width.
func (s *pencil) roomiest(b *plot.Batch, x, y, room float32, align glyph.Align, c plot.Color, texts ...string) float32 {
	for _, text := range texts {
		if fits(s, text, room) {
			return s.label(b, text, x, y, align, c)
		}
	}
	return 0
}
