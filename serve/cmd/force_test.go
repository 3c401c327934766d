package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
)

// TestForceFromTheCommandLine simulates particles with the user's force, and writes a file that
// contains this force. It trains one model with the force in a flag. It trains another model on the
// file. It then evaluates models.
func TestForceFromTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	file, own, of := filepath.Join(dir, "f.npz"), filepath.Join(dir, "own.safetensors"), filepath.Join(dir, "of.safetensors")
	mustRun(t, "simulate", "-n", "4", "-particles", "12", "-steps", "40", "-force", "1/r − r", "-out", file)
	letters, err := arraysOf(t, file)["force"].Int64s()
	var force []byte
	for _, c := range letters {
		force = append(force, byte(c))
	}
	if string(force) != "1/r-r" || err != nil {
		t.Fatalf("the file has the force %q, %v", force, err)
	}
	small := []string{"train", "-experiment", "particles@browser", "-report=false", "-set", "particles=12", "-set", "trajectories=3", "-set", "warm=0", "-set", "law.trajectories=3", "-steps", "2", "-law-steps", "2"}
	mustRun(t, append(small, "-set", "force=1/r-r", "-out", own)...)
	mustRun(t, append(small, "-data", file, "-out", of)...)
	for path, want := range map[string]string{own: "1/r-r", of: "1/r-r"} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ckpt.Decode(bytes.NewReader(b))
		if err != nil || f.Metadata["config.force"] != want {
			t.Errorf("%s is of the force %q, %v", path, f.Metadata["config.force"], err)
		}
	}
	// This force is NaN for the default b, but not for b = 2.
	mustRun(t, "simulate", "-n", "4", "-particles", "12", "-steps", "40", "-force", "sqrt(b-1)-r", "-params", "b:2", "-out", file)
	mustRun(t, append(small, "-force", "sqrt(b-1)-r", "-params", "b:2", "-out", of)...)
	if arrays := arraysOf(t, file); arrays["b"] != nil || arrays["force"].Len() != len("sqrt(2-1)-r") {
		t.Errorf("the force has %d letters, b is %v", arrays["force"].Len(), arrays["b"])
	}
	var its struct{ MRE float64 }
	if evalJSON(t, &its, "-model", of, "-data", file); !(its.MRE > 0) {
		t.Errorf("MRE %g", its.MRE)
	}
	mustRun(t, "simulate", "-n", "4", "-particles", "12", "-steps", "40", "-force", "1/r − r", "-out", file)
	usualModel := "../../assets/models/particles-laptop.safetensors"
	var own1, usual struct{ Tests []struct{ MRE float64 } }
	evalJSON(t, &own1, "-model", own, "-trajectories", "1")
	evalJSON(t, &usual, "-model", own, "-trajectories", "1", "-force", " ")
	if len(own1.Tests) != 3 || own1.Tests[0].MRE == usual.Tests[0].MRE {
		t.Errorf("measured on its own force %+v, on the usual one %+v", own1, usual)
	}
	var says bytes.Buffer
	if err := run(context.Background(), []string{"eval", "-model", usualModel, "-data", file}, new(bytes.Buffer), &says); err != nil || !strings.Contains(says.String(), "the data are of particles with F(r) = 1/r-r, and the model was trained on F(r) = tanh(a*(1-r))+b") {
		t.Errorf("%v; said is %q", err, says.String())
	}
	for _, tc := range []struct {
		says string
		args []string
	}{
		{`-force: the force cannot be "2r": between 2 and "r" an operator is missing`, []string{"simulate", "-force", "2r"}},
		{`-force: the force F(r) cannot be "exp(r)": F(r) = exp(r) cannot be used: at the distance`, []string{"train", "-experiment", "particles", "-force", "exp(r)"}},
		{"-params: F(r) = 1/r-r has no a; leave a out, or write it into the force", []string{"train", "-experiment", "particles", "-force", "1/r-r", "-params", "a"}},
		{"-params: F(r) = 1/r-r has no a;", []string{"simulate", "-force", "1/r-r", "-params", "a:6"}},
		{"the dynamics cannot be given this: F(r) = 1/r-r has no a;", []string{"train", "-experiment", "particles", "-data", file, "-params", "a"}},
		{"-params: F(r) = 1/r-r has no b;", []string{"eval", "-model", own, "-params", "b:1"}},
		{"-force means nothing to the experiment mixing", []string{"simulate", "-experiment", "mixing", "-force", "r"}},
		{"-force means nothing to the experiment line/flow", []string{"train", "-force", "r"}},
		{"-tests holds trajectories with the usual force", []string{"eval", "-model", own, "-tests", dir}},
	} {
		if _, err := command(t, context.Background(), tc.args...); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%v: error %v, want %q", tc.args, err, tc.says)
		}
	}
}
