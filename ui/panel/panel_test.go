package panel

import (
	"math"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
)

// TestPipelineCounts checks that the noun after a count of one is not a plural.
func TestPipelineCounts(t *testing.T) {
	c := NewCanvas(glyph.New(), func(string, string) {})
	p := Pipeline{Stations: []Station{{Name: "ensemble", Word: "frames", Count: func(f *wire.Frame) int { return int(f.Number("horizon")) }}}}
	for n, want := range []string{"0 frames", "1 frame", "2 frames"} {
		f := new(wire.Frame)
		f.Begin("mixing")
		f.Put("horizon", float32(n))
		p.Read(f)
		if p.about(c, &p.Stations[0]); string(c.Text) != want {
			t.Errorf("the pipeline says %q, want %q", c.Text, want)
		}
	}
}

func TestTypicalDensity(t *testing.T) {
	nan := float32(math.NaN())
	if got := typical([]float32{0, 2, 2, nan, 0, 2}); got != 2 {
		t.Errorf("got %v, want 2", got)
	}
	if got := typical([]float32{nan, 0}); got != 0 {
		t.Errorf("got %v of nothing", got)
	}
}
