package lab_test

import (
	"fmt"
	"testing"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/wire"
)

// TestPanelShowsEverySetting checks that the panel has a control for every setting that needs
// one.
func TestPanelShowsEverySetting(t *testing.T) {
	for _, l := range catalogue.All() {
		settings, live := lab.Defaults(&l), l.System.Live()
		p := lab.Panel(&l, live, &settings)
		controls := p.Transport
		for _, g := range p.Groups {
			controls = append(controls, g.Controls...)
		}
		count := make(map[string]int)
		for _, c := range controls {
			if c.Kind != wire.Button {
				count[c.ID]++
			}
		}
		for _, f := range append(settings.Table(&l), live.Settings()...) {
			if !l.Timed() && f.Name == "method" {
				continue // the control of the method is not checked for single sets
			}
			if n := count[f.Name]; n > 1 || (n == 0) != f.Hidden {
				t.Errorf("%s: %d controls of %s, which is hidden: %v", l.Link(), n, f.Name, f.Hidden)
			}
		}
	}
}

func ExamplePanel() {
	l := catalogue.Line()
	settings := lab.Defaults(&l)
	for _, c := range lab.Panel(&l, l.System.Live(), &settings).Transport {
		if c.Kind == wire.Button {
			fmt.Println(c.Label)
		}
	}
	// Output:
	// Train
	// Step
	// Reset
	// New seed
}
