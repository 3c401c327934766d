package frozen

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is found to testdata instead of comparing it")

// golden compares text with a file of testdata or, with -update, writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if line, got, want, differ := firstDifference(got, string(b)); differ {
		t.Errorf("%s:%d\n got %s\nwant %s", path, line, got, want)
	}
}

// firstDifference returns the first line in which two texts differ, counted from 1, and both
// versions of the line.
func firstDifference(a, b string) (line int, inA, inB string, differ bool) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	at := func(lines []string, i int) string {
		if i < len(lines) {
			return lines[i]
		}
		return "(end of the text)"
	}
	for i := range max(len(x), len(y)) {
		if at(x, i) != at(y, i) {
			return i + 1, at(x, i), at(y, i), true
		}
	}
	return 0, "", "", false
}

// short returns the first digits of the hash of b.
func short(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b))[:16] }

// asset reads a file of the assets.
func asset(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "assets", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
