package data

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"macroscope/model/file/half"
	"macroscope/model/setting"
)

// Limits of ReadNPZ and the readers of particles.
const (
	MaxBytes = 256 << 20 // the elements of one array, or of all arrays in an archive
	MaxRank  = 32        // dimensions of one array
)

// read reads the elements of a NumPy array. The array must end where r ends. The types f2, f4,
// f8, i1 to i8, u1 to u8 and bool of either byte order become float32 (f2, f4), float64 (f8) or
// int64. Fortran order becomes row-major. Values may be NaN or infinite.
func (h *npyHeader) read(r io.Reader) (*Array, error) {
	if err := h.checkNumbers(); err != nil {
		return nil, err
	}
	b, err := h.readBytes(r)
	if err != nil {
		return nil, err
	}
	if h.bigEndian {
		for e := range slices.Chunk(b, h.size) {
			slices.Reverse(e)
		}
	}
	a := &Array{Shape: h.shape}
	le := binary.LittleEndian
	switch {
	case h.kind == 'f' && h.size == 2:
		a.values = elements(h, func(i int) float32 { return half.Value(le.Uint16(b[2*i:])) })
	case h.kind == 'f' && h.size == 4:
		a.values = elements(h, func(i int) float32 { return math.Float32frombits(le.Uint32(b[4*i:])) })
	case h.kind == 'f':
		a.values = elements(h, func(i int) float64 { return math.Float64frombits(le.Uint64(b[8*i:])) })
	case h.kind == 'b':
		a.values = elements(h, func(i int) int64 { return int64(min(b[i], 1)) })
	case h.kind == 'u':
		if h.size == 8 {
			for i := range h.count {
				if v := le.Uint64(b[8*i:]); v > math.MaxInt64 {
					return nil, fmt.Errorf("the array holds %d, which is too large for a 64-bit integer with sign; save it as float64", v)
				}
			}
		}
		a.values = elements(h, func(i int) int64 { return int64(littleEndian(b[h.size*i:][:h.size])) })
	default:
		unused := 64 - 8*h.size
		a.values = elements(h, func(i int) int64 { return int64(littleEndian(b[h.size*i:][:h.size])<<unused) >> unused })
	}
	return a, nil
}

// readBytes reads the bytes of all elements. The result grows with the bytes read, not with the length that the
// header claims.
func (h *npyHeader) readBytes(r io.Reader) ([]byte, error) {
	want := h.count * h.size
	b, err := io.ReadAll(io.LimitReader(r, int64(want)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading failed: %w", err)
	case len(b) < want:
		return nil, fmt.Errorf("the array of shape %s needs %d bytes and %d are there; take another copy of the file", shapeText(h.shape), want, len(b))
	case len(b) > want:
		return nil, fmt.Errorf("the file goes on after the array of shape %s; save it again with numpy.save", shapeText(h.shape))
	}
	return b, nil
}

// names reads the elements of an array of texts in the order of the file.
func (h *npyHeader) names(r io.Reader) ([]string, error) {
	if h.fortran && len(h.shape) > 1 {
		return nil, errors.New("it is in Fortran order; save numpy.ascontiguousarray of it")
	}
	b, err := h.readBytes(r)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, h.count)
	known := make(map[string]string) // one copy of each name
	for e := range slices.Chunk(b, h.size) {
		if h.kind == 'U' {
			order := binary.ByteOrder(binary.LittleEndian)
			if h.bigEndian {
				order = binary.BigEndian
			}
			var letters []byte
			for i := 0; i < len(e); i += 4 {
				letters = utf8.AppendRune(letters, rune(order.Uint32(e[i:])))
			}
			e = letters
		}
		e = bytes.TrimRight(e, "\x00")
		name, has := known[string(e)]
		if !has {
			if name = string(e); !utf8.ValidString(name) {
				return nil, fmt.Errorf("it holds %s, which is not text in UTF-8", setting.Quote(name))
			}
			known[name] = name
		}
		names = append(names, name)
	}
	return names, nil
}

func littleEndian(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}

// elements returns the array in row-major order. at(i) returns element i of the file.
func elements[T float32 | float64 | int64](h *npyHeader, at func(i int) T) []T {
	v := make([]T, h.count)
	if !h.fortran {
		for i := range v {
			v[i] = at(i)
		}
		return v
	}
	stride := make([]int, len(h.shape)) // stride of each dimension in the file
	step := 1
	for d, s := range h.shape {
		stride[d] = step
		step *= s
	}
	index := make([]int, len(h.shape))
	from := 0
	for i := range v {
		v[i] = at(from)
		for d := len(index) - 1; d >= 0; d-- {
			index[d]++
			from += stride[d]
			if index[d] < h.shape[d] {
				break
			}
			from -= index[d] * stride[d]
			index[d] = 0
		}
	}
	return v
}

// WriteNPY writes the array in version 1.0, little-endian and row-major.
func WriteNPY(w io.Writer, a *Array) error {
	var descr string
	switch a.values.(type) {
	case []float32:
		descr = "<f4"
	case []float64:
		descr = "<f8"
	case []int16:
		descr = "<i2"
	default:
		descr = "<i8"
	}
	bw := bufio.NewWriterSize(w, 1<<15) // Flush returns the first error
	if err := writeHeader(bw, descr, a.Shape); err != nil {
		return err
	}
	le := binary.LittleEndian
	switch v := a.values.(type) {
	case []float32:
		for _, x := range v {
			bw.Write(le.AppendUint32(bw.AvailableBuffer(), math.Float32bits(x)))
		}
	case []float64:
		for _, x := range v {
			bw.Write(le.AppendUint64(bw.AvailableBuffer(), math.Float64bits(x)))
		}
	case []int64:
		for _, x := range v {
			bw.Write(le.AppendUint64(bw.AvailableBuffer(), uint64(x)))
		}
	case []int16:
		for _, x := range v {
			bw.Write(le.AppendUint16(bw.AvailableBuffer(), uint16(x)))
		}
	}
	return bw.Flush()
}

// writeHeader writes everything before the elements.
func writeHeader(w io.Writer, descr string, shape []int) error {
	if len(shape) > MaxRank {
		return fmt.Errorf("cannot write an array of %d dimensions; the limit is %d", len(shape), MaxRank)
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shapeText(shape))
	// NumPy pads so that the elements are aligned to 64 bytes.
	header += strings.Repeat(" ", -(len(npyMagic)+4+len(header)+1)&63) + "\n"
	b := binary.LittleEndian.AppendUint16([]byte(npyMagic+"\x01\x00"), uint16(len(header)))
	_, err := w.Write(append(b, header...))
	return err
}

// shapeText returns a shape in Python's notation: (), (3,), (2, 3).
func shapeText(shape []int) string {
	b := []byte{'('}
	for i, s := range shape {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(s), 10)
	}
	if len(shape) == 1 {
		b = append(b, ',')
	}
	return string(append(b, ')'))
}
