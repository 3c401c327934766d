package data

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"macroscope/model/setting"
)

// ReadNPZ reads every array of a NumPy archive of `size` bytes. The keys are the
// names given to numpy.savez, without ".npy".
func ReadNPZ(r io.ReaderAt, size int64) (map[string]*Array, error) {
	members, err := openNPZ(r, size)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(members))
	room := MaxBytes // bytes that may still be used in memory
	for _, name := range names {
		h, r, err := members[name].openArray()
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", setting.Quote(name), err)
		}
		r.Close()
		if room -= h.count * h.room(); room < 0 {
			return nil, fmt.Errorf("the arrays of the archive take more memory than the limit of %d MiB; save fewer in it", MaxBytes>>20)
		}
	}
	arrays := make(map[string]*Array, len(members))
	for _, name := range names {
		arrays[name], err = members[name].read(func(*npyHeader) error { return nil })
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", setting.Quote(name), err)
		}
	}
	return arrays, nil
}

// ReadText reads a text from an array of its bytes. If the array has several dimensions or more than `most`
// elements, flat is false, and nothing is read.
func ReadText(r io.ReaderAt, size int64, name string, most int) (text string, flat bool, err error) {
	flat = true
	a, err := ReadArray(r, size, name, func(shape []int) error {
		if flat = len(shape) == 1 && shape[0] <= most; !flat {
			return errors.New("it is no text")
		}
		return nil
	})
	if err != nil {
		return "", flat, err
	}
	letters, err := a.Int64s()
	b := make([]byte, len(letters))
	for i, v := range letters {
		b[i] = byte(v)
	}
	return string(b), flat, err
}

// ReadArray reads the array with this name from a NumPy archive of `size` bytes,
// unless check rejects its shape.
func ReadArray(r io.ReaderAt, size int64, name string, check func(shape []int) error) (*Array, error) {
	members, err := openNPZ(r, size)
	if err != nil {
		return nil, err
	}
	if members[name] == nil {
		return nil, fmt.Errorf("the archive has no array %s; it holds %s; save the right one under this name", setting.Quote(name), List(slices.Sorted(maps.Keys(members))))
	}
	a, err := members[name].read(func(h *npyHeader) error { return check(h.shape) })
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", setting.Quote(name), err)
	}
	return a, nil
}

// ReadNames reads an array of texts with this name (NumPy's types S and U), in the order of the file. If the array
// has numbers, names is nil. A function checks the shape of the texts first.
func ReadNames(r io.ReaderAt, size int64, name string, check func(shape []int) error) (names []string, err error) {
	members, err := openNPZ(r, size)
	if err != nil || members[name] == nil {
		return nil, err
	}
	h, in, err := members[name].openArray()
	if err == nil {
		defer in.Close()
		if !h.text() {
			return nil, nil
		}
		if err = check(h.shape); err == nil {
			names, err = h.names(in)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", setting.Quote(name), err)
	}
	return names, nil
}

// HasTexts reports whether an array of a NumPy archive has texts, see ReadNames.
func HasTexts(r io.ReaderAt, size int64, name string) (has bool, err error) {
	_, err = ReadNames(r, size, name, func([]int) error {
		has = true
		return errSeen
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return has, err
}

// zipMember is one file of an archive, together with the archive's size in bytes.
type zipMember struct {
	*zip.File
	archive uint64
}

// readZip lists the members of an archive of `size` bytes.
func readZip(in io.ReaderAt, size int64) ([]*zipMember, error) {
	r, err := zip.NewReader(in, size)
	if errors.Is(err, zip.ErrFormat) {
		err = errors.New("it is not a ZIP archive")
	}
	if err != nil {
		return nil, fmt.Errorf("the archive is damaged or cut short (%w); take another copy of the file", err)
	}
	members := make([]*zipMember, len(r.File))
	for i, f := range r.File {
		members[i] = &zipMember{f, uint64(size)}
	}
	return members, nil
}

// Open returns the member's content. It rejects a length that the archive cannot contain.
func (m *zipMember) Open() (io.ReadCloser, error) {
	packed, size := m.CompressedSize64, m.UncompressedSize64
	// Deflate expands one byte to at most 1032 bytes.
	if packed > m.archive || m.Method == zip.Store && size != packed || size/1032 > packed {
		return nil, errors.New("its sizes contradict each other")
	}
	return m.File.Open()
}

// openNPZ lists an archive's arrays by name.
func openNPZ(r io.ReaderAt, size int64) (map[string]*zipMember, error) {
	files, err := readZip(r, size)
	if err != nil {
		return nil, err
	}
	members := make(map[string]*zipMember, len(files))
	for _, f := range files {
		name, isArray := strings.CutSuffix(f.Name, ".npy")
		if !isArray {
			return nil, fmt.Errorf("the archive holds %s, which is not a NumPy array; unpack it and give what is in it, or save the numbers with numpy.savez", setting.Quote(f.Name))
		}
		if members[name] != nil {
			return nil, fmt.Errorf("the archive holds two arrays named %s; save it again with numpy.savez", setting.Quote(name))
		}
		members[name] = f
	}
	return members, nil
}

// openArray opens the member and reads its header.
func (m *zipMember) openArray() (*npyHeader, io.ReadCloser, error) {
	r, err := m.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("it cannot be unpacked (%w); save the archive again with numpy.savez", err)
	}
	h, err := readNPYHeader(r)
	if err == nil {
		err = h.checkLength(m.UncompressedSize64)
	}
	if err != nil {
		r.Close()
		return nil, nil, err
	}
	return h, r, nil
}

// read reads the array, unless check rejects its header.
func (m *zipMember) read(check func(*npyHeader) error) (*Array, error) {
	h, r, err := m.openArray()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := check(h); err != nil {
		return nil, err
	}
	return h.read(r)
}

// WriteNPZ writes an archive of arrays, uncompressed like numpy.savez. Equal arrays
// give equal bytes.
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
type Archive struct{ z *zip.Writer }

// NewArchive begins an archive.
func NewArchive(w io.Writer) *Archive { return &Archive{zip.NewWriter(w)} }

// create begins a stored member. The member has no time stamp, so that equal arrays give equal
// bytes.
func (a *Archive) create(name string) (io.Writer, error) {
	return a.z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
}

// Array writes an array.
func (a *Archive) Array(name string, array *Array) error {
	f, err := a.create(name + ".npy")
	if err != nil {
		return err
	}
	if err := WriteNPY(f, array); err != nil {
		return fmt.Errorf("array %s: %w", setting.Quote(name), err)
	}
	return nil
}

// Rows begins a float32 array of this shape. Its rows along the first dimension must be written
// before the next member is begun.
func (a *Archive) Rows(name string, shape []int) (*RowWriter, error) {
	f, err := a.create(name + ".npy")
	if err != nil {
		return nil, err
	}
	row := 1
	for _, s := range shape[1:] {
		row *= s
	}
	return &RowWriter{w: f, row: row}, writeHeader(f, "<f4", shape)
}

// Bytes begins a uint8 array of this shape. Its elements must be written before the next member
// is begun.
func (a *Archive) Bytes(name string, shape []int) (io.Writer, error) {
	f, err := a.create(name + ".npy")
	if err != nil {
		return nil, err
	}
	return f, writeHeader(f, "|u1", shape)
}

// Close ends the archive. It does not close the underlying writer.
func (a *Archive) Close() error { return a.z.Close() }

// RowWriter writes one array of an Archive row by row.
type RowWriter struct {
	w   io.Writer
	row int
	buf []byte
}

// Write writes the next row. It panics if the row has another length.
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
