package main

import (
	"fmt"
	"image/color"
	"io"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// The lab's colours (Okabe and Ito, 2008), told apart by colour-blind readers.
var (
	targetColor  = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	learnedColor = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	mixtureColor = color.RGBA{0x77, 0x77, 0x77, 0xff}
)

// drawDensities draws one held-out set under every model of the table: a row
// an ε, a column a latent dimension, as the paper's figure does.
func drawDensities(path string, rows [][]demoCell) error {
	const points, set = 400, 3
	plots := make([][]*plot.Plot, len(rows))
	for i, row := range rows {
		for j, cell := range row {
			pic := cell.model.Picture(cell.params, evalSeed, set, points)
			p := plot.New()
			p.Title.Text = fmt.Sprintf("ε = %g, ẑ dim %d", cell.eps, cell.zdim)
			p.X.Min, p.X.Max, p.Y.Min = float64(pic.X[0]), float64(pic.X[points-1]), -0.12
			for _, l := range []struct {
				name   string
				y      []float32
				color  color.Color
				dashes []vg.Length
			}{
				{"mixture", pic.Mixture, mixtureColor, []vg.Length{vg.Points(1), vg.Points(2)}},
				{"target q_X", pic.Target, targetColor, nil},
				{"learned p_θ", pic.Fit, learnedColor, []vg.Length{vg.Points(4), vg.Points(2)}},
			} {
				line, err := plotter.NewLine(xys(pic.X, l.y))
				if err != nil {
					return err
				}
				line.Color, line.Dashes, line.Width = l.color, l.dashes, vg.Points(1.3)
				p.Add(line)
				if i == 0 && j == 0 {
					p.Legend.Add(l.name, line)
					p.Legend.Top, p.Legend.TextStyle.Font.Size = true, vg.Points(7)
				}
			}
			rug, err := plotter.NewScatter(constant(pic.Particles, -0.06))
			if err != nil {
				return err
			}
			rug.GlyphStyle = draw.GlyphStyle{Color: targetColor, Radius: vg.Points(2), Shape: tick{}}
			p.Add(rug)
			plots[i] = append(plots[i], p)
		}
	}
	const w, h = 12 * vg.Inch, 7 * vg.Inch
	img := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(110))
	tiles := draw.Tiles{Rows: len(plots), Cols: len(plots[0]), PadX: vg.Points(10), PadY: vg.Points(10), PadTop: vg.Points(4), PadBottom: vg.Points(4), PadLeft: vg.Points(4), PadRight: vg.Points(8)}
	for i, row := range plot.Align(plots, tiles, draw.New(img)) {
		for j, canvas := range row {
			plots[i][j].Draw(canvas)
		}
	}
	return writePNG(path, vgimg.PngCanvas{Canvas: img})
}

// tick draws a particle as a short upright stroke.
type tick struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (tick) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: s.Color, Width: vg.Points(0.4)}, at.X, at.Y-s.Radius, at.X, at.Y+s.Radius)
}

// drawKL draws the table: KL against the latent dimension, a curve an ε.
func drawKL(path string, rows [][]demoCell) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "latent dimension", "KL(q_X || p_θ), nats"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	var marks plot.ConstantTicks
	for _, c := range rows[0] {
		marks = append(marks, plot.Tick{Value: float64(c.zdim), Label: fmt.Sprint(c.zdim)})
	}
	p.X.Tick.Marker = marks
	colors := []color.Color{targetColor, learnedColor, color.RGBA{0x00, 0x9e, 0x73, 0xff}}
	for i, row := range rows {
		var pts plotter.XYs
		for _, c := range row {
			pts = append(pts, plotter.XY{X: float64(c.zdim), Y: c.kl})
		}
		line, dots, err := plotter.NewLinePoints(pts)
		if err != nil {
			return err
		}
		line.Color, line.Width = colors[i%len(colors)], vg.Points(1.5)
		dots.Color, dots.Shape = line.Color, draw.CircleGlyph{}
		p.Add(line, dots)
		p.Legend.Add(fmt.Sprintf("ε = %g", row[0].eps), line, dots)
	}
	p.Legend.Top = true
	img := vgimg.NewWith(vgimg.UseWH(5*vg.Inch, 3.5*vg.Inch), vgimg.UseDPI(110))
	p.Draw(draw.New(img))
	return writePNG(path, vgimg.PngCanvas{Canvas: img})
}

func writePNG(path string, png io.WriterTo) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := png.WriteTo(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func xys(x, y []float32) plotter.XYs {
	pts := make(plotter.XYs, len(x))
	for i := range x {
		pts[i] = plotter.XY{X: float64(x[i]), Y: float64(y[i])}
	}
	return pts
}

func constant(x []float32, y float64) plotter.XYs {
	pts := make(plotter.XYs, len(x))
	for i, v := range x {
		pts[i] = plotter.XY{X: float64(v), Y: y}
	}
	return pts
}
