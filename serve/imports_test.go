package main

import (
	"testing"

	"macroscope/serve/imports"
)

// TestImports checks that the programs do not import the page's code, which they serve as
// files. Only serve/dist may import drawing code, for the posters of the page.
func TestImports(t *testing.T) {
	imports.Check(t, imports.Table{
		Root: "serve",
		May: map[string][]string{
			"serve/imports":   nil,
			"serve/generate":  nil,
			"serve/httpd":     nil,
			"serve/embedded":  nil,
			"serve/release":   nil,
			"serve/output":    nil,
			"serve/input":     nil,
			"serve/frozen":    nil, // contains only tests
			"serve/dist":      {"model/learn/method", "model/lab", "model/lab/catalogue", "model/lab/session", "model/wire", "model/wire/markup", "serve/output", "serve/reproduce", "ui/brush", "ui/glyph", "ui/plot", "ui/scene"},
			"serve/verify":    {"model/...", "sim/...", "serve/input"},
			"serve/figure":    {"model/learn/measure", "model/learn/model", "model/setting", "model/system", "model/net/target", "sim/rng"},
			"serve/reproduce": {"model/file/curves", "model/learn/measure", "model/learn/method", "model/learn/model", "model/learn/fit", "model/learn/sweep", "model/setting", "model/system", "serve/figure", "serve/input", "serve/output"},
			"serve/cmd":       {"model/...", "serve/...", "sim/..."},
			"serve":           {"serve/cmd"},
		},
		Never: []imports.Ban{{
			From: "serve/...", Paths: []string{"github.com/hajimehoshi/ebiten", "macroscope/wasm"},
			Targets: []string{"linux/amd64"}, Reason: "programs open no canvas",
		}},
	})
}
