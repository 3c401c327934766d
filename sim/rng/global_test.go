package rng

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// repeatable lists the names of math/rand/v2 that any package may use: types, and sources that
// need a seed. The other names of math/rand/v2 use the global generator, which has an unknown
// seed.
var repeatable = []string{"Rand", "Source", "PCG", "NewPCG", "ChaCha8", "NewChaCha8", "Zipf", "NewZipf"}

// The map `own` contains the folders of other packages that may call rand.New, and the purpose of
// each call. These packages seed their generators from arguments. Other code must use a stream of
// this package.
var own = map[string]string{
	"model/bench":            "input of benchmarks",
	"model/net/decoder/flow": "the random order of coordinates, whose seed is in the checkpoint",
	"model/net/dynamics":     "one generator a trajectory, seeded by the caller's",
	"model/learn/model":      "one generator a trajectory, seeded by the caller's",
}

// TestOnePlaceForRandomness checks that a run can be repeated from its seed: no file of the
// module uses the global generators, and only tests, this package and a few others make a
// generator themselves.
func TestOnePlaceForRandomness(t *testing.T) {
	checked := map[string]int{}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "node_modules" || d.Name() == "testdata" || path == "bin" || path == "dist") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		src, err := os.ReadFile("../../" + path)
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(path, "/")
		checked[top]++
		problems, err := generators(path, src)
		for _, p := range problems {
			t.Error(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, top := range []string{"sim", "model", "ui", "wasm", "serve"} {
		if checked[top] == 0 {
			t.Errorf("no Go file of %s was checked", top)
		}
	}
}

// generators returns a sentence for each place where a file uses a generator from outside this
// package.
func generators(path string, src []byte) (problems []string, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, src, 0)
	if err != nil {
		return nil, err
	}
	say := func(at token.Pos, format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%s: ", files.Position(at))+fmt.Sprintf(format, args...))
	}
	name := "" // name of math/rand/v2 in this file
	for _, i := range file.Imports {
		switch i.Path.Value {
		case `"math/rand"`:
			say(i.Pos(), "imports math/rand; use sim/rng, or math/rand/v2 with a source of its own")
		case `"math/rand/v2"`:
			name = "rand"
			if i.Name != nil {
				name = i.Name.Name
			}
			if name == "." {
				say(i.Pos(), "imports math/rand/v2 without a name")
			}
		}
	}
	dir := path[:max(strings.LastIndex(path, "/"), 0)]
	mayMake := dir == "sim/rng" || own[dir] != "" || strings.HasSuffix(path, "_test.go")
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		// If Obj is not nil, the name x is declared in this file. Then x is not the package.
		x, ok := s.X.(*ast.Ident)
		if !ok || name == "" || x.Name != name || x.Obj != nil || slices.Contains(repeatable, s.Sel.Name) {
			return true
		}
		if s.Sel.Name != "New" {
			say(s.Pos(), "%s.%s draws from the global generator; use sim/rng", name, s.Sel.Name)
		} else if !mayMake {
			say(s.Pos(), "%s.New makes a generator; use sim/rng", name)
		}
		return true
	})
	return problems, nil
}

func TestGenerators(t *testing.T) {
	const v2 = "package p\nimport \"math/rand/v2\"\n"
	for _, tc := range []struct {
		name, path, src string
		want            []string // texts that the sentences contain
	}{
		{"v1", "model/p/p.go", "package p\nimport _ \"math/rand\"", []string{"p.go:2:8: imports math/rand;"}},
		{"global", "model/p/p.go", v2 + "var x = rand.IntN(3) + f(rand.Shuffle)", []string{"rand.IntN draws", "rand.Shuffle draws"}},
		{"generic", "ui/p/p_test.go", v2 + "var x = rand.N[int](3)", []string{"rand.N draws"}},
		{"another name", "model/p/p.go", "package p\nimport r \"math/rand/v2\"\nvar x = r.Perm(3)", []string{"r.Perm draws"}},
		{"no name", "model/p/p.go", "package p\nimport . \"math/rand/v2\"", []string{"without a name"}},
		{"a variable", "model/p/p.go", v2 + "func f(rand *rand.Rand) int { return rand.IntN(3) }", nil},
		{"another package", "model/p/p.go", "package p\nimport \"crypto/rand\"\nvar x = rand.Int", nil},
		{"a generator", "model/p/p.go", v2 + "var x = rand.New(rand.NewPCG(1, 2))", []string{"rand.New makes"}},
		{"a test's", "model/p/p_test.go", v2 + "var x = rand.New(rand.NewPCG(1, 2))", nil},
		{"this package's", "sim/rng/p.go", v2 + "var x = rand.New(rand.NewPCG(1, 2))", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := generators(tc.path, []byte(tc.src))
			if err != nil || len(got) != len(tc.want) {
				t.Fatalf("got %q, want %q (%v)", got, tc.want, err)
			}
			for i, want := range tc.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
		})
	}
}
