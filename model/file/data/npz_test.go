package data

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readNPZ(b []byte) (map[string]*Array, error) {
	return ReadNPZ(bytes.NewReader(b), int64(len(b)))
}

// TestReadNPZFromNumPy reads archives that NumPy wrote. The expected values come from Python's
// struct module.
func TestReadNPZFromNumPy(t *testing.T) {
	for _, tc := range []struct {
		file, array      string
		shape            []int
		first, mid, last float64
	}{
		{"interacting_n7", "frames", []int{6, 7, 2}, 0.6465718458670571, 0.4303615849310494, -0.23008715228152057},
		{"interacting_n7", "frame_index", []int{6}, 0, 40, 300},
		{"interacting_n7", "energy", []int{301}, 0.4920207129507381, 0.14386579889806786, 0.13765273942956482},
		{"interacting_n7", "dt", []int{1}, 0.02, 0.02, 0.02},
		{"lammps_mixing", "mean", []int{51, 2}, 0.0355362321873493, 0.3444539807976821, 0.45165626580881474},
		{"lammps_mixing", "frame", []int{51}, 0, 250, 500},
		{"lammps_mixing", "runs", []int{1}, 24, 24, 24},
		{"target_d1_eps0.1", "particles", []int{40, 1}, -1.917296753033983, 0.8786701746958643, -0.43335662992026774},
		{"target_d1_eps0.1", "log_q", []int{64}, -0.9059664103591893, -2.1538235029247312, -2.184414977188019},
	} {
		arrays, err := readNPZ(readFile(t, tc.file+".npz"))
		if err != nil {
			t.Fatal(err)
		}
		a := arrays[tc.array]
		if a == nil {
			t.Errorf("%s: no array %s", tc.file, tc.array)
			continue
		}
		v := a.Float64s()
		if !slices.Equal(a.Shape, tc.shape) || v[0] != tc.first || v[len(v)/2] != tc.mid || v[len(v)-1] != tc.last {
			t.Errorf("%s %s: got %v: %v, %v, %v, want %v: %v, %v, %v", tc.file, tc.array,
				a.Shape, v[0], v[len(v)/2], v[len(v)-1], tc.shape, tc.first, tc.mid, tc.last)
		}
	}
}

func writeNPZ(t testing.TB, arrays map[string]*Array) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteNPZ(&b, arrays); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWriteNPZ(t *testing.T) {
	want := map[string]*Array{
		"x":       NewArray([]int{2, 2}, []float32{1, 2, 3, 4}),
		"count s": NewArray([]int{}, []int64{-5}),
		"ẑ":       NewArray([]int{1, 0}, []float64{}),
	}
	b := writeNPZ(t, want)
	got, err := readNPZ(b)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if again := writeNPZ(t, want); !bytes.Equal(again, b) {
		t.Error("the same arrays made other bytes")
	}
}

// archive returns a compressed ZIP archive. The members are given as name, content, name, content.
func archive(t testing.TB, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, members[i+1])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadNPZCompressed(t *testing.T) {
	want := NewArray([]int{2000}, make([]float64, 2000))
	got, err := readNPZ(archive(t, "x.npy", string(write(t, want))))
	if err != nil || !reflect.DeepEqual(got["x"], want) {
		t.Errorf("got %v, %v", got, err)
	}
}

