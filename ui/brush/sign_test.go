package brush

import (
	"slices"
	"testing"

	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// TestSigns checks the names and the places of the symbols in a text.
func TestSigns(t *testing.T) {
	b := New(glyph.New())
	b.Size, b.Batch = 12, new(plot.Batch)
	for text, want := range map[string][]string{
		"learned p_θ(x | ẑ)":       {"p_θ", "ẑ"},
		"KL(q_X ‖ p_θ) = 0.1 nats": {"KL", "q_X", "p_θ"},
		"error of the mean R_A_B":  {"R_AB"},
		"shuffled, Δẑ = 1×10⁻⁷":    {"ẑ"},
		"[z̄, ẑ_A]":                {"z̄", "ẑ_A"},
		"validation MRE":           {"MRE"},
		"kernel ε = 0.1":           {"ε"},
		"A next to B, −0.25":       nil,
		"":                         nil,
	} {
		for _, align := range []glyph.Align{glyph.Left, glyph.Center, glyph.Right} {
			b.Signs = b.Signs[:0]
			width := b.Label(text, 100, 50, align, plot.Color{})
			var got []string
			left := 100 - float32(align)*width
			for _, s := range b.Signs {
				got = append(got, s.Name())
				if s.At.X < left-0.01 || s.At.Right() > left+width+0.01 || s.At.W <= 0 || !s.At.Contains(s.At.X+s.At.W/2, 50) {
					t.Errorf("%q: %s is at %v, the text from %v on is %v wide", text, s.Name(), s.At, left, width)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
	b.Signs = b.Signs[:0]
	b.Label("KL(q_X ‖ p_θ)", 0, 0, glyph.Left, plot.Color{})
	if before := b.Width("KL("); b.Signs[1].At.X != before {
		t.Errorf("q_X is at %v, after what is %v wide", b.Signs[1].At.X, before)
	}
	tip := Tip{X: 50, Y: 50}
	tip.Add("q_X", 1, plot.Color{})
	b.W, b.H = 200, 200
	b.Tip(&tip)
	if len(b.Signs) != 3 {
		t.Error("what a tip names is taken for a part of the picture")
	}
	if b.Cover(); len(b.Signs) != 0 {
		t.Error("an empty page has symbols")
	}
	if n := testing.AllocsPerRun(10, func() {
		b.Batch.Reset()
		b.Signs = b.Signs[:0]
		b.Label("KL(q_X ‖ p_θ)", 0, 0, glyph.Left, plot.Color{})
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
