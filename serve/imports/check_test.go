package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestProblems checks the imports of a small module against tables of allowed and banned imports.
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

// TestOtherBuilds type-checks packages for builds that "make test" does not compile: the NEON
// forms, the build without SIMD, and the command line in WebAssembly. Type-checking takes a
// twentieth of the time of compiling.
func TestOtherBuilds(t *testing.T) {
	needGo(t)
	for _, tc := range []struct{ target, experiment, packages string }{
		{"linux/arm64", "simd", "./model/compute/kernel ./sim/..."},
		{"linux/amd64", "nosimd", "./model/compute/kernel ./sim/..."},
		{"js/wasm", "simd", "./serve/cmd"},
	} {
		t.Run(tc.target+" "+tc.experiment, func(t *testing.T) {
			t.Setenv("GOEXPERIMENT", tc.experiment)
			t.Setenv("CGO_ENABLED", "0")
			const format = "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \" \"}}"
			list, err := goTool("../..", tc.target, append([]string{"list", "-deps", "-f", format}, strings.Fields(tc.packages)...)...)
			if err != nil {
				t.Fatal(err)
			}
			fset, known := token.NewFileSet(), imported{"unsafe": types.Unsafe}
			for line := range strings.Lines(list) { // dependencies come first
				field := strings.Split(line, "\t")
				if field[0] == "unsafe" {
					continue
				}
				var files []*ast.File
				for name := range strings.FieldsSeq(field[2]) {
					f, err := parser.ParseFile(fset, filepath.Join(field[1], name), nil, parser.SkipObjectResolution)
					if err != nil {
						t.Fatal(err)
					}
					files = append(files, f)
				}
				own := strings.HasPrefix(field[0], module)
				config := types.Config{Importer: known, Sizes: types.SizesFor("gc", filepath.Base(tc.target)), IgnoreFuncBodies: !own, Error: func(err error) { t.Error(err) }}
				known[field[0]], _ = config.Check(field[0], fset, files, nil)
			}
			if known[module+"sim/polymer"] == nil || known[module+"model/compute/kernel"] == nil {
				t.Errorf("polymer and kernel are not among the %d packages", len(known))
			}
		})
	}
}

// imported holds the checked packages, by path.
type imported map[string]*types.Package

// Import returns the checked package with this path. If there is none, it returns the package that
// the standard library has under this path in its folder vendor.
func (m imported) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	return m["vendor/"+path], nil
}
