package labs_test

import (
	"fmt"
	"os"
	"testing"

	"macroscope/model/labs"
)

// TestShippedFiles wants every file that a lab names to be in the bundle.
func TestShippedFiles(t *testing.T) {
	var files []string
	for _, lab := range labs.All() {
		files = append(files, lab.Shipped(0.1, 8), lab.Ordered, lab.Codes)
	}
	for _, eps := range labs.LineEps() {
		for _, zdim := range labs.LineZDims() {
			files = append(files, labs.LineModel(eps, zdim))
			if got := labs.Line().Shipped(eps*1.05, zdim); got != labs.LineModel(eps, zdim) {
				t.Errorf("near ε = %g, ẑ of %d: %s", eps, zdim, got)
			}
		}
	}
	for _, name := range files {
		if name == "" {
			continue
		}
		if _, err := os.Stat("../../assets/" + name); err != nil {
			t.Error(err)
		}
	}
	if got := labs.Line().Shipped(0.1, 3); got != "" {
		t.Errorf("%s is shipped for ẑ of 3, of which there is none", got)
	}
}

func Example() {
	for _, lab := range labs.All() {
		fmt.Println(lab.Link(), lab.Shipped(0.1, 8))
	}
	// Output:
	// demo models/demo-eps0.1-z8.safetensors
	// particles models/particles-laptop.safetensors
	// mixing models/mixing-laptop.safetensors
}
