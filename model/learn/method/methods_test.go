package method

import (
	"sync"
	"testing"
)

// The tests of this package also cover the method that moments_test.go defines.
func init() {
	encoders["moments"] = &moments{}
	known = sync.OnceValue(func() *catalogue {
		c, err := parseCatalogue(methodsText+momentsMethod, presetsText+momentsPresets)
		if err != nil {
			panic(err)
		}
		return c
	})
}

// TestPresetsAreTheCallers changes a returned list of presets. A second call must return the
// original list.
func TestPresetsAreTheCallers(t *testing.T) {
	names := Presets("particles", "flow")
	want := names[0]
	names[0] = ""
	if got := Presets("particles", "flow")[0]; got != want {
		t.Errorf("the first preset is %q after the list was changed, want %q", got, want)
	}
}
