package verify_test

import (
	"path/filepath"
	"testing"

	"macroscope/model/lab/catalogue"
	"macroscope/serve/verify"
)

// TestReferences recomputes all cases in testdata folders. Other programs computed these cases. The
// test is here because package verify depends on all tested packages.
func TestReferences(t *testing.T) {
	check := func(form string, folders ...string) {
		t.Run(form, func(t *testing.T) {
			for _, folder := range folders {
				t.Run(folder, func(t *testing.T) {
					if err := verify.Dir(t.Context(), filepath.Join("..", "..", folder, "testdata"), t.Output()); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
	check("fastest", "sim/lj", "sim/particle", "sim/polymer/video", "model/net/attention", "model/net/decoder/spline", "model/net/dynamics",
		"model/net/encoder/deepset", "model/net/image", "model/net/metric", "model/net/target")
	defer catalogue.Plain()()
	check("plain", "sim/lj", "sim/particle")
}
