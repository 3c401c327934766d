package chart

import (
	"cmp"
	"math"
	"slices"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Role is the kind of quantity that a curve of a Chart shows.
type Role int

// The roles of curves, in the order of their rows in a tip.
const (
	Measured  Role = iota // known so far; values after the displayed frame are pale
	Predicted             // over the whole horizon
	Band                  // the region between Row and High
	Members               // several curves, one after another in Row; hidden while models are compared
	Latents               // measured components of ẑ. They are cut into Mark.Of parts. The part with index Mark.Col is shown.
	Orders                // predictions for several orders of the same particles, minus the mean of these predictions
	TipOnly               // like Measured, but only in the tip
	roles
)

// Mark is a row over time.
type Mark struct {
	Row, High string
	Less      string // row that is subtracted from Row
	Model     panel.Model
	Now, Step string // for the role Latents: `Now` names the row with the displayed values. `Step` names the row with the number of frames between two values
	Col, Of   int    // the row has `Of` numbers for each frame (0 means one, Variables as many as the row of that name says); the curve shows the number with the index `Col`
	Role      Role
	Name      string      // name in a tip
	Key       []string    // names in the legend, from long to short; nil: the legend shows only the curve's numbers
	Value     bool        // whether the legend shows the value at the displayed frame
	Figure    Figure      // a number in the legend
	Color     panel.Color // colour; a curve with the role Orders has the colours of labels instead
	Width     float32     // width relative to the default; 0: the default
	Dot       float32     // radius of the dot at the displayed frame in CSS pixels; 0: no dot
	Apart     float32     // distance between drawn points in CSS pixels; 0: every frame is drawn
	Solid     bool        // whether the curve is solid although it is predicted
	Dashed    bool        // whether the curve is dashed although it is not predicted
	Thin      bool        // whether the curve is thin; for quantities that no model predicts
	Counted   bool        // whether a Band shows counts, not the spread of an ensemble

	row    []float32
	of     int       // Of, with the number for Variables
	less   []float32 // values of the curve: the row Mark.Row minus the row Mark.Less
	figure float64
	v, w   column
	alone  [2][]float32 // copies of v and w, if Of is Variables
	latent history
	apart  [2]float32 // for the role Orders: ends of a range twice as wide as the spread of the predictions
}

// Variables as Mark.Of means that the row "variables" has the number.
const Variables = -1

// Figure is a number in the legend: its row, and the words before the number.
type Figure struct{ Row, Words string }

// Chart shows quantities over the time of a Clock: measured values, predictions, and the bands and
// members of ensembles. The field Marks lists the rows that contain these quantities. The row
// "coverage" contains the share of the true values inside the band. The row "nominal" contains the
// nominal share.
type Chart struct {
	timed
	Clock    *Clock
	Titles   []string // the first title that fits is displayed
	Title    string   // row that contains the title, if there is one
	Unit     string   // row that contains the unit
	Notes    []string // explanations after the title
	Marks    []Mark   // in the order in which they are drawn
	Range    Range
	Beside   *Chart // Chart with which this one shares its range
	Log      bool
	Shaded   bool // whether the region outside −1 to 1, the range of training, is shaded
	Ticks    int
	Above    float32  // rows of text above the plot; 0 for the default
	Start    string   // words next to the start of the prediction, at frame 0
	Leaves   bool     // whether to mark where the prediction leaves the training range
	Reason   bool     // whether the legend says why there is no prediction
	Coverage bool     // whether to write the share of the true values inside the band
	Moved    string   // row: how much the last shuffle has changed ẑ
	Needs    int      // bit mask of results, such as Latent. The plot is empty until the user has revealed these results
	None     []string // texts if there is nothing to display
	Hidden   []string // texts shown while the results in `Needs` are hidden. If Reason is set, they are also shown while the prediction is hidden
	Later    []string // texts while there is a row "relaxing"

	title, unit                []byte
	coverage, nominal, moved   float64
	hidden, predicts, relaxing bool
	legend                     legend
	ranged, united             [][]float32 // rows on which the range depends; united includes the rows of Beside
	said                       []plot.Rect // where the present picture has words in the plot
}

func (s *Chart) Read(f *wire.Frame) {
	s.clock, s.y.Log = s.Clock, s.Log
	s.title, s.unit = f.Text(s.Title), f.Text(s.Unit)
	s.hidden, s.predicts, s.relaxing = !panel.Revealed(f, s.Needs), panel.Revealed(f, panel.Prediction), f.Numbers("relaxing") != nil
	s.coverage, s.nominal, s.moved = panel.Share(f, "coverage"), panel.Share(f, "nominal"), f.Number(s.Moved)
	s.ranged = s.ranged[:0]
	for i := range s.Marks {
		v := &s.Marks[i]
		v.read(f, s.clock.horizon+1, s.predicts)
		switch v.Role {
		case Members, TipOnly:
		case Orders:
			s.ranged = append(s.ranged, v.apart[:])
		default:
			row, high := v.row, f.Numbers(v.High)
			if v.Of == Variables { // variables of any kind have no common scale
				v.alone[0], v.alone[1] = v.v.appendTo(v.alone[0][:0]), v.w.appendTo(v.alone[1][:0])
				row, high = v.alone[0], v.alone[1]
			}
			s.ranged = append(s.ranged, row, v.latent.now, high)
		}
	}
	s.legend.read(f, s)
}

// read reads the rows of a curve. It reads the rows of a prediction only if `predicts` is true.
func (v *Mark) read(f *wire.Frame, frames int, predicts bool) {
	v.figure, v.of = f.Number(v.Figure.Row), v.Of
	if v.Of == Variables {
		v.of = panel.Count(f, "variables", 1)
	}
	if v.Col >= max(1, v.of) && v.Role != Latents {
		v.row, v.v, v.w = nil, column{}, column{}
		return
	}
	switch v.row, v.w = f.Numbers(v.Row), columnOf(f.Numbers(v.High), v.Col, v.of); v.Role {
	case Measured, TipOnly:
	case Latents:
		v.latent.read(f, v.Now, v.Row, v.Step)
		v.row, v.v = v.latent.past, columnOf(v.latent.now, v.latent.first(v.Col, v.of), 0)
		return
	case Orders:
		v.row = table(v.row, frames)
		apart := float32(spread(v.row, frames))
		v.apart = [2]float32{-apart, apart}
	default:
		if !predicts {
			v.row, v.w, v.figure = nil, column{}, math.NaN()
		}
	}
	if v.Less != "" {
		less := f.Numbers(v.Less)
		n := min(len(v.row), len(less))
		v.less = v.less[:0]
		for i := range n {
			v.less = append(v.less, v.row[i]-less[i])
		}
		v.row = v.less
	}
	v.v = columnOf(v.row, v.Col, v.of)
}

func (s *Chart) Ease(dt, tau float64) bool {
	s.united = append(s.united[:0], s.ranged...)
	if s.Beside != nil {
		s.united = append(s.united, s.Beside.ranged...)
	}
	lo, hi := s.Range(s.united...)
	s.widen(lo, hi)
	return s.follow(lo, hi, 2e-3, dt, tau)
}

// Range is a function that returns the ends of an axis for some rows. For a logarithmic axis
// they are decimal logarithms.
type Range func(rows ...[]float32) (lo, hi float64)

// Fitted returns the ends of a range that contains all values of the rows.
func Fitted(rows ...[]float32) (lo, hi float64) { return padded(0.07, 1e-4, rows...) }

// Steady is a range with a width of at least a fifth of the largest absolute value. With it, the
// first values of a quantity that fluctuates about its mean do not fill the axis.
func Steady(rows ...[]float32) (lo, hi float64) {
	lo, hi = Fitted(rows...)
	if short := 0.2*math.Max(math.Abs(lo), math.Abs(hi)) - (hi - lo); short > 0 {
		lo, hi = lo-short/2, hi+short/2
	}
	return lo, hi
}

// Shares is a range for shares. It ends a little above the largest value. The end is at least 0.54,
// so that small shares do not move the axis, and at most 1.02. Marks of predictions outside the
// range are drawn along its edge.
func Shares(rows ...[]float32) (lo, hi float64) {
	return 0, math.Min(1.08*math.Max(top(rows...), 0.5), 1.02)
}

// From0 is a range from 0 to a little above the largest value.
func From0(rows ...[]float32) (lo, hi float64) {
	if hi = top(rows...); hi <= 0 {
		hi = 1
	}
	return 0, 1.1 * hi
}

// Errors is a logarithmic range. A curve of errors dips towards 0 at frame 0 and wherever the error
// changes sign. The range cuts these dips off. It contains most values of each curve, and goes at
// most five decades below the largest value of a curve.
func Errors(rows ...[]float32) (lo, hi float64) {
	lo, hi = logRange(rows...)
	least := hi
	for _, v := range rows {
		if usual := lowerTenth(v); usual > 0 {
			least = math.Min(least, math.Max(math.Log10(usual)-0.3, math.Log10(top(v))+0.12-5))
		}
	}
	return math.Max(lo, math.Min(least, hi-1)), hi
}

// lowerTenth returns a value that about nine in ten of the positive values exceed. It is
// accurate to a fifth of a decade. It is 0 if there are no positive values.
func lowerTenth(v []float32) float64 {
	const first, each, bins = -40, 5, 400
	var count [bins]int
	n := 0
	for _, x := range v {
		if x > 0 && x <= math.MaxFloat32 {
			count[min(max(int(each*(math.Log10(float64(x))-first)), 0), bins-1)]++
			n++
		}
	}
	for below, k := 0, 0; k < bins; k++ {
		if below += count[k]; below > n/10 {
			return math.Pow(10, first+float64(k)/each)
		}
	}
	return 0
}

// About0 is a range that is symmetric about 0. Balanced also has space for words at both ends.
var (
	About0   = symmetric(1.1)
	Balanced = symmetric(1.25)
)

func symmetric(room float64) Range {
	return func(rows ...[]float32) (lo, hi float64) {
		hi = room * cmp.Or(extent(rows...), 1e-3)
		return -hi, hi
	}
}

// Covered returns the range of an axis that shows rows. It contains [−1, 1], the range of training,
// and all values of the rows between −3 and 3. It also has a margin of 0.1 at each end.
func Covered(rows ...[]float32) (lo, hi float64) {
	lo, hi = -1, 1
	if a, z, ok := plot.Range(rows...); ok {
		lo, hi = max(-3, min(lo, a)), min(3, max(hi, z))
	}
	return lo - 0.1, hi + 0.1
}

// Place implements Panel. The legend is above the plot.
func (s *Chart) Place(c *panel.Canvas, r plot.Rect) {
	if s.above = cmp.Or(s.Above, usualAbove); r.H > 0 {
		s.above += s.arrange(c, r)
	}
	s.timed.Place(c, r)
}

func (s *Chart) Draw(c *panel.Canvas) {
	s.said = s.said[:0]
	s.heading(c)
	if s.Empty() {
		s.empty(c, s.why()...)
		return
	}
	if s.Shaded {
		s.beyond(c)
	}
	s.grid(c, s.Ticks)
	start := plot.Point{Y: float32(math.NaN())}
	if s.Leaves {
		s.drawLeft(c)
	}
	if s.Start != "" {
		start = s.startWords(c)
	}
	for i := range s.Marks {
		s.drawCurve(c, &s.Marks[i])
	}
	if start.Finite() {
		c.Disc(start.X, start.Y, 6*c.Unit, c.Theme.Learned)
		c.Disc(start.X, start.Y, 3.5*c.Unit, c.Theme.Paper)
	}
	if s.Coverage {
		s.covers(c)
	}
	k := s.clock
	for i := range s.Marks {
		if v := &s.Marks[i]; v.Dot > 0 {
			c.Spot(s.at(k.time(k.now), v.v.at(k.now)), v.Dot, v.mark(&c.Theme))
		}
	}
	if k.hover < 0 {
		return
	}
	for i := range s.Marks {
		if v := &s.Marks[i]; v.Role == Measured || v.Role == Predicted {
			c.Dot(s.at(k.time(k.hover), v.v.at(k.hover)), v.mark(&c.Theme))
		}
	}
}

// why returns texts that say why the plot is empty.
func (s *Chart) why() []string {
	switch {
	case s.relaxing:
		return s.Later
	case s.Hidden != nil && (s.hidden || s.Reason && !s.predicts):
		return s.Hidden
	}
	return s.None
}

// Empty reports whether the plot is empty.
func (s *Chart) Empty() bool {
	return s.hidden || !slices.ContainsFunc(s.Marks, func(v Mark) bool { return v.v.len() > 0 && v.Role != TipOnly })
}

func (s *Chart) Probe(c *panel.Canvas, x, y float32) (brush.Tip, bool) {
	t, frame, ok := s.tip(c, x, y)
	if !ok {
		return t, false
	}
	for v := range s.ordered {
		if v.Name == "" || s.hidden {
			continue
		}
		switch ink := v.Color(&c.Theme); v.Role {
		case Band:
			if v.Counted {
				t.Value(v.Name, v.w.at(frame), ink)
				break
			}
			t.Value("band from", v.v.at(frame), ink)
			t.Value("band to", v.w.at(frame), ink)
		case Latents:
			t.Value(v.Name, v.latent.at(frame, s.clock.now, v.Col, v.of), ink)
		case Orders:
			n := s.clock.horizon + 1
			rows := len(v.row) / n
			for r := range min(rows, len(orderNames)) {
				t.Value(orderNames[r], at(v.row[r*n:(r+1)*n], frame), orderColor(&c.Theme, r, rows))
			}
		default:
			name := v.Name
			if s.legend.names(v) {
				name = v.Model.Word()
			}
			t.Value(name, v.v.at(frame), ink)
		}
	}
	if k := s.clock; s.Leaves && k.left >= 0 && frame >= k.left {
		t.Value("outside since", k.time(k.left), c.Theme.Ink)
	}
	return t, true
}

// ordered yields the curves in the order of the legend and the tip.
func (s *Chart) ordered(yield func(v *Mark) bool) {
	for rank := range roles * Role(panel.Models) {
		for i := range s.Marks {
			if v := &s.Marks[i]; v.Role%TipOnly*Role(panel.Models)+Role(v.Model) == rank && !yield(v) {
				return
			}
		}
	}
}

func (s *Chart) Reading(c *panel.Canvas) (brush.Tip, bool) {
	x, y := s.here()
	return s.Probe(c, x, y)
}

// heading writes the name of the quantity, in as many words as fit next to the legend.
func (s *Chart) heading(c *panel.Canvas) {
	y, left := s.At.Y+c.Row()/2, s.At.X+2*c.Unit
	if s.shuffled(c) {
		return
	}
	right := s.legend.left
	if s.title != nil {
		left += c.Title(s.title, left, y, right-left, c.Theme.Ink) + 8*c.Unit
	} else {
		left += c.Roomiest(left, y, right-left, glyph.Left, c.Theme.Ink, s.Titles...) + 8*c.Unit
	}
	if c.Text = append(c.Text[:0], s.unit...); c.Wide() <= right-left {
		left += c.Write(left, y, glyph.Left, c.Theme.Muted)
	}
	c.Roomiest(left, y, right-left, glyph.Left, c.Theme.Muted, s.Notes...)
	for i := range s.legend.entries {
		s.drawEntry(c, &s.legend.entries[i])
	}
}

// titleWidth returns the width of the quantity's name.
func (s *Chart) titleWidth(c *panel.Canvas) float32 {
	if s.title == nil && len(s.Titles) > 0 {
		return c.Width(s.Titles[len(s.Titles)-1])
	}
	c.Text = append(c.Text[:0], s.title...)
	return c.Wide()
}

// The method `shuffled` writes how much the last shuffle has changed ẑ. The text has its own row.
// If there is no room for this row, the text replaces the heading, and the result is true.
func (s *Chart) shuffled(c *panel.Canvas) (whole bool) {
	if s.moved-s.moved != 0 {
		return false
	}
	y, whole := s.At.Y+0.5*c.Row(), true
	if s.above > 2 {
		y, whole = s.At.Y+1.4*c.Row(), false
	}
	if c.Value(s.moved, "", s.At.W-4*c.Unit, "shuffled, ẑ moved by ", "ẑ moved by ", "Δẑ = ", "Δẑ ") {
		c.Write(s.At.X+2*c.Unit, y, glyph.Left, c.Theme.Latent)
	}
	return whole
}
