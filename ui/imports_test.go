package ui_test

import (
	"testing"

	"macroscope/serve/imports"
)

// TestImports checks that the picture depends on frames only, not on sessions or systems.
func TestImports(t *testing.T) {
	imports.Check(t, imports.Table{
		Root: "ui",
		May: map[string][]string{
			"ui/plot":  nil,
			"ui/glyph": {"ui/plot"},
			"ui/brush": {"ui/glyph", "ui/plot"},
			"ui/panel": {"model/wire", "ui/brush", "ui/glyph", "ui/plot"},
			"ui/chart": {"model/wire", "ui/brush", "ui/glyph", "ui/panel", "ui/plot"},
			"ui/scene": {"model/wire", "ui/brush", "ui/chart", "ui/glyph", "ui/panel", "ui/plot"},
			"ui":       {"model/wire", "ui/brush", "ui/chart", "ui/glyph", "ui/panel", "ui/plot", "ui/scene"},
		},
		Never: []imports.Ban{{
			From: "ui/plot", Paths: []string{"github.com/hajimehoshi/ebiten"},
			Reason: "what a plot draws is tested without a canvas",
		}, {
			From: "ui/scene", Paths: []string{"github.com/hajimehoshi/ebiten"},
			Reason: "what a scene draws is tested without a canvas",
		}},
	})
}
