package scene

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Source is where the picture's numbers come from.
type Source interface {
	// Latest returns the newest frame, or nil before the first. It is not
	// changed before control returns to the page's event loop.
	Latest() *wire.DemoFrame
}

// Scene is the picture of the 1-D demo.
type Scene struct {
	pencil
	source  Source
	command func(kind, value string)
	begun   bool // a frame has been shown
	layout
	main, latent, loss, kl axes

	top, zmax                      plot.Eased // log of the largest density shown, largest |ẑ|
	lossEnd, klEnd                 plot.Eased // last step of the axes
	lossLo, lossHi, logKLLo, logKL plot.Eased

	pointer pointer
	cursor  keyCursor

	legend  []legendEntry
	klApart bool // the KL is below the legend, not beside it
	rug     []uint16
}

// New returns a light Scene that draws frames of source with glyphs of atlas,
// and gives what the visitor does to command: wire.Add and wire.Remove with a
// position.
func New(source Source, atlas *glyph.Atlas, command func(kind, value string)) *Scene {
	return &Scene{pencil: newPencil(atlas), source: source, command: command, legend: newLegend()}
}

// Resize lays the picture out for w×h CSS pixels of unit device pixels each.
func (s *Scene) Resize(w, h, unit float32) {
	if w == s.w && h == s.h && unit == s.unit {
		return
	}
	s.w, s.h, s.unit = w, h, unit
	s.layout = arrange(w, h, unit)
	s.size = s.layout.textSize
}

// glide is the time constant in seconds with which axes follow their data.
const glide = 0.12

// Advance moves the picture on by dt seconds to the newest frame, and reports
// whether it is still moving.
func (s *Scene) Advance(dt float64) (moving bool) {
	f := s.frame()
	tau := glide
	if s.still || !s.begun {
		tau = 0
	}
	s.begun = f != &empty
	follow := func(e *plot.Eased, goal, tol float64) {
		if e.To(goal, dt, tau, tol) {
			moving = true
		}
	}
	follow(&s.top, math.Log(densityTop(f)), 1e-3)
	z := latentTop(f)
	follow(&s.zmax, z, 2e-3*z)
	end := stepEnd(f.LossStep, f.Total)
	follow(&s.lossEnd, end, 1e-3*end)
	end = stepEnd(f.KLStep, f.Total)
	follow(&s.klEnd, end, 1e-3*end)
	lo, hi := lossRange(f.LossStep, f.Loss)
	follow(&s.lossLo, lo, 2e-3*(hi-lo))
	follow(&s.lossHi, hi, 2e-3*(hi-lo))
	lo, hi = logRange(f.ValKL)
	follow(&s.logKLLo, lo, 2e-3)
	follow(&s.logKL, hi, 2e-3)
	s.place(f)
	return moving
}

// empty stands for the frame that has not come yet.
var empty = wire.DemoFrame{Lo: -2, Hi: 2, KL: float32(math.NaN())}

// frame returns the newest frame that can be drawn, &empty if there is none.
func (s *Scene) frame() *wire.DemoFrame {
	f := s.source.Latest()
	if f == nil || !(f.Hi > f.Lo) || f.Hi-f.Lo > math.MaxFloat32 {
		return &empty
	}
	return f
}

// place derives the axes from the layout and the ranges.
func (s *Scene) place(f *wire.DemoFrame) {
	s.placeMain(f)
	s.placeLatent(f)
	s.placeHistory(&s.loss, s.layout.loss, plot.Scale{Lo: s.lossLo.V, Hi: s.lossHi.V}, s.lossEnd.V)
	s.placeHistory(&s.kl, s.layout.kl, plot.Scale{Lo: math.Pow(10, s.logKLLo.V), Hi: math.Pow(10, s.logKL.V), Log: true}, s.klEnd.V)
}

// Draw appends the picture to b, back to front. Advance must have been called.
func (s *Scene) Draw(b *plot.Batch) {
	s.cover(b)
	f := s.frame()
	s.drawMain(b, f)
	s.drawLatent(b, f)
	s.drawLoss(b, f)
	s.drawKL(b, f)
	s.drawTip(b, f)
}

// demoPicture is the picture of wire.Demo.
type demoPicture struct {
	*Scene
	demoFrames
}

func init() {
	Register(wire.Demo, func(atlas *glyph.Atlas, command func(kind, value string)) Picture {
		d := &demoPicture{demoFrames: demoFrames{latest: -1}}
		d.Scene = New(&d.demoFrames, atlas, command)
		return d
	})
}

// demoFrames is a Source of the frames that it is given.
type demoFrames struct {
	frames [2]wire.DemoFrame
	latest int // index of the newest frame, -1 before the first
}

// Latest implements Source.
func (d *demoFrames) Latest() *wire.DemoFrame {
	if d.latest < 0 {
		return nil
	}
	return &d.frames[d.latest]
}

// Decode implements Picture.
func (d *demoFrames) Decode(b []byte) error {
	next := (d.latest + 1) % len(d.frames)
	if err := d.frames[next].Decode(b); err != nil {
		return err
	}
	d.latest = next
	return nil
}
