package imports

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTree compares the tree of packages in README.md with the module: every package is there, and imports packages of
// its own line, of lines above it, and of its own folder.
func TestTree(t *testing.T) {
	needGo(t)
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n    assets/")
	tree, _, found := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatal("README.md has no tree of packages that begins with assets/")
	}
	lines := treeLines(t, root, tree)
	g, err := load("linux/amd64")
	if err != nil {
		t.Fatal(err)
	}
	for name, imported := range g {
		own, ours := strings.CutPrefix(name, module)
		if !ours || !strings.Contains(own, "/") { // the package of a top folder
			continue
		}
		line, there := lines[own]
		if !there {
			t.Errorf("the tree of README.md lacks the package %s", own)
			continue
		}
		for _, other := range imported {
			other, ours := strings.CutPrefix(other, module)
			if ours && lines[other] > line && !strings.HasPrefix(other, own+"/") {
				t.Errorf("%s imports %s, which has a lower line in the tree of README.md", own, other)
			}
		}
	}
}

// treeLines returns the lines of packages in a tree. A line begins with a folder, or continues the folder above it. Its
// words are packages in this folder, or in a folder on a line of the tree; a word with a slash is a folder whose packages
// follow. A description comes after three spaces or more.
func treeLines(t *testing.T, root, tree string) map[string]int {
	lines := make(map[string]int)
	top, folder := "", ""
	for n, line := range strings.Split(tree, "\n") {
		if n == 0 { // assets
			continue
		}
		text := strings.TrimLeft(line, " ")
		head, rest, _ := strings.Cut(text, " ")
		name, isFolder := strings.CutSuffix(head, "/")
		switch indent := len(line) - len(text); {
		case indent == 4:
			top, folder, text = name, name, rest
		case indent == 6 && isFolder:
			folder, text = path.Join(top, name), rest
			lines[folder] = n
		case indent == 6:
			folder = top
		}
		names, _, _ := strings.Cut(strings.TrimLeft(text, " "), "   ")
		for _, word := range strings.Fields(names) {
			name := strings.TrimSuffix(word, "/")
			in := slices.DeleteFunc(slices.Sorted(maps.Keys(lines)), func(of string) bool { return !strings.HasPrefix(of, folder+"/") })
			in = slices.DeleteFunc(append(in, folder), func(of string) bool {
				_, err := os.Stat(filepath.Join(root, of, name))
				return err != nil
			})
			if len(in) != 1 {
				t.Errorf("README.md names a package %s below %s, which is in the folders %q", name, folder, in)
				continue
			}
			lines[path.Join(in[0], name)] = n
		}
	}
	return lines
}
