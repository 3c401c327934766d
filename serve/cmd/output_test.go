package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/fit"
	"macroscope/serve/output"
)

// The function `few` returns the arguments of a short training. `file` contains the trajectories,
// and `out` is the output file.
func few(file, out string) []string {
	return []string{"train", "-experiment", "particles", "-preset", "browser", "-data", file, "-steps", "2", "-law-steps", "2", "-workers", "1", "-out", out}
}

// fails checks that a command returns an error that contains the text `says`.
func fails(t *testing.T, says string, args ...string) {
	t.Helper()
	if _, err := command(t, context.Background(), args...); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("macroscope %s: error %v, want one that says %q", strings.Join(args, " "), err, says)
	}
}

// The function `with` returns a copy of a command line. In the copy a flag has another value.
func with(args []string, flag, value string) []string {
	args = slices.Clone(args)
	if at := slices.Index(args, flag); at >= 0 {
		args = slices.Delete(args, at, at+2)
	}
	return append(args, flag, value)
}

func bytesOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestInputsStay checks that no command overwrites one of its input files, even if the output has
// another path to the same file.
func TestInputsStay(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f.npz")
	mustRun(t, "simulate", "-n", "3", "-particles", "12", "-steps", "40", "-out", file)
	was := bytesOf(t, file)
	soft, hard := filepath.Join(dir, "soft"), filepath.Join(dir, "hard")
	if err := os.Symlink(file, soft); err != nil {
		t.Skip(err)
	}
	if err := os.Link(file, hard); err != nil {
		t.Skip(err)
	}
	const never, model = "reads, which is never written over", "../../assets/models/particles-laptop.safetensors"
	for _, path := range []string{file, soft, hard, filepath.Join(dir, ".", "..", filepath.Base(dir), "f.npz")} {
		fails(t, never, few(file, path)...)
		fails(t, never, "encode", "-model", model, "-data", file, "-out", path)

	}
	soft = filepath.Join(dir, "model")
	if err := os.Link(model, soft); err == nil {
		fails(t, never, "encode", "-model", model, "-data", file, "-out", soft)
	}
	// The figure's output is also its input.
	figure := filepath.Join(dir, "f.png")
	if err := os.Link(model, figure); err == nil {
		fails(t, never, "figure", "-model", model, "-out", figure)
	}
	if bytesOf(t, file) != was {
		t.Error("the data have changed")
	}
}

