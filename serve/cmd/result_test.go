package cmd

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"macroscope/model/learn/measure"
)

// TestFiguresThatAreNone prints the figures of a diverged model, as words and as valid JSON.
func TestFiguresThatAreNone(t *testing.T) {
	diverged := []*measure.Result{{Set: "in-dst", Values: map[string]float64{"mre": math.Inf(1), "median": math.NaN(), "max": 0.5}}}
	density := []*measure.Result{{Values: map[string]float64{"kl": math.NaN()}}}
	for name, r := range map[string]*result{"a set": {tests: diverged, single: true}, "tests": {tests: diverged}, "a density": {tests: density, single: true}} {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var read struct {
			MRE, Median, Max, KL *float64
			Undefined            map[string]string
			Tests                []struct {
				MRE, Median, Max *float64
				Undefined        map[string]string
			}
		}
		if err := json.Unmarshal(b, &read); err != nil {
			t.Fatalf("%s: %s: %v", name, b, err)
		}
		var text strings.Builder
		if err := r.print(&text); err != nil {
			t.Fatal(err)
		}
		if name == "a density" {
			if read.KL != nil || !strings.Contains(read.Undefined["kl"], "not a number") || !strings.Contains(text.String(), "KL(q_X || p_θ)  not a number\n") {
				t.Errorf("%s: %s and %q", name, b, &text)
			}
			continue
		}
		if len(read.Tests) > 0 {
			of := read.Tests[0]
			read.MRE, read.Median, read.Max, read.Undefined = of.MRE, of.Median, of.Max, of.Undefined
		}
		if read.MRE != nil || read.Median != nil || read.Max == nil || *read.Max != 0.5 || len(read.Undefined) != 2 ||
			!strings.Contains(read.Undefined["mre"], "infinite") || !strings.Contains(read.Undefined["median"], "not a number") {
			t.Errorf("%s: %s", name, b)
		}
		if s := text.String(); !strings.Contains(s, "infinite") || !strings.Contains(s, "not a number") || strings.Contains(s, "Inf") || strings.Contains(s, "NaN") {
			t.Errorf("%s: %q", name, s)
		}
	}
}
