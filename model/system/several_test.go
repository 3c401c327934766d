package system

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

// joined returns a file named "runs" with this content.
func joined(content []byte) File {
	return File{Name: "runs", Bytes: bytes.NewReader(content), Size: int64(len(content))}
}

// TestJoin joins files and divides them again. A file that is not joined stays as it is.
func TestJoin(t *testing.T) {
	content := func(in io.ReadCloser, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	texts := []string{"", "a", "frame,x\n0,1\n", "\n\n"}
	for _, text := range texts {
		for _, table := range texts {
			names := []string{"b b.csv", "Run.observables.csv", ".DS_Store", "a.csv", "system", "more/", "README.md"}
			b := Join(names, [][]byte{[]byte("b"), []byte(table), {1}, []byte(text), []byte("dt = 1\n"), nil, []byte("x")})
			if !IsJoined(b) {
				t.Fatal("the file does not count as joined")
			}
			f, left, err := joined(b).Divided()
			if err != nil || f.Name != "a.csv" || !slices.Equal(f.More, []string{"b b.csv"}) || f.BesideName != "Run.observables.csv" || f.LinesName != "system" || NotRead(left) != "more, README.md in the folder are not read" {
				t.Fatalf("%+v, %q, %v", f, left, err)
			}
			first := content(io.NopCloser(io.NewSectionReader(f.Bytes, 0, f.Size)), nil)
			if got := []string{first, content(f.Open("b b.csv")), content(f.Beside()), content(f.Lines())}; !slices.Equal(got, []string{text, "b", table, "dt = 1\n"}) {
				t.Errorf("the files became %q", got)
			}
			if n, in, err := f.OpenNumPy("b b.csv"); err != nil || n.Size != 1 || in.Close() != nil {
				t.Errorf("the second file as NumPy's: %+v, %v", n, err)
			}
		}
	}
	for _, plain := range []string{"", "a\n", jointLine + "5 x\n", "a\n" + jointLine + "-1 x\n", "a\n" + jointLine + "5\n"} {
		if f, _, err := joined([]byte(plain)).Divided(); IsJoined([]byte(plain)) || err != nil || f.Name != "runs" || f.Size != int64(len(plain)) || f.Open != nil {
			t.Errorf("%q became %+v, %v", plain, f, err)
		}
	}
}

// TestJoinedEarlier opens a text file with its table as earlier versions joined them.
func TestJoinedEarlier(t *testing.T) {
	f, left, err := joined([]byte("x\n1\nE\n2\n\n# macroscope: table of observables, 4 my.observables.csv\n")).Divided()
	if err != nil || len(left) > 0 || f.Name != "runs" || f.Size != 4 || f.BesideName != "my.observables.csv" || len(f.More) > 0 {
		t.Fatalf("%+v, %q, %v", f, left, err)
	}
}

// TestJoinedRefused checks the errors of files that cannot be opened together.
func TestJoinedRefused(t *testing.T) {
	for _, tc := range []struct{ names, says string }{
		{"a.csv a.csv", "two files are called a.csv"},
		{"a.csv a.observables.csv b.observables.csv", "a.observables.csv and b.observables.csv describe the same files"},
		{"a.csv system a.system", "system and a.system describe"},
		{"a.csv m.safetensors", "m.safetensors is a model or a saved session; open it alone"},
		{"observables.csv system", "there is no file of trajectories; open these files together with it"},
		{"inner/ log.txt .hidden", "there is no file of trajectories, but inner, log.txt; open one folder"},
		{"0.0 .zarray", "runs is a Zarr store"},
	} {
		names := strings.Fields(tc.names)
		if _, _, err := joined(Join(names, make([][]byte, len(names)))).Divided(); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.names, err, tc.says)
		}
	}
}
