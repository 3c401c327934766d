package session_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"macroscope/model/wire"
)

// TestForesee opens models before they are requested. When their number of closure
// variables is chosen, one of them must be displayed at once, even after a training that
// began with another model. A model that was not opened must be fetched when it is
// requested.
func TestForesee(t *testing.T) {
	for _, lab := range []string{wire.Demo, "particles"} {
		in(t, lab, func(t *testing.T, v *visitor) {
			s := v.Pooled.(wire.Foreseeing)
			v.settle()
			missed := s.Foresees()
			s.Foreseen("models/other.safetensors", nil, nil)
			if missed == "" || s.Foresees() != missed {
				t.Fatalf("%q is foreseen, then %q", missed, s.Foresees())
			}
			s.Foreseen(missed, nil, errors.New("404"))
			var files []string
			for name := s.Foresees(); name != "" && len(files) < 50; name = s.Foresees() {
				files = append(files, name)
				s.Foreseen(name, asset(t, name), nil)
			}
			if n := len(files); n < 10 || slices.Contains(files, missed) || len(slices.Compact(slices.Sorted(slices.Values(files)))) != n {
				t.Errorf("foreseen are %q, and %s was missed", files, missed)
			}
			v.set("zdim", "2")
			if got := v.shown(); got.ZDim() != 2 || v.Wants() != "" {
				t.Fatalf("on show is a model of %d closure variables, and %q is wanted", got.ZDim(), v.Wants())
			}
			if v.sampler() {
				return // the lab would return to the training
			}
			_, before, _ := v.Save(wire.Model)
			v.press("train")
			v.train(2)
			v.press("train")
			v.set("zdim", "1")
			v.set("zdim", "2")
			if got := v.shown(); got.ZDim() != 2 || v.State().Model != "shipped with the lab" {
				t.Errorf("back on show is %q with %d closure variables", v.State().Model, got.ZDim())
			}
			if _, after, err := v.Save(wire.Model); !bytes.Equal(before, after) {
				t.Errorf("the model has changed: %v", err)
			}
		})
	}
}
