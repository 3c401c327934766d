package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npy"
	"testing/iotest"
)

// readNPY reads an array to the end of r.
func readNPY(r io.Reader) (*Array, error) {
	h, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	return h.read(r)
}

// npyFile builds a file with parts that may contradict each other.
func npyFile(version byte, header, data string) []byte {
	b := append([]byte(npyMagic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return append(append(b, header...), data...)
}

func dictOf(descr string, fortran bool, shape string) string {
	order := "False"
	if fortran {
		order = "True"
	}
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }  \n", descr, order, shape)
}

func TestReadNPYTypes(t *testing.T) {
	for _, tc := range []struct {
		descr, data string
		want        any
	}{
		{"|b1", "\x00\x01\x02", []int64{0, 1, 1}},
		{"|i1", "\x00\x7f\xff", []int64{0, 127, -1}},
		{"|u1", "\x00\x7f\xff", []int64{0, 127, 255}},
		{"<i2", "\x01\x00\xff\x7f\x00\x80", []int64{1, 32767, -32768}},
		{">i2", "\x00\x01\x7f\xff\x80\x00", []int64{1, 32767, -32768}},
		{"<u2", "\x01\x00\xff\x7f\x00\x80", []int64{1, 32767, 32768}},
		{"<i4", "\x01\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x80", []int64{1, -1, math.MinInt32}},
		{">u4", "\x00\x00\x00\x01\xff\xff\xff\xff\x80\x00\x00\x00", []int64{1, math.MaxUint32, 1 << 31}},
		{"<i8", "\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x80", []int64{1, -1, math.MinInt64}},
		{">i8", "\x00\x00\x00\x00\x00\x00\x00\x01\xff\xff\xff\xff\xff\xff\xff\xff\x80\x00\x00\x00\x00\x00\x00\x00", []int64{1, -1, math.MinInt64}},
		{"<u8", "\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00\x00\x00", []int64{1, math.MaxInt64, 0}},
		{"<f2", "\x00\x3c\x00\xc0\xff\x7b", []float32{1, -2, 65504}},
		{">f2", "\x3c\x00\xc0\x00\x00\x01", []float32{1, -2, 0x1p-24}},
		{"<f4", "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x80\x7f", []float32{1, -2, float32(math.Inf(1))}},
		{">f4", "\x3f\x80\x00\x00\xc0\x00\x00\x00\xff\x80\x00\x00", []float32{1, -2, float32(math.Inf(-1))}},
		{"<f8", "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\xc0\x9a\x99\x99\x99\x99\x99\xb9\x3f", []float64{1, -2, 0.1}},
		{">f8", "\x3f\xf0\x00\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x00\x3f\xb9\x99\x99\x99\x99\x99\x9a", []float64{1, -2, 0.1}},
		{"=f4", "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x00", []float32{1, -2, 0}},
	} {
		for version := byte(1); version <= 3; version++ {
			t.Run(fmt.Sprintf("%s version %d", tc.descr, version), func(t *testing.T) {
				a, err := readNPY(bytes.NewReader(npyFile(version, dictOf(tc.descr, false, "(3,)"), tc.data)))
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(a.values, tc.want) || !slices.Equal(a.Shape, []int{3}) {
					t.Errorf("got %v %v, want %v", a.Shape, a.values, tc.want)
				}
			})
		}
	}
}

func TestReadNPYFortranOrder(t *testing.T) {
	for _, tc := range []struct {
		shape string
		data  string
		want  []int64
	}{
		{"()", "\x07", []int64{7}},
		{"(3,)", "\x01\x02\x03", []int64{1, 2, 3}},
		{"(2, 3)", "\x01\x04\x02\x05\x03\x06", []int64{1, 2, 3, 4, 5, 6}},
		{"(2, 1, 3)", "\x01\x04\x02\x05\x03\x06", []int64{1, 2, 3, 4, 5, 6}},
		{"(2, 2, 3)", "\x01\x07\x04\x0a\x02\x08\x05\x0b\x03\x09\x06\x0c", []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{"(2, 0, 3)", "", []int64{}},
	} {
		a, err := readNPY(bytes.NewReader(npyFile(1, dictOf("|u1", true, tc.shape), tc.data)))
		if err != nil {
			t.Errorf("%s: %v", tc.shape, err)
			continue
		}
		if got, _ := a.Int64s(); !slices.Equal(got, tc.want) || shapeText(a.Shape) != tc.shape {
			t.Errorf("%s: got %v of shape %v, want %v", tc.shape, got, a.Shape, tc.want)
		}
	}
}

// TestReadNPYHeaderForms reads forms of a dict that Python writes or numpy.load accepts.
func TestReadNPYHeaderForms(t *testing.T) {
	for _, header := range []string{
		"{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}",
		"{'shape':(2,),'descr':'|u1','fortran_order':False}\n",
		"{\"shape\" : ( 2 , ), \"fortran_order\" : True,\n\t\"descr\" : \"u1\" , }",
	} {
		a, err := readNPY(bytes.NewReader(npyFile(1, header, "\x01\x02")))
		if err != nil || a.Len() != 2 {
			t.Errorf("%q: %v", header, err)
		}
	}
}

func TestReadNPYRejects(t *testing.T) {
	good := dictOf("<f8", false, "(1,)")
	for _, tc := range []struct {
		name, want string
		b          []byte
	}{
		{"empty", "is empty", nil},
		{"text", "begins with \"1.5\\n2.\"", []byte("1.5\n2.5\n3.5\n")},
		{"magic only", "cut short", []byte(npyMagic)},
		{"version 4", "version 4.0", npyFile(4, good, "12345678")},
		{"no length", "cut short", []byte(npyMagic + "\x02\x00\x01")},
		{"header of 4 GiB", "claims 4294967295 bytes", []byte(npyMagic + "\x02\x00\xff\xff\xff\xff{}")},
		{"header beyond the file", "cut short", []byte(npyMagic + "\x01\x00\xff\x00{}")},
		{"no dict", "'{' should be", npyFile(1, "[]", "")},
		{"open dict", "ends where", npyFile(1, "{'descr': '<f8'", "")},
		{"open string", "ends where '\\'' should be", npyFile(1, "{'descr", "")},
		{"text after the dict", "its end", npyFile(1, "{} {}", "")},
		{"missing comma", "',' or '}' should be", npyFile(1, "{'descr': '<f8' 'shape': (1,)}", "")},
		{"missing key", "lacks", npyFile(1, "{'descr': '<f8', 'shape': (1,)}", "12345678")},
		{"key twice", "\"descr\" twice", npyFile(1, "{'descr': '<f8', 'descr': '<f8', 'shape': (1,)}", "12345678")},
		{"unknown key", "\"strides\"", npyFile(1, "{'strides': (1,)}", "")},
		{"order not a truth value", "True or False", npyFile(1, "{'fortran_order': 0}", "")},
		{"complex", "\"<c16\"", npyFile(1, dictOf("<c16", false, "(1,)"), "1234567812345678")},
		{"objects", "\"|O\"", npyFile(1, dictOf("|O", false, "(1,)"), "12345678")},
		{"text elements", "\"<U8\"", npyFile(1, dictOf("<U8", false, "(1,)"), "12345678")},
		{"f16", "\"<f16\"", npyFile(1, dictOf("<f16", false, "(1,)"), "1234567812345678")},
		{"two byte orders", "two byte orders", npyFile(1, dictOf("<>f8", false, "(1,)"), "12345678")},
		{"records", "several fields", npyFile(1, "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,)}", "12345678")},
		{"shape not a tuple", "a tuple should be", npyFile(1, dictOf("<f8", false, "(1)"), "12345678")},
		{"shape of no brackets", "'(' should be", npyFile(1, dictOf("<f8", false, "1"), "12345678")},
		{"negative shape", "a shape with -1,", npyFile(1, dictOf("<f8", false, "(-1,)"), "12345678")},
		{"shape over int64", "has an integer that cannot be read", npyFile(1, dictOf("<f8", false, "(9223372036854775808,)"), "12345678")},
		{"33 dimensions", "32 dimensions", npyFile(1, dictOf("<f8", false, "("+strings.Repeat("1,", 33)+")"), "12345678")},
		{"huge shape", "limit of 256 MiB", npyFile(1, dictOf("<f8", false, "(1099511627776,)"), "12345678")},
		{"shape product overflows", "limit of 256 MiB", npyFile(1, dictOf("|u1", false, "(4294967296, 4294967296)"), "")},
		{"shape longer than the data", "needs 268435456 bytes and 8 are there", npyFile(1, dictOf("<f8", false, "(33554432,)"), "12345678")},
		{"half an element", "needs 8 bytes and 7 are there", npyFile(1, good, "1234567")},
		{"bytes after the data", "goes on after", npyFile(1, good, "123456789")},
		{"over int64", "18446744073709551615", npyFile(1, dictOf("<u8", false, "(1,)"), "\xff\xff\xff\xff\xff\xff\xff\xff")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, err := readNPY(bytes.NewReader(tc.b))
			if err == nil {
				t.Fatalf("accepted: %+v", a)
			}
			if !strings.Contains(err.Error(), tc.want) || strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("got %q, want one line with %q", err, tc.want)
			}
		})
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errDisk }
func (failing) Write([]byte) (int, error) { return 0, errDisk }

var errDisk = errors.New("disk on fire")

func TestReaderAndWriterErrors(t *testing.T) {
	if _, err := readNPY(failing{}); !errors.Is(err, errDisk) {
		t.Errorf("reading: got %v", err)
	}
	a := NewArray([]int{1}, []float32{1})
	if err := WriteNPY(failing{}, a); !errors.Is(err, errDisk) {
		t.Errorf("WriteNPY: got %v", err)
	}
	if err := WriteNPZ(failing{}, map[string]*Array{"a": a}); !errors.Is(err, errDisk) {
		t.Errorf("WriteNPZ: got %v", err)
	}
}

func write(t testing.TB, a *Array) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteNPY(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWriteNPYBytes(t *testing.T) {
	got := write(t, NewArray([]int{1, 2}, []float32{1, -2}))
	const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }"
	// 10 bytes precede the text, a line feed ends it, and the header has 128 bytes in
	// total.
	want := npyFile(1, header+strings.Repeat(" ", 128-10-1-len(header))+"\n", "\x00\x00\x80\x3f\x00\x00\x00\xc0")
	if !bytes.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestWriteNPYRoundTrip(t *testing.T) {
	for _, want := range []*Array{
		NewArray([]int{}, []float64{math.Pi}),
		NewArray([]int{2, 1, 3, 1}, []float32{1, 2, 3, 4, 5, math.MaxFloat32}),
		NewArray([]int{3}, []int64{math.MinInt64, 0, math.MaxInt64}),
		NewArray([]int{0, 5}, []float64{}),
	} {
		got, err := readNPY(bytes.NewReader(write(t, want)))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
	got, err := readNPY(bytes.NewReader(write(t, NewArray([]int{3}, []int16{math.MinInt16, 0, math.MaxInt16}))))
	if want := NewArray([]int{3}, []int64{math.MinInt16, 0, math.MaxInt16}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("int16: got %v, %v, want %v", got, err, want)
	}
	if err := WriteNPY(failing{}, NewArray(slices.Repeat([]int{1}, 33), []float64{1})); err == nil || errors.Is(err, errDisk) {
		t.Errorf("33 dimensions: got %v", err)
	}
}

// TestWriteNPYReadByNpyio reads this package's output with npyio.
func TestWriteNPYReadByNpyio(t *testing.T) {
	f64 := []float64{1, math.Inf(-1), 0.1, 5e-324, -4, 6}
	b := write(t, NewArray([]int{2, 3}, f64))
	var got64 []float64
	if err := npy.Read(bytes.NewReader(b), &got64); err != nil || !slices.Equal(got64, f64) {
		t.Errorf("float64: got %v, %v, want %v", got64, err, f64)
	}
	f32 := []float32{1, 2.5, -3}
	b = write(t, NewArray([]int{3}, f32))
	var got32 []float32
	if err := npy.Read(bytes.NewReader(b), &got32); err != nil || !slices.Equal(got32, f32) {
		t.Errorf("float32: got %v, %v, want %v", got32, err, f32)
	}
	i64 := []int64{math.MinInt64, 7}
	b = write(t, NewArray([]int{1, 2}, i64))
	var gotInt []int64
	if err := npy.Read(bytes.NewReader(b), &gotInt); err != nil || !slices.Equal(gotInt, i64) {
		t.Errorf("int64: got %v, %v, want %v", gotInt, err, i64)
	}
}

// TestReadNPYWrittenByNpyio reads npyio's output with this package.
func TestReadNPYWrittenByNpyio(t *testing.T) {
	for _, want := range []any{
		[]float32{1, 2.5, -3}, []float64{0.1}, []int64{-1, 1 << 40},
	} {
		var b bytes.Buffer
		if err := npy.Write(&b, want); err != nil {
			t.Fatal(err)
		}
		a, err := readNPY(&b)
		if err != nil || !reflect.DeepEqual(a.values, want) {
			t.Errorf("got %v, %v, want %v", a, err, want)
		}
	}
}

func TestArrayConversions(t *testing.T) {
	ints := NewArray([]int{2}, []int64{-3, 1 << 24})
	if got := ints.Float32s(); !slices.Equal(got, []float32{-3, 1 << 24}) {
		t.Errorf("int64 as float32: %v", got)
	}
	if got := ints.Float64s(); !slices.Equal(got, []float64{-3, 1 << 24}) {
		t.Errorf("int64 as float64: %v", got)
	}
	singles := NewArray([]int{2}, []float32{0.5, -8})
	if got := singles.Float64s(); !slices.Equal(got, []float64{0.5, -8}) {
		t.Errorf("float32 as float64: %v", got)
	}
	if got, err := NewArray([]int{1}, []float32{-8}).Int64s(); err != nil || got[0] != -8 {
		t.Errorf("-8 as int64: %v, %v", got, err)
	}
	for _, v := range []float64{0.5, math.NaN(), math.Inf(1), 1 << 63} {
		if got, err := NewArray([]int{1}, []float64{v}).Int64s(); err == nil {
			t.Errorf("%v became the whole number %v", v, got)
		}
	}
	if got := NewArray([]int{1}, []float64{1e300}).Float32s()[0]; !math.IsInf(float64(got), 1) {
		t.Errorf("1e300 as float32: %v", got)
	}
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// maxAlloc returns the largest allowed memory, in bytes, for reading n bytes. The factor 64 covers
// three cases. An int8 takes 8 bytes, plus the buffers that ReadAll discards. A comma in a text
// takes two strings of 16 bytes. An entry of a ZIP directory has 46 bytes and takes about 300
// bytes. The constant 1<<20 covers the error and the rest of the test program.
func maxAlloc(n int) int { return 1<<20 + 64*n }

func TestReadNPYAllocatesInProportion(t *testing.T) {
	for _, b := range [][]byte{
		npyFile(1, dictOf("<f8", false, "(33554432,)"), "12345678"),
		npyFile(1, dictOf("|u1", true, "(268435456,)"), "12345678"),
		[]byte(npyMagic + "\x02\x00\xff\xff\x00\x00{"),
	} {
		if got := allocated(func() { readNPY(bytes.NewReader(b)) }); got > maxAlloc(len(b)) {
			t.Errorf("%d bytes taken for %q, want at most %d", got, b, maxAlloc(len(b)))
		}
	}
}

func FuzzNPY(f *testing.F) {
	f.Add(npyFile(1, dictOf("<f8", false, "(33554432,)"), "12345678"))
	f.Add(npyFile(2, dictOf(">f2", true, "(2, 1, 2)"), "12345678"))
	f.Add(npyFile(3, dictOf("|b1", false, "()"), "\x01"))
	f.Add(npyFile(1, dictOf("<u8", false, "(1,)"), "\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add(write(f, NewArray([]int{1, 2}, []float32{float32(math.NaN()), 2})))
	f.Fuzz(func(t *testing.T, b []byte) {
		var a *Array
		var err error
		if got := allocated(func() { a, err = readNPY(bytes.NewReader(b)) }); got > maxAlloc(len(b)) {
			t.Fatalf("%d bytes taken for %d", got, len(b))
		}
		if err != nil {
			checkSentence(t, err)
			return
		}
		once := write(t, a)
		again, err := readNPY(bytes.NewReader(once))
		if err != nil {
			t.Fatalf("read, written, read: %v", err)
		}
		if twice := write(t, again); !bytes.Equal(twice, once) {
			t.Fatalf("read, written: %q became %q", once, twice)
		}
	})
}

// checkSentence fails unless the error is one line of limited length.
func checkSentence(t testing.TB, err error) {
	t.Helper()
	if s := err.Error(); len(s) > 1000 || strings.ContainsAny(s, "\n\r\x00") {
		t.Fatalf("not a sentence: %q", s)
	}
}

// TestSlowReaders reads an array through readers that return few bytes at a time.
func TestSlowReaders(t *testing.T) {
	var b bytes.Buffer
	want := []float64{1, -2.5, math.Pi, 4, 5, 6}
	if err := WriteNPY(&b, NewArray([]int{2, 3}, want)); err != nil {
		t.Fatal(err)
	}
	for name, slow := range map[string]func(io.Reader) io.Reader{"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "an error with the last bytes": iotest.DataErrReader} {
		a, err := readNPY(slow(bytes.NewReader(b.Bytes())))
		if err != nil || !slices.Equal(a.Float64s(), want) {
			t.Errorf("%s at a time: %v, %v", name, a, err)
		}
	}
}
