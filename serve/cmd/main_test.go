package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"macroscope/model/file/data"
	"macroscope/model/learn/method"
	"macroscope/serve/reproduce"
)

// command runs a command line and returns what it writes to standard output.
func command(t *testing.T, ctx context.Context, args ...string) (string, error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	err := run(ctx, args, &stdout, &stderr)
	return stdout.String(), err
}

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, err := command(t, context.Background(), args...)
	if err != nil {
		t.Fatalf("macroscope %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// TestParticlesFromTheCommandLine simulates trajectories, trains on them, and predicts
// them.
func TestParticlesFromTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	file, model := filepath.Join(dir, "f.npz"), filepath.Join(dir, "m.safetensors")
	mustRun(t, "simulate", "-experiment", "particles", "-n", "4", "-particles", "12", "-components", "2", "-steps", "40", "-seed", "1", "-out", file)
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := data.ReadNPZ(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]int{"trajectories": {4, 41, 12, 2}, "types": {4, 12}, "macro": {4, 41, 1}} {
		a := arrays[name]
		if a == nil {
			t.Errorf("no array %s", name)
			continue
		}
		for i, s := range want {
			if len(a.Shape) != len(want) || a.Shape[i] != s {
				t.Errorf("%s has the shape %v, want %v", name, a.Shape, want)
				break
			}
		}
	}
	mustRun(t, "train", "-experiment", "particles", "-preset", "browser", "-data", file, "-steps", "3", "-law-steps", "3", "-seed", "1", "-workers", "2", "-out", model)
	var result struct {
		MRE, Median, Max float64
		Trajectories     int
		Seconds          *float64
	}
	if err := json.Unmarshal([]byte(mustRun(t, "eval", "-model", model, "-data", file, "-json")), &result); err != nil {
		t.Fatal(err)
	}
	if !(result.MRE > 0 && result.Median > 0 && result.Max >= result.MRE) || result.Trajectories != 4 || result.Seconds == nil {
		t.Errorf("eval prints %+v", result)
	}
	if out := mustRun(t, "eval", "-model", model, "-data", file); !strings.Contains(out, "median") {
		t.Errorf("the table is %q", out)
	}
}

// TestInterruptAndResume interrupts a training and resumes it from its checkpoint. The final
// file must equal the file of an uninterrupted training.
func TestInterruptAndResume(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f.npz")
	mustRun(t, "simulate", "-n", "3", "-particles", "12", "-steps", "40", "-out", file)
	args := func(out string) []string {
		return []string{"train", "-experiment", "particles", "-preset", "browser", "-data", file, "-steps", "30", "-law-steps", "4", "-workers", "1", "-out", filepath.Join(dir, out)}
	}
	mustRun(t, args("whole")...)
	part := filepath.Join(dir, "part")
	interruptAndResume(t, 150*time.Millisecond, args("part"), part, file)
	whole, err := os.ReadFile(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	resumed, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole, resumed) {
		t.Error("the resumed training ended with another file")
	}
	other := filepath.Join(dir, "other.npz")
	mustRun(t, "simulate", "-n", "3", "-particles", "12", "-steps", "40", "-seed", "2", "-out", other)
	if _, err := command(t, context.Background(), "train", "-resume", part, "-data", other, "-out", part); err == nil || !strings.Contains(err.Error(), "other.npz: these are not the data on which the training began") {
		t.Errorf("other data: %v", err)
	}
}

// interruptAndResume interrupts a training after some time and resumes it from its
// checkpoint.
func interruptAndResume(t *testing.T, after time.Duration, args []string, model, data string) {
	t.Helper()
	// The training may end before the interruption, or may not have taken a step yet. The next attempt then interrupts
	// earlier or later.
	interrupt := func() error {
		canceled, stop := context.WithCancel(context.Background())
		defer stop()
		defer time.AfterFunc(after, stop).Stop()
		_, err := command(t, canceled, args...)
		return err
	}
	var early, late time.Duration
	err := interrupt()
	for tries := 0; err == nil || strings.Contains(err.Error(), "before a step was taken"); tries++ {
		if tries == 20 {
			t.Fatal("the training could not be interrupted")
		}
		if err == nil {
			late = after
		} else {
			early = after
		}
		if after *= 2; late > 0 {
			after = (early + late) / 2
		}
		err = interrupt()
	}
	if !strings.Contains(err.Error(), "-resume") {
		t.Fatal(err)
	}
	mustRun(t, "train", "-resume", model, "-data", data, "-workers", "2", "-out", model)
}

// TestPresetsOpen checks that a training with every preset of every experiment can begin.
func TestPresetsOpen(t *testing.T) {
	file := smallOwn(t)
	for _, sys := range systems {
		for _, m := range method.MethodsFor(sys.Traits.Name) {
			for _, preset := range method.Presets(sys.Traits.Name, m.Name) {
				spec := method.Spec{System: sys.Traits.Name, Method: m.Name, Preset: preset}.String()
				o := trainOptions{settings: settings{subcommand: subcommand{workers: 1, stderr: io.Discard}, experiment: spec}}
				if o.outliers = "refuse"; sys.Described != nil {
					o.data, o.given = file, map[string]bool{"experiment": true}
				}
				run, err := o.open(t.Context())
				if err != nil {
					t.Errorf("%s: %v", spec, err)
					continue
				}
				run.close()
			}
		}
	}
}

func TestDemoFromTheCommandLine(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.safetensors")
	mustRun(t, "train", "-experiment", "demo", "-preset", "browser", "-steps", "2", "-seed", "1", "-out", model)
	mustRun(t, "train", "-resume", model, "-out", model)
	var result map[string]any
	if err := json.Unmarshal([]byte(mustRun(t, "eval", "-model", model, "-sets", "2", "-json")), &result); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"kl", "eps", "zdim", "seconds"} {
		if _, ok := result[key]; !ok {
			t.Errorf("eval -json prints no %s: %v", key, result)
		}
	}
}

