package brush

import (
	"testing"

	"macroscope/ui/glyph"
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
