package experiment

import "testing"

// All tests of this package also run over a method with its own file.
func init() {
	methods = append(methods, momentsMethod)
	known = listed(methods)
}

// TestPresetsAreTheCallers changes a list of presets, which must change no other.
func TestPresetsAreTheCallers(t *testing.T) {
	names := Presets("particles", "flow")
	want := names[0]
	names[0] = ""
	if got := Presets("particles", "flow")[0]; got != want {
		t.Errorf("the first preset is %q after the list was changed, want %q", got, want)
	}
}
