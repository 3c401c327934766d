package figure

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"macroscope/model/learn/model"
	"macroscope/model/net/target"
	"macroscope/model/system"
	"macroscope/sim/rng"
)

// viewLow and viewHigh bound the interval in the figure. It contains every set of points on a
// line.
const viewLow, viewHigh = -1.8, 1.8

// densities contains the target and learned densities of one validation set on a grid.
type densities struct {
	set                     []float32
	x                       []float32
	mixture, target, fitted []float32
}

// newDensities evaluates the densities of one validation set. The model is for sets of points on a
// line.
func newDensities(m *model.Model, seed uint64, index, points int) densities {
	n := m.Config.Particles
	d := densities{set: make([]float32, n)}
	for _, v := range []*[]float32{&d.x, &d.mixture, &d.target, &d.fitted} {
		*v = make([]float32, points)
	}
	const width = viewHigh - viewLow
	for i := range d.x {
		d.x[i] = viewLow + width*float32(i)/float32(points-1)
	}
	m.System.Validation(d.set, rng.New(seed, m.Config.Traits.Streams.Sets), seed, index)
	if m.System.Density != nil {
		m.System.Density(d.mixture, d.x, seed, index)
	}
	// The density is averaged over the cell around each point, so a kernel is visible even if
	// it is narrower than a cell.
	half := width / float64(points-1) / 2
	target.Cells(d.target, d.set, m.Config.Eps(), viewLow-half, viewHigh+half)
	z := make([]float32, m.Config.ZDim())
	m.NewCoder().Encode(z, &system.Frame{Points: d.set, Ends: []int{n}})
	_, dec := m.Weights.Split(m.Weights.Params)
	m.Density(points).LogProb(d.fitted, dec, d.x, z)
	for i, v := range d.fitted {
		d.fitted[i] = float32(math.Exp(float64(v)))
	}
	return d
}

// Densities draws target and learned densities of one validation set for several models of sets
// on a line. As in the paper's figure, it has one row per ε and one column per ẑ dim. The seed
// selects the set.
func Densities(w io.Writer, format string, models [][]*model.Model, seed uint64) error {
	const grid, set = 400, 3
	plots := make([][]*plot.Plot, len(models))
	for i, row := range models {
		for j, m := range row {
			d := newDensities(m, seed, set, grid)
			p := plot.New()
			p.Title.Text = fmt.Sprintf("ε = %g, ẑ dim %d", m.Config.Eps(), m.Config.ZDim())
			p.X.Min, p.X.Max, p.Y.Min = viewLow, viewHigh, -0.12
			for _, l := range []struct {
				name   string
				y      []float32
				color  color.Color
				dashes []vg.Length
			}{
				{"mixture", d.mixture, mixtureColor, []vg.Length{vg.Points(1), vg.Points(2)}},
				{"target q_X", d.target, targetColor, nil},
				{"learned p_θ", d.fitted, learnedColor, []vg.Length{vg.Points(4), vg.Points(2)}},
			} {
				line, err := plotter.NewLine(points(d.x, l.y))
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
			below := make([]float32, len(d.set))
			for k := range below {
				below[k] = -0.06
			}
			rug, err := plotter.NewScatter(points(d.set, below))
			if err != nil {
				return err
			}
			rug.GlyphStyle = draw.GlyphStyle{Color: targetColor, Radius: vg.Points(2), Shape: tick{}}
			p.Add(rug)
			plots[i] = append(plots[i], p)
		}
	}
	return drawTiles(w, format, plots, 12*vg.Inch, 7*vg.Inch, vg.Points(10))
}

// tick draws a particle as a short upright stroke.
type tick struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (tick) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: s.Color, Width: vg.Points(0.4)}, at.X, at.Y-s.Radius, at.X, at.Y+s.Radius)
}
