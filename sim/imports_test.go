package sim_test

import (
	"testing"

	"macroscope/serve/imports"
)

// TestImports checks that simulators do not import models, pictures or programs.
func TestImports(t *testing.T) {
	imports.Check(t, imports.Table{
		Root: "sim",
		May: map[string][]string{
			"sim":               nil, // the folder itself has only tests
			"sim/rng":           nil,
			"sim/gauss":         {"sim/rng"},
			"sim/simd":          nil,
			"sim/bounds":        nil,
			"sim/flock":         {"sim/bounds", "sim/rng"},
			"sim/lj":            {"sim/bounds", "sim/simd", "sim/rng"},
			"sim/particle":      {"sim/bounds", "sim/simd", "sim/rng"},
			"sim/polymer":       {"sim/bounds", "sim/simd", "sim/rng"},
			"sim/polymer/video": nil,
		},
		Never: []imports.Ban{{
			From: "sim/...", Paths: []string{"github.com/hajimehoshi/ebiten", "net/http"},
			Reason: "simulators know no picture and no server",
		}},
	})
}
