package httpd

import (
	"strconv"
	"strings"
)

// choose returns the form that the client prefers. Of equally preferred forms it returns the
// smallest. It returns nil if the client accepts none. `accept` is the request's
// Accept-Encoding (RFC 9110, section 12.5.3). `forms` are sorted by size.
func choose(forms []form, accept string) *form {
	weights := parseAccept(accept)
	var best *form
	var bestQ float64
	for i := range forms {
		if q := weights.of(forms[i].coding); q > bestQ {
			best, bestQ = &forms[i], q
		}
	}
	return best
}

// weights maps codings in lower case to weights in [0, 1].
type weights map[string]float64

// of returns the weight of a coding. If the header does not name the coding "identity", this coding
// gets a very small weight. The client accepts it, but prefers the codings that the header names.
func (w weights) of(coding string) float64 {
	if q, ok := w[coding]; ok {
		return q
	}
	if q, ok := w["*"]; ok {
		return q
	}
	if coding == "identity" {
		return 1e-6
	}
	return 0
}

// parseAccept parses an Accept-Encoding header. A coding with an unreadable weight counts as
// refused. This is safe, because the client then receives another coding that it named, or the
// uncompressed file.
func parseAccept(accept string) weights {
	w := weights{}
	for elem := range strings.SplitSeq(accept, ",") {
		coding, params, _ := strings.Cut(elem, ";")
		coding = strings.ToLower(strings.TrimSpace(coding))
		if coding == "" {
			continue
		}
		if coding == "x-gzip" {
			coding = "gzip"
		}
		q := weight(params)
		if old, ok := w[coding]; ok {
			q = min(q, old)
		}
		w[coding] = q
	}
	return w
}

func weight(params string) float64 {
	params = strings.TrimSpace(params)
	if params == "" {
		return 1
	}
	name, value, _ := strings.Cut(params, "=")
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !strings.EqualFold(strings.TrimSpace(name), "q") || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}
