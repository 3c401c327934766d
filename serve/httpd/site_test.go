package httpd

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

func TestNames(t *testing.T) {
	h := lab(t)
	for _, tc := range []struct {
		path, contentType, cache string // contentType is "" if nothing may be served
	}{
		{"/", "text/html; charset=utf-8", "no-cache"},
		{"/index.html", "text/html; charset=utf-8", "no-cache"},
		{"/?utm=1", "text/html; charset=utf-8", "no-cache"},
		{"/help/", "text/html; charset=utf-8", "no-cache"},
		{"/app.wasm", "application/wasm", "no-cache"},
		{"/app.5e0d3c1b.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		{"/models/demo.bin", "application/octet-stream", "no-cache"},
		{"/lab.webmanifest", "application/manifest+json", "no-cache"},
		{"/notes.gz", "application/octet-stream", "no-cache"},
		{path: "/help"},
		{path: "/models/"},
		{path: "/models"},
		{path: "/none.html"},
		{path: "//index.html"},
		{path: "/./index.html"},
		{path: "/help/../index.html"},
		{path: "/INDEX.HTML"},
		{path: "/index.html/"},
		{path: "/index.html.br"},
		{path: "/app.wasm.br"},
		{path: "/../secret.txt"},
		{path: "/%2e%2e/secret.txt"},
		{path: "/..%2fsecret.txt"},
		{path: "/..%5csecret.txt"},
		{path: "/help/..%2f..%2fsecret.txt"},
		{path: "/%252e%252e/secret.txt"},
		{path: "/.env"},
		{path: "/%2eenv"},
		{path: "/.git/config"},
		{path: "/models/.key"},
		{path: "/release/program"},
		{path: "/link.txt"},
		{path: "/rel.txt"},
		{path: "/outside/peer.txt"},
		{path: "/inside.js"},
		{path: "/index.html%00"},
		{path: "/index.html%00.txt"},
		{path: "/etc/passwd"},
		{path: "//etc/passwd"},
		{path: "/C:/secret.txt"},
	} {
		t.Run(tc.path, func(t *testing.T) {
			got := ask(h, "GET", "http://localhost"+tc.path)
			want := http.StatusOK
			if tc.contentType == "" {
				want = http.StatusNotFound
			}
			if got.Code != want {
				t.Fatalf("status: got %d, want %d", got.Code, want)
			}
			if strings.Contains(got.Body.String(), secret) {
				t.Fatal("got what must not be served")
			}
			if tc.contentType == "" {
				return
			}
			if g := got.Header().Get("Content-Type"); g != tc.contentType {
				t.Errorf("Content-Type: got %q, want %q", g, tc.contentType)
			}
			if g := got.Header().Get("Cache-Control"); g != tc.cache {
				t.Errorf("Cache-Control: got %q, want %q", g, tc.cache)
			}
		})
	}
}

func TestEncodings(t *testing.T) {
	h := lab(t)
	for _, tc := range []struct {
		path, accept, want string // want is the coding; "" for no coding, "406" for an error
	}{
		{"/", "", ""},
		{"/", "gzip, deflate, br, zstd", "br"},
		{"/", "gzip", "gzip"},
		{"/", "x-gzip", "gzip"},
		{"/", "GZIP;Q=1", "gzip"},
		{"/", "br;q=0.5, gzip;q=0.8", "gzip"},
		{"/", "br;q=0, gzip", "gzip"},
		{"/", "br;q=0.001", "br"},
		{"/", "*", "br"},
		{"/", "*;q=0.1, gzip", "gzip"},
		{"/", "identity, br;q=0.5", ""},
		{"/", "deflate, zstd", ""},
		{"/", "br;q=nonsense", ""},
		{"/", "br;level=11", ""},
		{"/", "br;q=2", ""},
		{"/", "br;q=NaN", ""},
		{"/", "br, br;q=0", ""},
		{"/", ",,;q=1, gzip ;q=0.3", "gzip"},
		{"/", "identity;q=0", "406"},
		{"/", "*;q=0", "406"},
		{"/", "identity;q=0, gzip;q=0.1", "gzip"},
		{"/app.wasm", "gzip", ""},
		{"/app.wasm", "gzip, br;q=0.2", "br"},
		{"/tiny.css", "gzip", ""}, // its compressed form is larger
	} {
		t.Run(tc.path+" "+tc.accept, func(t *testing.T) {
			got := ask(h, "GET", tc.path, "Accept-Encoding", tc.accept)
			if tc.want == "406" {
				if got.Code != http.StatusNotAcceptable {
					t.Fatalf("status: got %d, want 406", got.Code)
				}
				return
			}
			if got.Code != http.StatusOK {
				t.Fatalf("status: got %d, want 200", got.Code)
			}
			if g := got.Header().Get("Content-Encoding"); g != tc.want {
				t.Fatalf("Content-Encoding: got %q, want %q", g, tc.want)
			}
			if g := got.Header().Get("Vary"); tc.path != "/tiny.css" && g != "Accept-Encoding" {
				t.Errorf("Vary: got %q, want Accept-Encoding", g)
			}
			if tc.path != "/" {
				return
			}
			if body := decoded(t, got.Body, tc.want); body != page {
				t.Errorf("decoded body: got %d bytes that differ from the page's %d", len(body), len(page))
			}
		})
	}
}

func decoded(t *testing.T, r io.Reader, coding string) string {
	t.Helper()
	switch coding {
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		var err error
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestValidators(t *testing.T) {
	h := lab(t)
	seen := map[string]bool{}
	for _, accept := range []string{"", "gzip", "br"} {
		first := ask(h, "GET", "/", "Accept-Encoding", accept)
		tag := first.Header().Get("Etag")
		if len(tag) < 10 || tag[0] != '"' {
			t.Fatalf("Etag: got %q, want a strong one", tag)
		}
		if seen[tag] {
			t.Errorf("Etag %s names two forms", tag)
		}
		seen[tag] = true
		for _, held := range []string{tag, `"other", ` + tag, "*"} {
			got := ask(h, "GET", "/", "Accept-Encoding", accept, "If-None-Match", held)
			if got.Code != http.StatusNotModified || got.Body.Len() != 0 {
				t.Errorf("If-None-Match %s: got status %d and %d bytes, want 304 and none", held, got.Code, got.Body.Len())
			}
			for _, name := range []string{"Etag", "Vary", "Cache-Control", "Content-Security-Policy"} {
				if got.Header().Get(name) != first.Header().Get(name) {
					t.Errorf("304 for %q: %s got %q, want %q", accept, name, got.Header().Get(name), first.Header().Get(name))
				}
			}
		}
		if got := ask(h, "GET", "/", "Accept-Encoding", accept, "If-None-Match", `"other"`); got.Code != http.StatusOK {
			t.Errorf("another Etag: got status %d, want 200", got.Code)
		}
	}
}

func TestMethods(t *testing.T) {
	h := lab(t)
	for _, accept := range []string{"", "br"} {
		get := ask(h, "GET", "/", "Accept-Encoding", accept)
		head := ask(h, "HEAD", "/", "Accept-Encoding", accept)
		if head.Code != http.StatusOK || head.Body.Len() != 0 {
			t.Errorf("HEAD: got status %d and %d bytes, want 200 and none", head.Code, head.Body.Len())
		}
		for name := range get.Header() {
			if g, w := head.Header().Get(name), get.Header().Get(name); g != w {
				t.Errorf("HEAD %s: got %q, want %q", name, g, w)
			}
		}
		if get.Header().Get("Content-Length") == "" {
			t.Error("no Content-Length")
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"} {
		got := ask(h, method, "/")
		if got.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: got status %d, want 405", method, got.Code)
		}
		if g := got.Header().Get("Allow"); g != "GET, HEAD" {
			t.Errorf("%s: Allow: got %q, want %q", method, g, "GET, HEAD")
		}
	}
}

func TestRanges(t *testing.T) {
	h := lab(t)
	for _, tc := range []struct {
		path, accept, rng string
		status            int
		body              string
	}{
		{"/models/demo.bin", "", "bytes=2-4", 206, "234"},
		{"/models/demo.bin", "br", "bytes=-3", 206, "789"},
		{"/models/demo.bin", "", "bytes=20-", 416, ""},
		{"/models/demo.bin", "", "lines=1-2", 416, ""},
		{"/", "", "bytes=0-8", 206, "<!doctype"},
		{"/", "gzip", "bytes=0-8", 200, ""},
		{"/", "br", "bytes=0-8", 200, ""},
	} {
		got := ask(h, "GET", tc.path, "Accept-Encoding", tc.accept, "Range", tc.rng)
		if got.Code != tc.status {
			t.Errorf("%s %q %s: got status %d, want %d", tc.path, tc.accept, tc.rng, got.Code, tc.status)
		}
		if tc.body != "" && got.Body.String() != tc.body {
			t.Errorf("%s %q %s: got %q, want %q", tc.path, tc.accept, tc.rng, got.Body.String(), tc.body)
		}
		offer := "bytes"
		if got.Header().Get("Content-Encoding") != "" {
			offer = "none"
		}
		if g := got.Header().Get("Accept-Ranges"); got.Code != 416 && g != offer {
			t.Errorf("%s %q %s: Accept-Ranges: got %q, want %q", tc.path, tc.accept, tc.rng, g, offer)
		}
		if got.Header().Get("Content-Encoding") != "" && decoded(t, got.Body, tc.accept) != page {
			t.Errorf("%s %q %s: got part of a compressed file", tc.path, tc.accept, tc.rng)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	h := lab(t)
	for _, target := range []string{"/", "/none", "/app.wasm"} {
		for _, method := range []string{"GET", "HEAD", "POST"} {
			got := ask(h, method, target).Header()
			for _, kv := range securityHeaders {
				if got.Get(kv[0]) != kv[1] {
					t.Errorf("%s %s: %s got %q, want %q", method, target, kv[0], got.Get(kv[0]), kv[1])
				}
			}
			for _, bad := range []string{"'unsafe-inline'", "'unsafe-eval'", "http:", "https:", " *"} {
				if strings.Contains(got.Get("Content-Security-Policy"), bad) {
					t.Errorf("Content-Security-Policy allows %s", bad)
				}
			}
		}
	}
}

// TestEmbed checks that only pages of the embedding origins may show the lab in a frame.
func TestEmbed(t *testing.T) {
	for _, tc := range []struct {
		embed []string
		want  string
	}{
		{nil, "frame-ancestors 'self'"},
		{[]string{"https://school.example", "http://localhost:9000"}, "frame-ancestors 'self' https://school.example http://localhost:9000"},
		{[]string{"*"}, "frame-ancestors 'self' *"},
	} {
		h, err := New(bundle(t), nil, tc.embed...)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if got := w.Result().Header.Get("Content-Security-Policy"); !strings.HasSuffix(got, "; "+tc.want) || !strings.Contains(got, "object-src 'none'") {
			t.Errorf("%v: %s", tc.embed, got)
		}
		if got, want := w.Result().Header.Get("Cross-Origin-Resource-Policy") == "same-origin", tc.embed == nil; got != want {
			t.Errorf("%v: only pages of this origin can load its files: %v, want %v", tc.embed, got, want)
		}
	}
	for _, bad := range []string{"school.example", "https://a.example; script-src *", "'none'", "https://a,b"} {
		if _, err := New(bundle(t), nil, bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// TestEmbedTakesOrigins checks that an origin is exactly a scheme, a host and perhaps a port.
func TestEmbedTakesOrigins(t *testing.T) {
	dir := bundle(t)
	for _, origin := range []string{"https://school.example", "http://localhost:8080", "https://a-b.c:65535", "http://127.0.0.1:1", "http://[::1]:80", "*"} {
		if _, err := New(dir, nil, origin); err != nil {
			t.Errorf("%q: %v", origin, err)
		}
	}
	for _, origin := range []string{
		"", "school.example", "https://", "http:///", "https://school.example/", "https://school.example/page", "https://school.example?q", "https://school.example#f",
		"https://user@school.example", "https://user:secret@school.example", "https://school.example:", "https://school.example:0", "https://school.example:65536", "https://school.example:-1", "https://school.example:99999",
		"https://school.example:80a", "https://.example", "https://school..example", "https://*.example", "https://sch\x00ool.example", "https://school.example\x7f", "https://school.example\n", "https://school.example;script-src",
		"ftp://school.example", "HTTPS//school.example", "https:school.example", "https://https://x", "http://[::1", "http://[1.2.3.4]", "https://schulé.example", "**", "'self'",
	} {
		if _, err := New(dir, nil, origin); err == nil || !strings.Contains(err.Error(), "is no origin; give one like") {
			t.Errorf("%q is taken: %v", origin, err)
		}
	}
}
