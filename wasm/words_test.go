package wasm_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page tells and shows facts; sentences and labels are for people. These tests keep code from
// deciding by words, which would change what the page does when a word is improved. Whether there is a
// sentence at all (x == "") is a fact.

// worded contains the names of fields that hold words for people.
var worded = map[string]bool{
	"Label": true, "Labels": true, "Hint": true, "Summary": true, "Task": true, "Warning": true, "Doing": true, "Detail": true, "Note": true, "Title": true,
	"Text": true, "LeftWhat": true, "leftWhat": true, "Tagline": true, "Reached": true,
}

// sentences contains the names of methods that return words for people.
var sentences = map[string]bool{"Error": true, "InWords": true, "Label": true, "About": true, "Note": true}

// readers contains the functions that find out what a text says.
var readers = regexp.MustCompile(`^((strings|bytes)\.(HasPrefix|HasSuffix|Contains\w*|Cut\w*|Index\w*|LastIndex\w*|Split\w*|Fields\w*|Trim(Prefix|Suffix|Left|Right)\w*|EqualFold|Compare|Equal|Count)|strconv\.(Atoi|Parse\w+)|fmt\.Sscan\w*|regexp\.\w+)$`)

// readings returns the places in a Go file where code finds out what words for people say.
func readings(name string, source any) (found []string, err error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, source, 0)
	if err != nil {
		return nil, err
	}
	at := func(n ast.Node, what string) {
		found = append(found, fmt.Sprintf("%s:%d: %s", name, files.Position(n.Pos()).Line, what))
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && (isWords(n.X) && isText(n.Y) || isWords(n.Y) && isText(n.X)) {
				at(n, "words are compared")
			}
		case *ast.SwitchStmt:
			if n.Tag != nil && isWords(n.Tag) {
				at(n, "a switch over words")
			}
		case *ast.CallExpr:
			of, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) == 0 {
				break
			}
			if pkg, ok := of.X.(*ast.Ident); ok && readers.MatchString(pkg.Name+"."+of.Sel.Name) && isWords(n.Args[0]) {
				at(n, pkg.Name+"."+of.Sel.Name+" reads words")
			}
		}
		return true
	})
	return found, nil
}

// isWords reports whether an expression is a field with words, one of its elements, or a sentence of a
// method.
func isWords(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return worded[e.Sel.Name]
	case *ast.IndexExpr:
		return isWords(e.X)
	case *ast.ParenExpr:
		return isWords(e.X)
	case *ast.CallExpr:
		if of, ok := e.Fun.(*ast.SelectorExpr); ok {
			if pkg, ok := of.X.(*ast.Ident); ok && (pkg.Name == "strings" || pkg.Name == "bytes") && len(e.Args) > 0 {
				return isWords(e.Args[0])
			}
			return sentences[of.Sel.Name] || of.Sel.Name == "String" && isOrigin(of.X)
		}
	}
	return false
}

// isOrigin reports whether an expression is the origin of weights.
func isOrigin(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok {
		e = call.Fun
	}
	of, ok := e.(*ast.SelectorExpr)
	return ok && strings.EqualFold(of.Sel.Name, "origin")
}

// isText reports whether an expression can be a text with words: it is neither nil nor "" nor a number.
func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name != "nil" && e.Name != "true" && e.Name != "false"
	case *ast.BasicLit:
		return e.Kind == token.STRING && len(e.Value) > 2
	case *ast.CompositeLit, *ast.ParenExpr:
		return false
	}
	return true
}

// TestNoGoReadsWords checks the Go code of the page.
func TestNoGoReadsWords(t *testing.T) {
	for _, root := range []string{"../model/lab", "../model/wire", "../ui", "../wasm"} {
		n := 0
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			n++
			found, err := readings(path, nil)
			for _, f := range found {
				t.Error(f)
			}
			return err
		})
		if err != nil || n == 0 {
			t.Errorf("%s: %d files, %v", root, n, err)
		}
	}
}

// TestReadings checks that the test above sees what it is to see.
func TestReadings(t *testing.T) {
	for code, want := range map[string]int{
		`strings.HasSuffix(t.Origin().String(), retargeted)`:   1,
		`a.Origin.String() == "shipped with the lab"`:          1,
		`strings.HasPrefix(strings.ToLower(p.Doing), "stage")`: 1,
		`st.Labels["train"] == "Stop"`:                         1,
		`"–" != at.Text`:                                       1,
		`a.Detail == b.Detail`:                                 1,
		`strings.Contains(err.Error(), "full")`:                1,
		`c.Label == ""`:                                        0,
		`strings.HasPrefix(file.Name, "x")`:                    0,
		`f.Text() == f.Absent`:                                 0,
	} {
		found, err := readings("a.go", "package a\nvar _ = "+code)
		if err != nil || len(found) != want {
			t.Errorf("%s: %q, %v, want %d", code, found, err, want)
		}
	}
}

