package data

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestRowsAreTheArray compares arrays read row by row with arrays read whole, from NPY and
// NPZ files.
func TestRowsAreTheArray(t *testing.T) {
	values := []float64{1, -2.5, math.Pi, 4, math.Inf(1), 6, 7, 8, 9, 10, 11, 1e-300}
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	for name, a := range map[string]*Array{
		"float64": NewArray([]int{3, 2, 2}, values), "float32": NewArray([]int{3, 4}, single),
	} {
		var npy, npz bytes.Buffer
		if err := WriteNPY(&npy, a); err != nil {
			t.Fatal(err)
		}
		if err := WriteNPZ(&npz, map[string]*Array{"other": NewArray([]int{1}, []int64{5}), "x": a}); err != nil {
			t.Fatal(err)
		}
		for kind, b := range map[string][]byte{"npy": npy.Bytes(), "npz": npz.Bytes()} {
			r, err := OpenRows(bytes.NewReader(b), int64(len(b)), "x")
			if err != nil {
				t.Fatalf("%s %s: %v", name, kind, err)
			}
			if !slices.Equal(r.Shape, a.Shape) {
				t.Errorf("%s %s: shape %v, want %v", name, kind, r.Shape, a.Shape)
			}
			var all []float64
			row := make([]float64, 4)
			for {
				err := r.Next64(row)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, row...)
			}
			if !slices.Equal(all, a.Float64s()) {
				t.Errorf("%s %s: got %v, want %v", name, kind, all, a.Float64s())
			}
			r.Close()
		}
	}
}

func TestOpenRowsRefuses(t *testing.T) {
	npy := func(descr, order, shape, elements string) []byte {
		header := "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n"
		return append([]byte(npyMagic+"\x01\x00"+string([]byte{byte(len(header)), 0})+header), elements...)
	}
	var archive bytes.Buffer
	if err := WriteNPZ(&archive, map[string]*Array{"y": NewArray([]int{1}, []float32{1})}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, says string
		file       []byte
	}{
		{"nothing", "empty", nil},
		{"text", "not a NumPy array", []byte("a,b\n1,2\n")},
		{"another array", "no array \"x\"; it holds \"y\"", archive.Bytes()},
		{"a cut archive", "damaged", archive.Bytes()[:40]},
		{"one number", "single number", npy("<f4", "False", "()", "1234")},
		{"Fortran order", "Fortran", npy("<f4", "True", "(2, 2)", "1234123412341234")},
		{"integers", "whole numbers", npy("<i4", "False", "(2, 2)", "1234123412341234")},
		{"a huge row", "a row of", npy("<f4", "False", "(2, 1000000000)", "")},
		{"a huge array", "over the limit", npy("<f8", "False", "(1000000000, 1000)", "")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := OpenRows(bytes.NewReader(tc.file), int64(len(tc.file)), "x"); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one that says %q", err, tc.says)
			}
		})
	}
	// The file becomes shorter while it is open.
	whole := npy(">f4", "False", "(2, 1)", "\x3f\x80\x00\x00\x00\x00\x00\x00")
	r, err := OpenRows(bytes.NewReader(whole[:len(whole)-3]), int64(len(whole)), "x")
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float32, 1)
	if err := r.Next(row); err != nil || row[0] != 1 {
		t.Errorf("the first row is %v, error %v, want 1", row, err)
	}
	if err := r.Next(row); err == nil || !strings.Contains(err.Error(), "row 1: the array is cut short") {
		t.Errorf("error %v, want one that says that row 1 is cut short", err)
	}
}

