package brush

import (
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// Tip is the box that shows the values at a place in the picture.
type Tip struct {
	X, Y  float32 // the place in device pixels
	Quiet bool    // whether the tip is only spoken, because the picture already shows the values
	rows  [8]tipRow
	n     int
}

type tipRow struct {
	name  string
	value float64
	whole bool // whether the value is a whole number
	ink   plot.Color
}

// Any reports whether the tip has a row.
func (t *Tip) Any() bool { return t.n > 0 }

// Add adds a row, if there is room.
func (t *Tip) Add(name string, v float64, ink plot.Color) {
	if t.n < len(t.rows) {
		t.rows[t.n] = tipRow{name: name, value: v, ink: ink}
		t.n++
	}
}

// Value adds a row unless v is NaN.
func (t *Tip) Value(name string, v float64, ink plot.Color) {
	if v == v {
		t.Add(name, v, ink)
	}
}

// Count adds a row with a whole number.
func (t *Tip) Count(name string, v float64, ink plot.Color) {
	if t.Add(name, v, ink); t.n > 0 {
		t.rows[t.n-1].whole = true
	}
}

// appendValue appends a row's value to b.Text.
func (b *Brush) appendValue(r *tipRow) {
	if r.whole {
		b.Text = plot.AppendTick(b.Text[:0], r.value, 1)
		return
	}
	b.Text = plot.AppendValue(b.Text[:0], r.value)
}

// Tip draws a tip next to its place.
func (b *Brush) Tip(t *Tip) {
	if t.Quiet || t.n == 0 {
		return
	}
	var names, values float32
	for i := range t.rows[:t.n] {
		names = max(names, b.Width(t.rows[i].name))
		b.appendValue(&t.rows[i])
		values = max(values, b.Wide())
	}
	// With room for a value such as −0.000, the box keeps its width while the values change.
	values = max(values, b.Width("−0.000"))
	pad, mark, gap, line := b.Px(9), b.Px(14), b.Px(12), b.Row()*0.92
	w, h := 2*pad+mark+names+gap+values, 2*pad*0.7+line*float32(t.n)
	x, y := t.X+14*b.Unit, t.Y-h-10*b.Unit
	if x+w > b.W*b.Unit-4*b.Unit {
		x = t.X - 14*b.Unit - w
	}
	x, y = plot.Round(max(4*b.Unit, x)), plot.Round(max(4*b.Unit, y))
	r, edge := plot.Rect{X: x, Y: y, W: plot.Round(w), H: plot.Round(h)}, b.Px(1)
	b.Box(r.Inset(-edge, -edge, -edge, -edge), 6*b.Unit+edge, b.Theme.TipEdge)
	b.Box(r, 6*b.Unit, b.Theme.Tip)
	signs := len(b.Signs)
	for i := range t.rows[:t.n] {
		row := &t.rows[i]
		mid := y + 0.7*pad + line*(float32(i)+0.5)
		b.Disc(x+pad+3.5*b.Unit, mid, 3.5*b.Unit, row.ink)
		b.Label(row.name, x+pad+mark, mid, glyph.Left, b.Theme.Muted)
		b.appendValue(row)
		b.Write(r.Right()-pad, mid, glyph.Right, b.Theme.Ink)
	}
	b.Signs = b.Signs[:signs]
}

// spoken maps the symbols in a tip to words.
var spoken = map[string]string{"q_X": "target", "p_θ": "learned", "ẑ": "closure variable", "encoded ẑ": "encoded", "predicted ẑ": "predicted"}

// Words returns a tip as text, for users of screen readers. It allocates.
func (b *Brush) Words(t *Tip) string {
	var text []byte
	for i := range t.rows[:t.n] {
		row := &t.rows[i]
		if i > 0 {
			text = append(text, ", "...)
		}
		name := row.name
		if word, ok := spoken[name]; ok {
			name = word
		}
		text = append(append(text, name...), ' ')
		b.appendValue(row)
		text = append(text, b.Text...)
	}
	return string(text)
}
