package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGuide renders the guide, and checks that every target of its links is in the bundle,
// including headings.
func TestGuide(t *testing.T) {
	b, err := collect("../../assets")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.addGuide(os.DirFS("../../assets")); err != nil {
		t.Fatal(err)
	}
	b["wasm_exec.js"], b[licencesFile] = nil, nil // the build adds these files
	if err := b.checkReferences(); err != nil {
		t.Error(err)
	}
	link := regexp.MustCompile(`href="([a-z-]+\.html)#([^"]+)"`)
	for _, name := range guidePages {
		html := string(b["guide/"+name+".html"])
		if strings.Count(html, "<h1") != 1 || !strings.Contains(html, `aria-current="page"`) {
			t.Errorf("%s: want one heading of the first level, and the page marked in the list", name)
		}
		if strings.Contains(html, "<pre>") || strings.Contains(html, "<th></th>") {
			t.Errorf("%s: code that scrolls cannot be reached by Tab, or a heading of a table is empty", name)
		}
		for _, m := range link.FindAllStringSubmatch(html, -1) {
			if !strings.Contains(string(b["guide/"+m[1]]), `id="`+m[2]+`"`) {
				t.Errorf("%s links to %s#%s, a heading that is not there", name, m[1], m[2])
			}
		}
	}
}

// TestTypeset checks that indices are set in text, but not in code, and that numbers and flags stay
// on one line.
func TestTypeset(t *testing.T) {
	for html, want := range map[string]string{
		`<a href="a_X-9e-6">q_X, R_AB</a>`: `<a href="a_X-9e-6">q<sub>X</sub>, R<sub>AB</sub></a>`,
		"<td>1.2e-5 ± 6e-6</td>":           "<td><span>1.2e-5</span> ± <span>6e-6</span></td>",
		"<code>eval -tests q_X</code> -n":  "<code>eval <span>-tests</span> q_X</code> <span>-n</span>",
		"in-dst, order-dependent, 24 000":  "<span>in-dst</span>, order-dependent, <span>24 000</span>",
	} {
		if got := typeset(html); got != want {
			t.Errorf("%s becomes %s, want %s", html, got, want)
		}
	}
}

// TestPaths checks that the files and folders in the README and the guide exist, and that the files have the functions
// that are named with them, as in `model/lab/session/session.go: settle, Work`.
func TestPaths(t *testing.T) {
	named := regexp.MustCompile("`((?:assets|model|serve|sim|ui|wasm)/[\\w./-]+)(?:: ([\\w, ]+))?`")
	placeholder := regexp.MustCompile(`/x\b|[A-Z]{3}`) // system/x, tours/LAB.json
	link := regexp.MustCompile(`\]\(([^):#]+)(?:#[^)]*)?\)`)
	found, functions := 0, 0
	for _, page := range append([]string{"../../README.md"}, guideFiles(t)...) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(text, -1) {
			name := string(m[1])
			if placeholder.MatchString(name) {
				continue
			}
			found++
			if _, err := os.Stat("../../" + name); err != nil {
				t.Errorf("%s names %s, which is not there", page, name)
			}
			if len(m[2]) == 0 {
				continue
			}
			code, err := os.ReadFile("../../" + name)
			if err != nil {
				continue
			}
			declared := `(?m)^func (?:\([^)]*\) )?%s[[(]`
			if strings.HasSuffix(name, ".js") {
				declared = `(?m)^ +(?:async |function )*%s\(.*\{$`
			}
			for function := range strings.SplitSeq(string(m[2]), ", ") {
				functions++
				if !regexp.MustCompile(fmt.Sprintf(declared, function)).Match(code) {
					t.Errorf("%s names the function %s of %s, which is not there", page, function, name)
				}
			}
		}
		for _, m := range link.FindAllSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), string(m[1]))); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
	if found < 50 || functions < 50 {
		t.Errorf("found %d names of files and %d of functions", found, functions)
	}
}

func guideFiles(t *testing.T) []string {
	names, err := filepath.Glob("../../assets/guide/*.md")
	if err != nil || len(names) != len(guidePages)-1 {
		t.Fatalf("the guide's folder holds %q, want all of %q but %s (error %v)", names, guidePages, paperPage, err)
	}
	return names
}

// TestGuideLink checks that links to Markdown pages lead to the rendered pages.
func TestGuideLink(t *testing.T) {
	for address, want := range map[string]string{
		"results.md": "results.html", "results.md#mixing": "results.html#mixing", "../paper/laptop/README.md#a": "paper.html#a",
		"https://example.org/a.md": "https://example.org/a.md", "http://localhost:8080/?tour=1#lab=demo": "../index.html?tour=1#lab=demo", "#here": "#here",
	} {
		if got := guideLink(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
