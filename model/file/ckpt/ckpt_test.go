package ckpt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func sample() *File {
	return &File{
		Metadata: map[string]string{"config": `{"eps": 0.1}`, "name": "ẑ \"\\\n\x01 😀"},
		Tensors: []Tensor{
			{Name: "a", Shape: []int{2, 3}, F32: []float32{0, 1, -2, float32(math.NaN()), float32(math.Inf(1)), 1e-45}},
			{Name: "b", Shape: []int{}, I64: []int64{math.MinInt64}},
			{Name: "c.weight", Shape: []int{1, 2, 1}, F64: []float64{math.Pi, math.Copysign(0, -1)}},
			{Name: "d", Shape: []int{0, 4}, F32: []float32{}},
		},
	}
}

func encode(t testing.TB, f *File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// raw builds a file with a header and data that may contradict each other.
func raw(header, data string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func TestRoundTrip(t *testing.T) {
	want := sample()
	b := encode(t, want)
	got, err := Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	// Unlike DeepEqual, a comparison of bytes distinguishes -0 from 0 and finds NaN equal
	// to itself.
	if again := encode(t, got); !bytes.Equal(again, b) {
		t.Errorf("got  %q\nwant %q", again, b)
	}
	if !reflect.DeepEqual(got.Metadata, want.Metadata) {
		t.Errorf("metadata: got %q, want %q", got.Metadata, want.Metadata)
	}
	for i, g := range got.Tensors {
		w := want.Tensors[i]
		if g.Name != w.Name || !reflect.DeepEqual(g.Shape, w.Shape) ||
			(g.F32 == nil) != (w.F32 == nil) || (g.F64 == nil) != (w.F64 == nil) || (g.I64 == nil) != (w.I64 == nil) {
			t.Errorf("got %+v\nwant %+v", g, w)
		}
	}
	if got := got.Tensor("c.weight"); got == nil || got.F64[0] != math.Pi {
		t.Errorf("Tensor: got %+v", got)
	}
	if got := got.Tensor("e"); got != nil {
		t.Errorf("Tensor of an absent name: got %+v", got)
	}
}

// TestBytes compares the bytes of a file with the format's description.
func TestBytes(t *testing.T) {
	got := encode(t, &File{
		Metadata: map[string]string{"k": "v"},
		Tensors: []Tensor{
			{Name: "x", Shape: []int{2}, F32: []float32{1, -2}},
			{Name: "y", Shape: []int{1}, I64: []int64{3}},
		},
	})
	const header = `{"__metadata__":{"crc32.all":"23177b9a","k":"v"},` +
		`"y":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},` +
		`"x":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}`
	padding := strings.Repeat(" ", -len(header)&7)
	want := raw(header+padding, "\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x3f\x00\x00\x00\xc0")
	if !bytes.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestChecksum flips a bit in each byte of the data, and changes each digit below 8 in the header.
// Changed data must fail because of the checksum. A changed header must also fail, unless the
// change hides the checksum; then the file must open as unchecked.
func TestChecksum(t *testing.T) {
	b := encode(t, sample())
	begin := 8 + int(binary.LittleEndian.Uint64(b))
	for at := 8; at < len(b); at++ {
		changed := slices.Clone(b)
		switch {
		case at >= begin:
			changed[at] ^= 1 << (at % 8)
		case '0' <= b[at] && b[at] < '8':
			changed[at]++
		default:
			continue
		}
		f, err := Decode(bytes.NewReader(changed))
		if err == nil && f.Unchecked == "" || at >= begin && (err == nil || !strings.Contains(err.Error(), "checksum")) {
			t.Fatalf("byte %d: %+v, %v", at, f, err)
		}
	}
}

// TestOlderChecksums opens files with a reordered header, with an older checksum and without a
// checksum. Unchecked must say which parts no checksum covers.
func TestOlderChecksums(t *testing.T) {
	const entry = `"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	const data = "\x00\x00\x80\x3f\x00\x00\x00\xc0"
	whole := encode(t, &File{Metadata: map[string]string{"k": "1.25"}, Tensors: []Tensor{{Name: "x", Shape: []int{2}, F32: []float32{1, -2}}}})
	sum := string(whole[bytes.Index(whole, []byte(`all":"`))+6:][:8])
	old := fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(data)))
	for header, says := range map[string]string{
		`{` + entry + `, "__metadata__":{"k":"1.25","crc32.all":"` + sum + `"}}`: "",
		`{"__metadata__":{"k":"8.25","crc32":"` + old + `"},` + entry + `}`:      "older than checksums of settings",
		`{"__metadata__":{"k":"8.25"},` + entry + `}`:                            "no checksum",
	} {
		f, err := Decode(bytes.NewReader(raw(header, data)))
		if err != nil || !strings.Contains(f.Unchecked, says) || (says == "") != (f.Unchecked == "") || len(f.Metadata) != 1 {
			t.Errorf("%s: %+v, %v, want %q", header, f, err, says)
		}
	}
	for _, sum := range []string{`crc32.all":"` + sum, `crc32":"` + sum, `crc32.all":"` + sum + `","crc32":"` + old} {
		if f, err := Decode(bytes.NewReader(raw(`{"__metadata__":{"k":"8.25","`+sum+`"},`+entry+`}`, data))); err == nil || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("%s: %+v, %v", sum, f, err)
		}
	}
}

func TestDecodeForeignHeader(t *testing.T) {
	const header = "\t{ \"\\u0078\\ud83d\\ude00\\/\" : {\"shape\":[ 1 , 1 ],\r\n\"data_offsets\":[0,4], \"dtype\":\"F32\"} , \"__metadata__\":{}}  "
	f, err := Decode(bytes.NewReader(raw(header, "\x00\x00\x80\x3f")))
	if err != nil {
		t.Fatal(err)
	}
	want := &File{Tensors: []Tensor{{Name: "x😀/", Shape: []int{1, 1}, F32: []float32{1}}}, Unchecked: "The file has no checksum, so damage would not be noticed."}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("got %+v, want %+v", f, want)
	}
}

func TestDecodeRejects(t *testing.T) {
	one := func(s string) []byte { return raw(`{"a":`+s+`}`, "12345678") }
	for _, tc := range []struct {
		name, want string
		b          []byte
	}{
		{"empty", "is empty", nil},
		{"half a length", "cut short", []byte{1, 0, 0}},
		{"text", "choose a .safetensors file", []byte("x,y\n1,2\n3,4\n")},
		{"header of no length", "header length of 0", make([]byte, 64)},
		{"header of 1 MiB and one byte", "header length of 1048577", binary.LittleEndian.AppendUint64(nil, MaxHeader+1)},
		{"header of 2^64-1 bytes", "header length of 18446744073709551615", bytes.Repeat([]byte{255}, 64)},
		{"header beyond the file", "cut short", append([]byte{200, 0, 0, 0, 0, 0, 0, 0}, "{}"...)},
		{"no object", "'{' should be", raw(`[]`, "")},
		{"open object", "it ends where", raw(`{"a":{"dtype":"F32"`, "")},
		{"text after the object", "where its end should be", raw(`{} {}`, "")},
		{"trailing comma", "where a string should be", raw(`{"a":{"dtype":"F32",}}`, "")},
		{"single quotes", "where a string should be", raw(`{'a':{}}`, "")},
		{"lone surrogate", "escape", raw(`{"\ud800":{}}`, "")},
		{"name not UTF-8", "not UTF-8", raw("{\"\xff\":{}}", "")},
		{"control character", "printable", raw("{\"\n\":{}}", "")},
		{"metadata of a number", "where a string should be", raw(`{"__metadata__":{"a":1}}`, "")},
		{"metadata twice", "metadata twice", raw(`{"__metadata__":{},"__metadata__":{}}`, "")},
		{"metadata key twice", `key "k" twice`, raw(`{"__metadata__":{"k":"","k":""}}`, "")},
		{"no shape", "lacks", one(`{"dtype":"F32","data_offsets":[0,8]}`)},
		{"no type", "lacks", one(`{"shape":[2],"data_offsets":[0,8]}`)},
		{"one offset", "lacks", one(`{"dtype":"F32","shape":[2],"data_offsets":[8]}`)},
		{"shape twice", `"shape" unknown or twice`, one(`{"dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8]}`)},
		{"unknown key", `"strides" unknown or twice`, one(`{"dtype":"F32","shape":[2],"strides":[1],"data_offsets":[0,8]}`)},
		{"unknown type", `"BF16"`, one(`{"dtype":"BF16","shape":[4],"data_offsets":[0,8]}`)},
		{"negative shape", "cannot be negative", one(`{"dtype":"F32","shape":[-2,-1],"data_offsets":[0,8]}`)},
		{"fraction", "',' or ']'", one(`{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}`)},
		{"leading zero", "integer", one(`{"dtype":"F32","shape":[02],"data_offsets":[0,8]}`)},
		{"integer over int64", "integer", one(`{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]}`)},
		{"shape product overflows", "limit of 256 MiB", one(`{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}`)},
		{"shape over the limit", "limit of 256 MiB", one(`{"dtype":"F32","shape":[67108865],"data_offsets":[0,268435460]}`)},
		{"33 dimensions", "33 dimensions", one(`{"dtype":"F32","shape":[1` + strings.Repeat(",1", 32) + `],"data_offsets":[0,4]}`)},
		{"range too long for the shape", "needs 4 bytes", one(`{"dtype":"F32","shape":[1],"data_offsets":[0,8]}`)},
		{"range not of whole elements", "needs 8 bytes", one(`{"dtype":"F32","shape":[2],"data_offsets":[0,7]}`)},
		{"range backwards", "range 8 to 0", one(`{"dtype":"F32","shape":[2],"data_offsets":[8,0]}`)},
		{"negative range", "range -8 to 0", one(`{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}`)},
		{"range beyond the file", "cut short", one(`{"dtype":"F32","shape":[3],"data_offsets":[0,12]}`)},
		{"bytes before the range", "begins at byte 4", one(`{"dtype":"F32","shape":[1],"data_offsets":[4,8]}`)},
		{"bytes after the last range", "goes on after the 4 bytes", one(`{"dtype":"F32","shape":[1],"data_offsets":[0,4]}`)},
		{"ranges overlap", "begins at byte 0 of the data, and the one before it ends at 8", raw(
			`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}`, "12345678")},
		{"name twice", `"a" is used twice`, raw(
			`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, "12345678")},
		{"no name", "no name", raw(`{"":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "1234")},
		{"256 MiB in two tensors and one element", "limit is 256 MiB", raw(
			`{"a":{"dtype":"F32","shape":[67108864],"data_offsets":[0,268435456]},"b":{"dtype":"F32","shape":[1],"data_offsets":[268435456,268435460]}}`, "")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := Decode(bytes.NewReader(tc.b))
			if err == nil {
				t.Fatalf("accepted: %+v", f)
			}
			if !strings.Contains(err.Error(), tc.want) || strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("got %q, want one line with %q", err, tc.want)
			}
		})
	}
}

func TestDecodeTruncated(t *testing.T) {
	b := encode(t, sample())
	for n := range len(b) {
		if _, err := Decode(bytes.NewReader(b[:n])); err == nil {
			t.Fatalf("accepted %d of %d bytes", n, len(b))
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error)  { return 0, errDisk }
func (failing) Write([]byte) (int, error) { return 0, errDisk }

var errDisk = errors.New("disk on fire")

func TestReaderAndWriterErrors(t *testing.T) {
	if _, err := Decode(failing{}); !errors.Is(err, errDisk) {
		t.Errorf("Decode: got %v", err)
	}
	if err := Encode(failing{}, sample()); !errors.Is(err, errDisk) {
		t.Errorf("Encode: got %v", err)
	}
}

func TestEncodeRejects(t *testing.T) {
	one := []float32{1}
	for _, tc := range []struct {
		name string
		f    File
	}{
		{"no name", File{Tensors: []Tensor{{Shape: []int{1}, F32: one}}}},
		{"reserved name", File{Tensors: []Tensor{{Name: metadataKey, Shape: []int{1}, F32: one}}}},
		{"name not UTF-8", File{Tensors: []Tensor{{Name: "\xff", Shape: []int{1}, F32: one}}}},
		{"name twice", File{Tensors: []Tensor{{Name: "a", Shape: []int{1}, F32: one}, {Name: "a", Shape: []int{1}, I64: []int64{1}}}}},
		{"no elements", File{Tensors: []Tensor{{Name: "a", Shape: []int{0}}}}},
		{"two types", File{Tensors: []Tensor{{Name: "a", Shape: []int{1}, F32: one, F64: []float64{1}}}}},
		{"wrong shape", File{Tensors: []Tensor{{Name: "a", Shape: []int{2}, F32: one}}}},
		{"negative shape", File{Tensors: []Tensor{{Name: "a", Shape: []int{-1, -1}, F32: one}}}},
		{"metadata not UTF-8", File{Metadata: map[string]string{"k": "\xff"}}},
		{"metadata over the limit", File{Metadata: map[string]string{"k": strings.Repeat("x", MaxHeader)}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Encode(&b, &tc.f); err == nil || b.Len() != 0 {
				t.Errorf("got error %v and %d bytes, want an error and none", err, b.Len())
			}
		})
	}
}

func TestCheckFinite(t *testing.T) {
	f := &File{Tensors: []Tensor{
		{Name: "i", Shape: []int{1}, I64: []int64{-1}},
		{Name: "w", Shape: []int{2, 3}, F32: make([]float32, 6)},
		{Name: "m", Shape: []int{2}, F64: make([]float64, 2)},
	}}
	if err := f.CheckFinite(); err != nil {
		t.Fatal(err)
	}
	f.Tensors[2].F64[1] = math.Inf(-1)
	if err := f.CheckFinite(); err == nil || !strings.Contains(err.Error(), `"m" holds -Inf at index [1]`) {
		t.Errorf("got %v", err)
	}
	f.Tensors[1].F32[5] = float32(math.NaN())
	if err := f.CheckFinite(); err == nil || !strings.Contains(err.Error(), `"w" holds NaN at index [1 2]`) {
		t.Errorf("got %v", err)
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

// maxAlloc is the largest allowed memory, in bytes, for decoding n bytes. A map entry comes from at
// least 7 bytes of header and takes about 100 bytes. While the map grows, each entry exists twice.
// The term 1<<20 allows for memory that the test program allocates outside the decoder.
func maxAlloc(n int) int { return 1<<20 + 64*n }

func TestDecodeAllocatesInProportion(t *testing.T) {
	for _, b := range [][]byte{
		append([]byte{0, 0, 16, 0, 0, 0, 0, 0}, '{'),
		raw(`{"a":{"dtype":"F32","shape":[67108864],"data_offsets":[0,268435456]}}`, "1234"),
		raw(`{"a":{"dtype":"F64","shape":[16777216,2],"data_offsets":[0,268435456]}}`, "1234"),
	} {
		if got := allocated(func() { Decode(bytes.NewReader(b)) }); got > maxAlloc(len(b)) {
			t.Errorf("%d bytes taken for %q, want at most %d", got, b[:40%len(b)], maxAlloc(len(b)))
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Add(encode(f, &File{}))
	// These files have no checksum, so that Decode does not reject every changed byte.
	f.Add(raw(`{"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, "1234"))
	f.Add(raw(`{"a":{"dtype":"F32","shape":[67108864],"data_offsets":[0,268435456]}}`, "1234"))
	f.Add(raw(`{"\ud83d\ude00":{"shape":[],"dtype":"F32","data_offsets":[0,4]},"__metadata__":{"\u0000":"\t"}}`, "\x00\x00\xc0\x7f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var file *File
		var err error
		if got := allocated(func() { file, err = Decode(bytes.NewReader(b)) }); got > maxAlloc(len(b)) {
			t.Fatalf("%d bytes taken for %d", got, len(b))
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error of several lines: %v", err)
			}
			return
		}
		once := encode(t, file)
		again, err := Decode(bytes.NewReader(once))
		if err != nil {
			t.Fatalf("decode, encode, decode: %v", err)
		}
		if twice := encode(t, again); !bytes.Equal(twice, once) {
			t.Fatalf("decode, encode: %q became %q", once, twice)
		}
	})
}

// TestSlowReaders decodes a file through readers that return few bytes at a time.
func TestSlowReaders(t *testing.T) {
	b := encode(t, sample())
	for name, slow := range map[string]func(io.Reader) io.Reader{"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "an error with the last bytes": iotest.DataErrReader} {
		f, err := Decode(slow(bytes.NewReader(b)))
		if err != nil || !bytes.Equal(encode(t, f), b) {
			t.Errorf("%s at a time: %v", name, err)
		}
	}
}

// TestHalve checks that the file stores every float32 rounded to 16 bits, and that reading and
// writing the file again changes nothing. A number too large for 16 bits must give an error.
func TestHalve(t *testing.T) {
	f := &File{Tensors: []Tensor{
		{Name: "a", Shape: []int{3}, F32: []float32{1, 1.0003, 0.1}}, {Name: "b", Shape: []int{1}, F64: []float64{0.1}},
	}}
	f.Halve()
	b := encode(t, f)
	got, err := Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	a := got.Tensor("a")
	if want := []float32{1, 1, 0.099975586}; !a.Half || a.F32[0] != want[0] || a.F32[1] != want[1] || a.F32[2] != want[2] {
		t.Errorf("got %+v, want %v", a, want)
	}
	if got.Tensor("b").F64[0] != 0.1 || !bytes.HasSuffix(b, []byte{0, 0x3c, 0, 0x3c, 0x66, 0x2e}) {
		t.Errorf("the file is %q", b)
	}
	if again := encode(t, got); !bytes.Equal(again, b) {
		t.Error("the file changes by being read")
	}
	f.Tensors[0].F32[1] = 65520
	if err := Encode(new(bytes.Buffer), f); err == nil || !strings.Contains(err.Error(), "65504") {
		t.Errorf("a number too large: %v", err)
	}
}