// TestRowsAreChecked flips a bit of every byte of a member's data in turn. CheckRows must fail,
// and so must reading all rows.
func TestRowsAreChecked(t *testing.T) {
	x := NewArray([]int{5, 2}, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	for kind, whole := range map[string][]byte{"stored": writeNPZ(t, map[string]*Array{"x": x}), "deflated": archive(t, "x.npy", string(write(t, x)))} {
		members, err := readZip(bytes.NewReader(whole), int64(len(whole)))
		if err != nil {
			t.Fatal(err)
		}
		from, err := members[0].DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		for at := from; at < from+int64(members[0].CompressedSize64); at++ {
			b := bytes.Clone(whole)
			b[at] ^= 0x10
			if _, err := CheckRows(bytes.NewReader(b), int64(len(b)), "x"); err == nil {
				t.Errorf("%s: CheckRows accepts another byte %d", kind, at)
			}
			r, err := OpenRows(bytes.NewReader(b), int64(len(b)), "x")
			for err == nil {
				err = r.Next(make([]float32, 2))
			}
			if err == io.EOF {
				t.Errorf("%s: read to the end with another byte %d", kind, at)
			}
		}
	}
}

// TestRowsClaims checks that the length in a header is compared with the actual length before
// any allocation.
func TestRowsClaims(t *testing.T) {
	npy := string(npyFile(1, dictOf("<f4", false, "(1000000000, 2, 2, 1)"), "1234"))
	for name, b := range map[string][]byte{
		"an .npy": []byte(npy), "stored": archive(t, "trajectories.npy", npy), "listed": claiming(t, "<f4", "(1000000000, 2, 2, 1)", 16_000_000_000, 5000, "trajectories"),
		"goes on": append(write(t, NewArray([]int{1}, []float32{1})), 0),
	} {
		var err error
		if got := allocated(func() { _, err = OpenRows(bytes.NewReader(b), int64(len(b)), "trajectories") }); got > maxAlloc(len(b)) {
			t.Errorf("%s: %d bytes taken for %d", name, got, len(b))
		}
		if err == nil {
			t.Errorf("%s: got no error", name)
			continue
		}
		checkSentence(t, err)
	}
}

// TestReadArrayLooksAtTheShapeFirst rejects an array by its shape without
// allocating memory for it.
func TestReadArrayLooksAtTheShapeFirst(t *testing.T) {
	b := archive(t, "types.npy", string(npyFile(1, dictOf("|u1", false, "(4194304, 2)"), string(make([]byte, 8<<20)))))
	no := errors.New("another shape is needed")
	got := allocated(func() {
		if _, err := ReadArray(bytes.NewReader(b), int64(len(b)), "types", func([]int) error { return no }); !errors.Is(err, no) {
			t.Errorf("got %v, want %v", err, no)
		}
	})
	if got > maxAlloc(len(b)) {
		t.Errorf("%d bytes taken for a file of %d", got, len(b))
	}
}

// TestArchiveByRows checks that an Archive written row by row has the bytes that WriteNPZ
// writes.
func TestArchiveByRows(t *testing.T) {
	x := []float32{1, 2, 3, 4, 5, 6}
	var whole, rows bytes.Buffer
	if err := WriteNPZ(&whole, map[string]*Array{"x": NewArray([]int{3, 2}, x)}); err != nil {
		t.Fatal(err)
	}
	a := NewArchive(&rows)
	w, err := a.Rows("x", []int{3, 2})
	if err != nil {
		t.Fatal(err)
	}
	for row := range slices.Chunk(x, 2) {
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(rows.Bytes(), whole.Bytes()) {
		t.Error("the archives differ")
	}
}

func FuzzOpenRows(f *testing.F) {
	var npy bytes.Buffer
	if err := WriteNPY(&npy, NewArray([]int{2, 2}, []float32{1, 2, 3, 4})); err != nil {
		f.Fatal(err)
	}
	f.Add(npy.Bytes())
	f.Add(archive(f, "x.npy", npy.String()))
	f.Add(writeNPZ(f, map[string]*Array{"x": NewArray([]int{2, 1}, []float64{1, 2})}))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, checked := CheckRows(bytes.NewReader(b), int64(len(b)), "x")
		r, err := OpenRows(bytes.NewReader(b), int64(len(b)), "x")
		if err != nil {
			checkSentence(t, err)
			return
		}
		defer r.Close()
		rows, row := 0, make([]float32, r.row)
		for err == nil {
			if err = r.Next(row); err == nil {
				rows++
			}
		}
		if whole := err == io.EOF && rows == r.Shape[0]; whole != (checked == nil) && rows > 0 {
			t.Fatalf("read %d rows of %v: %v; checked: %v", rows, r.Shape, err, checked)
		}
	})
}