// TestOldModelsStay begins trainings with an output file that contains an older model. If the
// training ends before its first step, the file stays; otherwise the older model is kept under
// another name.
func TestOldModelsStay(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "f.npz"), filepath.Join(dir, "m")
	mustRun(t, "simulate", "-n", "3", "-particles", "12", "-steps", "40", "-out", file)
	mustRun(t, few(file, out)...)
	first := bytesOf(t, out)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{few(file, out), {"train", "-preset", "browser", "-out", out}} {
		_, err := command(t, ended, args...)
		if err == nil || !strings.Contains(err.Error(), "was not written") {
			t.Errorf("%v: error %v", args, err)
		}
	}
	if bytesOf(t, out) != first {
		t.Fatal("a training that took no step has replaced the model")
	}
	var said bytes.Buffer
	if err := run(context.Background(), append(few(file, out), "-seed", "2"), io.Discard, &said); err != nil {
		t.Fatal(err)
	}
	if bytesOf(t, out) == first || bytesOf(t, out+".bak") != first || !strings.Contains(said.String(), out+".bak") {
		t.Errorf("the old model is not kept: %s", &said)
	}
	// A training that resumes from its output file replaces this file. If the file is a bundle but
	// its name does not end in .macroscope, the new file is only a checkpoint. The bundle contains
	// more, so it is kept as .bak.
	bundle, other := filepath.Join(dir, "b.macroscope"), filepath.Join(dir, "b")
	mustRun(t, few(file, bundle)...)
	mustRun(t, "train", "-resume", bundle, "-out", bundle)
	if err := os.Rename(bundle, other); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "train", "-resume", other, "-out", other)
	if b, err := readBundle(other + ".bak"); b == nil {
		t.Errorf("the bundle is lost: %v", err)
	}
	mustRun(t, "train", "-resume", out, "-data", file, "-out", out)
	mustRun(t, "train", "-resume", out+".bak", "-data", file, "-out", out)
	if bytesOf(t, out+".bak") != first {
		t.Error("the file that a training went on from has changed")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 6 { // the files f.npz, m, m.bak, m.bak2, b and b.bak
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// TestOthersFilesStay runs each command that writes a file where another file is. The other file must be
// kept. While another program is writing the file, the command must be refused.
func TestOthersFilesStay(t *testing.T) {
	dir := t.TempDir()
	model, data := "../../assets/models/particles-laptop.safetensors", filepath.Join(dir, "f.npz")
	mustRun(t, "simulate", "-n", "2", "-particles", "12", "-steps", "40", "-out", data)
	film := filepath.Join(dir, "film.npz")
	for _, tc := range []struct{ flag, name, command string }{
		{"-out", "s.npz", "simulate -n 1 -particles 12 -steps 4"},
		{"-out", "t.npz", "simulate -test in-dst -n 2"},
		{"-film", "film2.npz", "simulate -experiment polymer -particles 100 -test fast -n 1 -out " + film},
		{"-out", "e.npz", "encode -n 2 -validation 1 -data " + data + " -model " + model},
		{"-out", "x", "export -model " + model},
		{"-out", "p.svg", "figure -model " + model},
		{"-predictions", "p.csv", "eval -data " + data + " -model " + model},
		{"-out", "m", "train -preset browser -steps 2 -law-steps 2 -workers 1 -data " + data},
	} {
		path := filepath.Join(dir, tc.name)
		args := with(strings.Fields(tc.command), tc.flag, path)
		if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		other, err := output.New(tc.flag, path)
		if err != nil {
			t.Fatal(err)
		}
		fails(t, tc.flag+" "+path+": another program is writing this file", args...)
		if other.Close(); bytesOf(t, path) != "mine" {
			t.Errorf("%v has changed the file of another program", args)
		}
		var said bytes.Buffer
		if err := run(t.Context(), args, io.Discard, &said); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		if bytesOf(t, path) == "mine" || bytesOf(t, path+".bak") != "mine" || !strings.Contains(said.String(), path+" is kept as "+path+".bak") {
			t.Errorf("%v has not kept the file, or does not say so: %s", args, &said)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); left != nil {
			t.Errorf("%v leaves %q", args, left)
		}
	}
}

// unbegun returns the checkpoint of a training on a file, before the first step.
func unbegun(t *testing.T, file, model string) *ckpt.File {
	t.Helper()
	o := parse(t, few(file, model)[1:]...)
	training, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer training.close()
	if err := training.prepare(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	return training.run.Checkpoint()
}

func writeCheckpoint(t *testing.T, path string, f *ckpt.File) {
	t.Helper()
	var b bytes.Buffer
	if err := ckpt.Encode(&b, f); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// writeDiverging writes a checkpoint with weights for which the next loss is infinite.
func writeDiverging(t *testing.T, path string, f *ckpt.File) {
	t.Helper()
	for i := range f.Tensors {
		if strings.HasPrefix(f.Tensors[i].Name, "param.") {
			for k := range f.Tensors[i].F32 {
				f.Tensors[i].F32[k] = 1e30
			}
		}
	}
	writeCheckpoint(t, path, f)
}

// TestDivergence checks the error of a diverged training. The error must name the step, and a
// remedy that contains the flags of the command. The training must not write a model.
func TestDivergence(t *testing.T) {
	dir := t.TempDir()
	file, model := filepath.Join(dir, "f.npz"), filepath.Join(dir, "m")
	mustRun(t, "simulate", "-n", "3", "-particles", "12", "-steps", "40", "-out", file)
	out := filepath.Join(dir, "diverging")
	writeDiverging(t, out, unbegun(t, file, model))
	_, err := command(t, context.Background(), "train", "-resume", out, "-data", file, "-out", model)
	if err == nil {
		t.Fatal("the training did not diverge")
	}
	for _, says := range []string{"diverged at step 0", "not a number", "-resume " + out, "-data " + file, "-set rate="} {
		if !strings.Contains(err.Error(), says) {
			t.Errorf("%q does not say %q", err, says)
		}
	}
	if strings.Contains(err.Error(), "likely cause") {
		t.Errorf("%q blames the data", err)
	}
	if _, err := os.Stat(model); err == nil {
		t.Error("a training that took no step has written a model")
	}
}

// TestRatesOfATrainingThatGoesOn changes a learning rate of a resumed training. It also tries
// to change other settings, which must be rejected.
func TestRatesOfATrainingThatGoesOn(t *testing.T) {
	dir := t.TempDir()
	file, model := filepath.Join(dir, "f.npz"), filepath.Join(dir, "m")
	mustRun(t, "simulate", "-n", "3", "-particles", "12", "-steps", "40", "-out", file)
	o := parse(t, few(file, model)[1:]...)
	c, own, err := o.config(file)
	if err != nil {
		t.Fatal(err)
	}
	own.Close()
	for i, p := range fit.Phases(&c) {
		changed := c
		if err := changed.Set(p.RateName, "0.000125"); err != nil || fit.Phases(&changed)[i].Config.Schedule.Peak != 0.000125 {
			t.Errorf("%s is not the rate of phase %d: %v", p.RateName, p.Stage, err)
		}
	}
	writeCheckpoint(t, model, unbegun(t, file, model))
	resume := []string{"train", "-resume", model, "-data", file, "-out", model}
	mustRun(t, append(resume, "-set", "rate=0.00025")...)
	fails(t, "the training has ended", append(resume, "-set", "rate=0.00025")...)
	m, err := load(io.Discard, model)
	if err != nil || m.Config.Rate != 0.00025 {
		t.Errorf("the rate is %g, %v", m.Config.Rate, err)
	}
	fails(t, "what can be changed is rate, law.fit.rate", append(resume, "-set", "batch=32")...)
	fails(t, "-steps with -resume", append(resume, "-steps", "5")...)
	fails(t, "learning rate", append(resume, "-set", "rate=7")...)
}

// full is a standard output on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestResultsThatCannotBeWritten checks that eval and verify fail if their results cannot be
// written to standard output.
func TestResultsThatCannotBeWritten(t *testing.T) {
	model := "../../assets/models/particles-laptop.safetensors"
	for _, args := range []string{
		"eval -trajectories 2 -model " + model, "eval -json -trajectories 2 -model " + model, "verify ../../model/file/data/testdata",
	} {
		err := run(context.Background(), strings.Fields(args), full{}, io.Discard)
		if err == nil || !strings.Contains(err.Error(), "the results could not be written") {
			t.Errorf("%s: error %v", args, err)
		}
	}
}

// TestPlacesThatCannotBe checks the errors for output paths that cannot be written.
func TestPlacesThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.npz")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"train -steps 1", "simulate -n 1", "encode -model ../../assets/models/mixing-laptop.safetensors"} {
		args := strings.Fields(command)
		fails(t, "names no file", append(args, "-out", "")...)
		fails(t, "is a folder", append(args, "-out", dir)...)
		fails(t, "there is no folder", append(args, "-out", filepath.Join(dir, "none", "x"))...)
	}
	fails(t, "is a file; give the folder", "verify", file)
	fails(t, "there is no folder", "verify", filepath.Join(dir, "none"))
	fails(t, "no .npz file", "verify", t.TempDir())
}
