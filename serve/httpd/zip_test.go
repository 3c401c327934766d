package httpd

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
)

// packed returns a zip file of a small lab.
func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, body := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPacked serves a lab from a zip file, first to a client that accepts no compressed answers,
// then to one that accepts gzip.
func TestPacked(t *testing.T) {
	t.Chdir(t.TempDir()) // where there is no folder dist
	program := "\x00asm" + strings.Repeat("wasm", 300)
	h, err := New("", packed(t, map[string]string{"index.html": page, "app.wasm": program, "models/tiny": "1", "style.css.br": brotlied(t, program)}))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/": page, "/app.wasm": program, "/models/tiny": "1", "/style.css": program} {
		if got := ask(h, "GET", path); got.Code != 200 || got.Body.String() != want {
			t.Errorf("%s: got status %d and %d bytes, want 200 and %d", path, got.Code, got.Body.Len(), len(want))
		}
	}
	got := ask(h, "GET", "/app.wasm", "Accept-Encoding", "gzip, br")
	if coding := got.Header().Get("Content-Encoding"); coding != "gzip" {
		t.Fatalf("got the encoding %q, want gzip", coding)
	}
	if got.Body.Len() >= len(program) {
		t.Errorf("compressed, the program has %d bytes, no fewer than %d", got.Body.Len(), len(program))
	}
	r, err := gzip.NewReader(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(r); err != nil || string(body) != program {
		t.Errorf("decompressed: got %d bytes and error %v, want %d bytes", len(body), err, len(program))
	}
}

// TestPackedBrotli checks that a browser gets the bytes of a Brotli form in the zip file.
func TestPackedBrotli(t *testing.T) {
	t.Chdir(t.TempDir())
	small := brotlied(t, page)
	h, err := New("", packed(t, map[string]string{"index.html.br": small}))
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(h, "GET", "/", "Accept-Encoding", "br"); got.Header().Get("Content-Encoding") != "br" || got.Body.String() != small {
		t.Errorf("got the encoding %q and %d bytes, want br and %d", got.Header().Get("Content-Encoding"), got.Body.Len(), len(small))
	}
}

// TestFolderBeforePacked checks that a folder dist is served rather than the zip file.
func TestFolderBeforePacked(t *testing.T) {
	zip := packed(t, map[string]string{"index.html": "the lab in the program"})
	root := bundle(t)
	for name, dir := range map[string]string{"given": root, "found": ""} {
		if dir == "" {
			t.Chdir(root + "/..")
		}
		h, err := New(dir, zip)
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(h, "GET", "/").Body.String(); got != page {
			t.Errorf("%s: got %.30q, want the page in the folder", name, got)
		}
	}
}

func TestPackedRejected(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := New("", packed(t, map[string]string{"app.wasm": "x"})); !errors.Is(err, ErrNotBuilt) {
		t.Errorf("a zip file without a page: got error %v, want ErrNotBuilt", err)
	}
	if _, err := New("", []byte("no zip file")); err == nil {
		t.Error("bytes that are no zip file: got no error")
	}
}
