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

// Axis is what the x axis of a Chart counts: the frames of a Clock or the steps of a training.
type Axis interface {
	// extent returns the indices of the displayed value, the last known one, and the last one.
	extent() (now, known, end int)
	// span moves the range of x towards its goal.
	span(s *Chart, dt, tau float64) (moving bool)
	// at returns the x of an index, and index returns the nearest index; -1: none.
	at(i int) float64
	index(x float64) int
	// reads returns the index that the user reads; -1: none.
	reads(c *panel.Canvas, s *Chart) int
	// reach returns the area in which the pointer reads the chart.
	reach(c *panel.Canvas, s *Chart) plot.Rect
	// name returns the axis's name, the word for an index in a tip, and the width of labels in letters.
	// Without a name, the marks draw the axis.
	name() (title, word string, letters float32)
}

// plain is the Axis of a Mark that has one index, draws both axes, and has always something to draw.
type plain struct{}

func (plain) at(int) float64                              { return math.NaN() }
func (plain) index(float64) int                           { return 0 }
func (plain) reads(*panel.Canvas, *Chart) int             { return -1 }
func (plain) reach(_ *panel.Canvas, s *Chart) plot.Rect   { return s.area }
func (plain) name() (title, word string, letters float32) { return "", "", 0 }
func (plain) any() bool                                   { return true }

// Mark is a part of a Chart that is no curve.
type Mark interface {
	read(s *Chart, f *wire.Frame)
	// any reports whether there is something to draw.
	any() bool
	// key draws the mark's legend in the title's row, between x = least and x = right, and returns
	// where it begins.
	key(c *panel.Canvas, least, right, y float32) (left float32)
	draw(c *panel.Canvas, s *Chart)
	// tell adds to a tip what the mark shows at index i, or at the pixel (x, y).
	tell(c *panel.Canvas, s *Chart, t *brush.Tip, i int, x, y float32)
}

// grip is a Mark that the user can drag.
type grip interface {
	// grips returns the shape of the pointer at a place that can be dragged, otherwise Arrow.
	grips(c *panel.Canvas, s *Chart) panel.Shape
	press(c *panel.Canvas, s *Chart)
	drag(c *panel.Canvas, s *Chart)
	release(c *panel.Canvas, s *Chart, dropped bool)
	// typed handles a key, and returns whether it used the key.
	typed(c *panel.Canvas, s *Chart, key string, shift bool) bool
	// spot returns the place that the keys have reached.
	spot(s *Chart) (plot.Point, bool)
}

// Chart shows quantities over an Axis: measured values, predictions, and the bands and members of
// ensembles. The field Curves lists the rows that contain these quantities. The row "coverage"
// contains the share of the true values inside the band. The row "nominal" contains the nominal
// share.
type Chart struct {
	axes
	X        Axis     // nil: the first Mark, which is also an Axis
	Titles   []string // the first title that fits is displayed
	Title    string   // row that contains the title, if there is one
	Unit     string   // row that contains the unit
	Notes    []string // explanations after the title
	Remark   string   // row: a remark
	Tall     bool     // whether, in a high chart, the remark has a separate row above the title
	Curves   []Curve  // in the order in which they are drawn
	Marks    []Mark   // drawn after the curves
	Range    Range    // nil: the marks have no y axis, or set its range
	Beside   *Chart   // Chart with which this one shares its range
	Log      bool
	Shaded   bool     // whether the region outside −1 to 1, the range of training, is shaded
	Ticks    int      // 0: no y axis
	Above    float32  // rows of text above the plot; 0 for the default
	Start    string   // words next to the start of the prediction, at frame 0
	Leaves   bool     // whether to mark where the prediction leaves the training range
	Reason   bool     // whether the legend says why there is no prediction
	Coverage bool     // whether to write the share of the true values inside the band
	Moved    string   // row: how much the last shuffle has changed ẑ
	Needs    int      // bit mask of results, such as panel.Latent. The plot is empty until the user has revealed these results
	None     []string // texts if there is nothing to display
	Hidden   []string // texts shown while the results in `Needs` are hidden. If Reason is set, they are also shown while the prediction is hidden
	Later    []string // texts while there is a row "relaxing"

	clock                      *Clock // X, if it is a Clock
	grip                       grip   // the mark that can be dragged; nil: none
	now, known, end, hover     int    // indices of the displayed, the last known, the last, and the read value
	held, waits                bool   // held: whether the chart is pressed; waits: whether its values are on their way
	title, unit, remark        []byte
	coverage, nominal, moved   float64
	hidden, predicts, relaxing bool
	head                       plot.Rect // place of the title and the legend
	legend                     legend
	ranged, united             [][]float32 // rows on which the range depends; united includes the rows of Beside
	tip                        brush.Tip
	said                       []plot.Rect // where the present picture has words in the plot
}

