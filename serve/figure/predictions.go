package figure

import (
	"fmt"
	"image/color"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

// Curves draws the macroscopic variable of up to three trajectories, with the model's predictions.
// `dim` is the dimension of the particles' space. A second plot shows the first trajectory with
// several predictions. Each prediction is from a different random order of the particles. The
// number of orders is the number of trajectories.
func Curves(w io.Writer, format string, m *model.Model, runs []system.Trajectory, dim int, seed uint64) error {
	variable := m.System.Variables(m.Config.Data.Observable)[0]
	curves := newCurvePlot(fmt.Sprintf("%s of %s", setting.Capital(variable), [...]string{"one trajectory", "two trajectories", "three trajectories"}[len(runs)-1]), variable)
	orders := newCurvePlot(fmt.Sprintf("One set of particles in %s", [...]string{"a random order", "two random orders", "three random orders"}[len(runs)-1]), variable)
	var frame system.Frame
	for i := range runs {
		t := &runs[i]
		truth, err := plotter.NewLine(overFrames(t.Macro))
		if err != nil {
			return err
		}
		truth.Color, truth.Width = colors[i], vg.Points(1)
		m.System.Frame(&frame, t, 0, dim)
		dots, err := predicted(m, &frame, t.Macro, i, i)
		if err != nil {
			return err
		}
		curves.Add(truth, dots)
		curves.Legend.Add(fmt.Sprintf("trajectory %d: simulated", i+1), truth)
		curves.Legend.Add("predicted", dots)

		m.System.Frame(&frame, &runs[0], 0, dim)
		model.Shuffle(&frame, dim, rng.New(seed, "figure orders", uint64(i)))
		if dots, err = predicted(m, &frame, runs[0].Macro, i, 4*i); err != nil {
			return err
		}
		orders.Add(dots)
		orders.Legend.Add(fmt.Sprintf("order %d", i+1), dots)
	}
	truth, err := plotter.NewLine(overFrames(runs[0].Macro))
	if err != nil {
		return err
	}
	truth.Color = mixtureColor
	orders.Add(truth)
	orders.Legend.Add("simulated", truth)
	return drawTiles(w, format, [][]*plot.Plot{{curves, orders}}, 10*vg.Inch, 3.8*vg.Inch, vg.Points(14))
}

func newCurvePlot(title, variable string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "frame", variable
	p.Legend.Top = true
	return p
}

// predicted computes a prediction that begins at the given frame. It returns every twelfth point of
// the prediction, and the first of these points has the index `offset`. With different offsets,
// coinciding curves remain visible.
func predicted(m *model.Model, frame *system.Frame, macro []float64, style, offset int) (*plotter.Scatter, error) {
	scaled, values := make([]float32, len(macro)), make([]float64, len(macro))
	measure.Predict(m, scaled, frame, macro[:1], 1, len(macro), 0)
	for i, v := range scaled {
		values[i] = m.Scale.Value(0, float64(v))
	}
	var pts plotter.XYs
	for i, xy := range overFrames(values) {
		if i%12 == offset {
			pts = append(pts, xy)
		}
	}
	dots, err := plotter.NewScatter(pts)
	if err != nil {
		return nil, err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: colors[style], Radius: vg.Points(2.2), Shape: []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.BoxGlyph{},
	}[style]}
	return dots, nil
}

// Ensembles contains a model's predictions for several sets of trajectories.
type Ensembles struct {
	Title     string // title of the model; "" if there is only one model
	Variables []string
	Of        []*measure.Prediction // one for each set
}

// Bands draws every macroscopic variable of every model (one per row) for several sets of
// trajectories (one per column): the mean and standard deviation of the simulations and of the
// predictions, up to the end of the shortest trajectory.
func Bands(w io.Writer, format string, sets []string, models ...Ensembles) error {
	var plots [][]*plot.Plot
	for _, m := range models {
		for k, name := range m.Variables {
			var row []*plot.Plot
			for j, f := range m.Of {
				p := plot.New()
				p.Title.Text, p.X.Label.Text, p.Y.Label.Text = sets[j], "frame", name
				if m.Title != "" {
					p.Title.Text += ", " + m.Title
				}
				p.Legend.Left, p.Legend.Top = true, true
				frames := f.Frames
				if f.Lengths != nil {
					frames = slices.Min(f.Lengths)
				}
				for i, x := range [][]float32{f.Truth, f.Pred} {
					mean, sd := measure.Band(x, f.Frames*f.Variables)
					if err := addBand(p, mean[:frames*f.Variables], sd, f.Variables, k, [...]string{"simulated", "predicted"}[i], colors[i], i == 1); err != nil {
						return err
					}
				}
				p.Y.Min, p.Y.Max = 0, max(1.2*p.Y.Max, 0.7) // leaves space for the legend
				var ticks plot.ConstantTicks
				for t := 0; t < frames; t += 100 * max(1, frames/500) {
					ticks = append(ticks, plot.Tick{Value: float64(t), Label: fmt.Sprint(t)})
				}
				p.X.Tick.Marker = ticks
				row = append(row, p)
			}
			plots = append(plots, row)
		}
	}
	return drawTiles(w, format, plots, vg.Length(4*len(sets))*vg.Inch, vg.Length(3.2*float64(len(plots)))*vg.Inch, vg.Points(12))
}

// addBand draws the mean of variable k over many trajectories (frames, variables), with a band of one standard
// deviation on either side.
func addBand(p *plot.Plot, mean, sd []float64, variables, k int, name string, c color.Color, dashed bool) error {
	frames := len(mean) / variables
	line, band := make(plotter.XYs, frames), make(plotter.XYs, 2*frames)
	for t := range frames {
		v, s := mean[variables*t+k], sd[variables*t+k]
		if v-v != 0 || s-s != 0 {
			return fmt.Errorf("a predicted variable is not finite in frame %d; train the dynamics longer or with a lower rate", t)
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
	l, err := plotter.NewLine(line)
	if err != nil {
		return err
	}
	l.Color, l.Width = c, vg.Points(1.3)
	if dashed {
		l.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	p.Add(area, l)
	p.Legend.Add(fmt.Sprintf("%s, mean ± sd", name), l)
	return nil
}
