package figure

import (
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Series is a curve of a sweep: means with standard deviations.
type Series struct {
	Name        string
	x, mean, sd []float64
}

// Add adds a point.
func (s *Series) Add(x, mean, sd float64) {
	s.x, s.mean, s.sd = append(s.x, x), append(s.mean, mean), append(s.sd, sd)
}

// Len implements plotter.XYer.
func (s *Series) Len() int { return len(s.x) }

// XY implements plotter.XYer.
func (s *Series) XY(i int) (x, y float64) { return s.x[i], s.mean[i] }

// YError implements plotter.YErrorer. Every error bar ends above 0, because a logarithmic axis has
// no 0.
func (s *Series) YError(i int) (below, above float64) {
	return -math.Min(s.sd[i], 0.9*s.mean[i]), s.sd[i]
}

// Sweep draws curves of a measure over a setting. The measure's axis is logarithmic. If the setting
// spans more than a factor of 100, its axis is logarithmic too. The format is "png" or "svg".
func Sweep(w io.Writer, format, over, measure string, series []Series) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = over, measure
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: 1}
	p.Legend.Top, p.Legend.Padding, p.Legend.YOffs = true, vg.Points(3), vg.Points(-2)
	low, high := math.Inf(1), math.Inf(-1)
	for k := range series {
		s := &series[k]
		if s.Len() == 0 {
			continue
		}
		for _, x := range s.x {
			low, high = min(low, x), max(high, x)
		}
		line, points, err := plotter.NewLinePoints(s)
		if err != nil {
			return err
		}
		bars, err := plotter.NewYErrorBars(s)
		if err != nil {
			return err
		}
		color := append(colors, mixtureColor, fifthColor)[k%5]
		line.Color, points.Color, bars.Color = color, color, color
		line.Dashes = [][]vg.Length{nil, {vg.Points(6), vg.Points(3)}, {vg.Points(2), vg.Points(2)}, {vg.Points(8), vg.Points(3), vg.Points(2), vg.Points(3)}, {vg.Points(12), vg.Points(3)}}[k%5]
		p.Add(line, points, bars)
		p.Legend.Add(s.Name, line, points)
	}
	if high > 100*low {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: 1}
	}
	// The axis begins and ends at a power of ten, so at least two ticks have a number.
	p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(p.Y.Min))), math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))
	return drawTiles(w, format, [][]*plot.Plot{{p}}, 5.5*vg.Inch, 3.8*vg.Inch, 0)
}
