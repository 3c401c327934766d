package brush

import (
	"testing"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

func TestFitting(t *testing.T) {
	b := New(glyph.New())
	b.Size = 12
	lines := []byte("5 fixed points; slowest decay τ = 0.5\nτ = 0.5")
	for text, room := range map[string]float32{
		"5 fixed points; slowest decay τ = 0.5": b.Width(string(lines)) + 1,
		"τ = 0.5":                               b.Width("τ = 0.5") + 1,
		"τ = …":                                 b.Width("τ = …") + 1,
	} {
		if b.Fitting(lines, room); string(b.Text) != text {
			t.Errorf("%v: %q, want %q", room, b.Text, text)
		}
	}
	if allocs := testing.AllocsPerRun(10, func() { b.Fitting(lines, 20) }); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestPlain checks that a plain picture leaves out numbers and remarks, which keep their widths, and writes names, notices and
// tips.
func TestPlain(t *testing.T) {
	b := New(glyph.New())
	b.Size, b.Batch, b.Theme, b.Plain = 12, new(plot.Batch), Light(), true
	b.W, b.H = 200, 200
	drawn := func(what string, draw func()) bool {
		before := len(b.Batch.Vertices)
		draw()
		return len(b.Batch.Vertices) > before
	}
	for text, want := range map[string]bool{"energy": true, "MRE 0.3": false, "predicted from ẑ": true} {
		for ink, shown := range map[plot.Color]bool{b.Theme.Ink: want, b.Theme.Muted: false} {
			var width float32
			if got := drawn(text, func() { width = b.Label(text, 0, 50, glyph.Left, ink) }); got != shown {
				t.Errorf("%q is written: %v, want %v", text, got, shown)
			}
			if width != b.Width(text) {
				t.Errorf("%q is %v wide, and counts as %v", text, b.Width(text), width)
			}
		}
	}
	if !drawn("a notice", func() { b.Notice("waiting for 3 particles") }) {
		t.Error("a notice is left out")
	}
}

// TestCutKeepsWhatFits cuts a text to its own width. The widths are sums of float32s, so the room may be less by a rounding
// error: a legend's entry ends where its number begins.
func TestCutKeepsWhatFits(t *testing.T) {
	b := New(glyph.New())
	b.Text = append(b.Text[:0], "true"...)
	wide := b.Wide()
	if b.Cut(wide - 1e-3); string(b.Text) != "true" {
		t.Errorf("it becomes %q", b.Text)
	}
	if b.Cut(wide - 1); string(b.Text) == "true" {
		t.Error("a text that does not fit is not cut")
	}
}
