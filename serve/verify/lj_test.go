package verify

import (
	"fmt"
	"os"
	"testing"
)

const ljCase = "../../sim/lj/testdata/lj.npz"

func TestLJ(t *testing.T) {
	results, err := file(t.Context(), ljCase)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 2 || results[0].Precision != "" || results[1].Precision != ".float32" {
		t.Fatalf("results %+v, want one in float64 and one in float32", results)
	}
	for _, r := range results {
		if !r.OK() {
			t.Errorf("lj%s: relative error %g, want at most %g", r.Precision, r.MaxRel, r.Tolerance)
		}
	}
}

func TestLJNoticesChanges(t *testing.T) {
	b, err := os.ReadFile(ljCase)
	if err != nil {
		t.Fatal(err)
	}
	for _, array := range []string{"positions", "types", "forces", "potential", "cutoff", "ratios"} {
		for _, change := range []string{"a value off", "NaN", "a value less"} {
			if array == "cutoff" && change == "a value off" {
				continue // no pair is that close to it
			}
			t.Run(fmt.Sprintf("%s/%s", array, change), func(t *testing.T) {
				if ok, out := verifyChanged(t, b, array, change); ok {
					t.Errorf("it passes:\n%s", out)
				}
			})
		}
	}
}
