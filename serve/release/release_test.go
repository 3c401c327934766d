package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var long = flag.Bool("long", false, "also make two releases, which takes minutes")

var someDate = time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)

var someFiles = []entry{
	{"macroscope/program", 0o755, []byte(strings.Repeat("program ", 100))},
	{"macroscope/LICENSE", 0o644, []byte("MIT")},
}

// TestArchives writes archives twice. They must have equal bytes, and hold the files with their
// permissions.
func TestArchives(t *testing.T) {
	for _, tc := range []struct {
		system target
		read   func(t *testing.T, b []byte) []entry
	}{
		{target{"windows", "amd64"}, readZip},
		{target{"linux", "amd64"}, readTar},
	} {
		t.Run(tc.system.os, func(t *testing.T) {
			var archives [2][]byte
			for i := range archives {
				path := filepath.Join(t.TempDir(), "a"+tc.system.archive())
				if err := tc.system.write(path, someFiles, someDate); err != nil {
					t.Fatal(err)
				}
				var err error
				if archives[i], err = os.ReadFile(path); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(archives[0], archives[1]) {
				t.Error("two archives of the same files differ")
			}
			got := tc.read(t, archives[0])
			if len(got) != len(someFiles) {
				t.Fatalf("the archive holds %d files, want %d", len(got), len(someFiles))
			}
			for i, want := range someFiles {
				if got[i].name != want.name || got[i].mode != want.mode || !bytes.Equal(got[i].body, want.body) {
					t.Errorf("file %d is %s, %v, %d bytes, want %s, %v, %d bytes", i, got[i].name, got[i].mode, len(got[i].body), want.name, want.mode, len(want.body))
				}
			}
		})
	}
}

func readZip(t *testing.T, b []byte) (files []entry) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, entry{f.Name, f.Mode(), body})
	}
	return files
}

func readTar(t *testing.T, b []byte) (files []entry) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, entry{h.Name, h.FileInfo().Mode(), body})
	}
}

// TestSums checks the checksums with sha256sum. After a file has changed, sha256sum must fail.
func TestSums(t *testing.T) {
	sum, err := exec.LookPath("sha256sum")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("sha256sum is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range []string{"a.zip", "b.tar.gz"} {
		if err := os.WriteFile(filepath.Join(dir, f), []byte(f), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeSums(dir); err != nil {
		t.Fatal(err)
	}
	check := func() error {
		cmd := exec.Command(sum, "-c", "--quiet", sumsFile)
		cmd.Dir = dir
		return cmd.Run()
	}
	if err := check(); err != nil {
		t.Errorf("sha256sum -c: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.zip"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := check(); err == nil {
		t.Error("sha256sum -c accepts a changed file")
	}
}

// TestEmbeddedForms checks that the zip file in a program has one form of each file.
func TestEmbeddedForms(t *testing.T) {
	lab := t.TempDir()
	for _, name := range []string{"index.html", "index.html.br", "index.html.gz", "style.css", "style.css.gz", "poster.png", "notes.gz"} {
		if err := os.WriteFile(filepath.Join(lab, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := embeddedForms(lab)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	if got, want := strings.Join(names, " "), "index.html.br notes.gz poster.png style.css"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParseTargets(t *testing.T) {
	if got, err := parseTargets(" "); err != nil || len(got) != 6 {
		t.Errorf("no system: got %v, %v, want all six", got, err)
	}
	if got, err := parseTargets("windows/arm64 linux/amd64"); err != nil || len(got) != 2 || got[0] != (target{"windows", "arm64"}) {
		t.Errorf("two systems: got %v, %v", got, err)
	}
	for _, bad := range []string{"linux", "plan9/amd64", "linux/amd64,linux/arm64"} {
		if _, err := parseTargets(bad); err == nil || !strings.Contains(err.Error(), "is not one of") {
			t.Errorf("%q: got error %v", bad, err)
		}
	}
}

// TestReplace checks that a folder that is not a release is left alone.
func TestReplace(t *testing.T) {
	out, fresh := t.TempDir(), t.TempDir()
	mine := filepath.Join(out, "thesis.tex")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replace(out, fresh); err == nil {
		t.Error("a folder with other files was replaced")
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

// TestTwice makes a release in two clones of the repository, each with its own build cache. All
// files must have equal checksums.
func TestTwice(t *testing.T) {
	if !*long {
		t.Skip("two releases take minutes; -long makes them")
	}
	var sums [2]string
	source := "../.."
	for i := range sums {
		dir := filepath.Join(t.TempDir(), strings.Repeat("deeper/", i), "clone")
		if out, err := exec.Command("git", "clone", "-q", source, dir).CombinedOutput(); err != nil {
			t.Fatalf("git clone: %v\n%s", err, out)
		}
		source = dir // the second clone has the commit of the first, whatever is committed meanwhile
		cmd := exec.Command("go", "run", "./serve/release", "-only", "linux/amd64 windows/arm64", "-fast")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOCACHE="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("release: %v\n%s", err, out)
		}
		b, err := os.ReadFile(filepath.Join(dir, "dist", "release", sumsFile))
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = string(b)
	}
	if sums[0] != sums[1] {
		t.Errorf("the releases differ:\n%s\n%s", sums[0], sums[1])
	}
}
