package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"macroscope/model/lab/catalogue"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
	"macroscope/ui/scene"
)

// TestSymbolsAreExplained checks that a lab's help explains every symbol in the lab's panel, in the
// opening picture, and in all texts of the drawing code.
func TestSymbolsAreExplained(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	id, sign := regexp.MustCompile(`id="symbol-([^"]+)"`), regexp.MustCompile(`data-sign="symbol-([^"]+)"`)
	common := written(t, "../../ui/panel/*.go", "../../ui/chart/*.go", "../../ui/scene/shared.go")
	for _, l := range catalogue.All() {
		parts, err := b.panel(l)
		if err != nil {
			t.Fatal(err)
		}
		explained, shown := map[string]bool{}, map[string]string{}
		for _, content := range parts {
			for _, m := range id.FindAllStringSubmatch(content, -1) {
				explained[m[1]] = true
			}
			for _, m := range sign.FindAllStringSubmatch(content, -1) {
				shown[m[1]] = "the panel"
			}
		}
		if len(explained) < 5 {
			t.Fatalf("%s explains %v", l.Link(), explained)
		}
		name := l.Link()
		if !l.Timed() {
			name = "line"
		}
		maps.Copy(shown, written(t, "../../ui/scene/"+name+".go"))
		frame, err := b.still(l)
		if err != nil {
			t.Fatal(err)
		}
		picture := scene.Open(l.Link(), glyph.New(), func(kind, value string) {})
		if err := picture.Decode(frame); err != nil {
			t.Fatal(err)
		}
		picture.Resize(posterWidth, posterHeight, 1)
		picture.Advance(1)
		picture.Draw(new(plot.Batch))
		for _, sign := range picture.Signs() {
			shown[sign.Name()] = "the picture"
		}
		if l.Timed() {
			maps.Copy(shown, common)
		}
		for sign, where := range shown {
			of, _, _ := strings.Cut(sign, "_")
			if l.Describe != nil && strings.HasSuffix(where, "/portrait.go") { // this lab has no latent portrait
				continue
			}
			if !explained[sign] && !explained[of] {
				t.Errorf("%s: %s, in %s, is not explained", l.Link(), sign, where)
			}
		}
	}
}

// written returns the symbols in all string literals of Go files, each with the name of its file.
func written(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	signs := map[string]string{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					text, _ := strconv.Unquote(literal.Value)
					for _, sign := range signsIn(text) {
						signs[sign] = name
					}
				}
				return true
			})
		}
	}
	return signs
}

// signsIn returns the symbols that the atlas records when a text is drawn.
func signsIn(text string) (names []string) {
	b := brush.New(glyph.New())
	b.Size, b.Batch = 12, new(plot.Batch)
	b.Label(text, 0, 0, glyph.Left, plot.Color{})
	for _, s := range b.Signs {
		names = append(names, s.Name())
	}
	return names
}