func (s *Chart) Read(f *wire.Frame) {
	s.y.Log, s.hover = s.Log, -1
	s.title, s.unit, s.remark = f.Text(s.Title), f.Text(s.Unit), f.Text(s.Remark)
	s.hidden, s.predicts, s.relaxing = !panel.Revealed(f, s.Needs), panel.Revealed(f, panel.Prediction), f.Numbers("relaxing") != nil
	s.coverage, s.nominal, s.moved = panel.Share(f, "coverage"), panel.Share(f, "nominal"), f.Number(s.Moved)
	s.ranged = s.ranged[:0]
	for _, m := range s.Marks {
		m.read(s, f)
		if g, ok := m.(grip); ok {
			s.grip = g
		}
	}
	if s.X == nil {
		s.X = s.Marks[0].(Axis)
	}
	if k, ok := s.X.(*Steps); ok {
		k.read(f, len(f.Numbers(s.Curves[0].Row)))
	}
	s.now, s.known, s.end = s.X.extent()
	s.clock, _ = s.X.(*Clock)
	for i := range s.Curves {
		v := &s.Curves[i]
		v.read(f, s.end+1, s.predicts)
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

func (s *Chart) Ease(dt, tau float64) bool {
	s.united = append(s.united[:0], s.ranged...)
	if s.Beside != nil {
		s.united = append(s.united, s.Beside.ranged...)
	}
	moving := s.X.span(s, dt, tau)
	if s.Range == nil || s.held && s.grip != nil { // the axis keeps its range while a mark is dragged along it
		return moving
	}
	lo, hi := s.Range(s.united...)
	s.widen(lo, hi)
	return s.follow(lo, hi, 2e-3, dt, tau) || moving
}

// Place implements Panel. The legend is above the plot.
func (s *Chart) Place(c *panel.Canvas, r plot.Rect) {
	s.head, s.above = r, cmp.Or(s.Above, usualAbove)
	if s.Tall && r.H > 8*c.Row() {
		_, s.head = r.CutTop(c.Row(), 0)
		s.above++
	}
	if r.H > 0 {
		s.above += s.legend.arrange(c, s, s.head)
	}
	if d, ok := s.X.(*Density); ok && r.H > 0 {
		d.arrange(c, s, r)
	}
	s.axes.Place(c, r)
}

func (s *Chart) Draw(c *panel.Canvas) {
	s.said, s.hover = s.said[:0], s.X.reads(c, s)
	s.heading(c)
	if s.blank(1) {
		s.empty(c, s.why()...)
		return
	}
	if s.Shaded {
		s.beyond(c)
	}
	s.grid(c)
	start := plot.Point{Y: float32(math.NaN())}
	if s.Leaves {
		s.drawLeft(c)
	}
	if s.Start != "" {
		start = s.startWords(c)
	}
	for i := range s.Curves {
		s.drawCurve(c, &s.Curves[i])
	}
	for _, m := range s.Marks {
		m.draw(c, s)
	}
	if s.Ticks == 0 {
		s.rules(c, c.Theme.Ink, c.Theme.Muted)
		s.leaves(c)
	}
	if start.Finite() {
		c.Disc(start.X, start.Y, 6*c.Unit, c.Theme.Learned)
		c.Disc(start.X, start.Y, 3.5*c.Unit, c.Theme.Paper)
	}
	if s.Coverage {
		s.covers(c)
	}
	for i := range s.Curves {
		v := &s.Curves[i]
		if v.Dot > 0 {
			c.Spot(s.at(s.X.at(s.now), v.v.at(s.now)), v.Dot, v.mark(&c.Theme))
		}
		if s.hover >= 0 && (v.Role == Measured || v.Role == Predicted) {
			c.Dot(s.at(s.X.at(s.hover), v.v.at(s.hover)), v.mark(&c.Theme))
		}
	}
}

// grid draws the axes. It marks the displayed frame and the value being read. If the prediction
// leaves the training range, grid shades the rest of the time axis.
func (s *Chart) grid(c *panel.Canvas) {
	k := s.clock
	if k != nil && k.left >= 0 && s.Ticks > 0 {
		x := plot.Round(s.x.Pos(k.at(k.left)))
		c.Box(plot.Rect{X: x, Y: s.area.Y, W: s.area.Right() - x, H: s.area.H}, 0, c.Theme.Faint.Fade(0.22))
	}
	name, _, letters := s.X.name()
	if name != "" {
		y := s.area.Bottom() + c.Row()*0.62
		s.xTicks(c, letters, s.area.Bottom(), y, s.Ticks > 0)
		c.Label(name, s.area.X-14*c.Unit, y, glyph.Right, c.Theme.Muted)
	}
	if s.Ticks > 0 {
		s.yTicks(c, s.Ticks)
	}
	if name == "" || s.Ticks == 0 {
		return
	}
	s.baseline(c, s.area.Bottom())
	s.rules(c, c.Theme.Muted, c.Theme.Faint)
}

// rules marks the displayed frame and the value being read.
func (s *Chart) rules(c *panel.Canvas, now, read plot.Color) {
	if s.clock != nil {
		s.rule(c, s.X.at(s.now), now)
	}
	if s.hover >= 0 {
		s.rule(c, s.X.at(s.hover), read)
	}
}

// The method `leaves` draws a dotted line at the frame in which the prediction leaves the training
// range.
func (s *Chart) leaves(c *panel.Canvas) (x float32, ok bool) {
	if s.clock == nil || s.clock.left < 0 {
		return 0, false
	}
	x = plot.Round(s.x.Pos(s.clock.at(s.clock.left)))
	c.Segment(x, s.area.Y, x, s.area.Bottom(), plot.Pen{Width: 1.5 * c.Unit, Color: c.Theme.Ink, Period: 5 * c.Unit})
	return x, true
}

// stride returns the number of values from one drawn point to the next, so that the distance
// between points is about `apart` CSS pixels. On a logarithmic axis, every value is drawn.
func (s *Chart) stride(c *panel.Canvas, apart float32) int {
	if s.x.Near > 0 {
		return 1
	}
	return max(1, int(float32(s.end)*apart*c.Unit/s.area.W+0.5))
}

// Press implements Panel. A press drags a mark, or requests the frame at the pointer.
func (s *Chart) Press(c *panel.Canvas) bool {
	s.held = false
	switch s.held = s.Shape(c) > panel.Cross; {
	case s.held && s.grip != nil:
		s.grip.press(c, s)
	case s.held:
		s.Drag(c)
	}
	return s.held
}

func (s *Chart) Drag(c *panel.Canvas) {
	if s.grip != nil {
		s.grip.drag(c, s)
		return
	}
	s.clock.seek = s.clock.index(s.x.Value(c.Pointer.X))
}

// Release implements Panel. The values of a requested frame stay visible, unless the browser has
// taken the pointer away.
func (s *Chart) Release(c *panel.Canvas, dropped bool) (keep bool) {
	if s.held = false; s.grip != nil {
		s.grip.release(c, s, dropped)
		return false
	}
	return !dropped
}

func (s *Chart) Shape(c *panel.Canvas) panel.Shape {
	switch {
	case s.grip != nil:
		return s.grip.grips(c, s)
	case s.clock != nil:
		return panel.When(s.held || s.At.H > 0 && c.Over(s.X.reach(c, s)), panel.Slide)
	}
	return panel.When(s.end >= 0 && c.Over(s.area), panel.Cross)
}

func (s *Chart) Focus(*panel.Canvas) bool { return s.At.H > 0 && s.end >= 0 }

// Key implements Keyed. A mark that can be dragged uses keys; the clock handles the arrows.
func (s *Chart) Key(c *panel.Canvas, key string, shift bool) bool {
	return s.grip != nil && s.grip.typed(c, s, key, shift)
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

// Empty reports whether there is nothing worth its place: no value over time, or no curve of a training, which has two
// values at least.
func (s *Chart) Empty() bool {
	least := 1
	if _, ok := s.X.(*Steps); ok {
		least = 2
	}
	return !s.waits && s.blank(least)
}

// blank reports whether no curve has so many values as `least`, and no mark has any.
func (s *Chart) blank(least int) bool {
	return s.hidden || !slices.ContainsFunc(s.Marks, Mark.any) && !slices.ContainsFunc(s.Curves, func(v Curve) bool { return v.v.len() >= least && v.Role != TipOnly })
}

func (s *Chart) Probe(c *panel.Canvas, x, y float32) (brush.Tip, bool) {
	s.tip = brush.Tip{} // a variable of its own would be allocated for each call
	t := &s.tip
	frame := s.X.index(s.x.Value(x))
	if frame < 0 || s.At.H <= 0 || !s.X.reach(c, s).Contains(x, y) {
		return *t, false
	}
	t.X, t.Y = s.x.Pos(s.X.at(frame)), y
	if _, word, _ := s.X.name(); s.clock != nil {
		t.Value(word, s.X.at(frame), c.Theme.Muted)
	} else if word != "" {
		t.Count(word, s.X.at(frame), c.Theme.Muted)
	}
	for _, m := range s.Marks {
		m.tell(c, s, t, frame, x, y)
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
			t.Value(v.Name, v.latent.at(frame, s.now, v.Col, v.of), ink)
		case Orders:
			n := s.end + 1
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
	if k := s.clock; s.Leaves && k != nil && k.left >= 0 && frame >= k.left {
		t.Value("outside since", k.at(k.left), c.Theme.Ink)
	}
	return *t, t.Any()
}

// ordered yields the curves in the order of the legend and the tip.
func (s *Chart) ordered(yield func(v *Curve) bool) {
	for rank := range roles * Role(panel.Models) {
		for i := range s.Curves {
			if v := &s.Curves[i]; v.Role%TipOnly*Role(panel.Models)+Role(v.Model) == rank && !yield(v) {
				return
			}
		}
	}
}

// Reading implements Keyed. The tip shows the displayed or the selected value.
func (s *Chart) Reading(c *panel.Canvas) (brush.Tip, bool) {
	at, ok := plot.Point{X: s.x.Pos(s.X.at(s.now)), Y: s.area.Y + 0.4*s.area.H}, true
	if s.grip != nil {
		at, ok = s.grip.spot(s)
	}
	t, told := s.Probe(c, at.X, at.Y)
	return t, ok && told
}

// heading writes the name of the quantity, in as many words as fit next to the legend.
func (s *Chart) heading(c *panel.Canvas) {
	y, left := s.head.Y+c.Row()/2, s.head.X+2*c.Unit
	if s.shuffled(c) {
		return
	}
	right := s.legend.left
	for _, m := range s.Marks {
		right = m.key(c, left+s.titleWidth(c)+8*c.Unit, right, y) - 8*c.Unit
	}
	if s.title != nil {
		left += c.Title(s.title, left, y, right-left, c.Theme.Ink) + 8*c.Unit
	} else {
		left += c.Roomiest(left, y, right-left, glyph.Left, c.Theme.Ink, s.Titles...) + 8*c.Unit
	}
	if c.Text = append(c.Text[:0], s.unit...); c.Wide() <= right-left {
		left += c.Write(left, y, glyph.Left, c.Theme.Muted)
	}
	left += c.Roomiest(left, y, right-left, glyph.Left, c.Theme.Muted, s.Notes...)
	if c.Text = append(c.Text[:0], s.remark...); s.head.Y > s.At.Y {
		c.Title(s.remark, s.At.X+2*c.Unit, s.At.Y+0.4*c.Row(), s.At.W, c.Theme.Learned)
	} else if c.Wide() <= right-left {
		c.Write(left, y, glyph.Left, c.Theme.Learned)
	}
	for i := range s.legend.entries {
		s.legend.draw(c, s, &s.legend.entries[i])
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
