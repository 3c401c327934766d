//go:build unix

package input

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestRead reads files, also through links. Read must reject files that are too large, and
// everything that is not a file.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("12345678"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("sparse"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(at("sparse"), 100<<30); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link": "file", "toDevice": "/dev/zero", "loop": "loop", "nowhere": "away"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(at("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{
		"file": "", "link": "", "sparse": "larger than the limit of 8 bytes", "pipe": "is a pipe; write its bytes to a file, and give that", "toDevice": "is a device; give a file",
		"": "is a folder; give a file in it", "loop": "too many", "nowhere": "no such file", "away": "no such file",
	} {
		b, err := Read(at(name), 8)
		switch {
		case says == "" && (err != nil || string(b) != "12345678"):
			t.Errorf("%s: %q, %v", name, b, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), at(name))):
			t.Errorf("%s: error %v, want one that names it and says %q", name, err, says)
		}
	}
	if _, err := Read(at("file"), 7); err == nil {
		t.Error("a file over the limit is read")
	}
	const growing = "/proc/version" // a file with size 0 and some content, like a file that grows while it is read
	if info, err := os.Stat(growing); err == nil && info.Size() == 0 {
		if b, err := Read(growing, 4); err == nil || !strings.Contains(err.Error(), "larger than the limit of 4 bytes") {
			t.Errorf("%s: %q, %v", growing, b, err)
		}
	}
}

// TestOneFrontDoor checks that no packages except those listed open a path to read it.
func TestOneFrontDoor(t *testing.T) {
	elsewhere := []string{
		"input",
		"output",                                 // opens what it writes
		"httpd",                                  // serves the files of a folder, by os.Root
		"dist", "generate", "imports", "release", // build and check the program
	}
	opens := regexp.MustCompile(`\bos\.(Open|ReadFile|DirFS|OpenInRoot)\(|\bos\.OpenFile\([^\n]*(O_RDONLY|O_RDWR)`)
	checked := 0
	if err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		folder, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(path), "../"), "/")
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || slices.Contains(elsewhere, folder) {
			return err
		}
		text, err := os.ReadFile(path)
		for _, call := range opens.FindAllString(string(text), -1) {
			t.Errorf("%s calls %s…; call input.Open or input.Read", path, call)
		}
		checked++
		return err
	}); err != nil || checked < 30 {
		t.Errorf("%d files: %v", checked, err)
	}
}
