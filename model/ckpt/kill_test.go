//go:build !js

package ckpt

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// The environment variable that makes this test program a victim: it saves to
// the path given until it is killed.
const victimPath = "CKPT_TEST_SAVE_TO"

func TestMain(m *testing.M) {
	if path := os.Getenv(victimPath); path != "" {
		f := &File{Tensors: []Tensor{{Name: "w", Shape: []int{1 << 18}, F32: make([]float32, 1<<18)}}}
		for {
			if err := Save(path, f); err != nil {
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

// A program that is killed while it saves leaves a whole checkpoint.
func TestKilledWhileSaving(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	for i := range 5 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), victimPath+"="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(path); err == nil {
				break
			}
			if time.Now().After(deadline) {
				cmd.Process.Kill()
				t.Fatal("nothing was saved in 20 s")
			}
		}
		time.Sleep(time.Duration(3+7*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		if _, err := Load(path); err != nil {
			t.Fatal(err)
		}
	}
}
