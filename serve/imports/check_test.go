package imports

import (
	"slices"
	"testing"
)

// TestProblems checks tables against a module of four packages.
func TestProblems(t *testing.T) {
	g := graph{
		"macroscope/a":       {"fmt", "macroscope/b/c", "example.org/x"},
		"macroscope/b":       nil,
		"macroscope/b/c":     {"fmt"},
		"macroscope/bad":     {"macroscope/a"},
		"example.org/x":      {"example.org/y/deep"},
		"example.org/y/deep": {"fmt"},
		"fmt":                nil,
	}
	for _, tc := range []struct {
		name  string
		table Table
		want  []string
	}{
		{"allowed by name", Table{Root: "a", May: map[string][]string{"a": {"b/c"}}}, nil},
		{"allowed by tree", Table{Root: "a", May: map[string][]string{"a": {"b/..."}}}, nil},
		{"a row too many", Table{Root: "b", May: map[string][]string{"b": nil, "b/c": nil, "b/later": {"a"}}}, nil},
		{"not allowed", Table{Root: "a", May: map[string][]string{"a": {"b", "bad"}}},
			[]string{"a imports b/c, which the table of a/imports_test.go does not allow"}},
		{"no row", Table{Root: "b", May: map[string][]string{"b": nil}},
			[]string{"b/c is not in the table of b/imports_test.go: add what it may import"}},
		{"nothing ruled", Table{Root: "gone"}, []string{"no package below gone was found"}},
		{"banned", Table{Root: "bad", May: map[string][]string{"bad": {"a"}}, Never: []Ban{{"bad", nil, []string{"example.org/y"}, "why"}}},
			[]string{"macroscope/bad imports macroscope/a imports example.org/x imports example.org/y/deep: why"}},
		{"banned elsewhere", Table{Root: "bad", May: map[string][]string{"bad": {"a"}}, Never: []Ban{
			{"bad", []string{"js/wasm"}, []string{"fmt"}, "why"}, {"b/...", nil, []string{"fmt"}, "why"}, {"bad", nil, []string{"example.org/y/de"}, "why"},
		}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.table.problems(g, "linux/amd64"); !slices.Equal(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestLoad checks that both targets load, and that only the browser's target contains wasm/app.
func TestLoad(t *testing.T) {
	needGo(t)
	for target, app := range map[string]bool{"linux/amd64": false, "js/wasm": true} {
		g, err := load(target)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := g["macroscope/wasm/app"]; ok != app {
			t.Errorf("%s: wasm/app is there: %v, want %v", target, ok, app)
		}
		if g["macroscope/model/compute/nn"] == nil || g["math"] == nil {
			t.Errorf("%s: %d packages, and model/compute/nn or math is not among them", target, len(g))
		}
	}
}
