package data

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestParticles1D(t *testing.T) {
	column := NewArray([]int{3, 1}, []float64{0.5, -1, 2})
	want := []float32{0.5, -1, 2}
	for _, tc := range []struct {
		name string
		b    []byte
		want []float32
	}{
		{"a.csv", []byte("x\n0.5\n-1\n2\n"), want},
		{"a.txt", []byte("0.5 -1 2"), want},
		{"A.CSV", []byte("0.5,-1,2\n"), want},
		{"no extension", []byte("0.5\n-1\n2\n"), want},
		{"a.npy", write(t, NewArray([]int{3}, want)), slices.Clone(want)},
		{"column.npy", write(t, column), want},
		{"row.npy", write(t, NewArray([]int{1, 3}, []float64{0.5, -1, 2})), want},
		{"number.npy", write(t, NewArray([]int{}, []int64{7})), []float32{7}},
		{"named wrongly.csv", write(t, column), want},
		{"only.npz", writeNPZ(t, map[string]*Array{"positions": column}), want},
		{"x.npz", writeNPZ(t, map[string]*Array{"x": column, "t": NewArray([]int{1}, []float64{9})}), want},
		{"named wrongly.txt", writeNPZ(t, map[string]*Array{"arr_0": column}), want},
		{"most.npy", write(t, NewArray([]int{MaxParticles}, make([]float32, MaxParticles))), make([]float32, MaxParticles)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Particles1D(tc.name, tc.b)
			if err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("got %v, %v, want %v", got, err, tc.want)
			}
		})
	}
}

func TestParticles1DRejects(t *testing.T) {
	npy := func(shape ...int) []byte {
		n := 1
		for _, s := range shape {
			n *= s
		}
		return write(t, NewArray(shape, make([]float32, n)))
	}
	one := NewArray([]int{1}, []float64{1})
	many := make(map[string]*Array)
	for _, c := range "abcdefghij" {
		many[string(c)] = one
	}
	for _, tc := range []struct {
		name, want string
		b          []byte
	}{
		{"e.csv", "the file is empty; choose one with numbers in it", nil},
		{"dir/w.csv", "line 2: \"abc\" is not a number", []byte("1\nabc\n")},
		{"c.csv", "particles on a line need one column, and the file has 2 (\"x\", \"y\"); keep one, and write decimals with a point", []byte("x,y\n1,2\n3,4\n")},
		{"d.txt", "particles on a line need one column, and the file has 2; keep one, and write decimals with a point", []byte("0,5\n0,7\n")},
		{"m.csv", "line 100001: the file holds more than 100000 numbers; keep fewer", bytes.Repeat([]byte("1\n"), MaxParticles+1)},
		{"b.csv", "the file is over the limit of 16 MB; keep fewer numbers", bytes.Repeat([]byte("1.5\n"), 12_500_000)},
		{"s.csv", "value 2 is 1e+300, which is not a finite number in single precision; leave it out", []byte("1\n1e300\n")},
		{"p.png", "the file is not text; save the numbers as CSV, NPY or NPZ", []byte("\x89PNG\r\n\x1a\n\x00\x00")},
		{"t.npy", "the file begins with \"1.5\\n2.\", which is not a NumPy array; save one with numpy.save", []byte("1.5\n2.5\n")},
		{"2.npy", "the array has the shape (3, 2), and particles on a line need one column; keep one", npy(3, 2)},
		{"3.npy", "the array has the shape (3, 1, 1), and particles on a line need one column; keep one", npy(3, 1, 1)},
		{"0.npy", "the array is empty; give it one number or more", npy(0)},
		{"m.npy", "the array holds 100001 numbers, and the limit is 100000; keep fewer", npy(MaxParticles + 1)},
		{"n.npy", "value 2 is NaN, which is not a finite number in single precision; leave it out", write(t, NewArray([]int{2}, []float64{1, math.NaN()}))},
		{"l.npy", "the array of shape (99999,) needs 799992 bytes and 8 are there; take another copy of the file", npyFile(1, dictOf("<f8", false, "(99999,)"), "12345678")},
		{"h.npy", "the array's header claims the shape (1099511627776,), which is over the limit of 256 MiB; save it again with numpy.save", npyFile(1, dictOf("<f8", false, "(1099511627776,)"), "12345678")},
		{"b.npy", "the file is over the limit of 16 MB; keep fewer numbers", make([]byte, 50_000_000)},
		{"v.npz", "the archive is empty; save an array in it with numpy.savez", writeNPZ(t, nil)},
		{"s.npz", "the archive holds \"pos\", \"vel\"; keep one of them, or name one \"x\"", writeNPZ(t, map[string]*Array{"pos": one, "vel": one})},
		{"m.npz", "the archive holds \"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\" and 2 more; keep one of them, or name one \"x\"", writeNPZ(t, many)},
		{"2.npz", "array \"x\": the array has the shape (2, 2), and particles on a line need one column; keep one", writeNPZ(t, map[string]*Array{"x": NewArray([]int{2, 2}, make([]float64, 4))})},
		{"c.npz", "the archive is damaged or cut short (it is not a ZIP archive); take another copy of the file", []byte("PK\x03\x04")},
		{"w.docx", "the archive holds \"word.xml\", which is not a NumPy array; unpack it and give what is in it, or save the numbers with numpy.savez", archive(t, "word.xml", "")},
		{"d.csv", "a dump or an XYZ file has particles in the plane or in space, and these particles are on a line; keep one coordinate, as CSV", []byte(ByteOrderMark + "ITEM: TIMESTEP\n0\n")},
		{"w.xlsx", "it is a spreadsheet, which cannot be read; convert it with Python: import pandas; pandas.read_excel(\"FILE\").to_csv(\"run.csv\", index=False)", archive(t, "xl/sheet.xml", "")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Particles1D(tc.name, tc.b)
			if err == nil {
				t.Fatalf("accepted: %d values", len(got))
			}
			if err.Error() != tc.want {
				t.Errorf("got  %s\nwant %s", err, tc.want)
			}
		})
	}
}

// TestParticles1DBomb reads a small archive with an array of 4 MiB. The array must be rejected
// because of its header, before it is unpacked.
func TestParticles1DBomb(t *testing.T) {
	const zeros = 1 << 22
	b := archive(t, "x.npy", string(npyFile(1, dictOf("|u1", false, "(4194304,)"), strings.Repeat("\x00", zeros))))
	var err error
	got := allocated(func() { _, err = Particles1D("bomb.npz", b) })
	if err == nil || got > zeros/4 {
		t.Errorf("got %v after taking %d bytes for %d", err, got, len(b))
	}
}

func FuzzParticles1D(f *testing.F) {
	f.Add("a.csv", []byte("1;2\n"))
	f.Add("a.npy", write(f, NewArray([]int{2, 1}, []float32{1, 2})))
	f.Add("a.npz", readFile(f, "target_d1_eps0.1.npz"))
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		x, err := Particles1D(name, b)
		if err != nil {
			checkSentence(t, err)
			return
		}
		if len(x) < 1 || len(x) > MaxParticles {
			t.Fatalf("%d particles", len(x))
		}
		if i := slices.IndexFunc(x, func(v float32) bool { return v-v != 0 }); i >= 0 {
			t.Fatalf("particle %d is %v", i, x[i])
		}
	})
}
