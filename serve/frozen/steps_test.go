//go:build amd64

package frozen

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macroscope/model/work"
)

// forms are the forms of the kernels of amd64. Each has bits of its own.
var forms = []string{"plain", "avx2", "avx512"}

// stepsOf and stepsTo are environment variables. They make this test program write the steps on the
// data in the folder stepsOf to the file stepsTo, with the kernels that MACROSCOPE_SIMD names.
const (
	stepsOf = "MACROSCOPE_FROZEN_DATA"
	stepsTo = "MACROSCOPE_FROZEN_STEPS"
)

// published are presets with the published networks. On the plain kernels, TestSteps takes a few steps
// of their trainings as well.
var published = []string{"particles/flow@paper", "particles/ae-aug@paper", "mixing/flow@paper"}

// TestSteps takes ten steps of each part of the trainings of every pair of system and method, in its
// smallest preset with small batches. It compares the losses, the weights and the optimiser's state,
// for each form of the kernels that this processor has.
func TestSteps(t *testing.T) {
	if to := os.Getenv(stepsTo); to != "" {
		text := kernelForm() + "\n" + steps(t, os.Getenv(stepsOf))
		if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Parallel()
	s := newShell(t)
	chains(t, s.file("chains"), 16, 20)
	was, _ := os.ReadFile(filepath.Join("testdata", "steps.txt"))
	var out strings.Builder
	for _, form := range forms {
		to := filepath.Join(s.dir, form)
		program := exec.Command(os.Args[0], "-test.run", "^TestSteps$")
		program.Env = append(os.Environ(), stepsOf+"="+s.dir, stepsTo+"="+to, "MACROSCOPE_SIMD="+form)
		if said, err := program.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", form, err, said)
		}
		b, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		name, text, _ := strings.Cut(string(b), "\n")
		if name != form { // this processor lacks the form
			text = stanza(string(was), form)
		}
		fmt.Fprintf(&out, "[%s]\n%s", form, text)
	}
	golden(t, "steps.txt", out.String())
}

// stanza returns the lines after the line [name], up to the next such line.
func stanza(text, name string) string {
	_, rest, _ := strings.Cut(text, "["+name+"]\n")
	lines := strings.SplitAfter(rest, "\n")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "[") }); i >= 0 {
		lines = lines[:i]
	}
	return strings.Join(lines, "")
}

// steps takes the steps of TestSteps on files in the folder `dir`.
func steps(t *testing.T, dir string) string {
	var out strings.Builder
	for _, system := range systemNames() {
		pair := ""
		for _, spec := range presetsOf(system) {
			smallest := !strings.HasPrefix(spec, pair+"@")
			pair, _, _ = strings.Cut(spec, "@")
			switch {
			case smallest:
				out.WriteString(stepsFrom(t, spec, dir, 10))
			case kernelForm() == "plain" && slices.Contains(published, spec):
				out.WriteString(stepsFrom(t, spec, dir, 2))
			}
		}
	}
	return out.String()
}

// stepsFrom takes some steps of each part of a preset's training.
func stepsFrom(t *testing.T, spec, dir string, steps int) string {
	t.Helper()
	file, _, _ := strings.Cut(spec, "/") // a system without simulations of its own name has another file
	switch file {
	case "mixing":
		file = "fixed"
	case "polymer", "polymer-video":
		file = "chains"
	}
	run, done := shortTraining(t, spec, filepath.Join(dir, file+".npz"), steps)
	defer run.Close()
	var out strings.Builder
	for part := 1; !done(); part++ {
		if err := run.Prepare(work.Until(context.Background())); err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		r := run.Trainer()
		if err := run.Train(work.Until(context.Background()), nil); err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		fmt.Fprintf(&out, "  %s part %d, %d steps, loss %.6g: %s\n", spec, part, r.Steps(), r.Loss(), hashes(run.Checkpoint()))
		run.Next()
	}
	return out.String()
}
