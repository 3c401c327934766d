package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macroscope/model/learn/model"
)

// TestExport writes a shipped model with 16-bit numbers. The new file must have about half the
// size. Each weight must be within half a unit of its eleventh bit. A second export must change
// nothing.
func TestExport(t *testing.T) {
	const path = "../../assets/models/mixing-te.safetensors"
	half, again := filepath.Join(t.TempDir(), "half.safetensors"), filepath.Join(t.TempDir(), "again.safetensors")
	var said bytes.Buffer
	do := func(args ...string) error { return run(context.Background(), args, &said, &said) }
	if err := do("export", "-model", path, "-out", half, "-half"); err != nil {
		t.Fatal(err)
	}
	if err := do("export", "-model", half, "-out", again, "-half"); err != nil {
		t.Fatal(err)
	}
	size := func(name string) int64 {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	one, err := os.ReadFile(half)
	two, err2 := os.ReadFile(again)
	if err != nil || err2 != nil || !bytes.Equal(one, two) {
		t.Errorf("exported again it is another file; %v, %v", err, err2)
	}
	was, err := load(io.Discard, path)
	is, err2 := load(io.Discard, half)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	const header = 512 // tolerance in bytes: the offsets in the header may have more or fewer digits
	if saved, weights := size(path)-size(half), len(was.Weights.Params)+len(was.Weights.DynamicsParams); saved < int64(2*weights-header) || saved > int64(2*weights+header) {
		t.Errorf("%d bytes less of %d, with %d weights", saved, size(path), weights)
	}
	for i, v := range was.Weights.Params {
		if off := math.Abs(float64(is.Weights.Params[i] - v)); off > max(math.Abs(float64(v))/2048, 0x1p-25) {
			t.Fatalf("weight %d is %v, exported %v", i, v, is.Weights.Params[i])
		}
	}
	exact := filepath.Join(t.TempDir(), "exact.safetensors")
	if err := do("export", "-model", path, "-out", exact, "-half", "-exact"); err != nil {
		t.Fatal(err)
	}
	if got, err := load(io.Discard, exact); err != nil || !slices.Equal(got.Weights.Params, is.Weights.Params) || !slices.Equal(got.Weights.DynamicsParams, was.Weights.DynamicsParams) {
		t.Errorf("with -exact, the weights of the dynamics change, or others do not; %v", err)
	}
	for says, args := range map[string][]string{
		"needs -model": {"export", "-model", path},
		"-out":         {"export", "-model", half, "-out", half},
	} {
		if err := do(args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", args, err, says)
		}
	}
}

// TestExportProvenance exports a shipped model with made-up records and results of its training.
func TestExportProvenance(t *testing.T) {
	const path = "../../assets/models/demo-eps0.1-z8.safetensors" // line/flow@laptop, seed 2
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var records strings.Builder
	record := func(row, train string, seed int, result string) {
		fmt.Fprintf(&records, `{"name":"%s seed %d: eval","key":"k","commands":["macroscope train -experiment %s -seed %d -report=false -workers 1 -plain -out m.part.safetensors","macroscope eval -json -model m.safetensors"],"result":%s,"training":%d.5,"began":"2026-11-22T17:11:23Z","seconds":1,"cpu":1,"program":"p"}`+"\n", row, seed, train, seed, result, 40+seed)
	}
	kl := func(v float64) string {
		return fmt.Sprintf(`{"eps":0.1,"experiment":"demo","kl":%g,"samples":512,"seconds":1,"sets":300,"zdim":8}`, v)
	}
	for seed, v := range []float64{0.007, 0.006, 0.008} {
		record("line/flow@laptop", "line/flow@laptop", seed+1, kl(v))
	}
	record("line/flow@laptop eps=0.3", "line/flow@laptop -set eps=0.3", 2, kl(0.006))
	record("line/flow@browser", "line/flow@browser", 2, kl(0.006))
	record("line/ae-aug@laptop", "line/ae-aug@laptop", 2, kl(0.006))
	record("line/flow@laptop odd", "line/flow@laptop -odd", 2, kl(0.006))
	write("records.jsonl", records.String())
	write("result.json", kl(0.00611))
	args := func(out, record, result string) []string {
		return []string{"export", "-half", "-model", path, "-out", in(out), "-records", in("records.jsonl"), "-record", record, "-result", in(result)}
	}
	mustRun(t, args("half.safetensors", "line/flow@laptop seed 2", "result.json")...)
	provenance := func(name string) *model.Provenance {
		t.Helper()
		m, err := load(io.Discard, in(name))
		if err != nil {
			t.Fatal(err)
		}
		return m.Provenance()
	}
	p := provenance("half.safetensors")
	if p == nil || p.Row != "line/flow@laptop" || p.Seconds != 42.5 || p.Count != 300 || len(p.Tests) != 1 {
		t.Fatalf("the file says %+v", p)
	}
	if got := p.Tests[0]; got.Value != 0.00611 || got.Trainings != 3 || math.Abs(got.Mean-0.007) > 1e-12 || math.Abs(got.SD-0.001) > 1e-12 {
		t.Errorf("the figure is %+v", got)
	}
	mustRun(t, "export", "-half", "-model", in("half.safetensors"), "-out", in("again.safetensors"))
	mustRun(t, "export", "-model", in("half.safetensors"), "-out", in("wide.safetensors")) // the same weights in 32 bits
	mustRun(t, "train", "-experiment", "line@browser", "-steps", "1", "-report=false", "-out", in("other.safetensors"))
	if provenance("again.safetensors") == nil || provenance("wide.safetensors") == nil || provenance("other.safetensors") != nil {
		t.Error("an export of the same weights must keep the note on the training, and another training has none")
	}

	write("far.json", kl(0.00613))
	write("few.json", strings.Replace(kl(0.006), "300", "30", 1))
	write("other.json", strings.Replace(kl(0.006), "demo", "line/ae-aug", 1))
	write("none.json", `{"experiment":"demo"}`)
	for says, args := range map[string][]string{
		"there is no record": args("x", "line/flow@laptop seed 9", "result.json"),
		"seed = \"1\"":       args("x", "line/flow@laptop seed 1", "result.json"),

		"eps = \"0.3\", and the model is \"0.1\"": args("x", "line/flow@laptop eps=0.3 seed 2", "result.json"),
		"steps = \"4000\"":                        args("x", "line/flow@browser seed 2", "result.json"),
		"of line/ae-aug":                          args("x", "line/ae-aug@laptop seed 2", "result.json"),
		"cannot be read":                          args("x", "line/flow@laptop odd seed 2", "result.json"),
		"may differ by 2 %":                       args("x", "line/flow@laptop seed 2", "far.json"),
		"30 trajectories or sets":                 args("x", "line/flow@laptop seed 2", "few.json"),
		"of the experiment":                       args("x", "line/flow@laptop seed 2", "other.json"),
		"has no kl":                               args("x", "line/flow@laptop seed 2", "none.json"),
		"belong together":                         {"export", "-model", path, "-out", in("x"), "-record", "line/flow@laptop seed 2"},
	} {
		if _, err := command(t, t.Context(), args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", args, err, says)
		}
		if _, err := os.Stat(in("x")); err == nil {
			t.Errorf("%v: a file was written", args)
		}
	}
}
