package httpd

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// page is so long that every compressed form of it is smaller.
var page = "<!doctype html><title>lab</title>" + strings.Repeat("<p>particles</p>", 200)

// secret must never appear in an answer.
const secret = "not for the world"

// bundle writes a small lab and returns its folder. Some files in and around this folder must not
// be served.
func bundle(t testing.TB) string {
	t.Helper()
	top := t.TempDir()
	root := filepath.Join(top, "dist")
	files := map[string]string{
		"index.html":        page,
		"index.html.br":     brotlied(t, page),
		"index.html.gz":     gzipped(t, page),
		"app.wasm":          "\x00asm" + strings.Repeat("wasm", 300),
		"app.wasm.br":       brotlied(t, "\x00asm"+strings.Repeat("wasm", 300)),
		"app.5e0d3c1b.js":   "export {}",
		"help/index.html":   "<!doctype html>help",
		"models/demo.bin":   "0123456789",
		"lab.webmanifest":   "{}",
		"notes.gz":          "a file of its own",
		"tiny.css":          "a{}",
		"tiny.css.gz":       gzipped(t, "a{}"), // larger than tiny.css
		".env":              secret,
		".git/config":       secret,
		"models/.key":       secret,
		"release/program":   secret,
		"../secret.txt":     secret,
		"../dist2/peer.txt": secret,
	}
	for name, body := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{
		"link.txt":  filepath.Join(top, "secret.txt"),
		"rel.txt":   "../secret.txt",
		"outside":   filepath.Join(top, "dist2"),
		"inside.js": "app.5e0d3c1b.js",
	}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Logf("no links on this system: %v", err)
		}
	}
	return root
}

func gzipped(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func brotlied(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := brotli.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func lab(t testing.TB) http.Handler {
	t.Helper()
	h, err := New(bundle(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends one request; header contains pairs of name and value.
func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
