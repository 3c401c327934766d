package verify

import (
	"fmt"
	"os"
	"testing"
)

func TestMMDKinds(t *testing.T) {
	for name, arrays := range map[string][]string{
		"mmd": {"pred", "true", "per_step", "mmd"}, "chamfer": {"a", "b", "chamfer"},
	} {
		path := "../../model/net/metric/testdata/" + name + ".npz"
		results, err := file(t.Context(), path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := map[string]int{"mmd": 1, "chamfer": 2}[name]; len(results) != want {
			t.Errorf("%s: %d results, want %d", name, len(results), want)
		}
		for _, r := range results {
			if !r.OK() {
				t.Errorf("%s%s: relative error %g, want at most %g", name, r.Precision, r.MaxRel, r.Tolerance)
			}
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, array := range arrays {
			for _, change := range []string{"a value off", "NaN", "a value less"} {
				t.Run(fmt.Sprintf("%s/%s/%s", name, array, change), func(t *testing.T) {
					if ok, out := verifyChanged(t, b, array, change); ok {
						t.Errorf("it passes:\n%s", out)
					}
				})
			}
		}
	}
}
