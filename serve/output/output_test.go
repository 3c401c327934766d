package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// put writes a file for a test.
func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// text returns a function that writes a text.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func open(t *testing.T, path string, inputs ...Input) *File {
	t.Helper()
	f, err := New("-out", path, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func write(t *testing.T, f *File, s string) {
	t.Helper()
	if err := f.Write(text(s)); err != nil {
		t.Fatal(err)
	}
}

// once writes a file and closes it.
func once(t *testing.T, path, s string) {
	t.Helper()
	f := open(t, path)
	write(t, f, s)
	f.Close()
}

// The function `holds` checks that a folder contains files with these names and no others.
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
}

func link(t *testing.T, make func(old, new string) error, old, new string) string {
	t.Helper()
	if err := make(old, new); err != nil {
		t.Skipf("no links on this system: %v", err)
	}
	return new
}

func TestWriteReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	f := open(t, path)
	holds(t, dir, "m.0.tmp")
	write(t, f, "first")
	write(t, f, "second")
	no := errors.New("no")
	if err := f.Write(func(w io.Writer) error { io.WriteString(w, "half"); return no }); !errors.Is(err, no) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if got := get(t, path); got != "second" {
		t.Errorf("got %q", got)
	}
	if err := errors.Join(f.Close(), f.Close()); err != nil {
		t.Error(err)
	}
	holds(t, dir, "m")
}

// TestNewRefuses checks that errors name the flag, and that New then changes no file.
func TestNewRefuses(t *testing.T) {
	dir := t.TempDir()
	data := put(t, filepath.Join(dir, "data"), "data")
	runs := filepath.Join(dir, "runs")
	if err := os.Mkdir(runs, 0o755); err != nil {
		t.Fatal(err)
	}
	run := put(t, filepath.Join(runs, "1"), "run")
	soft, hard := link(t, os.Symlink, "data", filepath.Join(dir, "soft")), link(t, os.Link, data, filepath.Join(dir, "hard"))
	folder := link(t, os.Symlink, "runs", filepath.Join(dir, "folder"))
	ring := link(t, os.Symlink, "ring", filepath.Join(dir, "ring"))
	locked := put(t, filepath.Join(dir, "locked"), "keep")
	if err := os.Chmod(locked, 0o444); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(here, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ out, data, says string }{
		{"", data, "names no file"},
		{data, data, "is the file that -data reads"},
		{relative, data, "is the file that -data reads"},
		{soft, data, "is the file that -data reads"},
		{data, soft, "is the file that -data reads"},
		{hard, data, "is the file that -data reads"},
		{filepath.Join(runs, "..", "data"), data, "is the file that -data reads"},
		{run, runs, "in the folder of which -data reads every file"},
		{filepath.Join(runs, "new"), folder, "in the folder of which -data reads every file"},
		{link(t, os.Link, run, filepath.Join(dir, "other")), runs, "that -data reads"},
		{dir, "", "is a folder; give the name of a file in it"},
		{folder, "", "is a folder"},
		{filepath.Join(dir, "none", "m"), "", "there is no folder"},
		{filepath.Join(dir, "none") + "/", "", "there is no folder"},
		{filepath.Join(data, "m"), "", "not a directory"},
		{ring, "", "ring"},
		{locked, "", "read-only"},
	} {
		_, err := New("-out", tc.out, Input{"-model", ""}, Input{"-data", tc.data})
		if err == nil || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "-out") {
			t.Errorf("%s with -data %s: error %v, want one that says %q", tc.out, tc.data, err, tc.says)
		}
	}
	if get(t, data) != "data" || get(t, run) != "run" {
		t.Error("an input was changed")
	}
	holds(t, runs, "1")
}

// TestLinksAndPermissions writes through links. The permissions of the file must stay.
func TestLinksAndPermissions(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.Mkdir(there, 0o755); err != nil {
		t.Fatal(err)
	}
	target := put(t, filepath.Join(there, "m"), "old")
	if err := os.Chmod(target, 0o600); err != nil {
		t.Fatal(err)
	}
	soft := link(t, os.Symlink, "there/m", filepath.Join(dir, "soft"))
	once(t, link(t, os.Symlink, "soft", filepath.Join(dir, "again")), "new")
	info, err := os.Lstat(soft)
	if err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link became %v, %v", info, err)
	}
	info, err = os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o600 || get(t, target) != "new" {
		t.Errorf("the target is %q, %v, %v", get(t, target), info, err)
	}
	once(t, link(t, os.Symlink, "there/later", filepath.Join(dir, "dangling")), "made")
	if got := get(t, filepath.Join(there, "later")); got != "made" {
		t.Errorf("got %q", got)
	}
	holds(t, there, "later", "m", "m.bak")
}

