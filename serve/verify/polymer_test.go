package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macroscope/model/file/data"
)

// TestPolymer recomputes the shorter chains' statistics, and notices changes of them.
func TestPolymer(t *testing.T) {
	if testing.Short() {
		t.Skip("ten million steps")
	}
	const path = "../../sim/polymer/testdata/polymer_bd.npz"
	results, err := file(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 1 || !results[0].OK() {
		t.Errorf("results %+v, want one that holds", results)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for array, change := range map[string]func(v []float64){
		"trimer": func(v []float64) { v[4] *= 1.1 },
		"start_n20_mean": func(v []float64) {
			for i := range v {
				v[i] *= 1.03
			}
		},
	} {
		c, err := data.ReadNPZ(strings.NewReader(string(b)), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		delete(c, "start_n50_init")
		v := append([]float64(nil), c[array].Float64s()...)
		change(v)
		c[array] = data.NewArray(c[array].Shape, v)
		out, err := os.Create(filepath.Join(t.TempDir(), "case.npz"))
		if err != nil {
			t.Fatal(err)
		}
		if err := data.WriteNPZ(out, c); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		if results, err := file(t.Context(), out.Name()); err == nil && results[0].OK() {
			t.Errorf("%s with another value passes: %+v", array, results)
		}
	}
}
