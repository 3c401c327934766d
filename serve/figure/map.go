package figure

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Map holds the KL of a tunable model for many values of ε and ẑ dim. It also holds the KL of
// ordinary models, each of which has one ε and one ẑ dim.
type Map struct {
	Eps      []float64 // values of ε, increasing in equal ratios
	ZDims    []int
	KL       []float64 // KL in nats, with a row for each ẑ dim and a column for each ε
	Separate []Place
}

// Place is the KL of an ordinary model, with its ε and ẑ dim.
type Place struct {
	Eps  float64
	ZDim int
	KL   float64
}

// cells presents a Map as a plotter.GridXYZ. The cells contain log₁₀ KL. x is log₁₀ ε, and y is the
// index of the ẑ dim.
type cells struct{ *Map }

func (c cells) Dims() (columns, rows int) { return len(c.Eps), len(c.ZDims) }
func (c cells) X(column int) float64      { return math.Log10(c.Eps[column]) }
func (c cells) Y(row int) float64         { return float64(row) }
func (c cells) Z(column, row int) float64 { return math.Log10(c.KL[row*len(c.Eps)+column]) }

// Places draws a Map as two plots. The first shows the logarithm of KL over log ε and ẑ dim.
// The second shows the KL over ε for every ẑ dim, with the ordinary models as points.
func Places(w io.Writer, format string, m *Map) error {
	colours := moreland.ExtendedBlackBody()
	colours.SetMin(0)
	colours.SetMax(1)
	heat := plotter.NewHeatMap(cells{m}, colours.Palette(64))
	left := plot.New()
	left.Title.Text = fmt.Sprintf("log₁₀ KL, from %.1f (dark) to %.1f", heat.Min, heat.Max)
	left.X.Label.Text, left.Y.Label.Text = "ε", "ẑ dim"
	left.Add(heat)
	left.X.Tick.Marker = powers(m.Eps)
	var ticks []plot.Tick
	for i, n := range m.ZDims {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: fmt.Sprint(n)})
	}
	left.Y.Tick.Marker = plot.ConstantTicks(ticks)

	right := plot.New()
	right.Title.Text = "KL in nats; points: separate models"
	right.X.Label.Text, right.Y.Label.Text = "ε", "KL"
	right.Y.Scale, right.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: 1}
	right.Legend.TextStyle.Font.Size, right.Legend.Left = vg.Points(8), true
	for k, n := range m.ZDims {
		var curve, alone plotter.XYs
		for i, eps := range m.Eps {
			curve = append(curve, plotter.XY{X: math.Log10(eps), Y: m.KL[k*len(m.Eps)+i]})
		}
		for _, p := range m.Separate {
			if p.ZDim == n {
				alone = append(alone, plotter.XY{X: math.Log10(p.Eps), Y: p.KL})
			}
		}
		line, err := plotter.NewLine(curve)
		if err != nil {
			return err
		}
		colour := colors[k%len(colors)]
		line.Color, line.Width = colour, vg.Points(1.3)
		line.Dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(3)}, {vg.Points(2), vg.Points(2)}}[k/len(colors)%3]
		right.Add(line)
		right.Legend.Add(fmt.Sprint("ẑ dim ", n), line)
		if len(alone) == 0 {
			continue
		}
		points, err := plotter.NewScatter(alone)
		if err != nil {
			return err
		}
		points.GlyphStyle = draw.GlyphStyle{Color: colour, Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
		right.Add(points)
	}
	right.X.Tick.Marker = powers(m.Eps)
	// The axis begins and ends at a power of ten, so at least two ticks have a number.
	right.Y.Min, right.Y.Max = math.Pow(10, math.Floor(math.Log10(right.Y.Min))), math.Pow(10, math.Ceil(math.Log10(right.Y.Max)))
	return drawTiles(w, format, [][]*plot.Plot{{left, right}}, 10*vg.Inch, 4*vg.Inch, vg.Points(14))
}

// powers returns ticks on an axis of log₁₀ ε.
func powers(eps []float64) plot.ConstantTicks {
	var ticks []plot.Tick
	for _, v := range []float64{1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1} {
		if v >= eps[0] && v <= eps[len(eps)-1] {
			ticks = append(ticks, plot.Tick{Value: math.Log10(v), Label: fmt.Sprint(v)})
		}
	}
	return ticks
}