// TestDevices writes to a device, which must stay a device.
func TestDevices(t *testing.T) {
	for _, path := range []string{os.DevNull, "/dev/full"} {
		before, err := os.Lstat(path)
		if err != nil {
			t.Skip(err)
		}
		f := open(t, path)
		if !f.Direct() {
			t.Errorf("%s is not written to directly", path)
		}
		if err := f.Write(text("bytes")); (err != nil) != (path == "/dev/full") {
			t.Errorf("%s: error %v", path, err)
		}
		after, err := os.Lstat(path)
		if err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s became %v, %v", path, after, err)
		}
	}
}

// TestOpenFiles writes to a file that is open. The output must be appended, and the file must
// keep its name.
func TestOpenFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	io.WriteString(file, "before, ")
	name := fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	f := open(t, link(t, os.Symlink, name, path+".link"))
	if !f.Direct() {
		t.Error("a file that is open is replaced")
	}
	write(t, f, "after")
	named, err := os.Stat(path)
	opened, err2 := file.Stat()
	if err != nil || err2 != nil || !os.SameFile(named, opened) || get(t, path) != "before, after" {
		t.Errorf("the file holds %q: %v, %v", get(t, path), err, err2)
	}
}

// TestOthersAreKept checks that content of other origin is never lost, however often a file is written.
func TestOthersAreKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	for n, want := range []string{"", "", path + ".bak", path + ".bak2"} { // empty content need not be kept
		f, said := open(t, path), ""
		f.Say = func(line string) { said += line }
		for range 2 { // in the second round, the file is the program's own output
			write(t, f, strings.Repeat("i", n))
			write(t, f, strings.Repeat("i", n))
		}
		if want != "" && said != "what was at "+path+" is kept as "+want || want == "" && said != "" {
			t.Errorf("writing %d: says %q, want that it is kept as %q", n, said, want)
		}
		f.Close()
	}
	if get(t, path) != "iii" || get(t, path+".bak") != "i" || get(t, path+".bak2") != "ii" {
		t.Error("the files are not those that were written")
	}
	once(t, path, "iii") // the same content is not kept twice
	holds(t, dir, "m", "m.bak", "m.bak2")
	f := open(t, path)
	f.GoesOnFrom(path)
	write(t, f, "gone on")
	f.Close()
	holds(t, dir, "m", "m.bak", "m.bak2")
	if err := Replace(path, text("replaced")); err != nil || get(t, path) != "replaced" {
		t.Error(err)
	}
	holds(t, dir, "m", "m.bak", "m.bak2")
}

// TestAnotherProgramMeanwhile lets another program, which knows of no locks, finish its file between two
// writings of this one: by a new file, and in place.
func TestAnotherProgramMeanwhile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	f, said := open(t, path), ""
	f.Say = func(line string) { said += line + "\n" }
	write(t, f, "own, early")
	if err := os.Rename(put(t, filepath.Join(dir, "new"), "another"), path); err != nil {
		t.Fatal(err)
	}
	write(t, f, "own, later")
	put(t, path, "edited by hand")
	write(t, f, "own, at last")
	f.Close()
	if get(t, path) != "own, at last" || get(t, path+".bak") != "another" || get(t, path+".bak2") != "edited by hand" {
		t.Error("a file is lost")
	}
	holds(t, dir, "m", "m.bak", "m.bak2")
	if strings.Count(said, "another program has written "+path+" meanwhile") != 2 {
		t.Errorf("says %q", said)
	}
}

// TestTwoAtOnce opens a path twice at the same time, also by a link, next to temporary files that killed
// programs have left. The second is refused until the first is closed, before and after it has written.
func TestTwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	put(t, path+".0.tmp", "left by one that was killed")
	put(t, path+".1.tmp", "left by another")
	soft := link(t, os.Symlink, "m", filepath.Join(dir, "soft"))
	a := open(t, path)
	refused := func() {
		t.Helper()
		for _, path := range []string{path, soft} {
			if _, err := New("-out", path); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "-out "+path) || !strings.Contains(err.Error(), "choose another name") {
				t.Errorf("error %v", err)
			}
		}
	}
	refused()
	write(t, a, "a")
	refused()
	a.Close()
	holds(t, dir, "m", "soft")
	once(t, path, "b")
}

// TestReplacedAtOnce replaces a file of the program's own while it is being replaced.
func TestReplacedAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	err := Replace(path, func(w io.Writer) error {
		if err := Replace(path, text("b")); err != nil || get(t, path) != "b" {
			t.Error(err)
		}
		_, err := w.Write(bytes.Repeat([]byte("a"), 3<<20))
		return err
	})
	if err != nil || get(t, path) != strings.Repeat("a", 3<<20) {
		t.Error(err)
	}
	holds(t, dir, "m")
}