// claiming returns a zip archive with false sizes. Each member contains the header of an
// array and at most 64 KiB of data. Compressed, the member has `packed` bytes. The zip header
// claims that the data have `size` bytes.
func claiming(t testing.TB, descr, shape string, size, packed int, names ...string) []byte {
	t.Helper()
	var b, body bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := flate.NewWriter(&body, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	header := npyFile(1, dictOf(descr, false, shape), "")
	w.Write(header)
	w.Write(make([]byte, min(size, 1<<16)))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := z.CreateRaw(&zip.FileHeader{
			Name: name + ".npy", Method: zip.Deflate,
			UncompressedSize64: uint64(len(header) + size), CompressedSize64: uint64(packed),
		})
		if err != nil {
			t.Fatal(err)
		}
		f.Write(append(body.Bytes(), make([]byte, packed-body.Len())...))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadNPZRejects(t *testing.T) {
	x := string(write(t, NewArray([]int{1}, []float64{1})))
	damaged := writeNPZ(t, map[string]*Array{"x": NewArray([]int{1}, []float64{1})})
	damaged[bytes.Index(damaged, []byte("\n"))+1] ^= 1 // the first byte of the element
	for _, tc := range []struct {
		name, want string
		b          []byte
	}{
		{"empty", "damaged or cut short", nil},
		{"text", "damaged or cut short", []byte("1,2,3\n")},
		{"not an array", "\"word/document.xml\"", archive(t, "word/document.xml", "<xml/>")},
		{"name twice", "two arrays named \"x\"", archive(t, "x.npy", x, "x.npy", x)},
		{"text inside", "array \"x\": the file begins with \"1,2,3\\n\"", archive(t, "x.npy", "1,2,3\n4")},
		{"lying shape inside", "array \"x\": the array of shape (1000,) needs 8000 bytes and 8 are there", archive(t, "x.npy", string(npyFile(1, dictOf("<f8", false, "(1000,)"), "12345678")))},
		{"checksum", "checksum", damaged},
		{"300 MiB in memory", "limit of 256 MiB", claiming(t, "|u1", "(13107200,)", 13107200, 20_000, "a", "b", "c")},
		{"more than can be packed", "sizes contradict", claiming(t, "|u1", "(13107200,)", 13107200, 10_000, "a")},
		{"goes on", "goes on after the array", archive(t, "x.npy", x+"1")},
		{"lying shape, a little", "array \"x\": the array of shape (2,) needs 16 bytes and 8 are there", archive(t, "x.npy", string(npyFile(1, dictOf("<f8", false, "(2,)"), "12345678")))},
		{"lying shape over the limit", "array \"x\": the array's header claims", archive(t, "x.npy", string(npyFile(1, dictOf("<f8", false, "(1099511627776,)"), "12345678")))},
	} {
		t.Run(tc.name, func(t *testing.T) {
			arrays, err := readNPZ(tc.b)
			if err == nil {
				t.Fatalf("accepted: %v", arrays)
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %q, want %q in it", err, tc.want)
			}
			checkSentence(t, err)
		})
	}
	whole := readFile(t, "target_d1_eps0.1.npz")
	for n := 0; n < len(whole); n += 7 {
		if _, err := readNPZ(whole[:n]); err == nil {
			t.Fatalf("accepted %d of %d bytes", n, len(whole))
		}
	}
}

func FuzzReadNPZ(f *testing.F) {
	// The member is small because the fuzzer shortens interesting inputs byte by byte, which
	// takes long for large ones.
	f.Add(archive(f, "x", string(npyFile(1, "{'descr':'<f4','fortran_order':False,'shape':(1,)}\n", "1234"))))
	f.Add(archive(f, "x", "y"))
	f.Add(archive(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		arrays, err := readNPZ(b)
		if err != nil {
			checkSentence(t, err)
			return
		}
		once := writeNPZ(t, arrays)
		again, err := readNPZ(once)
		if err != nil {
			t.Fatalf("read, written, read: %v", err)
		}
		if twice := writeNPZ(t, again); !bytes.Equal(twice, once) {
			t.Fatalf("read, written: %q became %q", once, twice)
		}
	})
}

// TestNames reads texts that NumPy has saved as S and U, of both byte orders.
func TestNames(t *testing.T) {
	for descr, content := range map[string]string{
		"|S3": "cat\x00\x00\x00ox\x00\xc3\xa9\x00",
		"<U3": "c\x00\x00\x00a\x00\x00\x00t\x00\x00\x00" + strings.Repeat("\x00", 12) + "o\x00\x00\x00x\x00\x00\x00" + strings.Repeat("\x00", 4) + "\xe9\x00\x00\x00" + strings.Repeat("\x00", 8),
		">U3": "\x00\x00\x00c\x00\x00\x00a\x00\x00\x00t" + strings.Repeat("\x00", 12) + "\x00\x00\x00o\x00\x00\x00x" + strings.Repeat("\x00", 4) + "\x00\x00\x00\xe9" + strings.Repeat("\x00", 8),
	} {
		b := archive(t, "types.npy", string(npyFile(1, dictOf(descr, false, "(2, 2)"), content)))
		r, size := bytes.NewReader(b), int64(len(b))
		names, err := ReadNames(r, size, "types", func(shape []int) error {
			if !slices.Equal(shape, []int{2, 2}) {
				return errors.New("another shape")
			}
			return nil
		})
		if err != nil || !slices.Equal(names, []string{"cat", "", "ox", "é"}) {
			t.Errorf("%s: %q, %v", descr, names, err)
		}
		if has, err := HasTexts(r, size, "types"); !has || err != nil {
			t.Errorf("%s: no texts, %v", descr, err)
		}
		if _, err := ReadArray(r, size, "types", func([]int) error { return nil }); err == nil || !strings.Contains(err.Error(), "it holds text; save numbers") {
			t.Errorf("%s as numbers: %v", descr, err)
		}
	}
}
