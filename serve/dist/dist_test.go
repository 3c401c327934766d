package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
)

// small returns a minimal bundle that assemble accepts.
func small() bundle {
	return bundle{
		"index.html":         []byte(`<link href="style.css"><script src="shell/main.js"></script>` + strings.Repeat("<p>text</p>", 50)),
		"style.css":          []byte(`body { background: url("icon.svg") }`),
		"icon.svg":           []byte("<svg/>"),
		"shell/main.js":      []byte("import { a } from \"./a.js\";\n"),
		"shell/a.js":         []byte("export const a = 1;\n"),
		"sw.js":              []byte("const VERSION = \"dev\";\nconst FILES = {};\naddEventListener();\n"),
		"app.wasm":           []byte("\x00asm" + strings.Repeat("app", 1000)),
		"licences.txt":       []byte("all of them"),
		"models/demo.weight": noise(2000),
	}
}

// noise returns bytes that cannot be compressed.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

func TestCollect(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"index.html": "page", "shell/main.js": "script", "deep/er/font.woff2": "font",
		".DS_Store": "", ".git/config": "", "README.md": "", "assets.go": "", "shell/testdata/x.js": "",
		"python/test_it.py": "", "python/__pycache__/it.pyc": "",
	}
	for name, body := range files {
		if err := writeFile(dir, name, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := collect(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := b.names(), []string{"deep/er/font.woff2", "index.html", "shell/main.js"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := string(b["shell/main.js"]); got != "script" {
		t.Errorf("shell/main.js: got %q, want what was written", got)
	}
	if _, err := collect(filepath.Join(dir, "none")); err == nil {
		t.Error("no assets: got no error")
	}
}

func TestAnnounce(t *testing.T) {
	b := bundle{
		pageFile: []byte(`<progress data-version="" data-sizes="{}" data-sums="{}" data-models="{}"></progress>`),
		appFile:  make([]byte, 1000), firstFile: make([]byte, 200), workerFile: make([]byte, 300),
	}
	if err := b.announce(session.List{catalogue.Line(), catalogue.Mixing()}, "0a1b"); err != nil {
		t.Fatal(err)
	}
	if got, want := string(b[pageFile]), `<progress data-version="0a1b" data-sizes='{"app.wasm":1000,"worker-first.wasm":200,"worker.wasm":300}' data-sums='{"app.wasm":101390208,"worker-first.wasm":3379669110,"worker.wasm":3040120786}' data-models='{"demo":"models/line-flow-tunable.safetensors","mixing":"models/mixing-flow-tunable.safetensors"}'></progress>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSeal checks that the page has a digest of each of its scripts.
func TestSeal(t *testing.T) {
	b := bundle{"shell/a.js": []byte("a"), "b.js": []byte("b"), pageFile: []byte(`<script src="b.js"></script><link rel="icon" href="i"><link rel="modulepreload" href="shell/a.js"><script type="module" src="shell/a.js"></script>`)}
	b.seal()
	const a = `integrity="sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs="`
	if got, want := string(b[pageFile]), `<script src="b.js"></script><link rel="icon" href="i"><link rel="modulepreload" href="shell/a.js" `+a+`><script type="module" src="shell/a.js" `+a+`></script>`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	page, err := os.ReadFile("../../assets/index.html")
	if err != nil {
		t.Fatal(err)
	}
	if n, all := len(scripts.FindAll(page, -1)), bytes.Count(page, []byte(".js\"")); n != all-1 || n < 30 {
		t.Errorf("%d of %d scripts of the page would have a digest", n, all)
	}
}

func TestStamp(t *testing.T) {
	b := small()
	version := b.version()
	if err := b.stamp(version); err != nil {
		t.Fatal(err)
	}
	source := string(b["sw.js"])
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(version) || !strings.Contains(source, `const VERSION = "`+version+`";`) {
		t.Errorf("no version in %s", source)
	}
	list := regexp.MustCompile(`const FILES = (.*);`).FindStringSubmatch(source)
	if list == nil {
		t.Fatalf("no list in %s", source)
	}
	var digests map[string]string
	if err := json.Unmarshal([]byte(list[1]), &digests); err != nil {
		t.Fatal(err)
	}
	if got, want := digests["icon.svg"], "1NxWZpFD"; got != want {
		t.Errorf("digest of the icon: got %q, want %q", got, want)
	}
	got := slices.Sorted(maps.Keys(digests))
	want := []string{"./", "app.wasm", "icon.svg", "index.html", "models/demo.weight", "shell/a.js", "shell/main.js", "style.css"}
	if !slices.Equal(got, want) {
		t.Errorf("files: got %q, want %q", got, want)
	}
	if !strings.HasSuffix(source, "addEventListener();\n") {
		t.Error("the rest of the service worker has changed")
	}
	for _, bad := range []string{"", versionLine, filesLine, versionLine + versionLine + filesLine} {
		if err := (bundle{"sw.js": []byte(bad)}).stamp(""); err == nil {
			t.Errorf("stamp of %q: got no error", bad)
		}
	}
}

func TestVersion(t *testing.T) {
	base := small().version()
	if again := small().version(); again != base {
		t.Errorf("the same content: got %s and %s", base, again)
	}
	changed := []func(bundle){
		func(b bundle) { b["app.wasm"][5]++ },
		func(b bundle) { b["sw.js"] = append(b["sw.js"], ' ') },
		func(b bundle) { delete(b, "icon.svg") },
		func(b bundle) { b["new"] = nil },
		func(b bundle) { b["icon2.svg"] = b["icon.svg"]; delete(b, "icon.svg") },
	}
	for i, change := range changed {
		b := small()
		change(b)
		if b.version() == base {
			t.Errorf("change %d: the version is the same", i)
		}
	}
}

func TestReferences(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		ok         bool
	}{
		{"a.html", `<a href="https://arxiv.org/abs/1">`, true},
		{"a.html", `<a href="#top"><img src="data:image/png;base64,AA"><a href="./"><a href="index.html?x=1#y">`, true},
		{"a.html", `<script src="shell/main.js">`, true},
		{"a.html", `<script src='/shell/main.js'>`, false},
		{"a.html", `<img src="//cdn.example/x.png">`, false},
		{"a.html", `<img src="none.png">`, false},
		{"deep/a.html", `<script src="shell/main.js">`, false},
		{"deep/a.html", `<script src="../shell/main.js">`, true},
		{"deep/a.html", `<script src="../../shell/main.js">`, false},
		{"a.css", `@import "style.css"; a{ background: url(icon.svg) }`, true},
		{"a.css", `a{ background: url( '/icon.svg' ) }`, false},
		{"a.css", `@import "none.css";`, false},
		{"shell/b.js", "import './a.js';\nimport {\n  a,\n} from \"./a.js\";", true},
		{"shell/b.js", "export { a } from './none.js'", false},
		{"shell/b.js", "import '/shell/a.js'", false},
		{"a.webmanifest", `{"start_url": "./", "icons": [{"src": "icon.svg"}]}`, true},
		{"a.webmanifest", `{"start_url": "/"}`, false},
	} {
		b := small()
		b[tc.name] = []byte(tc.body)
		if err := b.checkReferences(); (err == nil) != tc.ok {
			t.Errorf("%s with %s: got error %v, want ok %t", tc.name, tc.body, err, tc.ok)
		}
	}
}

func TestAssemble(t *testing.T) {
	for _, fast := range []bool{false, true} {
		top := t.TempDir()
		c := config{out: filepath.Join(top, "dist"), work: filepath.Join(top, "work"), fast: fast, budget: budget}
		for round := range 2 { // the second round replaces the first round's folder and uses its cache
			if err := assemble(small(), c, io.Discard); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
		got, err := collect(c.out)
		if err != nil {
			t.Fatal(err)
		}
		want := small()
		want.seal()
		if err := want.stamp(want.version()); err != nil {
			t.Fatal(err)
		}
		for name, body := range want {
			if !bytes.Equal(got[name], body) {
				t.Errorf("fast %t: %s differs from what was put in", fast, name)
			}
			if z, ok := got[name+".gz"]; ok && !bytes.Equal(gunzip(t, z), body) {
				t.Errorf("fast %t: %s.gz holds something else", fast, name)
			}
			if z, ok := got[name+".br"]; ok && !bytes.Equal(unbrotli(t, z), body) {
				t.Errorf("fast %t: %s.br holds something else", fast, name)
			}
		}
		for name, ok := range map[string]bool{
			"app.wasm.gz": true, "app.wasm.br": !fast, "index.html.gz": true,
			"icon.svg.gz": false, "models/demo.weight.br": false, // compression would not make these files smaller
		} {
			if _, have := got[name]; have != ok {
				t.Errorf("fast %t: %s: got %t, want %t", fast, name, have, ok)
			}
		}
		left, err := filepath.Glob(filepath.Join(top, ".*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %q, %v", left, err)
		}
	}
}

func TestBudget(t *testing.T) {
	top := t.TempDir()
	c := config{out: filepath.Join(top, "dist"), work: filepath.Join(top, "work"), fast: true, budget: 100_000}
	b := small()
	b["big.bin"] = noise(c.budget)
	var out strings.Builder
	if err := assemble(maps.Clone(b), c, &out); err != nil {
		t.Errorf("quick build: got %v, want no verdict", err)
	}
	if !strings.Contains(out.String(), "big.bin") {
		t.Errorf("the report does not name the largest file:\n%s", &out)
	}
	c.fast = false
	if err := os.RemoveAll(c.out); err != nil {
		t.Fatal(err)
	}
	if err := assemble(b, c, io.Discard); err == nil || !strings.Contains(err.Error(), "budget") {
		t.Errorf("above the budget: got error %v, want one about it", err)
	}
	if _, err := os.Stat(c.out); err == nil {
		t.Error("a folder was written although the budget is exceeded")
	}
}

// TestWhatIsFetchedWhen checks that every model is available offline, and that the page waits only
// for the demo's first model.
func TestWhatIsFetchedWhen(t *testing.T) {
	for _, tc := range []struct {
		name           string
		first, offline bool
	}{
		{"app.wasm", true, true},
		{"shell/panel.js", true, true},
		{"worker-first.wasm", true, true},
		{"worker.wasm", false, true},
		{"posters/demo.png", true, true},
		{"posters/demo-dark.png", false, true},
		{"posters/mixing.png", false, true},
		{"models/line-flow-tunable.safetensors", true, true},
		{"models/demo-eps0.1-z8.safetensors", false, true},
		{"models/particles-laptop.safetensors", false, true},
		{"shell/axis.js", false, true},
		{"guide/paper.html", false, true},
		{"paper/laptop/table-1.csv", false, true},
		{"python/macroscope.py", false, true},
		{"licences.txt", false, false},
	} {
		if got := firstView(tc.name); got != tc.first {
			t.Errorf("%s: got %t for the first view, want %t", tc.name, got, tc.first)
		}
		if got := offline(tc.name); got != tc.offline {
			t.Errorf("%s: got %t for offline, want %t", tc.name, got, tc.offline)
		}
	}
}

// TestReport checks that the total counts each file of the first view once, in its smallest
// form.
func TestReport(t *testing.T) {
	b := bundle{"a": make([]byte, 100), "b": make([]byte, 50), licencesFile: make([]byte, 1000)}
	got := report(io.Discard, b, forms{"a": {".br": make([]byte, 30), ".gz": make([]byte, 40)}}, 100)
	if want := 30 + 50; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestWriteSparesOtherFolders(t *testing.T) {
	dir := t.TempDir()
	if err := writeFile(dir, "thesis.tex", []byte("years of work")); err != nil {
		t.Fatal(err)
	}
	if err := write(dir, small(), nil); err == nil || !strings.Contains(err.Error(), "left alone") {
		t.Errorf("got error %v, want a refusal", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "thesis.tex")); err != nil {
		t.Errorf("the folder's own file: %v", err)
	}
	if err := write(filepath.Join(dir, "thesis.tex"), small(), nil); err == nil {
		t.Error("a file in the folder's place: got no error")
	}
	empty := t.TempDir()
	if err := write(empty, small(), nil); err != nil {
		t.Errorf("an empty folder: got %v", err)
	}
}

// TestWriteKeepsReleases writes a new lab to the folder of an old lab. The released programs in
// the folder must remain.
func TestWriteKeepsReleases(t *testing.T) {
	out := filepath.Join(t.TempDir(), "dist")
	if err := writeFile(out, "release/program", []byte("built in minutes")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := write(out, small(), nil); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(out, "release", "program")); string(got) != "built in minutes" {
			t.Errorf("the program is %q, %v", got, err)
		}
	}
}

// TestName checks that the page shows the version, and that a page without a place for it is an
// error.
func TestName(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "assets", pageFile))
	if err != nil {
		t.Fatal(err)
	}
	b := bundle{pageFile: page}
	if err := b.name("v1.2 <beta>"); err != nil {
		t.Fatal(err)
	}
	if want := `<span id="version">v1.2 &lt;beta&gt;</span>`; !bytes.Contains(b[pageFile], []byte(want)) {
		t.Errorf("the page does not contain %s", want)
	}
	if err := b.name("v1.3"); err == nil {
		t.Error("a page without a place for the version: got no error")
	}
}

func TestCache(t *testing.T) {
	c := cache{filepath.Join(t.TempDir(), "cache")}
	runs := 0
	counted := codec{".gz", "counted", func(w io.Writer) io.WriteCloser { runs++; return gzip.NewWriter(w) }}
	var first []byte
	for i, body := range []string{"one", "one", "two", "one"} {
		got, err := c.compressed([]byte(body), counted)
		if err != nil {
			t.Fatal(err)
		}
		if s := string(gunzip(t, got)); s != body {
			t.Errorf("got %q, want %q", s, body)
		}
		if i == 0 {
			first = got
		} else if body == "one" && !bytes.Equal(got, first) {
			t.Error("the cache gave something else")
		}
	}
	if runs != 2 {
		t.Errorf("compressed %d times, want 2", runs)
	}
	if err := c.trim(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(c.dir); err != nil || len(left) != 2 {
		t.Errorf("after trim: got %d entries, %v, want both", len(left), err)
	}
}

func TestHoldsEbitengine(t *testing.T) {
	for deps, want := range map[string]string{
		"fmt\nmacroscope/model/lab\n":                          "",
		"fmt\ngithub.com/hajimehoshi/ebiten/v2/vector\nsort\n": "github.com/hajimehoshi/ebiten/v2/vector",
		"github.com/hajimehoshi/ebitenother\n":                 "",
	} {
		if got := holdsEbitengine(deps); got != want {
			t.Errorf("%q: got %q, want %q", deps, got, want)
		}
	}
}

func TestLicence(t *testing.T) {
	dir := t.TempDir()
	if _, err := licence(dir); err == nil {
		t.Error("a module without a licence: got no error")
	}
	for _, name := range []string{"LICENSE.md", "NOTICE", "main.go"} {
		if err := writeFile(dir, name, fmt.Appendf(nil, "text of %s", name)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := licence(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := "text of LICENSE.md\ntext of NOTICE\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func gunzip(t *testing.T, z []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(z))
	if err != nil {
		t.Fatal(err)
	}
	return readAll(t, r)
}

func unbrotli(t *testing.T, z []byte) []byte {
	t.Helper()
	return readAll(t, brotli.NewReader(bytes.NewReader(z)))
}

func readAll(t *testing.T, r io.Reader) []byte {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
