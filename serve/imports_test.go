package main

import (
	"testing"

	"macroscope/serve/imports"
)

// TestImports keeps the programs apart from the page's own code, which they
// serve as files.
func TestImports(t *testing.T) {
	imports.Check(t, imports.Table{
		Root: "serve",
		May: map[string][]string{
			"serve/imports": nil,
			"serve/httpd":   nil,
			"serve/dist":    {"model/experiment", "model/lab", "model/system/..."},
			"serve/verify":  {"model/...", "sim/..."},
			"serve":         {"model/...", "serve/...", "sim/..."},
		},
		Never: []imports.Ban{{
			From: "serve/...", Paths: []string{"github.com/hajimehoshi/ebiten", "macroscope/ui", "macroscope/wasm"},
			Targets: []string{"linux/amd64"}, Reason: "programs draw nothing on a canvas",
		}},
	})
}