const jsWords = `(?:textContent|innerText|innerHTML|labels?|hint|summary|warning|task|detail|title|text|model|note|tagline|words|carries)`

// jsReadings match JavaScript that finds out what words say: a method of a text, a test by a regular
// expression, and a comparison with a text or with other words.
var jsReadings = []*regexp.Regexp{
	regexp.MustCompile(`\b` + jsWords + `\b(?:\(\))?(?:\??\.\[[^\]]*\]|\??\.[a-z]\w*|\[[^\]]*\])?(?:\s*\?\?\s*""\))?\??\.(?:startsWith|endsWith|includes|indexOf|lastIndexOf|match|matchAll|search|split|localeCompare|at|charAt)\(`),
	regexp.MustCompile(`\.(?:test|exec)\(.*\b` + jsWords + `\b`),
	regexp.MustCompile(`\b` + jsWords + `\b(?:\??\.\[[^\]]*\]|\[[^\]]*\])? *[!=]==? *(?:"[^"]|'[^']|` + "`" + `|[\w.?]*[a-z]\w*)`),
	regexp.MustCompile(`[!=]==? *[\w.?()]*\b` + jsWords + `\b`),
	regexp.MustCompile(`(?:switch|Number|parseInt|parseFloat) *\([^)]*\b` + jsWords + `\b\)`),
}

// allowed contains lines of the shell that read words for a good reason.
var allowed = map[string]string{
	"element.js: if (texts.get(element) === text) return;":                                                      "writes only what has changed",
	"element.js: if (element.textContent !== text) element.textContent = text;":                                 "writes only what has changed",
	"curve.js: [end, ...values] = text.split(\" \").map(Number);":                                               "the value of a setting",
	"panel.js: const found = parts.every((part) => text.includes(part));":                                       "the visitor searches words",
	"sweep.js: if (text === ownText) return;":                                                                   "a file",
	"rich.js: for (const found of text.matchAll(marks)) {":                                                      "typesets marks",
	"rich.js: if (before?.text === text) return;":                                                               "writes only what has changed",
	"rich.js: const same = before?.words === words && before.values.every((value) => element.contains(value));": "writes only the numbers that have changed",
	"survey.js: if (next === text) return;":                                                                     "a file",
}

// TestNoScriptReadsWords checks the modules of the shell.
func TestNoScriptReadsWords(t *testing.T) {
	paths, err := filepath.Glob("../assets/shell/*.js")
	if err != nil || len(paths) < 30 {
		t.Fatal(len(paths), err)
	}
	met := map[string]bool{}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(source), "\n") {
			if !scriptReads(line) {
				continue
			}
			key := filepath.Base(path) + ": " + strings.TrimSpace(line)
			if met[key] = true; allowed[key] == "" {
				t.Errorf("%s:%d reads words: %s", path, i+1, strings.TrimSpace(line))
			}
		}
	}
	for key := range allowed {
		if !met[key] {
			t.Errorf("nothing reads words like this: %s", key)
		}
	}
}

// scriptReads reports whether a line of JavaScript finds out what words say.
func scriptReads(line string) bool {
	code := strings.TrimSpace(line)
	if strings.HasPrefix(code, "//") {
		return false
	}
	for _, r := range jsReadings {
		if r.MatchString(code) {
			return true
		}
	}
	return false
}

// TestScriptReadings checks that the test above sees what it is to see.
func TestScriptReadings(t *testing.T) {
	for code, want := range map[string]bool{
		`const runs = /^Stop/.test(state.labels?.sweeprun ?? "");`:       true,
		`else if (/^(Pause|Stop)/.test(state()?.labels?.train ?? "")) {`: true,
		`if (turns) set(running.test(label) ? "#i-pause" : "#i-train");`: true,
		`put(where, label === control.label ? " here" : " left");`:       true,
		`else if (place.textContent !== "–") show();`:                    true,
		`const of = state()?.model === sweptHere;`:                       true,
		`if (refused?.text === text) return;`:                            true,
		`if ((state.summary ?? "").includes("fails")) x();`:              true,
		`if (button.textContent.startsWith("Stop")) x();`:                true,
		`if (state.labels?.train.startsWith("Stop")) x();`:               true,
		`put(words, state.labels?.[control.id] || control.label);`:       false,
		`if (!text) return;`: false,
		`const runs = state.tasks?.sweeprun === "running";`: false,
		`if (state.values?.method !== method) send();`:      false,
	} {
		if got := scriptReads(code); got != want {
			t.Errorf("%t, want %t: %s", got, want, code)
		}
	}
}
