// Package figure draws the figures of the paper's sections as PNG or SVG images.
package figure

import (
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// The lab's colours (Okabe and Ito, 2008), which colour-blind readers can tell apart.
var (
	targetColor  = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	learnedColor = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	mixtureColor = color.RGBA{0x77, 0x77, 0x77, 0xff}
	fifthColor   = color.RGBA{0xcc, 0x79, 0xa7, 0xff}

	colors = []color.Color{targetColor, learnedColor, color.RGBA{0x00, 0x9e, 0x73, 0xff}}
)

// drawTiles draws plots in rows and columns, and writes the image in the format png or svg.
func drawTiles(w io.Writer, format string, plots [][]*plot.Plot, width, height, pad vg.Length) error {
	var img vg.CanvasWriterTo = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(110))}
	if format != "png" {
		var err error
		if img, err = draw.NewFormattedCanvas(width, height, format); err != nil {
			return err
		}
	}
	tiles := draw.Tiles{
		Rows: len(plots), Cols: len(plots[0]), PadX: pad, PadY: pad,
		PadTop: vg.Points(4), PadBottom: vg.Points(4), PadLeft: vg.Points(4), PadRight: vg.Points(8),
	}
	for i, row := range plot.Align(plots, tiles, draw.New(img)) {
		for j, canvas := range row {
			plots[i][j].Draw(canvas)
		}
	}
	_, err := img.WriteTo(w)
	return err
}

// points returns the points (x, y).
func points[T float32 | float64](x, y []T) plotter.XYs {
	pts := make(plotter.XYs, len(x))
	for i := range x {
		pts[i] = plotter.XY{X: float64(x[i]), Y: float64(y[i])}
	}
	return pts
}

// overFrames returns the points (i, y_i).
func overFrames(y []float64) plotter.XYs {
	x := make([]float64, len(y))
	for i := range x {
		x[i] = float64(i)
	}
	return points(x, y)
}
