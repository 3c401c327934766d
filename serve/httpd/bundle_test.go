package httpd

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNotBuilt(t *testing.T) {
	empty := t.TempDir()
	for _, root := range []string{empty, filepath.Join(empty, "none")} {
		_, err := New(root, nil)
		if !errors.Is(err, ErrNotBuilt) {
			t.Fatalf("New(%q): got error %v, want ErrNotBuilt", root, err)
		}
		if !strings.Contains(err.Error(), "make build") {
			t.Errorf("New(%q): %q does not say what to do", root, err)
		}
	}
	plain := filepath.Join(empty, "plain")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := New(plain, nil); err == nil {
		t.Error("New of a plain file: got no error")
	}
	// A folder counts as the lab only if it contains index.html itself, not a link to a file
	// outside.
	if err := os.Symlink(filepath.Join(bundle(t), indexName), filepath.Join(empty, indexName)); err == nil {
		if _, err := New(empty, nil); !errors.Is(err, ErrNotBuilt) {
			t.Errorf("New of a folder whose index is a link: got error %v, want ErrNotBuilt", err)
		}
	}
}

// TestForeignFiles serves a lab with names that are not UTF-8, and with compressed forms that are stale or
// damaged. The names are left out, and the files are sent as they are.
func TestForeignFiles(t *testing.T) {
	root := bundle(t)
	put := func(name, body string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(body), 0o644); err != nil {
			t.Skip(err) // a system that allows no such name
		}
	}
	put("caf\xe9.txt", "latin 1")
	if err := os.Mkdir(filepath.Join(root, "\xff"), 0o755); err != nil {
		t.Skip(err)
	}
	put("\xff/a.txt", "in a folder")
	put("index.html", page+"newer")
	put("app.wasm.br", brotlied(t, "other")[:5])
	put("models/demo.bin", strings.Repeat("0123456789", 50))
	put("models/demo.bin.gz", gzipped(t, strings.Repeat("0123456789", 49)))
	put("lab.webmanifest", strings.Repeat(" ", 500)+"{}")
	put("lab.webmanifest.gz", gzipped(t, strings.Repeat(" ", 500)+"{}"))
	files, err := load(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, forms := range map[string]int{"index.html": 1, "app.wasm": 1, "models/demo.bin": 1, "lab.webmanifest": 2} {
		if f := files[name]; f == nil || len(f.forms) != forms {
			t.Errorf("%s has the forms %v, want %d", name, f, forms)
		}
	}
	for name := range files {
		if !utf8.ValidString(name) || name == "index.html.br" {
			t.Errorf("%q is served", name)
		}
	}
}

// TestLimits checks that New does not read the files of a folder that is not a lab, or that is far
// larger than a lab.
func TestLimits(t *testing.T) {
	sparse := func(root, name string, size int64) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
	}
	allocated := func(root string) (bytes uint64, err error) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = New(root, nil)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, err
	}
	other := t.TempDir()
	sparse(other, "film.bin", 100<<20)
	if n, err := allocated(other); !errors.Is(err, ErrNotBuilt) || n > 10<<20 {
		t.Errorf("a folder without a page: %d bytes read, error %v", n, err)
	}
	large := bundle(t)
	sparse(large, "film.bin", 1<<40)
	if n, err := allocated(large); err == nil || !strings.Contains(err.Error(), "more than 512 MiB") || n > 10<<20 {
		t.Errorf("a folder of 1 TiB: %d bytes read, error %v", n, err)
	}
}

func TestFind(t *testing.T) {
	root := bundle(t)
	t.Chdir(filepath.Dir(root))
	if got, err := Find(); err != nil || got != "dist" {
		t.Errorf("Find: got %q, %v, want dist", got, err)
	}
	if _, err := New("", nil); err != nil {
		t.Errorf("New of no folder: got %v, want the one that Find finds", err)
	}
	t.Chdir(t.TempDir())
	if got, err := Find(); !errors.Is(err, ErrNotBuilt) {
		t.Errorf("Find where there is none: got %q, %v, want ErrNotBuilt", got, err)
	}
	if got, err := first([]string{t.TempDir(), root}); err != nil || got != root {
		t.Errorf("first: got %q, %v, want %q", got, err, root)
	}
}

// TestReadOnce checks that later changes of the folder have no effect.
func TestReadOnce(t *testing.T) {
	root := bundle(t)
	h, err := New(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if got := ask(h, "GET", "/"); got.Code != 200 || got.Body.String() != page {
		t.Errorf("after the folder is gone: got status %d, want the page", got.Code)
	}
}

func TestCacheControl(t *testing.T) {
	for name, want := range map[string]string{
		"index.html":                 "no-cache",
		"sw.js":                      "no-cache",
		"app.wasm":                   "no-cache",
		"app.5e0d3c1b.wasm":          "public, max-age=31536000, immutable",
		"fonts/a-0123456789ab.woff2": "public, max-age=31536000, immutable",
		"defaced.js":                 "no-cache",
		"5e0d3c1b.d/app.js":          "no-cache",
	} {
		if got := cacheControl(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
