//go:build !js

package e2e

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// strictPolicy is the strictest content security policy under which the lab works.
const strictPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'"

// host is a static host with the shortcomings that real ones have.
type host struct {
	folder   string // path of the lab on the host
	gzips    bool   // whether the host compresses every answer itself
	untyped  bool   // whether it sends programs as application/octet-stream
	strictly bool   // whether it sends strictPolicy
}

// ServeHTTP serves the built lab with none of the headers that macroscope itself sends.
func (h host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.untyped && strings.HasSuffix(r.URL.Path, ".wasm") {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	if h.strictly {
		w.Header().Set("Content-Security-Policy", strictPolicy)
	}
	if h.gzips {
		r.Header.Del("Range")
		z := gzip.NewWriter(w)
		defer z.Close()
		w.Header().Set("Content-Encoding", "gzip")
		w = zipped{w, z}
	}
	http.StripPrefix(h.folder, http.FileServer(http.Dir(distDir))).ServeHTTP(w, r)
}

// zipped is an answer whose body is compressed.
type zipped struct {
	http.ResponseWriter
	to io.Writer
}

func (z zipped) WriteHeader(status int) {
	z.Header().Del("Content-Length")
	z.ResponseWriter.WriteHeader(status)
}

func (z zipped) Write(b []byte) (int, error) { return z.to.Write(b) }

// TestHosts opens the lab from hosts that are not configured for it (see the type `host`). One host
// has all shortcomings. With -long, the test also tries each shortcoming alone.
func TestHosts(t *testing.T) {
	t.Parallel()
	hosts := map[string]host{"all": {"/school/lab", true, true, true}}
	if *long {
		for name, h := range map[string]host{
			"plain": {}, "folder": {folder: "/school/lab"}, "gzip": {gzips: true}, "untyped": {untyped: true}, "strict": {strictly: true},
		} {
			hosts[name] = h
		}
	}
	for name, h := range hosts {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(h)
			defer s.Close()
			p := newTab(t, newBrowser(t), 1280, 800, 1)
			p.sees()
			p.open(s.URL + h.folder + "/")
			p.wait("the shipped model", `document.documentElement.dataset.status === "done"`)
			p.wait("a drawn figure", `/ \d.* nats apart/.test(document.getElementById("summary").textContent)`)
			before := p.picture()
			p.set("c-eps", "0.2")
			p.changes("another ε", before)
			p.quiet()
		})
	}
}

// TestFile opens the page from a file. The page must tell the user to use a web server.
func TestFile(t *testing.T) {
	t.Parallel()
	page, err := filepath.Abs(filepath.Join(distDir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.do(chromedp.Navigate("file://" + filepath.ToSlash(page)))
	p.wait("a sentence", `(e => e.checkVisibility() && e.textContent.includes("web server"))(document.querySelector(".from-file"))`)
}

// TestFilter visits the lab through a filter that answers with a page of its own instead of a program
// and a model. The lab must not keep the filter's page: it says that the program is damaged, and works
// as soon as the filter lets the files pass.
func TestFilter(t *testing.T) {
	t.Parallel()
	var passes atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !passes.Load() && (strings.HasSuffix(r.URL.Path, "/worker.wasm") || strings.HasSuffix(r.URL.Path, "/particles-laptop.safetensors")) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<h1>Blocked: category Downloads</h1>")
			return
		}
		host{}.ServeHTTP(w, r)
	}))
	defer s.Close()
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(offlineCopy)
	p.open(s.URL + "/")
	p.wait("the end of the worker that found a wrong file", `(self.registered ??= navigator.serviceWorker.register("sw.js").then((r) => new Promise((end) => (function look() {
		if (r.installing) setTimeout(look, 40); else end(Boolean(r.active));
	})())).then((active) => { self.installed = active; })) && self.installed === false`)
	eval[bool](p, `(location.hash = "lab=particles", true)`)
	p.wait("a sentence about the program", `document.getElementById("notices").textContent.includes("worker.wasm")`)
	if eval[bool](p, `document.documentElement.dataset.offline === "ready"`) {
		t.Error("the page says that it works offline")
	}

	passes.Store(true)
	p.do(chromedp.Reload())
	p.playing()
	p.wait("the lab", `document.documentElement.dataset.lab === "particles" && document.getElementById("provenance").textContent.includes("shipped")`)
	p.wait("the offline copy", `document.documentElement.dataset.offline === "ready"`)
}
