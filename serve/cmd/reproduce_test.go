package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/learn/sweep"
	"macroscope/serve/reproduce"
)

// TestReproduce makes a table in an empty folder. Its tasks run this program. One row is a model
// with a very short training.
func TestReproduce(t *testing.T) {
	dir := t.TempDir()
	size := reproduce.Size{Preset: "quick", Seeds: 1, Trajectories: 2}
	tables, err := reproduce.Tables(systems, size, "-workers", "1")
	if err != nil {
		t.Fatal(err)
	}
	var one []*reproduce.Table
	for _, table := range tables {
		if table.Name == "sensitivity zdim" {
			one = append(one, table)
		}
	}
	tasks := reproduce.Tasks(one, []string{"-preset", "quick", "-seeds", "1", "-workers", "1"})
	for _, task := range tasks { // only the first row is trained, for a few steps; the others get copies of its result
		if strings.HasSuffix(task.Name, ": train") {
			task.Args = append(task.Args, "-set", "steps=2", "-set", "law.fit.steps=2", "-set", "law.roll.steps=1", "-set", "trajectories=2",
				"-set", "law.trajectories=2", "-set", "warm=0", "-set", "batch=4", "-set", "shards=1", "-set", "particles=8")
		}
		for i, a := range task.Args {
			if a == "-trajectories" || a == "-n" {
				task.Args[i+1] = "2"
			}
		}
	}
	g, err := reproduce.NewGraph(tasks)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asProgram, itsOwn)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := g.Run(t.Context(), reproduce.Options{Dir: dir, Program: program, Jobs: 2, Stderr: &said}); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	md, err := os.ReadFile(filepath.Join(dir, g.File("paper/sensitivity-zdim.md")))
	if err != nil || strings.Count(string(md), "| ẑ dim = ") != 8 || strings.Contains(string(md), "n/a") {
		t.Errorf("%v\n%s", err, md)
	}
}

func TestReproduceMistakes(t *testing.T) {
	for args, says := range map[string]string{
		"-preset tiny": "use quick, laptop, paper", "-seeds 0": "use 1 to 100", "-jobs 0": "use 1 to 1024",
		"-only nothing": "use line, table 1, table 2", "-render x": "no table",
	} {
		_, err := command(t, t.Context(), append([]string{"reproduce", "-dir", t.TempDir()}, strings.Fields(args)...)...)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("reproduce %s: %v, want %q", args, err, says)
		}
	}
	stopped, stop := context.WithCancel(t.Context()) // the context is cancelled before a task begins
	stop()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	if _, err := command(t, stopped, "reproduce", "-dir", t.TempDir(), "-preset", "quick", "-publish", link); err == nil || !strings.Contains(err.Error(), "-publish") {
		t.Errorf("-publish to a link that leads nowhere: %v", err)
	}
	out, err := command(t, t.Context(), "reproduce", "-dir", t.TempDir(), "-preset", "quick", "-list", "-only", "table 1")
	if err != nil || !strings.Contains(out, "particles/flow@quick seed 1: train: to do, about ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestSweep makes a sweep's file from results, some of which are missing. The file must have
// the paper's figures for the paper's configurations.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "results"), 0o755); err != nil {
		t.Fatal(err)
	}
	of := sweep.Of{Spec: method.NamedSpec("line/flow@browser"), Swept: []sweep.Swept{{Field: "eps", Values: []string{"0.03", "0.1"}}, {Field: "encoder.zdim", Values: []string{"8"}}}}
	table, err := reproduce.NewSweep(systems, reproduce.Size{Seeds: 2, Trajectories: 1000}, of, "-workers", "1")
	if err != nil {
		t.Fatal(err)
	}
	g, err := table.SweepGraph()
	if err != nil {
		t.Fatal(err)
	}
	for name, kl := range map[string]string{"eps_0.03_seed_1": "0.5", "eps_0.03_seed_2": "0.7", "seed_1": "0.1"} {
		if err := os.WriteFile(filepath.Join(dir, g.File("results/line_flow_browser_"+name+".json")), []byte(`{"kl": `+kl+`}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "line.json")
	args := []string{"sweep", "-experiment", "line/flow@browser", "-over", "eps=0.03,0.1", "-over", "encoder.zdim=8", "-seeds", "2", "-dir", dir, "-out", file}
	if _, err := command(t, t.Context(), append(args, "-done")...); err != nil {
		t.Fatal(err)
	}
	var got sweep.File
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	want := []sweep.Point{
		{At: map[string]float64{"eps": 0.03, "encoder.zdim": 8}, Values: []float64{0.5, 0.7}},
		{At: map[string]float64{"eps": 0.1, "encoder.zdim": 8}, Values: []float64{0.1}, Missing: 1},
	}
	if err != nil || !reflect.DeepEqual(got.Points, want) {
		t.Errorf("%v: the points are %+v, want %+v", err, got.Points, want)
	}
	if table, err := os.ReadFile(filepath.Join(dir, "line.csv")); err != nil || !strings.Contains(string(table), "ε = 0.03,KL,kl,,0.6,0.141421,2,0.5 0.7\n") {
		t.Errorf("%v: %s", err, table)
	}
	out, err := command(t, t.Context(), append(args, "-list")...)
	if err != nil || !strings.Contains(out, "line/flow@browser eps=0.03 seed 1: eval: done; needs ") || !strings.Contains(out, "line/flow@browser seed 2: train: to do, about ") || !strings.Contains(out, "of one core left") {
		t.Errorf("%v\n%s", err, out)
	}
	// Of the files next to it, an earlier state of the sweep is replaced. All others are kept.
	mine := filepath.Join(dir, "mine.csv")
	if err := os.WriteFile(mine, []byte("my own table"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := os.WriteFile(filepath.Join(dir, g.File("results/line_flow_browser_seed_1.json")), []byte(`{"kl": 0.2}`), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, out := range []string{file, filepath.Join(dir, "mine.json")} {
			if _, err := command(t, t.Context(), append(with(args, "-out", out), "-done")...); err != nil {
				t.Fatal(err)
			}
		}
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "*.bak*")); len(kept) != 1 || bytesOf(t, mine+".bak") != "my own table" {
		t.Errorf("%q are kept", kept)
	}
	stopped, stop := context.WithCancel(t.Context()) // cancelled, so nothing is trained
	stop()
	for out, says := range map[string]string{
		filepath.Join(dir, "nowhere", "line.json"): "there is no folder", dir: "is a folder", filepath.Join(dir, "line.csv"): "another ending", file: "stopped",
	} {
		if _, err := command(t, stopped, with(args, "-out", out)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("-out %s: %v, want %q", out, err, says)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "line.csv")); err != nil || bytes.HasPrefix(b, []byte("{")) {
		t.Errorf("%v: the CSV has become %s", err, b)
	}
	for over, says := range map[string]string{"encoder.act=relu": "no number", "wings=2": "wings", "eps": "NAME=VALUE", "eps=x": "eps"} {
		if _, err := command(t, t.Context(), "sweep", "-over", over, "-dir", dir, "-out", file); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("-over %s: %v", over, err)
		}
	}
}
