package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCopyModule copies a module that has no file to edit, which is an error. A second copy leaves
// the files as they are.
func TestCopyModule(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	if err := writeFile(from, "a/a.go", []byte("package a\n")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(to, "a", "a.go")
	long, written := time.Unix(1e9, 0), false
	for range 2 {
		err := copyModule(to, from)
		for _, name := range append(slices.Collect(maps.Keys(ebitengineEdits)), ebitengineShaders...) {
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s is missing, and the error is %v", name, err)
			}
		}
		if info, err := os.Stat(file); err != nil || written && !info.ModTime().Equal(long) {
			t.Errorf("an equal file is written again: %v, %v", info, err)
		}
		written = true
		if err := os.Chtimes(file, long, long); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEdited(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		edit     edit
		want     string
	}{
		{"take out", "a b c", without("b "), "a c"},
		{"up to", "a b c d", edit{from: "b", upTo: "d", with: "x"}, "a xd"},
		{"to the end", "a b c", edit{from: "b", upTo: endOfFile, with: "x"}, "a x"},
		{"append", "a", edit{with: "b"}, "ab"},
		{"missing", "a", without("b"), ""},
		{"twice", "b b", without("b"), ""},
		{"no end", "a b", edit{from: "a", upTo: "c"}, ""},
	} {
		got, err := edited(tc.in, []edit{tc.edit})
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: got %q, %v, want %q", tc.name, got, err, tc.want)
		}
	}
}

func TestUnrolled(t *testing.T) {
	got, err := unrolled("package p\n\nimport (\n\t\"fmt\"\n)\n\ntype Filter int\n\nvar (\n\tshaders int\n)\n\nvar tmpl = template.Must(template.New(\"tmpl\").Parse(`" +
		"{{if eq .Filter .FilterLinear}}linear{{else}}other{{end}} {{.Address}}`))\n\nfunc ShaderSource() []byte {\n\treturn b\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"other 0"`, `"linear 2"`, "func ShaderSource(", "return b\n}\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "template") || strings.Contains(got, "import") {
		t.Errorf("a template is left in\n%s", got)
	}
	if _, err := unrolled("package p"); err == nil {
		t.Error("a file without a template: got no error")
	}
}
