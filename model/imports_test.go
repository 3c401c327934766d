package model_test

import (
	"slices"
	"testing"

	"macroscope/serve/imports"
)

// layers are what networks and losses are built from.
var layers = []string{"model/kernel", "model/nn", "model/tensor"}

// system is what an adaptor of a simulator knows: its simulator and the
// interfaces that it implements.
var system = []string{
	"model/data", "model/kernel", "model/play", "model/setting", "model/system", "model/target", "model/tensor", "model/wire", "sim/...",
}

func with(more ...string) []string { return slices.Concat(layers, more) }

// TestImports holds the architecture: sim ← system/x → system ← experiment ←
// fit ← session ← labs,
// {lab, runs, saved, view, export, intake, plan, sweeper} ← session, and {encoder, decoder, sde, ckpt, setting} ← experiment. Only
// sim/rng, the named streams of random numbers, is for all who draw, and sim/forms for
// all who have loops with vectors.
func TestImports(t *testing.T) {
	imports.Check(t, imports.Table{
		Root: "model",
		May: map[string][]string{
			"model": nil, // tests alone

			"model/kernel":          {"sim/forms"},
			"model/tensor":          nil,
			"model/wire":            nil,
			"model/play":            nil,
			"model/formula":         nil,
			"model/setting":         nil,
			"model/points":          nil,
			"model/portrait":        nil,
			"model/portrait/linalg": {"model/portrait"},

			"model/nn":        {"model/kernel", "model/tensor"},
			"model/spline":    {"model/kernel", "model/tensor"},
			"model/target":    {"model/kernel", "model/tensor"},
			"model/optim":     {"model/kernel", "model/tensor"},
			"model/train":     {"model/kernel", "model/optim", "model/tensor"},
			"model/ckpt":      {"model/tensor"},
			"model/data":      {"model/tensor"},
			"model/bundle":    {"model/data"},
			"model/metric":    {"model/tensor"},
			"model/attention": layers,
			"model/image":     with("model/attention"),
			"model/set":       layers,
			"model/sde":       layers,
			"model/flow":      with("model/spline"),
			"model/matching":  layers,

			"model/preview":          {"model/setting", "model/system", "model/wire"},
			"model/system":           {"model/data", "model/play", "model/setting", "model/wire", "sim/rng", "sim/spread"},
			"model/system/line":      system,
			"model/system/particles": append([]string{"model/formula"}, system...),
			"model/system/mixing":    system,
			"model/system/polymer":   system,

			"model/encoder": with("model/attention", "model/image", "model/set", "model/setting"),
			"model/decoder": with("model/encoder", "model/flow", "model/image", "model/matching", "model/metric", "model/sde", "model/setting", "model/target", "sim/rng"),
			"model/experiment": with("model/attention", "model/ckpt", "model/data", "model/decoder", "model/encoder", "model/flow", "model/image", "model/matching", "model/metric", "model/optim", "model/sde",
				"model/set", "model/setting", "model/system", "model/target", "model/train", "sim/rng"),
			"model/fit": with("model/attention", "model/ckpt", "model/data", "model/decoder", "model/encoder", "model/experiment", "model/image", "model/metric", "model/optim", "model/play",
				"model/sde", "model/setting", "model/system", "model/target", "model/train", "sim/rng"),
			"model/view":         with("model/decoder", "model/experiment", "model/metric", "model/portrait", "model/setting", "model/system", "model/target", "model/wire", "sim/rng"),
			"model/export":       {"model/data", "model/experiment", "model/system", "model/view"},
			"model/beside":       {"model/view", "model/wire"},
			"model/beside/crowd": {"model/beside", "model/experiment", "model/system", "model/system/polymer", "model/view", "model/wire"},
			"model/beside/twin":  {"model/beside", "model/ckpt", "model/experiment", "model/system", "model/system/polymer", "model/view", "model/wire"},
			"model/lab":          {"model/beside", "model/bundle", "model/encoder", "model/experiment", "model/portrait", "model/runs", "model/sde", "model/setting", "model/system", "model/target", "model/wire"},
			"model/runs":         {"model/ckpt", "model/experiment", "model/fit", "model/sde", "model/setting", "model/wire"},
			"model/sweep":        {"model/ckpt", "model/experiment", "model/fit", "model/kernel", "model/setting", "model/system", "model/train", "model/view"},
			"model/saved":        {"model/bundle", "model/ckpt", "model/experiment", "model/fit", "model/runs", "model/setting", "model/wire"},
			"model/sweeper":      {"model/experiment", "model/fit", "model/lab", "model/saved", "model/setting", "model/sweep", "model/wire"},
			"model/plan":         {"model/experiment", "model/fit", "model/lab", "model/runs", "model/system"},
			"model/intake":       {"model/saved", "model/setting", "model/system", "model/wire"},
			"model/session": with("model/beside", "model/bundle", "model/ckpt", "model/data", "model/decoder", "model/encoder", "model/experiment", "model/export", "model/fit",
				"model/intake", "model/lab", "model/plan", "model/play", "model/points", "model/portrait", "model/preview", "model/runs", "model/saved", "model/setting", "model/sweeper", "model/system", "model/train", "model/view", "model/wire"),
			"model/labs": {"model/beside/...", "model/kernel", "model/experiment", "model/lab", "model/session", "model/system/...", "model/wire"},

			"model/bench": {"model/...", "sim/..."}, // measures everything, and is imported by programs alone
		},
		Never: []imports.Ban{{
			From: "model/...", Paths: []string{"github.com/hajimehoshi/ebiten", "net/http"},
			Reason: "models know no picture and no server",
		}},
	})
}
