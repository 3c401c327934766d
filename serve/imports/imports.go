// Package imports checks which packages import which. The tests at the roots of
// the module's packages, sim/imports_test.go, model/imports_test.go and so on,
// hold the tables.
package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const module = "macroscope/"

// Table says what the packages below one root import.
type Table struct {
	// Root is the folder that the table rules, such as "model".
	Root string
	// May names for every package what it may import of this module, directly.
	// Names are relative to the module, and "a/..." is a and all below it. A
	// package that does not exist yet may have its row already; one without a
	// row is an error.
	May map[string][]string
	// Never lists what must not be reached, however indirectly.
	Never []Ban
}

// Ban keeps packages from reaching others, of this module or any other.
type Ban struct {
	From    string   // as in May
	Targets []string // "linux/amd64", "js/wasm"; nil is both
	Paths   []string // import paths; those below them are banned too
	Reason  string
}

// graph is what every package imports directly, by import path.
type graph map[string][]string

// Check tests the table for both targets of the module.
func Check(t *testing.T, table Table) {
	needGo(t)
	for _, target := range []string{"linux/amd64", "js/wasm"} {
		t.Run(target, func(t *testing.T) {
			g, err := load(target)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range table.problems(g, target) {
				t.Error(p)
			}
		})
	}
}

// needGo skips a test where there can be no go command.
func needGo(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("a program in WebAssembly cannot run the go command")
	}
}

// load asks the go command for the whole module and all that it depends on.
func load(target string) (graph, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	if err := visit(root); err != nil {
		return nil, err
	}
	goos, goarch, _ := strings.Cut(target, "/")
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports", "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch)
	out, err := cmd.Output()
	if err != nil {
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w\n%s", err, e.Stderr)
		}
		return nil, fmt.Errorf("go list for %s: %w", target, err)
	}
	g := graph{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err == io.EOF {
			return g, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", target, err)
		}
		g[p.ImportPath] = p.Imports
	}
}

// visit looks at every Go file of the module, so that the go command runs a test
// again where one of them has changed: it does not know what a test's own go
// command reads.
func visit(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go"):
			_, err = os.Stat(path)
		}
		return err
	})
}

// moduleRoot returns the module's folder, which is this one or above it.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		err = errors.New("no go.mod here or above")
	}
	return "", err
}

// problems returns a sentence for everything that breaks the table.
func (table Table) problems(g graph, target string) (out []string) {
	ruled := 0
	for _, path := range slices.Sorted(maps.Keys(g)) {
		pkg := strings.TrimPrefix(path, module)
		if pkg == path || !match(table.Root+"/...", pkg) {
			continue
		}
		ruled++
		may, ok := table.May[pkg]
		if !ok {
			out = append(out, fmt.Sprintf("%s is not in the table of %s/imports_test.go: add what it may import", pkg, table.Root))
		}
		for _, imported := range g[path] {
			name := strings.TrimPrefix(imported, module)
			if name != imported && ok && !slices.ContainsFunc(may, func(p string) bool { return match(p, name) }) {
				out = append(out, fmt.Sprintf("%s imports %s, which the table of %s/imports_test.go does not allow", pkg, name, table.Root))
			}
		}
		for _, ban := range table.Never {
			if !match(ban.From, pkg) || ban.Targets != nil && !slices.Contains(ban.Targets, target) {
				continue
			}
			if way := g.way(path, ban.Paths); way != nil {
				out = append(out, fmt.Sprintf("%s: %s", strings.Join(way, " imports "), ban.Reason))
			}
		}
	}
	if ruled == 0 {
		out = append(out, fmt.Sprintf("no package below %s was found", table.Root))
	}
	return out
}

// match reports whether a name is the pattern's.
func match(pattern, name string) bool {
	if top, all := strings.CutSuffix(pattern, "/..."); all {
		return below(top, name)
	}
	return pattern == name
}

// below reports whether a path is top or lies below it.
func below(top, path string) bool { return path == top || strings.HasPrefix(path, top+"/") }

// way returns a shortest chain of imports from a package to a banned one, nil
// if there is none.
func (g graph) way(from string, banned []string) []string {
	came := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if slices.ContainsFunc(banned, func(b string) bool { return below(b, at) }) {
			var way []string
			for ; at != ""; at = came[at] {
				way = append(way, at)
			}
			slices.Reverse(way)
			return way
		}
		for _, next := range g[at] {
			if _, seen := came[next]; !seen {
				came[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}
