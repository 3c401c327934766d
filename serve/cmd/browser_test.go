package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestOpen starts the server with -open. The program that opens addresses must get the lab's
// address.
func TestOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("replaces a program of Linux")
	}
	dir := t.TempDir()
	opened := filepath.Join(dir, "opened")
	script := "#!/bin/sh\necho \"$1\" > " + opened + ".part && mv " + opened + ".part " + opened + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("the lab"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var said bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-open", "-addr", "localhost:0", "-dir", dir}, &said, &said) }()
	for {
		if got, err := os.ReadFile(opened); err == nil {
			if !strings.HasPrefix(string(got), "http://localhost:") {
				t.Errorf("opened %q, want the lab's address", got)
			}
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the server ended: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestNoBrowser checks that a visitor without a browser is told the address.
func TestNoBrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var said bytes.Buffer
	openBrowser("http://localhost:8080/", &said)
	if !strings.Contains(said.String(), "open http://localhost:8080/ yourself") {
		t.Errorf("said %q", said.String())
	}
}

func TestOpener(t *testing.T) {
	for system, want := range map[string]string{"linux": "xdg-open", "freebsd": "xdg-open", "darwin": "open", "windows": "rundll32"} {
		if got := opener(system, "u"); got[0] != want || got[len(got)-1] != "u" {
			t.Errorf("%s: got %q", system, got)
		}
	}
}

func TestVersion(t *testing.T) {
	got := mustRun(t, "version")
	for _, want := range []string{"macroscope development version", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, "serves the folder dist"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not contain %q", got, want)
		}
	}
}