// TestHelp checks that every command has a help text, that train's help has every shorthand, and
// that reproduce's help has every table.
// TestLeadingZeros checks that a zero in front of a number means nothing, as a value of every kind of flag.
func TestLeadingZeros(t *testing.T) {
	var said [2]string
	for i, zero := range []string{"", "0"} {
		out := filepath.Join(t.TempDir(), "f.npz")
		mustRun(t, "simulate", "-n", zero+"10", "-particles", zero+"12", "-steps", zero+"10", "-seed", zero+"11", "-params", "a:"+zero+"6", "-out", out)
		said[i] = bytesOf(t, out)
		c := configOf(t, "-seed", zero+"10", "-set", "steps="+zero+"100", "-eps", zero+"0.1")
		if c.Seed != 10 || c.Steps != 100 || c.Eps() != 0.1 {
			t.Errorf("with the zero %q: seed %d, %d steps, ε %g", zero, c.Seed, c.Steps, c.Eps())
		}
	}
	if said[0] != said[1] {
		t.Error("010 is not 10")
	}
}

func TestHelp(t *testing.T) {
	for _, c := range root(io.Discard, io.Discard).Subcommands {
		name := c.Name
		var said bytes.Buffer
		if err := run(context.Background(), []string{name, "-h"}, &said, &said); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%s -h: %v", name, err)
		}
		want := []string{"USAGE", "macroscope " + name}
		if name == "train" {
			want = append(want, "-set NAME=VALUE", "mixing/ae-aug", "ae-aug, mixing")
			for _, h := range shorthands {
				want = append(want, "-"+h.flag)
			}
		}
		if name == "reproduce" {
			tables, err := reproduce.Tables(systems, reproduce.Sizes()[1])
			if err != nil {
				t.Fatal(err)
			}
			for _, table := range tables {
				want = append(want, table.Name)
			}
		}
		for _, text := range want {
			if !strings.Contains(strings.Join(strings.Fields(said.String()), " "), text) {
				t.Errorf("%s -h lacks %q:\n%s", name, text, &said)
			}
		}
		for line := range strings.Lines(said.String()) {
			if n := utf8.RuneCountInString(line); n > 110 {
				t.Errorf("%s -h has a line of %d letters: %s", name, n, line)
			}
		}
	}
}

