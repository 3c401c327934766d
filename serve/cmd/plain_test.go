package cmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/sim/lj"
	"macroscope/sim/particle"
)

// TestPlain trains with and without the flag -plain, and checks the arithmetic in use.
func TestPlain(t *testing.T) {
	was, pairs, atoms := kernel.Name(), particle.Implementation(), lj.Implementation()
	defer func() { // other tests need the usual arithmetic
		_, err := kernel.Use(was)
		_, errPairs := particle.Use(pairs)
		if _, errAtoms := lj.Use(atoms); errors.Join(err, errPairs, errAtoms) != nil {
			t.Fatal(err, errPairs, errAtoms)
		}
	}()
	for _, args := range []string{"-plain=false", "-plain"} {
		path := filepath.Join(t.TempDir(), "m.safetensors")
		mustRun(t, "train", args, "-preset", "browser", "-steps", "1", "-out", path)
		want := was
		if args == "-plain" {
			want = "plain"
		}
		if got := kernel.Name(); got != want || want == "plain" && (particle.Implementation() != want || lj.Implementation() != want) {
			t.Errorf("%s: kernels are %s, want %s", args, got, want)
		}
	}
}

// TestPlainTasks checks that sweep and reproduce pass -plain on to the tasks that they start, and to
// the jobs that build the same tasks.
func TestPlainTasks(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(asProgram, itsOwn)
	dir := t.TempDir()
	macroscope := func(args ...string) {
		t.Helper()
		c := exec.Command(self, args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("macroscope %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	sweep := strings.Fields("sweep -experiment line@browser -over eps=0.1 -set steps=1 -seeds 1")
	for _, args := range [][]string{append(sweep, "-plain"), append([]string{"-plain"}, sweep...)} {
		macroscope(args...)
		logs, err := filepath.Glob(filepath.Join(dir, "sweep", "log", "*.log"))
		if err != nil || len(logs) != 2 {
			t.Fatalf("%v, %v", logs, err)
		}
		for _, path := range logs {
			log, err := os.ReadFile(path)
			if line, _, _ := strings.Cut(string(log), "\n"); err != nil || !strings.Contains(line+" ", " -plain ") {
				t.Errorf("macroscope %s: the task is “%s”, %v", strings.Join(args, " "), line, err)
			}
		}
		result, err := os.ReadFile(filepath.Join(dir, "sweep.json"))
		if err != nil || !strings.Contains(string(result), "-plain") {
			t.Errorf("macroscope %s: the command is not in %s, %v", strings.Join(args, " "), result, err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "sweep")); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"sbatch": `echo "$@" >>sbatch.txt; echo 1`, "squeue": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	macroscope("reproduce", "-plain", "-preset", "quick", "-only", "line", "-slurm")
	jobs, err := os.ReadFile(filepath.Join(dir, "sbatch.txt"))
	if err != nil || strings.Count(string(jobs), "'-plain'") != strings.Count(string(jobs), "'reproduce'") || len(jobs) == 0 {
		t.Errorf("the jobs are\n%s, %v", jobs, err)
	}
}
