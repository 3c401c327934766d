package verify

import (
	"fmt"
	"os"
	"testing"
)

func TestVideo(t *testing.T) {
	const path = "../../sim/polymer/video/testdata/polymer_image.npz"
	results, err := file(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 2 {
		t.Fatalf("%d results, want one in float64 and one in float32", len(results))
	}
	for _, r := range results {
		if !r.OK() {
			t.Errorf("polymer_image%s: error %g, want at most %g", r.Precision, r.MaxRel, r.Tolerance)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, array := range []string{"images", "pixels", "span", "extension", "counts", "beads"} {
		for _, change := range []string{"a value off", "NaN", "a value less"} {
			if array == "beads" && change == "a value off" {
				continue // a bead that far off may change no pixel
			}
			t.Run(fmt.Sprintf("%s/%s", array, change), func(t *testing.T) {
				if ok, out := verifyChanged(t, b, array, change); ok {
					t.Errorf("it passes:\n%s", out)
				}
			})
		}
	}
}
