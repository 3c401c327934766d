package plot

import "math"

// Rect is an axis-parallel rectangle.
type Rect struct{ X, Y, W, H float32 }

// Right returns the x of the right edge.
func (r Rect) Right() float32 { return r.X + r.W }

// Bottom returns the y of the bottom edge.
func (r Rect) Bottom() float32 { return r.Y + r.H }

// Contains reports whether the point is in r. The left and top edges belong to r, the right and
// bottom edges do not.
func (r Rect) Contains(x, y float32) bool {
	return x >= r.X && x < r.Right() && y >= r.Y && y < r.Bottom()
}

// Keep returns p if it is in r, otherwise NaN.
func (r Rect) Keep(p Point) Point {
	if !r.Contains(p.X, p.Y) {
		p.X = float32(math.NaN())
	}
	return p
}

// Inset returns r with its edges moved inwards. Its size never becomes negative.
func (r Rect) Inset(left, top, right, bottom float32) Rect {
	return Rect{r.X + left, r.Y + top, max(0, r.W-left-right), max(0, r.H-top-bottom)}
}

// CutTop divides r into a strip of height h at the top and, after a gap, the rest.
func (r Rect) CutTop(h, gap float32) (strip, rest Rect) {
	h = min(h, r.H)
	return Rect{r.X, r.Y, r.W, h}, Rect{r.X, r.Y + h, r.W, r.H - h}.Inset(0, min(gap, r.H-h), 0, 0)
}

// CutLeft divides r into a strip of width w at the left and, after a gap, the rest.
func (r Rect) CutLeft(w, gap float32) (strip, rest Rect) {
	w = min(w, r.W)
	return Rect{r.X, r.Y, w, r.H}, Rect{r.X + w, r.Y, r.W - w, r.H}.Inset(min(gap, r.W-w), 0, 0, 0)
}

// Round returns r with its place and size rounded to whole pixels.
func (r Rect) Round() Rect { return Rect{Round(r.X), Round(r.Y), Round(r.W), Round(r.H)} }

// Round returns the nearest whole pixel.
func Round(x float32) float32 { return float32(math.Round(float64(x))) }

// Abs returns |x|.
func Abs(x float32) float32 { return float32(math.Abs(float64(x))) }
