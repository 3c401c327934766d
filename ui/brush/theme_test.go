package brush

import (
	"math"
	"testing"

	"macroscope/ui/plot"
)

// light returns the perceived lightness of a colour, from 0 to 1.
func light(c plot.Color) float64 {
	linear := func(x float32) float64 { return math.Pow(float64(x), 2.2) }
	return math.Cbrt(0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B))
}

// TestRampsAreInOrder checks that the lightness of neighbouring colours of a ramp differs
// visibly.
func TestRampsAreInOrder(t *testing.T) {
	for name, r := range map[string]*plot.Ramp{
		"light density": Light().Density, "dark density": Dark().Density, "light labels": Light().Labels, "dark labels": Dark().Labels,
		"light A": Light().SpeciesDensity[0], "light B": Light().SpeciesDensity[1], "dark A": Dark().SpeciesDensity[0], "dark B": Dark().SpeciesDensity[1],
	} {
		const n = 16
		whole := light(r.At(1)) - light(r.At(0))
		for i := range n {
			step := (light(r.At(float64(i+1)/n)) - light(r.At(float64(i)/n))) / whole * n
			// All steps of lightness should equal the mean step. The tolerance is about a factor
			// of two, because `light` is inaccurate for vivid colours.
			if step < 0.4 || step > 1.7 {
				t.Errorf("%s: step %d of %d is %.2f of the mean", name, i, n, step)
			}
		}
	}
}

// TestSpeciesDiffer checks that the species differ in lightness from each other and from
// the paper.
func TestSpeciesDiffer(t *testing.T) {
	for name, theme := range map[string]Theme{"light": Light(), "dark": Dark()} {
		a, b, paper := light(theme.Species[0]), light(theme.Species[1]), light(theme.Paper)
		// In discs of ten pixels, a difference of 0.1 in lightness is visible. Gold discs on paper
		// also have a rim.
		if math.Abs(a-b) < 0.2 || math.Abs(a-paper) < 0.1 || math.Abs(b-paper) < 0.1 {
			t.Errorf("%s: lightness %.2f and %.2f on %.2f", name, a, b, paper)
		}
	}
}
