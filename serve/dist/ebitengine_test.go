package main

import (
	"strings"
	"testing"
)

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
