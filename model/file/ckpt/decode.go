package ckpt

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"macroscope/model/file/half"
)

// Decode reads a file to its end and returns its tensors sorted by name.
//
// It checks that sizes are within the limits of this package, that every byte range agrees with
// its tensor's type and shape, that the ranges cover the data once without gaps, and that no
// bytes follow the data. Memory grows in proportion to the bytes read. Values may be NaN or
// infinite; see CheckFinite. Data need not be aligned.
func Decode(r io.Reader) (*File, error) {
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if err == io.EOF {
			return nil, errors.New("safetensors: the file is empty; choose a checkpoint that was saved whole")
		}
		return nil, cutShort(err)
	}
	n := binary.LittleEndian.Uint64(head[:])
	if n < 2 || n > MaxHeader {
		return nil, fmt.Errorf("safetensors: the file begins with a header length of %d bytes, and a checkpoint has 2 to %d; choose a .safetensors file", n, MaxHeader)
	}
	header, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return nil, fmt.Errorf("safetensors: reading the header: %w", err)
	}
	if uint64(len(header)) < n {
		return nil, cutShort(io.ErrUnexpectedEOF)
	}
	entries, metadata, err := parseHeader(string(header))
	if err != nil {
		return nil, fmt.Errorf("safetensors: the header is damaged: it %w; choose another checkpoint", err)
	}
	size, err := check(entries)
	if err != nil {
		return nil, fmt.Errorf("safetensors: the header contradicts itself: %w; choose another checkpoint", err)
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(size)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("safetensors: reading the data: %w", err)
	case len(data) < size:
		return nil, cutShort(io.ErrUnexpectedEOF)
	case len(data) > size:
		return nil, fmt.Errorf("safetensors: the file goes on after the %d bytes of data that its header lists; choose another checkpoint", size)
	}

	unchecked, err := checkSum(entries, metadata, data)
	if err != nil {
		return nil, err
	}
	if len(metadata) == 0 {
		metadata = nil
	}
	f := &File{Metadata: metadata, Tensors: make([]Tensor, len(entries)), Unchecked: unchecked}
	for i, e := range entries {
		f.Tensors[i] = e.tensor(data[e.begin:e.end])
	}
	return f, nil
}

// checkSum checks the checksum and removes it from the metadata. It returns the value of
// File.Unchecked.
func checkSum(entries []entry, metadata map[string]string, data []byte) (unchecked string, err error) {
	sum, whole := metadata[sumKey]
	old, numbers := metadata[oldSumKey]
	delete(metadata, sumKey)
	delete(metadata, oldSumKey)
	is, what, key := "", "its contents are", sumKey
	switch {
	case whole:
		h := sumHeader(entries, metadata)
		h.Write(data)
		is = sumText(h.Sum32())
	case numbers:
		sum, is, what, key = old, sumText(crc32.ChecksumIEEE(data)), "the numbers are", oldSumKey
		unchecked = "The file is older than checksums of settings, so a damaged setting would not be noticed."
	default:
		unchecked = "The file has no checksum, so damage would not be noticed."
	}
	if sum != is {
		return "", fmt.Errorf("safetensors: %s not those that were written, as their checksum shows; take another copy of the checkpoint, or, if you changed them, leave %s out of its metadata", what, key)
	}
	return unchecked, nil
}

func cutShort(err error) error {
	if err != io.ErrUnexpectedEOF {
		return fmt.Errorf("safetensors: reading: %w", err)
	}
	return errors.New("safetensors: the file is cut short; take another copy of the checkpoint")
}

// elementSize holds the supported types with their sizes.
var elementSize = map[string]int{"F16": 2, "F32": 4, "F64": 8, "I64": 8}

// check sorts the entries by name, checks their byte ranges, and returns the total number of
// bytes in these ranges.
func check(entries []entry) (int, error) {
	for _, e := range entries {
		size, known := elementSize[e.dtype]
		if !known {
			return 0, fmt.Errorf("tensor %.60q is of type %.60q, and only F16, F32, F64 and I64 can be read", e.name, e.dtype)
		}
		n, err := elements(e.shape, size)
		if err != nil {
			return 0, fmt.Errorf("tensor %.60q %w", e.name, err)
		}
		if e.begin < 0 || e.end < e.begin || e.end-e.begin != n*size {
			return 0, fmt.Errorf("tensor %.60q of type %s and shape %v needs %d bytes and has the range %d to %d",
				e.name, e.dtype, e.shape, n*size, e.begin, e.end)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end))
	})
	at := 0
	for _, e := range entries {
		if e.begin != at {
			return 0, fmt.Errorf("tensor %.60q begins at byte %d of the data, and the one before it ends at %d", e.name, e.begin, at)
		}
		if at = e.end; at > MaxBytes {
			return 0, fmt.Errorf("it lists %d bytes of data, and the limit is %d MiB", at, MaxBytes>>20)
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	for i, e := range entries {
		if e.name == "" {
			return 0, errors.New("a tensor has no name")
		}
		if i > 0 && entries[i-1].name == e.name {
			return 0, fmt.Errorf("the name %.60q is used twice", e.name)
		}
	}
	return at, nil
}

// tensor decodes an entry's elements from its own range of the data.
func (e *entry) tensor(b []byte) Tensor {
	le := binary.LittleEndian
	t := Tensor{Name: e.name, Shape: e.shape}
	switch e.dtype {
	case "F16":
		t.F32, t.Half = make([]float32, len(b)/2), true
		for i := range t.F32 {
			t.F32[i] = half.Value(le.Uint16(b[2*i:]))
		}
	case "F32":
		t.F32 = make([]float32, len(b)/4)
		for i := range t.F32 {
			t.F32[i] = math.Float32frombits(le.Uint32(b[4*i:]))
		}
	case "F64":
		t.F64 = make([]float64, len(b)/8)
		for i := range t.F64 {
			t.F64[i] = math.Float64frombits(le.Uint64(b[8*i:]))
		}
	case "I64":
		t.I64 = make([]int64, len(b)/8)
		for i := range t.I64 {
			t.I64[i] = int64(le.Uint64(b[8*i:]))
		}
	}
	return t
}
