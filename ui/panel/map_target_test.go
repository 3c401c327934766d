package panel

import (
	"fmt"
	"image"
	"math"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// TestTargetIsDrawn draws the target of a few points with several ε, in pictures of three sizes. The colour of every pixel is
// that of the exact sum of the kernels, within 1 % of its largest value. The tip shows the same number. A kernel narrower
// than a CSS pixel is drawn a pixel wide, and the tip and the title say so.
func TestTargetIsDrawn(t *testing.T) {
	grey := plot.Blend(plot.Shade{L: 0}, plot.Shade{L: 1})
	x := []float32{-0.5, 0.25, -0.47, 0.25, 0.5, 0.125, 0.1, -0.6, 0.9, 0.9}
	for _, side := range []float32{90, 150, 260} {
		for _, unit := range []float32{1, 2} {
			for _, eps := range []float64{0.001, 0.01, 0.03, 0.1, 0.3} {
				t.Run(fmt.Sprint(side, " pixels of ", unit, ", ε ", eps), func(t *testing.T) {
					c := NewCanvas(glyph.New(), func(string, string) {})
					c.Batch = new(plot.Batch)
					c.Resize(900, 600, unit)
					c.Theme.Density = grey
					plane := &Plane{Points: "x", Values: []Value{{Row: "q", Name: "q_X", Wide: "wide", Color: Target}}}
					m := &Map{Plane: plane, Scale: new(Scale), Target: "q", First: true}
					f := new(wire.Frame)
					f.Begin("particles")
					f.Put("x", x...)
					f.Put("window", -1, 1, -1, 1)
					f.Put("widths", float32(eps), float32(eps))
					plane.Read(f)
					m.Read(f)
					m.Place(c, plot.Rect{W: side, H: side + Above*c.Row()})
					plane.Look(c, []Panel{m})
					m.Scale.Look(c, []Panel{m})
					m.Scale.Ease(0, 0)
					m.drawDensity(c)
					img := image.NewRGBA(image.Rect(0, 0, int(side)+1, int(m.area.Bottom())+1))
					plot.Raster(img, c.Batch, nil)

					width := max(eps, 2/float64(m.area.W)*float64(unit))
					v := &plane.Values[0]
					if _, wider := v.wider(); wider != (width > eps*1.001) || v.kernels.Drawn != [2]float64{width, width} && math.Abs(v.kernels.Drawn[0]-width) > 1e-6 {
						t.Errorf("kernels are drawn %v wide, want %g; wider: %v", v.kernels.Drawn, width, wider)
					}
					exact := func(px, py float64) (sum float64) {
						for i := 0; i < len(x); i += 2 {
							sum += math.Exp(-(math.Pow(px-float64(x[i]), 2)+math.Pow(py-float64(x[i+1]), 2))/(2*width*width)) / (2 * math.Pi * width * width) / 5
						}
						return sum
					}
					most := 0.0
					for i := 0; i < len(x); i += 2 {
						most = max(most, exact(float64(x[i]), float64(x[i+1])))
					}
					top := m.Scale.top.V
					for i := int(m.area.X); i < int(m.area.Right()); i++ {
						for j := int(m.area.Y); j < int(m.area.Bottom()); j++ {
							px, py := m.x.Value(float32(i)+0.5), m.y.Value(float32(j)+0.5)
							want := exact(px, py)
							low, high := grey.At(max(0, want-0.01*most)/top), grey.At(min(top, want+0.01*most)/top)
							if got := float32(img.RGBAAt(i, j).R); got < 255*low.R-1.5 || got > 255*high.R+1.5 {
								t.Fatalf("pixel %d, %d has %v, want %v to %v", i, j, got, 255*low.R, 255*high.R)
							}
							if got := v.at(plane, px, py); math.Abs(got-want) > 1e-3*most {
								t.Fatalf("the tip says %g, want %g", got, want)
							}
						}
					}
					if name := v.name(); (name == "wide") != (width > eps*1.001) {
						t.Errorf("the tip names it %s", name)
					}
				})
			}
		}
	}
}
