package cmd

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"macroscope/model/system"
	"macroscope/model/work"
)

// fileCase is a case of testdata/cases.json, see cases.py.
type fileCase struct {
	Name, System, Observable, Error string
	Files, Flags                    map[string]string
	Shape                           []int         // E, T, N, D
	Macro                           [][][]float64 // (E, 2, M): first and last frame
	Says                            []string
}

// TestFilesOfOthers opens files as people have them. The program must read what NumPy has found in
// them, or refuse them with a sentence.
func TestFilesOfOthers(t *testing.T) {
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []fileCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { c.check(t) })
	}
}

func (c *fileCase) check(t *testing.T) {
	dir := t.TempDir()
	for name, text := range c.Files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sys, err := systems.Find(c.System)
	if err != nil {
		t.Fatal(err)
	}
	r := reading{outliers: "refuse", columns: c.Flags["columns"]}
	if c.Flags["outliers"] != "" {
		r.outliers = c.Flags["outliers"]
	}
	var said bytes.Buffer
	src, err := r.open(&said, sys, dir, c.Observable, nil)
	if c.Error != "" {
		if err == nil || !strings.Contains(err.Error(), c.Error) {
			t.Fatalf("error %v, want one that says %q", err, c.Error)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for _, says := range c.Says {
		if !strings.Contains(said.String(), says) {
			t.Errorf("the line is\n%swant one that says %q", said.String(), says)
		}
	}
	c.compare(t, src)
	c.piecemeal(t, sys, dir, r)
}

// compare compares trajectories with what NumPy has found.
func (c *fileCase) compare(t *testing.T, src system.Recorded) {
	t.Helper()
	if s := src.Shape(); !slices.Equal([]int{s.Trajectories, s.Frames, s.Particles, s.Dim}, c.Shape) {
		t.Fatalf("shape %+v, want %v", s, c.Shape)
	}
	err := system.Each(work.Until(t.Context()), src, c.Shape[0], 1, func(e int, run *system.Trajectory) error {
		m := len(c.Macro[e][0])
		for k, want := range [][]float64{c.Macro[e][0], c.Macro[e][1]} {
			got := run.Macro[k*(len(run.Macro)-m):][:m]
			for i := range want {
				// Observables are computed from positions in single precision, which keeps 6 digits here.
				if math.Abs(got[i]-want[i]) > 1e-5*math.Max(1, math.Abs(want[i])) {
					t.Errorf("run %d: %v, and NumPy has %v", e, got, want)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// piecemeal opens the files again through readers that return one byte or sixteen bytes at a time.
func (c *fileCase) piecemeal(t *testing.T, sys *system.System, dir string, r reading) {
	t.Helper()
	as, err := r.as()
	if err != nil {
		t.Fatal(err)
	}
	names, _, err := filesAt(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 16} {
		open := func(name string) (io.ReadCloser, error) {
			b, err := os.ReadFile(name)
			return io.NopCloser(&pieces{bytes.NewReader(b), n}), err
		}
		first, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		src, err := sys.Open(system.File{Name: names[0], Bytes: &pieces{bytes.NewReader(first), n}, Size: int64(len(first)), More: names[1:], Open: open, As: as}, c.Observable)
		if err != nil {
			t.Fatalf("%d bytes at a time: %v", n, err)
		}
		c.compare(t, src)
	}
}

// pieces is a file whose Read returns n bytes at most.
type pieces struct {
	*bytes.Reader
	n int
}

// Read implements io.Reader.
func (p *pieces) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), p.n)]) }

// ReadAt implements io.ReaderAt. As the contract of ReaderAt demands, it returns an error with fewer
// bytes than wanted, which is why it reads on in pieces.
func (p *pieces) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = p.Reader.ReadAt(b[n:min(len(b), n+p.n)], at+int64(n))
		n += m
	}
	return n, err
}
