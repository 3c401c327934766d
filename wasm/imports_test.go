package wasm_test

import (
	"testing"

	"macroscope/serve/imports"
)

// TestImports checks that the canvas computes nothing, and that the first worker that the page
// downloads is small.
func TestImports(t *testing.T) {

	imports.Check(t, imports.Table{
		Root: "wasm",
		May: map[string][]string{
			"wasm":              nil, // only tests
			"wasm/e2e":          nil, // only tests
			"wasm/e2e/engines":  nil, // only tests
			"wasm/bridge":       {"model/wire"},
			"wasm/app":          {"ui", "wasm/bridge"},
			"wasm/worker":       {"model/lab/catalogue", "model/lab/view/portrait/linalg", "model/wire/markup", "wasm/bridge"},
			"wasm/worker/first": {"model/lab/catalogue", "model/lab/session", "wasm/bridge"},
			"wasm/bench":        {"model/bench"},
		},
		Never: []imports.Ban{{
			From: "wasm/worker/...", Targets: []string{"js/wasm"},
			Paths:  []string{"github.com/hajimehoshi/ebiten", "encoding/json", "net/http"},
			Reason: "the worker draws nothing and is small",
		}, {
			From: "wasm/worker/first", Targets: []string{"js/wasm"}, Paths: []string{"gonum.org"},
			Reason: "it is downloaded first, and its lab has no dynamics",
		}, {
			From: "wasm/app", Targets: []string{"js/wasm"}, Paths: []string{"macroscope/sim", "net/http"},
			Reason: "the canvas computes nothing",
		}},
	})
}
