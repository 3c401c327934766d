package data

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// ReadNPZ reads every array of a NumPy archive of size bytes. The keys are the
// names that were given to numpy.savez, without ".npy".
func ReadNPZ(r io.ReaderAt, size int64) (map[string]*Array, error) {
	members, err := openNPZ(r, size)
	if err != nil {
		return nil, err
	}
	room := uint64(MaxBytes)
	for _, f := range members {
		if f.size > room {
			return nil, fmt.Errorf("the archive unpacks to more than the limit of %d MiB; save fewer arrays in it", MaxBytes>>20)
		}
		room -= f.size
	}
	arrays := make(map[string]*Array, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		arrays[name], err = readMember(members[name], nil)
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", quote(name), err)
		}
	}
	return arrays, nil
}

// ReadArray reads the array of that name from a NumPy archive of size bytes.
func ReadArray(r io.ReaderAt, size int64, name string) (*Array, error) {
	members, err := openNPZ(r, size)
	if err != nil {
		return nil, err
	}
	if members[name] == nil {
		return nil, fmt.Errorf("the archive has no array %s; it holds %s", quote(name), list(slices.Sorted(maps.Keys(members))))
	}
	a, err := readMember(members[name], nil)
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", quote(name), err)
	}
	return a, nil
}

// openNPZ lists an archive's arrays by name.
func openNPZ(r io.ReaderAt, size int64) (map[string]*zipMember, error) {
	files, err := readZip(r, size)
	if err != nil {
		return nil, fmt.Errorf("the archive is damaged or cut short (%w); take another copy of the file", err)
	}
	members := make(map[string]*zipMember, len(files))
	for _, f := range files {
		name, isArray := strings.CutSuffix(f.name, ".npy")
		if !isArray {
			return nil, fmt.Errorf("the archive holds %s, which is not a NumPy array; save the numbers with numpy.savez or as CSV", quote(f.name))
		}
		if members[name] != nil {
			return nil, fmt.Errorf("the archive holds two arrays named %s; save it again with numpy.savez", quote(name))
		}
		members[name] = f
	}
	return members, nil
}

// readMember reads one array, unless check, if there is one, refuses its
// header.
func readMember(f *zipMember, check func(*npyHeader) error) (*Array, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked (%w); save the archive again with numpy.savez", err)
	}
	defer r.Close()
	h, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	if check != nil {
		if err := check(h); err != nil {
			return nil, err
		}
	}
	if want := uint64(h.count * h.size); want > f.size {
		return nil, fmt.Errorf("the shape %s needs %d bytes and the archive lists %d; take another copy of the file", shapeText(h.shape), want, f.size)
	}
	return h.read(r)
}

// WriteNPZ writes an archive of arrays, uncompressed as numpy.savez does. The
// same arrays always make the same bytes.
func WriteNPZ(w io.Writer, arrays map[string]*Array) error {
	a := NewArchive(w)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		if err := a.Array(name, arrays[name]); err != nil {
			return err
		}
	}
	return a.Close()
}

// Archive writes an NPZ archive array by array.
type Archive struct{ z zipWriter }

// NewArchive begins an archive.
func NewArchive(w io.Writer) *Archive { return &Archive{zipWriter{w: w}} }

// Array writes an array.
func (a *Archive) Array(name string, array *Array) error {
	f, err := a.z.Create(name + ".npy")
	if err != nil {
		return err
	}
	if err := WriteNPY(f, array); err != nil {
		return fmt.Errorf("array %s: %w", quote(name), err)
	}
	return nil
}

// Rows begins a float32 array of that shape, whose rows along the first
// dimension are to be written before anything else.
func (a *Archive) Rows(name string, shape []int) (*RowWriter, error) {
	f, err := a.z.Create(name + ".npy")
	if err != nil {
		return nil, err
	}
	row := 1
	for _, s := range shape[1:] {
		row *= s
	}
	return &RowWriter{w: f, row: row}, writeHeader(f, "<f4", shape)
}

// Close ends the archive. It does not close the writer below it.
func (a *Archive) Close() error { return a.z.Close() }

// RowWriter writes one array of an Archive row by row.
type RowWriter struct {
	w   io.Writer
	row int
	buf []byte
}

// Write writes the next row. It panics if that has another length.
func (r *RowWriter) Write(row []float32) error {
	if len(row) != r.row {
		panic(fmt.Sprintf("data: %d values for a row of %d", len(row), r.row))
	}
	r.buf = r.buf[:0]
	for _, v := range row {
		r.buf = binary.LittleEndian.AppendUint32(r.buf, math.Float32bits(v))
	}
	_, err := r.w.Write(r.buf)
	return err
}
