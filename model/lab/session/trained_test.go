package session_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/model"
	"macroscope/model/wire"
)

// withProvenance returns a shipped file as if it came from a training of a table, with these means of the
// figure in the tests in-dst and diff-init.
func withProvenance(t *testing.T, file, row string, means ...float64) []byte {
	t.Helper()
	f, err := ckpt.Decode(bytes.NewReader(asset(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(catalogue.Systems(), f)
	if err != nil {
		t.Fatal(err)
	}
	m.Config.Seed = 7
	p := &model.Provenance{Row: row, Seconds: 722.8, Count: 1000}
	for i, mean := range means {
		p.Tests = append(p.Tests, model.Tested{Set: []string{"in-dst", "diff-init"}[i], Value: mean, Spread: model.Spread{Trainings: 3, Mean: mean, SD: 1e-6}})
	}
	if err := m.SetProvenance(p); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := ckpt.Encode(&b, m.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestProvenanceIsShown compares two shipped methods that come from trainings of a table. The page must
// say from which, in the list of runs and below the picture, how their errors on the run compare, and whether
// the methods differ by more than the spread of seeds. A kept copy of a model keeps its note; a training
// that begins with its weights has none.
func TestProvenanceIsShown(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.seek(20)
		detail := func(name string) string {
			list := v.State().Runs
			i := slices.IndexFunc(list, func(r wire.Run) bool { return r.Name == name })
			if i < 0 {
				t.Fatalf("there is no run %s: %+v", name, list)
			}
			return list[i].Detail
		}
		if got := detail("shipped"); !strings.HasSuffix(got, " parameters. Its training was smaller than those in the tables of the paper, preset laptop.") {
			t.Errorf("a shipped model without a note: %s", got)
		}
		fetch := func(file, row string, means ...float64) {
			t.Helper()
			if v.Wants() != file {
				t.Fatalf("%q is wanted", v.Wants())
			}
			if n := v.Fetched(file, withProvenance(t, file, row, means...), nil); n != nil && n.Error {
				t.Fatal(n.Text)
			}
			v.settle()
		}
		v.set("method", "flow-matching")
		fetch("models/particles-flow-matching.safetensors", "particles/flow-matching@laptop", 5e-6, 3e-4)
		v.press("rollout")
		v.settle()
		const note = "Trained with preset laptop, seed 7, in 723 core seconds. Mean relative error on 1000 fresh trajectories: 5e-06 in-dst, 0.0003 diff-init."
		if got := detail("shipped flow-matching"); !strings.Contains(got, " parameters. "+note) {
			t.Errorf("the list says %q", got)
		}
		if got := v.State().Model; !strings.HasPrefix(got, "shipped with the lab. "+strings.TrimSuffix(note, ".")) {
			t.Errorf("below the picture it says %q", got)
		}
		if got := v.State().Summary; strings.Contains(got, "model 2") {
			t.Errorf("one model is compared: %s", got)
		}
		v.set("runB", "shipped inve")
		fetch("models/particles-inve.safetensors", "particles/inve@laptop", 5.5e-6, 4e-4)
		v.settle()
		got := v.State().Summary
		if !regexp.MustCompile(`On this run model [12] has \*\*[0-9.e+]+ times\*\* the MRE of model [12]\. \[Over 3 trainings each, model 1 is better by more than the spread of seeds \(diff-init\); the two are equal within the spread of seeds \(in-dst\)\.\|aside\]`).MatchString(got) {
			t.Errorf("two models are compared in %q", got)
		}
		v.set("name", "mine")
		v.press("keep")
		if got := detail("mine"); !strings.Contains(got, note) {
			t.Errorf("a kept copy says %q", got)
		}
		v.press("train")
		v.settle()
		if got := v.State(); strings.Contains(got.Model, "Trained with") || strings.Contains(got.Summary, "spread of seeds") {
			t.Errorf("a training has the figures of its first weights: %q; %s", got.Model, got.Summary)
		}
	})
}
