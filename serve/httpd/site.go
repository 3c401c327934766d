package httpd

import (
	"bytes"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// site answers requests from the files of a bundle. It does not change after New, so requests need
// no lock.
type site struct {
	files  map[string]*file // by slash-separated name, without a leading slash
	frames string           // origins whose pages may show the lab in a frame
}

// New reads the bundle in the folder `root` and returns a handler that serves it. If `root` is
// empty, New uses the folder that Find finds. If Find finds none, New uses the zip file `packed`,
// which may be nil. Errors say what to do, and wrap ErrNotBuilt if there is no lab.
//
// Only pages of the origins in `embed`, such as https://school.example, can show the lab in a
// frame. If `embed` contains *, all pages can.
func New(root string, packed []byte, embed ...string) (http.Handler, error) {
	frames := "'self'"
	for _, origin := range embed {
		if origin != "*" && !isOrigin(origin) {
			return nil, fmt.Errorf("-embed %q is no origin; give one like https://school.example, several with spaces between, or *", origin)
		}
		frames += " " + origin
	}
	files, err := load(root, packed)
	if err != nil {
		return nil, err
	}
	return &site{files, frames}, nil
}

// load reads the lab as New does: from the folder `root`, from the folder that Find finds, or
// from the zip file `packed`.
func load(root string, packed []byte) (map[string]*file, error) {
	if root != "" {
		return read(root)
	}
	found, err := Find()
	switch {
	case err == nil:
		return read(found)
	case packed != nil:
		return readZip(packed)
	}
	return nil, err
}

// ServeHTTP implements http.Handler.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	secure(h, s.frames)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are answered here", http.StatusMethodNotAllowed)
		return
	}
	f := s.lookup(r.URL.Path)
	if f == nil {
		h.Set("Cache-Control", "no-cache")
		http.Error(w, "there is nothing at this address; the lab is at /", http.StatusNotFound)
		return
	}
	if len(f.forms) > 1 {
		h.Set("Vary", "Accept-Encoding")
	}
	form := choose(f.forms, strings.Join(r.Header.Values("Accept-Encoding"), ","))
	if form == nil {
		h.Set("Cache-Control", "no-cache")
		http.Error(w, "this file cannot be sent in any encoding that was asked for", http.StatusNotAcceptable)
		return
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.cache)
	h.Set("Etag", form.etag)
	if form.coding != "identity" {
		h.Set("Content-Encoding", form.coding)
		h.Set("Content-Length", strconv.Itoa(len(form.body)))
		// Here a range would select compressed bytes. Clients want to select bytes of the
		// uncompressed file.
		r = withoutRange(r)
		w = noRanges{w}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(form.body))
}

// lookup returns the file for a decoded URL path, or nil. It only compares the path with the
// names of files.
func (s *site) lookup(path string) *file {
	name, ok := strings.CutPrefix(path, "/")
	if !ok {
		return nil
	}
	if name == "" || strings.HasSuffix(name, "/") {
		name += indexName
	}
	return s.files[name]
}

// originForm is a scheme, a host or an address in brackets, and perhaps a port.
var originForm = regexp.MustCompile(`^https?://(?:[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{1,5}))?$`)

// isOrigin reports whether a text is exactly one origin.
func isOrigin(text string) bool {
	parts := originForm.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	if address := parts[1]; address != "" {
		if a, err := netip.ParseAddr(address); err != nil || !a.Is6() {
			return false
		}
	}
	port := parts[2]
	n, _ := strconv.Atoi(port)
	return port == "" || n >= 1 && n <= 65535
}

// noRanges tells the client that ranges are not served. By itself, http.ServeContent offers them.
type noRanges struct{ http.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w noRanges) WriteHeader(status int) {
	w.Header().Set("Accept-Ranges", "none")
	w.ResponseWriter.WriteHeader(status)
}

func withoutRange(r *http.Request) *http.Request {
	if r.Header.Get("Range") == "" {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Del("Range")
	return r
}

// secure sets the security headers of every answer, including errors.
func secure(h http.Header, frames string) {
	for _, kv := range securityHeaders {
		h.Set(kv[0], kv[1])
	}
	h.Set("Content-Security-Policy", policy+"; frame-ancestors "+frames)
}

// policy is the content security policy: the page runs only its own scripts and wasm, and
// connects only to its own server.
var policy = strings.Join([]string{
	"default-src 'self'",
	"script-src 'self' 'wasm-unsafe-eval'",
	"worker-src 'self'",
	"connect-src 'self'",
	"img-src 'self' data: blob:",
	"style-src 'self'",
	"object-src 'none'",
	"base-uri 'none'",
	"form-action 'none'",
}, "; ")

var securityHeaders = [...][2]string{
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Permissions-Policy", "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()"},
}
