package httpd

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzTarget sends arbitrary request lines. Every answer must be a file of the lab or an error.
func FuzzTarget(f *testing.F) {
	h := lab(f).(*site)
	for _, target := range []string{
		"/", "/index.html", "/../secret.txt", "/%2e%2e/secret.txt", "/..%5csecret.txt", "/.env", "/link.txt",
		"/outside/peer.txt", "http://localhost/../secret.txt", "*", "//localhost/secret.txt", "/%00", "/a/./b",
	} {
		f.Add(target, "br;q=0.5, *;q=0")
	}
	f.Fuzz(func(t *testing.T, target, accept string) {
		if strings.ContainsAny(accept, "\r\n") {
			t.Skip("not one header line")
		}
		raw := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: %s\r\n\r\n", target, accept)
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
		if err != nil {
			t.Skip("not a request")
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		switch w.Code {
		case http.StatusOK, http.StatusPartialContent:
			for _, file := range h.files {
				for _, form := range file.forms {
					if w.Body.String() == string(form.body) {
						return
					}
				}
			}
			t.Errorf("%q: got a body that no file of the bundle has", target)
		case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable:
		default:
			t.Errorf("%q: got status %d", target, w.Code)
		}
		if strings.Contains(w.Body.String(), secret) {
			t.Errorf("%q: got what must not be served", target)
		}
	})
}

// FuzzAccept checks that the function `choose` respects the weights in arbitrary headers.
func FuzzAccept(f *testing.F) {
	f.Add("gzip, deflate, br")
	f.Add("*;q=0, gzip;q=0.001")
	f.Add("br;q=1e-400")
	forms := []form{{coding: "br"}, {coding: "gzip"}, {coding: "identity"}}
	f.Fuzz(func(t *testing.T, accept string) {
		got := choose(forms, accept)
		w := parseAccept(accept)
		for coding, q := range w {
			if !(q >= 0 && q <= 1) {
				t.Errorf("weight of %q: got %g, want one in [0, 1]", coding, q)
			}
		}
		for i := range forms {
			switch q := w.of(forms[i].coding); {
			case got == nil && q > 0:
				t.Errorf("got none, but %s has weight %g", forms[i].coding, q)
			case got != nil && q > w.of(got.coding):
				t.Errorf("got %s, but %s weighs more", got.coding, forms[i].coding)
			}
		}
		if got != nil && w.of(got.coding) == 0 {
			t.Errorf("got %s, which is refused", got.coding)
		}
	})
}
