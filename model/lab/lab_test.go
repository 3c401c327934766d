package lab_test

import (
	"fmt"
	"slices"
	"testing"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/method"
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
			if n := count[f.Name]; n > 1 || (n == 0) != f.Hidden {
				t.Errorf("%s: %d controls of %s, which is hidden: %v", l.Link(), n, f.Name, f.Hidden)
			}
		}
	}
}

// TestMethods checks that a lab with fewer shipped models offers fewer methods, and that other labs
// of its system still offer all.
func TestMethods(t *testing.T) {
	for _, l := range catalogue.All() {
		if len(l.Shipped) == 0 { // it offers all methods of its system
			continue
		}
		all := names(l.Methods())
		if len(all) == 1 {
			continue
		}
		few := l
		few.Shipped = nil
		for _, m := range l.Shipped {
			if m.Method == all[1] {
				few.Shipped = append(few.Shipped, m)
			}
		}
		if got := names(few.Methods()); !slices.Equal(got, all[1:2]) {
			t.Errorf("%s with models of %s alone offers %v", l.Link(), all[1], got)
		}
		if got := names(l.Methods()); !slices.Equal(got, all) {
			t.Errorf("%s then offers %v, before %v", l.Link(), got, all)
		}
	}
}

func names(methods []method.Method) (list []string) {
	for _, m := range methods {
		list = append(list, m.Name)
	}
	return list
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
