package figure

import (
	"bytes"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/line"
	"macroscope/model/system/particles"
	"macroscope/model/work"
)

// TestFigures draws every figure for models with initial weights.
func TestFigures(t *testing.T) {
	systems := method.Systems{line.System(), particles.System()}
	of := func(spec string, change func(*method.Config)) *model.Model {
		c, err := systems.Preset(spec)
		if err != nil {
			t.Fatal(err)
		}
		change(&c)
		sys, err := systems.Find(c.Spec.System)
		if err != nil {
			t.Fatal(err)
		}
		return model.New(c, sys)
	}
	var models [][]*model.Model
	for _, eps := range []float64{0.1, 0.3} {
		var row []*model.Model
		for _, zdim := range []int{1, 2, 4} {
			row = append(row, of("line", func(c *method.Config) { c.Decoder.Eps, c.Shape.ZDim = eps, zdim }))
		}
		models = append(models, row)
	}
	src := particles.System().Simulated(system.Choice{Seed: 1, Count: 3, Particles: 20})
	runs := make([]system.Trajectory, 3)
	if err := system.Each(work.Until(t.Context()), src, 3, 1, func(i int, r *system.Trajectory) error {
		runs[i] = system.Trajectory{Points: slices.Clone(r.Points), Species: slices.Clone(r.Species), Macro: slices.Clone(r.Macro)}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	p := &measure.Prediction{Frames: 7, Members: 1, Variables: 2, Pred: make([]float32, 4*14), Truth: make([]float32, 4*14)}
	for i := range p.Pred {
		p.Pred[i], p.Truth[i] = r.Float32(), r.Float32()
	}
	names := []string{"R_AB", "R_BA"}
	for name, draw := range map[string]func(io.Writer, string) error{
		"densities": func(w io.Writer, format string) error { return Densities(w, format, models, 1) },
		"curves": func(w io.Writer, format string) error {
			return Curves(w, format, of("particles@browser", func(*method.Config) {}), runs, 2, 1)
		},
		"bands": func(w io.Writer, format string) error {
			return Bands(w, format, []string{"one", "two"}, Ensembles{"a", names, []*measure.Prediction{p, p}}, Ensembles{"b", names, []*measure.Prediction{p, p}})
		},
		"map": func(w io.Writer, format string) error {
			return Places(w, format, &Map{Eps: []float64{0.01, 0.1}, ZDims: []int{1, 4}, KL: []float64{0.3, 0.2, 0.1, 0.05}, Separate: []Place{{0.05, 4, 0.2}}})
		},
	} {
		var b bytes.Buffer
		if err := draw(&b, "svg"); err != nil || !strings.Contains(b.String(), "</svg>") {
			t.Errorf("%s: %v, and no SVG", name, err)
		}
		b.Reset()
		if err := draw(&b, "png"); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		img, err := png.Decode(&b)
		if err != nil || img.Bounds().Dx() < 500 || img.Bounds().Dy() < 350 {
			t.Errorf("%s: %v, error %v", name, img.Bounds(), err)
		}
	}
	p.Pred[5] = float32(math.NaN())
	if err := Bands(io.Discard, "png", []string{"one"}, Ensembles{"", names, []*measure.Prediction{p}}); err == nil || !strings.Contains(err.Error(), "not finite") {
		t.Errorf("a rollout that ran away: %v", err)
	}
}
