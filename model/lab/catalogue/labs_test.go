package catalogue_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/system"
)

// TestShippedFiles checks that every file that a lab names is among the page's assets.
func TestShippedFiles(t *testing.T) {
	var files []string
	for _, lab := range catalogue.All() {
		files = append(files, lab.Codes)
		for _, m := range lab.Shipped {
			files = append(files, m.File)
		}
	}
	for _, name := range files {
		if name == "" {
			continue
		}
		if _, err := os.Stat("../../../assets/" + name); err != nil {
			t.Error(err)
		}
	}
}

// TestFind checks that the settings of every lab select the right shipped model. It also checks that
// the file of each shipped model agrees with the list of shipped models.
func TestFind(t *testing.T) {
	for _, tc := range []struct{ lab, method, params, want string }{
		{"demo", "flow", "", "line-flow-tunable"}, {"demo", "flow-tunable", "", "line-flow-tunable"}, {"demo", "ae-aug", "", "line-ae-aug"},
		{"particles", "flow", "", "particles-flow-tunable"}, {"particles", "flow", "a,b", "particles-ab"}, {"particles", "ae-aug", "a,b", "particles-ae-aug"},
		{"mixing", "flow", "temperature,e12", "mixing-te"}, {"polymer", "flow", "", "polymer-flow-tunable"},
	} {
		l := catalogue.All()[slices.IndexFunc(catalogue.All(), func(l lab.Lab) bool { return l.Link() == tc.lab })]
		if m, ok := l.Find(lab.Model{Method: tc.method, Params: tc.params}); !ok || m.File != "models/"+tc.want+".safetensors" {
			t.Errorf("for %+v %s is chosen", tc, m.File)
		}
	}
	for _, l := range catalogue.All() {
		for _, m := range l.Shipped {
			model := shipped(t, &l, m)
			c := &model.Config
			if c.Decoder.Density() && c.Eps() != m.Eps || c.Tuning().Usual() != m.ZDim || c.Spec.Method != m.Method || c.Dynamics.Params.Names() != m.Params {
				t.Errorf("%s is of %s, ε = %g, ẑ of %d and the parameters %s, want %+v", m.File, c.Spec, c.Eps(), c.Tuning().Usual(), c.Dynamics.Params, m)
			}
		}
	}
	if _, ok := new(lab.Lab).Find(lab.Model{Method: "flow"}); ok {
		t.Error("a lab without models has one")
	}
}

func Example() {
	for _, l := range []lab.Lab{catalogue.Line(), catalogue.Mixing()} {
		m, _ := l.Find(lab.Model{Method: "flow"})
		fmt.Println(l.Link(), m.File)
	}
	// Output:
	// demo models/line-flow-tunable.safetensors
	// mixing models/mixing-flow-tunable.safetensors
}

// TestSystems checks that every system has the functions that its facts promise, and the functions that trainings
// and measurements of its dynamics call.
func TestSystems(t *testing.T) {
	for _, s := range catalogue.Systems() {
		has := map[string]bool{
			"Files": s.Files != nil, "Live": s.Live != nil || s.Simulates != "",
			"sets or trajectories": (s.Draw != nil) != (s.Simulated != nil), "Validation": (s.Draw != nil) == (s.Validation != nil),
			"Mirror": (s.Mirrors > 0) == (s.Mirror != nil && s.MirrorFrame != nil), "Quantify": (s.Quantities != nil) == (s.Quantify != nil),
			"Forces": (s.Forces != nil) == (s.Force != ""), "Pictures": (s.Film != system.Film{}) == (s.Pictures != nil),
		}
		if s.Simulated != nil {
			has["Tests"], has["PerSecond"] = s.Tests != nil && len(s.Tests(0)) > 0, s.PerSecond != nil && s.PerSecond(100) > 0
			has["Macro"] = len(s.Macro) > 0
		}
		for what, ok := range has {
			if !ok {
				t.Errorf("%s: %s", s.Name, what)
			}
		}
	}
}
