//go:build !js

package cmd

import (
	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"macroscope/model/learn/fit"
	"macroscope/model/work"
)

// TestSignals sends each signal to a training. The training must leave a checkpoint from which
// it can resume.
func TestSignals(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Under nohup, hang-ups are ignored, and children inherit this. This process catches SIGHUP, so
	// that its children do not ignore it.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			wait := 500 * time.Millisecond
			for stopped(t, self, s, wait) == 0 { // the training took no step in that time, so wait longer
				if wait *= 2; wait > time.Minute {
					t.Fatal("no step is ever saved")
				}
			}
		})
	}
}

// stopped sends a signal to a training after some time, and returns the step of its
// checkpoint.
func stopped(t *testing.T, self string, s syscall.Signal, after time.Duration) (step int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.safetensors")
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), asProgram+"=train -experiment line@browser -set steps=1000000 -out "+path)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(stderr)
	if !said.Scan() || !strings.HasPrefix(said.Text(), "training line/flow") {
		t.Fatalf("it begins with %q", said.Text())
	}
	time.Sleep(after)
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	last := ""
	for said.Scan() {
		last = said.Text()
	}
	if strings.Contains(last, "stopped before a step was taken") {
		_ = cmd.Wait()
		return 0
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(last, "stopped; go on with -resume "+path) {
		t.Errorf("%v, and the last word is %q", err, last)
	}
	l, err := loadFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := fit.Resume(systems, l.checkpoint, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Prepare(work.Until(t.Context())); err != nil {
		t.Fatal(err)
	}
	return r.Trainer().Step()
}

// TestKilledParent begins a sweep and kills it without a signal that it could handle. The training that it began
// must stop, and leave its checkpoint.
func TestKilledParent(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	parent := exec.Command(self, strings.Fields("sweep -experiment line@browser -over steps=1000000 -seeds 1 -jobs 1 -dir "+dir+" -out "+filepath.Join(dir, "s.json"))...)
	parent.Env = append(os.Environ(), asProgram+"="+itsOwn)
	stderr, err := parent.StderrPipe()
	if err == nil {
		err = parent.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for said := bufio.NewScanner(stderr); said.Scan(); {
		if strings.Contains(said.Text(), "training line/flow") {
			break
		}
	}
	time.Sleep(time.Second) // for some steps
	parent.Process.Kill()
	parent.Wait()
	var checkpoints []string
	for began := time.Now(); len(checkpoints) == 0; time.Sleep(50 * time.Millisecond) {
		if checkpoints, _ = filepath.Glob(filepath.Join(dir, "work", "*", "models", "*.safetensors")); time.Since(began) > 25*time.Second {
			t.Fatal("the training goes on")
		}
	}
}
