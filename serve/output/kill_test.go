//go:build !js

package output

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// victimPath is an environment variable that makes this test program write to the given
// path until it is killed.
const victimPath = "OUTPUT_TEST_WRITE_TO"

func TestMain(m *testing.M) {
	if path := os.Getenv(victimPath); path != "" {
		content := bytes.Repeat([]byte("x"), victimBytes)
		for {
			f, err := New("-out", path)
			if err == nil {
				err = errors.Join(f.Write(func(w io.Writer) error {
					_, err := w.Write(content)
					return err
				}), f.Close())
			}
			if err != nil {
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

const victimBytes = 1 << 20

// TestKilledWhileWriting checks that a killed program leaves a complete file and at most
// one temporary file, which the next program uses.
func TestKilledWhileWriting(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m")
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
				t.Fatal("nothing was written in 20 s")
			}
		}
		time.Sleep(time.Duration(3+7*i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		if info, err := os.Stat(path); err != nil || info.Size() != victimBytes {
			t.Fatalf("got %v, %v, want %d bytes", info, err, victimBytes)
		}
	}
	once(t, path, "after")
	os.Remove(path + ".bak")
	holds(t, filepath.Dir(path), "m")
}
