package reproduce

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/model"
)

// TestShipped checks every shipped model against the records of the tables. A file that says from which
// training it comes must be of that seed, with those settings and that time, its figures within
// FigureTolerance, and the spread as in the records. The seed must be the median of its row in the row's
// first test. A file that does not say so must be in the list below, with the reason.
func TestShipped(t *testing.T) {
	const (
		folder  = "../../assets/models"
		tunable = "one model for every ε and ẑ dim; it has no row of its own"
		parsed  = "its dynamics read parameters of the forces; the tables have no such row"
	)
	others := map[string]string{
		"line-flow-tunable": tunable, "particles-flow-tunable": tunable, "mixing-flow-tunable": tunable, "polymer-flow-tunable": tunable,
		"particles-ab": parsed, "mixing-te": parsed, "flock-flow": "flocks are not in the paper; the tables have no such row",
		"line-ae-aug": "it learns no density, so it has no KL, and the table of the line has no such row",
		"line-list":   "as line-ae-aug", "particles-list": "it is not a reproduction: the paper has no such encoder",
	}
	records, err := readRecords(recordsIn("../../assets/paper/laptop"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(folder + "/*.safetensors")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".safetensors")
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ckpt.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := model.Open(systems, f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, reason := m.Provenance(), others[name]
		delete(others, name)
		switch {
		case p == nil && reason == "":
			t.Errorf("%s does not say from which training it comes; export it with -records, or give the reason here", name)
		case p != nil && reason != "":
			t.Errorf("%s is of %s, and the list says: %s", name, p.Row, reason)
		case p != nil:
			for _, wrong := range compared(records, m, p) {
				t.Errorf("%s, of %s: %s", name, p.Row, wrong)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(others)) {
		t.Errorf("there is no file %s", name)
	}
}

// compared lists what a model's provenance says otherwise than the records.
func compared(records []record, m *model.Model, p *model.Provenance) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	of := func(seed int) string { return fmt.Sprintf("%s seed %d", p.Row, seed) }
	want, err := provenanceOf(systems, records, of(int(m.Config.Seed)), m)
	if err != nil {
		return []string{err.Error()}
	}
	if p.Seconds != want.Seconds || p.Count != want.Count || len(p.Tests) != len(want.Tests) {
		say("%g s, %d trajectories, %d tests; the record has %g, %d, %d", p.Seconds, p.Count, len(p.Tests), want.Seconds, want.Count, len(want.Tests))
	}
	for _, w := range want.Tests {
		switch is := p.Test(w.Set); {
		case is == nil:
			say("no test %s", w.Set)
		case !(math.Abs(is.Value-w.Value) <= FigureTolerance*w.Value):
			say("%s is %g, and %g in the record", w.Set, is.Value, w.Value)
		case is.Trainings != w.Trainings || math.Abs(is.Mean-w.Mean) > 1e-12*w.Mean || math.Abs(is.SD-w.SD) > 1e-9*w.Mean:
			say("the spread of %s is %+v, and %+v by the records", w.Set, is.Spread, w.Spread)
		}
	}
	var values []float64
	for seed := 1; seed <= want.Tests[0].Trainings; seed++ {
		r, err := readMeasured(recordNamed(records, of(seed)+": eval"), m)
		if err != nil {
			return append(wrong, err.Error())
		}
		values = append(values, r.Test(want.Tests[0].Set).Value)
	}
	slices.Sort(values)
	if median := values[len(values)/2]; want.Tests[0].Value != median {
		say("seed %d has %g in the test %s, and the median of the row is %g", m.Config.Seed, want.Tests[0].Value, want.Tests[0].Set, median)
	}
	return wrong
}

// recordNamed returns the result of the record with this name, or nil.
func recordNamed(records []record, name string) []byte {
	for _, r := range records {
		if r.Name == name {
			return r.Result
		}
	}
	return nil
}
