package main

import (
	"context"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"macroscope/model/lab"
)

// drawMixing draws both mixing ratios for the paper's three boundaries: mean and
// standard deviation over runs, simulated and predicted.
func drawMixing(ctx context.Context, path string, m *lab.MixingModel, runs, workers int, stderr io.Writer) error {
	plots := make([][]*plot.Plot, 2)
	for _, boundary := range []float64{12, 16, 20} {
		test := lab.MixingAt(boundary)
		bar := newProgress(stderr, test.Name, "trajectory", 0, runs)
		f, err := m.Evaluate(ctx, test.Source(evalSeed, runs), runs, 1, evalSeed, workers, func(n int) { bar.at(n, noNote) })
		bar.finish()
		if err != nil {
			return err
		}
		for ratio, name := range []string{"R_AB", "R_BA"} {
			p := plot.New()
			p.Title.Text, p.X.Label.Text, p.Y.Label.Text = test.Name, "frame", name
			p.Legend.Left, p.Legend.Top = true, true
			for i, x := range [][]float32{f.Truth, f.Pred} {
				if err := addBand(p, x, f.Frames, ratio, [...]string{"simulated", "predicted"}[i], threeColors[i], i == 1); err != nil {
					return err
				}
			}
			p.Y.Min, p.Y.Max = 0, max(p.Y.Max, 0.7)
			var ticks plot.ConstantTicks
			for t := 0; t < f.Frames; t += 100 {
				ticks = append(ticks, plot.Tick{Value: float64(t), Label: fmt.Sprint(t)})
			}
			p.X.Tick.Marker = ticks
			plots[ratio] = append(plots[ratio], p)
		}
	}
	img := vgimg.NewWith(vgimg.UseWH(12*vg.Inch, 6.4*vg.Inch), vgimg.UseDPI(110))
	tiles := draw.Tiles{Rows: 2, Cols: 3, PadX: vg.Points(12), PadY: vg.Points(12), PadTop: vg.Points(4), PadBottom: vg.Points(4), PadLeft: vg.Points(4), PadRight: vg.Points(8)}
	for i, row := range plot.Align(plots, tiles, draw.New(img)) {
		for j, canvas := range row {
			plots[i][j].Draw(canvas)
		}
	}
	return writePNG(path, vgimg.PngCanvas{Canvas: img})
}

// addBand adds the mean of one ratio over trajectories (N, T, 2) and a band of a
// standard deviation to either side.
func addBand(p *plot.Plot, x []float32, frames, ratio int, name string, c color.Color, dashed bool) error {
	mean, sd := lab.Band(x, frames)
	line, band := make(plotter.XYs, frames), make(plotter.XYs, 2*frames)
	for t := range frames {
		v, s := mean[2*t+ratio], sd[2*t+ratio]
		if v-v != 0 || s-s != 0 {
			return fmt.Errorf("a predicted ratio is not finite in frame %d; train the law longer or with a lower rate", t)
		}
		at := float64(t)
		line[t], band[t], band[2*frames-1-t] = plotter.XY{X: at, Y: v}, plotter.XY{X: at, Y: v + s}, plotter.XY{X: at, Y: v - s}
	}
	area, err := plotter.NewPolygon(band)
	if err != nil {
		return err
	}
	r, g, b, _ := c.RGBA()
	area.Color, area.LineStyle.Width = color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0x40}, 0
	curve, err := plotter.NewLine(line)
	if err != nil {
		return err
	}
	curve.Color, curve.Width = c, vg.Points(1.3)
	if dashed {
		curve.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	p.Add(area, curve)
	p.Legend.Add(fmt.Sprintf("%s, mean ± sd", name), curve)
	return nil
}