// TestMistakesAreNotBuried checks that an unknown flag prints one sentence and no page of help.
func TestMistakesAreNotBuried(t *testing.T) {
	for args, says := range map[string]string{
		"-port 80":                                  "not defined: -port; macroscope -h lists the flags",
		"train -step 3":                             "not defined: -step; macroscope train -h lists the flags",
		"simulate -n 0x10":                          `"0x10" for flag -n: give a whole number in decimal digits;`,
		"eval -trajectories 1_000":                  `give a whole number in decimal digits;`,
		"eval -seed 0b11":                           `give a whole number in decimal digits from 0 to`,
		"train -seed 0x10":                          `give a whole number in decimal digits from 0 to`,
		"train -set steps=1_000":                    `give a whole number in decimal digits from`,
		"train -set eps=0x1p-3":                     `give a number in decimal digits from`,
		"train -experiment particles -params a:0x2": `give a number`,
		"train -data x.npz -dt 0x1":                 `give a number in decimal digits;`,
		"eval -eps 0x1p-3 -model ../../assets/models/line-flow-tunable.safetensors": `give numbers in decimal digits`,
		"eval -sets many":   `"many" for flag -sets: give a whole number; macroscope eval -h lists the flags`,
		"simulate -plain=2": "macroscope simulate -h lists the flags",
	} {
		var printed bytes.Buffer
		if err := run(context.Background(), strings.Fields(args), &printed, &printed); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("macroscope %s: error %v, want one that says %q", args, err, says)
		}
		if printed.Len() > 0 {
			t.Errorf("macroscope %s prints %s", args, &printed)
		}
	}
}

