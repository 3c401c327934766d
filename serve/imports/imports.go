// Package imports checks which packages import which others. The tables are in tests at the
// roots of the module's packages, such as sim/imports_test.go and model/imports_test.go.
package imports

import (
	"errors"
	"fmt"
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

// Table states the allowed imports of the packages below one root.
type Table struct {
	// Root is the folder with the packages of the table, such as "model".
	Root string
	// The field May has a row for each package. The row lists the packages of this module that the
	// package may import directly. Names are relative to the module. "a/..." stands for a and
	// everything below it. A package without a row is an error. A row without a package is not an
	// error.
	May map[string][]string
	// Never lists packages that must not be imported, not even indirectly.
	Never []Ban
}

// Ban forbids packages to import other packages, even indirectly.
type Ban struct {
	From    string   // packages, in the form of the names in `May`
	Targets []string // "linux/amd64", "js/wasm"; nil: both
	Paths   []string // banned import paths; packages below them are banned too
	Reason  string
}

// graph holds the direct imports of every package, by import path.
type graph map[string][]string

// Check checks the table for both targets of the module.
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

// needGo skips a test if there is no go command.
func needGo(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("a program in WebAssembly cannot run the go command")
	}
}

// load asks the go command for the whole module and its dependencies.
func load(target string) (graph, error) {
	mod, err := goTool("", target, "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(strings.TrimSpace(mod))
	if err := visit(root); err != nil {
		return nil, err
	}
	list, err := goTool(root, target, "list", "-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	g := graph{}
	for line := range strings.Lines(list) {
		names := strings.Fields(line)
		g[names[0]] = names[1:]
	}
	return g, err
}

// goTool returns the output of the go command in a folder; "" means the working directory.
func goTool(dir, target string, args ...string) (string, error) {
	goos, goarch, _ := strings.Cut(target, "/")
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch)
	out, err := cmd.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w\n%s", err, e.Stderr)
	}
	if err != nil {
		err = fmt.Errorf("go %s for %s: %w", args[0], target, err)
	}
	return string(out), err
}

// visit looks up every Go file of the module. go test repeats a cached test only after a change of
// a file that the test itself opened or looked up. Without visit, go test would not notice changes
// in files that only the go command reads.
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

// problems returns a sentence for every violation of the table.
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

// match reports whether a pattern of a table includes a name.
func match(pattern, name string) bool {
	if top, all := strings.CutSuffix(pattern, "/..."); all {
		return below(top, name)
	}
	return pattern == name
}

// The function `below` reports whether a path is the path `top` or lies below `top`.
func below(top, path string) bool { return path == top || strings.HasPrefix(path, top+"/") }

// way returns a chain of imports from a package to a banned package, or nil.
func (g graph) way(from string, banned []string) []string {
	seen := map[string]bool{}
	var search func(at string) []string
	search = func(at string) []string {
		if slices.ContainsFunc(banned, func(b string) bool { return below(b, at) }) {
			return []string{at}
		}
		seen[at] = true
		for _, next := range g[at] {
			if !seen[next] {
				if rest := search(next); rest != nil {
					return append([]string{at}, rest...)
				}
			}
		}
		return nil
	}
	return search(from)
}
