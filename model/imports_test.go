package model_test

import (
	"slices"
	"testing"

	"macroscope/serve/imports"
)

// compute lists the packages from which networks and losses are built.
var compute = []string{"model/compute/kernel", "model/compute/nn", "model/compute/tensor"}

// system lists the packages that an adaptor of a simulator imports: its simulator and the
// interfaces that it implements.
var system = []string{
	"assets", "model/compute/kernel", "model/compute/tensor", "model/file/data", "model/net/target", "model/setting", "model/system", "model/system/core", "model/system/play", "model/wire", "model/work", "sim/...",
}

func with(more ...string) []string { return slices.Concat(compute, more) }

// TestImports checks the architecture. In the list below, a package imports only packages of its
// own folder and of folders on higher lines. An arrow points from the importing package to the
// imported one.
//
//	compute, setting, wire   arithmetic; settings; messages of the page
//	work                     long work that pauses
//	file                     checkpoints, data, bundles
//	net                      encoders, decoders, dynamics, metrics
//	system                   systems; no other folder imports simulators
//	learn                    train ← method ← model ← measure ← fit ← sweep
//	lab                      view, extras ← session ← catalogue
//	bench                    measurements of speed
//
// Two packages in sim are not simulators, and other folders import them too. Package sim/rng has
// the random streams. Package sim/simd chooses between SIMD and plain code.
func TestImports(t *testing.T) {
	imports.Check(t, imports.Table{
		Root: "model",
		May: map[string][]string{
			"model": nil, // contains only tests

			"model/compute/kernel": {"sim/simd"},
			"model/compute/tensor": nil,
			"model/compute/nn":     {"model/compute/kernel", "model/compute/tensor"},
			"model/compute/optim":  {"model/compute/kernel", "model/compute/tensor"},

			"model/setting": nil,
			"model/wire":    nil,
			"model/work":    nil,

			"model/wire/markup": {"model/wire"},

			"model/file/half":    nil,
			"model/file/curves":  nil,
			"model/file/literal": nil,
			"model/file/ckpt":    {"model/compute/tensor", "model/file/half", "model/file/literal"},
			"model/file/data":    {"model/compute/tensor", "model/file/half", "model/file/literal", "model/setting", "model/work"},
			"model/file/bundle":  {"model/file/data"},
			"model/file/frames":  {"model/file/data", "model/setting", "model/work"},
			"model/file/points":  nil,

			"model/net/circle":           {"model/compute/tensor"},
			"model/net/cells":            {"model/compute/tensor", "model/net/circle"},
			"model/net/target":           {"model/compute/kernel", "model/compute/tensor"},
			"model/net/metric":           {"model/compute/tensor", "model/net/circle", "sim/rng"},
			"model/net/attention":        with("model/setting"),
			"model/net/image":            with("model/net/attention", "model/setting"),
			"model/net/dynamics":         with("model/setting"),
			"model/net/encoder":          with("model/net/cells", "model/net/circle", "model/net/attention", "model/net/encoder/deepset", "model/net/image", "model/setting"),
			"model/net/encoder/deepset":  with("model/setting"),
			"model/net/decoder":          with("model/net/circle", "model/net/decoder/flow", "model/net/decoder/matching", "model/net/dynamics", "model/net/encoder", "model/net/image", "model/net/metric", "model/net/target", "model/setting", "sim/rng"),
			"model/net/decoder/flow":     with("model/net/circle", "model/net/decoder/spline", "model/setting"),
			"model/net/decoder/spline":   {"model/compute/kernel", "model/compute/tensor"},
			"model/net/decoder/matching": with("model/net/circle", "model/setting"),

			"model/system":           {"model/file/data", "model/file/frames", "model/setting", "model/system/play", "model/wire", "model/work", "sim/rng"},
			"model/system/excerpt":   {"model/file/data", "model/system", "model/work"},
			"model/system/play":      nil,
			"model/system/core":      {"model/setting", "model/system", "model/system/play"},
			"model/system/formula":   nil,
			"model/system/line":      system,
			"model/system/flock":     system,
			"model/system/own":       append([]string{"model/file/frames", "model/net/cells", "model/net/circle", "model/system/formula"}, system...),
			"model/system/particles": append([]string{"model/system/formula"}, system...),
			"model/system/mixing":    system,
			"model/system/polymer":   system,

			"model/learn/train":         {"model/compute/kernel", "model/compute/optim", "model/compute/tensor", "model/work"},
			"model/learn/curve":         nil,
			"model/learn/estimate":      {"model/system/play", "model/work"},
			"model/learn/method":        {"model/compute/optim", "model/compute/tensor", "model/learn/train", "model/net/...", "model/setting", "model/system", "model/system/excerpt", "model/work", "sim/rng"},
			"model/learn/model":         {"model/compute/kernel", "model/compute/optim", "model/compute/tensor", "model/file/ckpt", "model/file/data", "model/learn/method", "model/net/...", "model/setting", "model/system", "model/work", "sim/rng"},
			"model/learn/measure":       {"model/compute/kernel", "model/learn/method", "model/learn/model", "model/net/...", "model/setting", "model/system", "model/work", "sim/rng"},
			"model/learn/describe":      {"model/learn/measure", "model/system", "model/system/own", "model/work"},
			"model/learn/measure/stats": {"model/learn/measure", "model/learn/model", "model/system", "model/work"},
			"model/learn/fit": with("model/learn/curve", "model/learn/estimate", "model/compute/optim", "model/file/ckpt", "model/file/data", "model/learn/measure", "model/learn/method", "model/learn/model", "model/learn/train", "model/net/...", "model/setting", "model/system",
				"model/system/play", "model/wire", "model/work", "sim/rng"),
			"model/learn/sweep": {"model/compute/kernel", "model/file/ckpt", "model/learn/measure", "model/learn/method", "model/learn/model", "model/learn/fit", "model/learn/train", "model/setting", "model/system", "model/work"},

			"model/lab":                      {"assets", "model/file/bundle", "model/lab/extras", "model/lab/view/portrait", "model/learn/method", "model/net/...", "model/setting", "model/system", "model/wire", "model/work"},
			"model/lab/origin":               {"model/setting"},
			"model/lab/view":                 with("model/lab/origin", "model/lab/view/portrait", "model/learn/measure", "model/learn/method", "model/learn/model", "model/net/...", "model/setting", "model/system", "model/wire", "sim/rng"),
			"model/lab/view/portrait":        nil,
			"model/lab/view/portrait/linalg": {"model/lab/view/portrait"},
			"model/lab/extras":               {"model/lab/view", "model/wire"},
			"model/lab/extras/ensemble":      {"model/lab/extras", "model/lab/view", "model/learn/model", "model/system", "model/system/polymer", "model/wire"},
			"model/lab/extras/companion":     {"model/file/ckpt", "model/lab/extras", "model/lab/view", "model/learn/method", "model/learn/model", "model/system", "model/system/polymer", "model/wire"},
			"model/lab/session/runs":         {"model/file/ckpt", "model/lab", "model/lab/origin", "model/learn/curve", "model/learn/method", "model/learn/model", "model/learn/fit", "model/net/dynamics", "model/setting", "model/wire"},
			"model/lab/session/shelf":        {"model/file/ckpt", "model/lab", "model/lab/origin", "model/lab/session/runs", "model/lab/view", "model/learn/method", "model/learn/model", "model/setting"},
			"model/lab/session/picture":      {"model/lab", "model/lab/session/effect", "model/lab/session/runs", "model/lab/session/shelf", "model/lab/view", "model/learn/measure", "model/learn/model", "model/setting", "model/system", "model/system/play", "model/wire"},
			"model/lab/session/door":         {"model/file/bundle", "model/file/ckpt", "model/lab", "model/lab/origin", "model/lab/session/doc", "model/lab/session/export", "model/lab/session/ownfile", "model/lab/session/runs", "model/lab/session/saved", "model/lab/session/shelf", "model/learn/fit", "model/learn/method", "model/learn/model", "model/setting", "model/system", "model/wire"},
			"model/lab/session/export":       {"model/file/curves", "model/file/data", "model/lab/view", "model/learn/model", "model/system", "model/wire"},
			"model/lab/session/doc":          {"model/file/ckpt", "model/file/points", "model/lab", "model/lab/origin", "model/lab/session/run", "model/lab/session/runs", "model/learn/curve", "model/learn/fit", "model/learn/method", "model/learn/model", "model/setting", "model/system", "model/wire"},
			"model/lab/session/saved":        {"model/file/bundle", "model/file/ckpt", "model/lab", "model/lab/session/doc", "model/lab/session/runs", "model/learn/curve", "model/learn/model", "model/setting", "model/wire"},
			"model/lab/session/effect":       {"model/wire"},
			// These six parts of a session import neither each other nor package session.
			"model/lab/session/run":      {"model/file/points", "model/lab", "model/lab/session/effect", "model/setting", "model/system", "model/system/core", "model/system/play"},
			"model/lab/session/models":   {"model/lab", "model/lab/origin", "model/lab/session/effect", "model/lab/session/picture", "model/lab/session/runs", "model/lab/session/shelf", "model/lab/view", "model/learn/method", "model/learn/model", "model/setting", "model/wire"},
			"model/lab/session/training": {"model/file/ckpt", "model/lab", "model/lab/origin", "model/lab/session/doc", "model/lab/session/effect", "model/lab/session/runs", "model/lab/session/saved", "model/lab/view", "model/learn/measure", "model/learn/curve", "model/learn/method", "model/learn/model", "model/learn/fit", "model/learn/train", "model/setting", "model/system", "model/system/play", "model/wire"},
			"model/lab/session/ownfile":  {"model/file/frames", "model/lab", "model/lab/session/effect", "model/lab/session/saved", "model/lab/view", "model/learn/measure", "model/learn/model", "model/setting", "model/system", "model/wire", "model/work"},
			"model/lab/session/sweeps":   {"model/lab", "model/lab/session/saved", "model/learn/method", "model/learn/fit", "model/learn/sweep", "model/setting", "model/wire"},
			"model/lab/session/survey":   {"model/lab", "model/lab/view", "model/learn/model", "model/system", "model/wire"},
			"model/lab/session": {"model/compute/kernel", "model/file/bundle", "model/file/ckpt", "model/file/curves", "model/lab", "model/lab/extras", "model/lab/origin", "model/lab/session/...", "model/lab/view", "model/learn/method", "model/learn/model", "model/learn/fit",
				"model/net/decoder", "model/setting", "model/system", "model/wire"},
			"model/lab/catalogue": {"model/compute/kernel", "model/lab", "model/lab/extras/...", "model/lab/session", "model/learn/describe", "model/learn/method", "model/system/...", "model/wire", "model/work"},

			"model/bench": {"model/...", "sim/..."}, // measures everything, and is imported only by programs
		},
		Never: []imports.Ban{{
			From: "model/...", Paths: []string{"github.com/hajimehoshi/ebiten", "net/http"},
			Reason: "models know no picture and no server",
		}},
	})
}