// TestModelWithoutAFlag gives a model before and after the flags, and twice.
func TestModelWithoutAFlag(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.safetensors")
	mustRun(t, "train", "-preset", "browser", "-steps", "1", "-out", file)
	var want string
	for i, line := range []string{"eval -json -sets 1 -model " + file, "eval " + file + " -json -sets 1", "eval -sets 1 -json " + file} {
		text, err := command(t, context.Background(), strings.Fields(line)...)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		text, _, _ = strings.Cut(text, `"seconds"`)
		if i == 0 {
			want = text
		}
		if text != want || !strings.Contains(text, `"kl"`) {
			t.Errorf("%s: %s, want %s", line, text, want)
		}
	}
	for _, line := range []string{"eval " + file + " " + file, "eval -model " + file + " " + file, "simulate " + file} {
		if _, err := command(t, context.Background(), strings.Fields(line)...); err == nil || !strings.Contains(err.Error(), "is not a flag") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestMistakesGetASentence(t *testing.T) {
	dir := t.TempDir()
	demoModel, wideModel, empty := filepath.Join(dir, "demo"), filepath.Join(dir, "wide"), filepath.Join(dir, "empty.npz")
	mustRun(t, "train", "-preset", "browser", "-steps", "1", "-out", demoModel)
	mustRun(t, "train", "-preset", "browser", "-steps", "1", "-set", "eps=0.3", "-out", wideModel)
	usual := filepath.Join(dir, "usual.npz")
	mustRun(t, "simulate", "-n", "2", "-particles", "5", "-steps", "40", "-out", usual)
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out, shipped := filepath.Join(t.TempDir(), "out"), "../../assets/models/"
	for _, tc := range []struct {
		args string
		says string
	}{
		{"train -experiment mixture", "no experiment"},
		{"train -experiment line/ae-inve", "no experiment"},
		{"train -experiment mixing/gnn", "no experiment"},
		{"train -experiment mixing@browser -preset laptop", "contradict"},
		{"train -experiment demo -data x.npz", "-data means nothing to the experiment line/flow; leave it out"},
		{"train -experiment demo -law joint", "-law means nothing to the experiment line/flow; leave it out"},
		{"train -experiment demo -set law.dt=1", "no field \"law.dt\"; it has particles, seed, batch"},
		{"train -set 7", "NAME=VALUE"},
		{"train -experiment particles -set law.onsager.alpha=0.5 -out " + out, "law.onsager.alpha has no effect without law.form=onsager; set both, or leave it out"},
		{"train -set batch=many", "-set: batch cannot be \"many\""},
		{"train -set flow.dim=3", "follows from the data"},
		{"train -set batch=63 -out " + out, "a number of shards that divides them"},
		{"train -experiment particles -macro colour -out " + out, "-data"},
		{"train -experiment particles -set macro=extent -out " + out, "-data"},
		{"train -experiment particles -data " + empty + " -out " + out, "empty"},
		{"train -experiment particles -data " + dir + " -out " + out, demoModel + ": it is a checkpoint of a model"},
		{"train -experiment particles -data missing.npz -out " + out, "cannot open the trajectories: stat missing.npz"},
		{"train -experiment particles@quick -params a -data " + usual + " -out " + out, "the data have no values of a to learn from"},
		{"eval -tests . -data " + usual + " -model " + shipped + "particles-laptop.safetensors", "-tests means nothing"},
		{"train -experiment particles -preset huge -out " + out, "no preset"},
		{"train -experiment particles@huge -out " + out, "no preset"},
		{"train -experiment mixing -preset quick -out " + out, "no preset"},
		{"train -experiment particles -zdim 99 -out " + out, "latent dimension"},
		{"train -experiment ae-aug -zdim 99 -out " + out, "latent dimension"},
		{"train -experiment ae-aug -eps 0.1 -out " + out, "-eps means nothing to the experiment particles/ae-aug"},
		{"train -experiment mixing/ae-aug -eps 0.1 -out " + out, "-eps means nothing to the experiment mixing/ae-aug"},
		{"train -experiment particles -resume " + demoModel + " -out " + out, "is of the experiment line/flow, not particles/flow"},
		{"train -resume " + demoModel + " -data x -out " + out, "-data means nothing"},
		{"train -resume " + empty + " -out " + out, "empty"},
		{"train -workers 0", "-workers 0"},
		{"train extra", "not a flag"},
		{"train -preset browser -steps 1 -seed 1 -seed 2 -out " + out, "-seed is given twice; give it once"},
		{"train -experiment mixing -macro energy -share -share=false -out " + out, "-share is given twice"},
		{"-embed a -embed b -dir " + dir, "-embed is given twice"},
		{"train -preset browser -steps 1 -set steps=2 -out " + out, "-steps 1 and -set steps=2 change the same setting, steps; give one of them"},
		{"train -preset browser -steps 1 -set eps=0.1 -set eps=0.2 -out " + out, "-set eps=0.1 and -set eps=0.2 change"},
		{"train -experiment mixing -set batch=63 -law joint -dynamics separate -out " + out, "-law joint and -dynamics separate change"},
		{"train -resume " + demoModel + " -set rate=0.1 -set rate=0.2 -out " + out, "-set rate=0.1 and -set rate=0.2 change"},
		{"sweep -set eps=0.1 -over epsilon=1,2 -set eps=0.2 -dir " + dir, "eps=0.1 changes the same setting"},
		{"sweep -over steps=5,6 -set steps=3 -dir " + dir, "-over steps and -set steps=3 change the same setting"},
		{"sweep -over steps=5,6 -from missing -dir " + dir, "cannot open the records: stat missing"},
		{"export -exact -model " + demoModel + " -out " + out, "-exact works only with -half"},
		{"export -model " + demoModel + " -out " + out + ".macroscope", "export writes a checkpoint"},
		{"eval -model " + shipped + "line-ae-aug.safetensors", "the method ae-aug learns no density"},
		{"figure -model " + shipped + "line-ae-aug.safetensors -out " + out + ".svg", "the method ae-aug learns no density"},
		{"figure -tests . -model " + shipped + "particles-laptop.safetensors -out " + out + ".svg", "-tests means nothing"},
		{"eval -seed 1 -tests . -model " + shipped + "particles-laptop.safetensors", "leave -seed or -tests out"},
		{"eval -grid 2 -eps 0.1 -model " + shipped + "line-flow-tunable.safetensors", "leave one of them out"},
		{"eval -eps 0.1,0.2 -model " + shipped + "particles-flow-tunable.safetensors", "ε does not change the dynamics"},
		{"sweep -experiment line/flow-tunable@browser -over rate=0.001,0.002 -dir " + dir, "a KL for each ε and ẑ dim"},
		{"sweep -experiment particles/ae-aug@quick -over rate=0.001,0.002 -dir " + dir, "the method ae-aug has no ε"},
		{"sweep -over steps=5,6 -time 1:00 -list -dir " + dir, "-time works only with -slurm"},
		{"encode -held 2 -validation 2 -out " + out, "older name"},
		{"encode -seed 2 -data " + usual + " -out " + out, "leave one of them out"},
		{"simulate -n 1 -force= -out " + out, "-force is empty"},
		{"simulate -n 1 -out " + out + ".npy", "simulate writes .npz"},
		{"simulate -experiment polymer -n 1 -out " + out + ".gif", "an animation is written with -video"},
		{"simulate -experiment polymer -n 1 -particles 1 -out " + out, "-particles cannot be \"1\": give a whole number from 2 to 1000"},
		{"simulate -experiment polymer -n 1 -test fast -particles 100 -film " + out + " -out " + out, "are the same file"},
		{"eval", "needs -model"},
		{"eval -model " + empty, "empty"},
		{"eval -model " + demoModel + " -data x", "-data means nothing"},
		{"eval -model " + demoModel + " -trajectories 3", "-trajectories means nothing"},
		{"eval -model " + demoModel + " -sets 0", "-sets 0"},
		{"eval -sets 3 -model " + shipped + "mixing-laptop.safetensors", "-sets means nothing"},
		{"eval -macro energy -model " + shipped + "mixing-laptop.safetensors", "-macro means nothing"},
		{"eval -trajectories 1 -model " + shipped + "mixing-laptop.safetensors", "use 2 to"},
		{"eval -trajectories 0 -model " + shipped + "particles-laptop.safetensors", "use 1 to"},
		{"eval -tests " + dir + " -model " + shipped + "particles-laptop.safetensors", "write the test with simulate -test"},
		{"sweep -over epsilon=1,2 -dir " + dir, "the experiment line/flow has no field \"epsilon\"; it has particles, seed, batch"},
		{"simulate -n 0", "-n 0"},
		{"simulate -experiment polymer -particles 20 -test slow", "the system polymer of 20 particles has no test \"slow\"; it has in-dst"},
		{"simulate -particles 1", "number of particles is 1"},
		{"simulate -experiment demo", "as they are needed"},
		{"simulate -experiment mixing -boundary 40", "outside the box"},
		{"simulate -experiment mixing -boundary 31.9", "species 2 empty"},
		{"simulate -experiment mixing -boundary 12 -fixed", "contradict"},
		{"simulate -experiment mixing -particles 100", "-particles means nothing"},
		{"simulate -boundary 12", "-boundary means nothing"},
		{"simulate -fixed", "-fixed means nothing"},
		{"simulate -wide", "-wide means nothing"},
		{"encode -model " + demoModel, "no dynamics"},
		{"train -experiment mixing -law both -out " + out, "joint or separate"},
		{"train -experiment mixing -dynamics both -out " + out, "-dynamics both; use joint or separate"},
		{"train -experiment mixing -noise loud -out " + out, "loud"},
		{"train -experiment mixing -macro energy -out " + out, "-macro means nothing"},
		{"train -experiment mixing -data " + empty + " -out " + out, "empty"},
		{"train -experiment mixing -data missing -out " + out, "missing"},
		{"train -experiment particles -law joint -out " + out, "-law means nothing"},
		{"figure -model " + demoModel + " -out " + dir, "ends in .png or .svg"},
		{"figure -out f.png", "needs -model"},
		{"figure -model " + demoModel + " -trajectories 1 -out f.png", "-trajectories 1"},
		{"figure -model ../../assets/models/particles-laptop.safetensors," + demoModel + " -out f.png", "particles/flow and line/flow move in different ways"},
		{"figure -model " + demoModel + ",../../assets/models/particles-laptop.safetensors -out f.png", "line/flow and particles/flow move in different ways; draw them apart"},
		{"figure -model " + demoModel + "," + wideModel + "," + wideModel + " -out f.png", "as many of each"},
	} {
		_, err := command(t, context.Background(), strings.Fields(tc.args)...)
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("macroscope %s: error %v, want one that says %q", tc.args, err, tc.says)
		}
	}
}
