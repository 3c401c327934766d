package ckpt

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"macroscope/model/file/half"
)

// Encode writes f. Equal contents give equal bytes. Tensors with more bytes per element come
// first, so every array is aligned; tensors with elements of equal size are sorted by name.
//
// Encode returns an error before it writes anything if a name is empty, reserved, taken or not
// UTF-8, if a tensor's slices do not fit its shape, if a number is too large for F16, or if a size
// exceeds the limits. Decode can read every file that Encode writes.
func Encode(w io.Writer, f *File) error {
	tensors := slices.Clone(f.Tensors)
	slices.SortStableFunc(tensors, func(a, b Tensor) int {
		_, sizeA, _ := a.dtype()
		_, sizeB, _ := b.dtype()
		return cmp.Or(cmp.Compare(sizeB, sizeA), cmp.Compare(a.Name, b.Name))
	})
	taken := make(map[string]bool, len(tensors))
	entries := make([]entry, len(tensors))
	at := 0
	for i, t := range tensors {
		if t.Name == "" || t.Name == metadataKey || taken[t.Name] || !utf8.ValidString(t.Name) {
			return fmt.Errorf("safetensors: cannot write a tensor named %.60q: the name is empty, reserved, taken or not UTF-8", t.Name)
		}
		taken[t.Name] = true
		dtype, size, n := t.dtype()
		if dtype == "" {
			return fmt.Errorf("safetensors: cannot write tensor %.60q: not exactly one of its slices is set", t.Name)
		}
		want, err := elements(t.Shape, size)
		if err != nil {
			return fmt.Errorf("safetensors: cannot write tensor %.60q: it %w", t.Name, err)
		}
		if n != want {
			return fmt.Errorf("safetensors: cannot write tensor %.60q: it holds %d elements and its shape is %v", t.Name, n, t.Shape)
		}
		if t.Half && slices.ContainsFunc(t.F32, func(v float32) bool { return v-v == 0 && half.Round(v)&0x7c00 == 0x7c00 }) {
			return fmt.Errorf("safetensors: cannot write tensor %.60q as F16: a number is larger than 65504", t.Name)
		}
		entries[i] = entry{t.Name, dtype, t.Shape, at, at + n*size}
		if at += n * size; at > MaxBytes {
			return fmt.Errorf("safetensors: cannot write more than %d MiB", MaxBytes>>20)
		}
	}
	metadata := make(map[string]string, len(f.Metadata)+1)
	for k, v := range f.Metadata {
		if k == sumKey || k == oldSumKey {
			continue
		}
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return fmt.Errorf("safetensors: cannot write the metadata %.60q: it is not UTF-8", k)
		}
		metadata[k] = v
	}
	sum := sumHeader(entries, metadata)
	if err := writeElements(sum, tensors); err != nil {
		return err
	}
	metadata[sumKey] = sumText(sum.Sum32())

	b := appendHeader(make([]byte, 8), entries, slices.Sorted(maps.Keys(metadata)), metadata)
	for len(b)%8 != 0 {
		b = append(b, ' ')
	}
	if len(b)-8 > MaxHeader {
		return fmt.Errorf("safetensors: cannot write a header of %d bytes; the limit is %d", len(b)-8, MaxHeader)
	}
	binary.LittleEndian.PutUint64(b, uint64(len(b)-8))
	if _, err := w.Write(b); err != nil {
		return err
	}
	return writeElements(w, tensors)
}

// sumHeader starts the checksum with the simplified header: the metadata without checksums, and the
// entries sorted by name.
func sumHeader(entries []entry, metadata map[string]string) hash.Hash32 {
	byName := slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	sum := crc32.NewIEEE()
	sum.Write(appendHeader(nil, byName, slices.Sorted(maps.Keys(metadata)), metadata))
	return sum
}

// sumText formats a checksum for the metadata.
func sumText(sum uint32) string { return fmt.Sprintf("%08x", sum) }

// writeElements writes the tensors' elements one after the other.
func writeElements(w io.Writer, tensors []Tensor) error {
	le := binary.LittleEndian
	bw := bufio.NewWriterSize(w, 1<<15) // Flush returns the first error
	for i := range tensors {
		for _, v := range tensors[i].F32 {
			if tensors[i].Half {
				bw.Write(le.AppendUint16(bw.AvailableBuffer(), half.Round(v)))
				continue
			}
			bw.Write(le.AppendUint32(bw.AvailableBuffer(), math.Float32bits(v)))
		}
		for _, v := range tensors[i].F64 {
			bw.Write(le.AppendUint64(bw.AvailableBuffer(), math.Float64bits(v)))
		}
		for _, v := range tensors[i].I64 {
			bw.Write(le.AppendUint64(bw.AvailableBuffer(), uint64(v)))
		}
	}
	return bw.Flush()
}
