package main

import (
	"context"
	"fmt"
	"image/color"
	"math/rand/v2"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"macroscope/model/lab"
)

// The three colours of the figures' curves (Okabe and Ito, 2008).
var threeColors = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
}

// drawParticles draws the energies of three test trajectories beside what the
// model predicts of them, and what it predicts of three orders of the same
// particles.
func drawParticles(ctx context.Context, dir string, m *lab.ParticlesModel) error {
	const shown = 3
	var recorded [shown]*lab.Recorded
	src := lab.TestSets()[0].Source(evalSeed, shown)
	err := src.Each(ctx, shown, 1, func(i int, t *lab.Recorded) error {
		recorded[i] = &lab.Recorded{Frames: append([]float32(nil), t.Frames...), Macro: append([]float64(nil), t.Macro...)}
		return nil
	})
	if err != nil {
		return err
	}
	size := 2 * src.Shape().Particles
	energies, orders := newEnergyPlot("Energy of three trajectories"), newEnergyPlot("One set of particles in three random orders")
	for i, t := range recorded {
		truth, err := plotter.NewLine(energyCurve(t.Macro))
		if err != nil {
			return err
		}
		truth.Color, truth.Width = threeColors[i], vg.Points(1)
		dots, err := predicted(m, t.Frames[:size], t.Macro, i, i)
		if err != nil {
			return err
		}
		energies.Add(truth, dots)
		energies.Legend.Add(fmt.Sprintf("trajectory %d: simulated", i+1), truth)
		energies.Legend.Add("predicted", dots)

		shuffled := make([]float32, 0, size)
		for _, p := range rand.New(rand.NewPCG(evalSeed, uint64(i))).Perm(size / 2) {
			shuffled = append(shuffled, recorded[0].Frames[2*p], recorded[0].Frames[2*p+1])
		}
		if dots, err = predicted(m, shuffled, recorded[0].Macro, i, 4*i); err != nil {
			return err
		}
		orders.Add(dots)
		orders.Legend.Add(fmt.Sprintf("order %d", i+1), dots)
	}
	truth, err := plotter.NewLine(energyCurve(recorded[0].Macro))
	if err != nil {
		return err
	}
	truth.Color = mixtureColor
	orders.Add(truth)
	orders.Legend.Add("simulated", truth)

	img := vgimg.NewWith(vgimg.UseWH(10*vg.Inch, 3.8*vg.Inch), vgimg.UseDPI(110))
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Points(14), PadTop: vg.Points(4), PadBottom: vg.Points(4), PadLeft: vg.Points(4), PadRight: vg.Points(8)}
	plots := [][]*plot.Plot{{energies, orders}}
	for i, canvas := range plot.Align(plots, tiles, draw.New(img))[0] {
		plots[0][i].Draw(canvas)
	}
	return writePNG(filepath.Join(dir, "particles-energy.png"), vgimg.PngCanvas{Canvas: img})
}

func newEnergyPlot(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "frame", "energy per pair"
	p.Legend.Top = true
	return p
}

// predicted returns every twelfth point of a rollout from a frame, beginning
// at an offset, so that curves which coincide can all be seen.
func predicted(m *lab.ParticlesModel, frame []float32, macro []float64, style, offset int) (*plotter.Scatter, error) {
	scaled := make([]float32, len(macro))
	m.Predict(scaled, frame, macro[0])
	energy := make([]float64, len(macro))
	for i, v := range scaled {
		energy[i] = m.Scale.Unscaled(0, float64(v))
	}
	var pts plotter.XYs
	for i, xy := range energyCurve(energy) {
		if i%12 == offset {
			pts = append(pts, xy)
		}
	}
	dots, err := plotter.NewScatter(pts)
	if err != nil {
		return nil, err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: threeColors[style], Radius: vg.Points(2.2), Shape: []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.BoxGlyph{},
	}[style]}
	return dots, nil
}

func energyCurve(energy []float64) plotter.XYs {
	pts := make(plotter.XYs, len(energy))
	for i, e := range energy {
		pts[i] = plotter.XY{X: float64(i), Y: e}
	}
	return pts
}
