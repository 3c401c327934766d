package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"macroscope/model/compute/tensor"
	"macroscope/model/file/half"
	"macroscope/model/setting"
)

// Rows reads an array row by row along its first dimension, so the file need not fit in memory.
type Rows struct {
	Shape []int

	h         *npyHeader
	r         io.ReadCloser
	inArchive bool
	row       int // number of values per row
	buf       []byte
	next      int
	offset    []float64
}

// Subtract makes Next subtract an offset from the values before they are rounded to single
// precision. The length of the offset is the array's last dimension; nil: nothing is subtracted.
func (r *Rows) Subtract(offset []float64) { r.offset = offset }

// Whole makes the array a single row. It must be called before Next.
func (r *Rows) Whole() { r.Shape, r.row = append([]int{1}, r.Shape...), r.h.count }

// Double reports whether the file has the values in double precision.
func (r *Rows) Double() bool { return r.h.size == 8 }

// Bits returns the number of bits in the fractions of the file's numbers: 52, 23 or 10.
func (r *Rows) Bits() int { return map[int]int{8: 52, 4: 23, 2: 10}[r.h.size] }

// Limits of Rows in bytes: for a whole array (1 TiB), and for one row of an array.
const (
	maxRowsBytes = 1 << 40
	maxRowBytes  = MaxBytes
)

// OpenRows opens the array with this name in an NPZ archive of `size` bytes. For an NPY file
// it opens the only array and ignores the name.
//
// The length according to the array's header must agree with the length of the file or of the
// archive's member. Reading the last row checks the member's checksum; see CheckRows.
func OpenRows(file io.ReaderAt, size int64, name string) (*Rows, error) {
	in := io.NopCloser(io.NewSectionReader(file, 0, size))
	archive, err := isNPZ(file)
	if err != nil {
		return nil, err
	}
	there := uint64(size)
	if archive {
		members, err := openNPZ(file, size)
		if err != nil {
			return nil, err
		}
		member := members[name]
		if member == nil {
			return nil, fmt.Errorf("the archive has no array %s; it holds %s; save the right one under this name", setting.Quote(name), List(slices.Sorted(maps.Keys(members))))
		}
		there = member.UncompressedSize64
		if in, err = member.Open(); err != nil {
			return nil, fmt.Errorf("array %s cannot be unpacked (%w); save the archive again with numpy.savez", setting.Quote(name), err)
		}
	}
	h, err := readNPYHeaderUpTo(in, maxRowsBytes)
	if err == nil {
		err = checkRows(h)
	}
	if err == nil {
		err = h.checkLength(there)
	}
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("array %s: %w", setting.Quote(name), err)
	}
	r := &Rows{Shape: h.shape, h: h, r: in, inArchive: archive}
	if h.count > 0 {
		r.row = h.count / h.shape[0]
	}
	return r, nil
}

// CheckRows opens an array like OpenRows, reads it to the end and returns its shape. It checks
// that all rows exist and match the archive's checksum. An NPY file has no checksum, so only
// its length is checked.
func CheckRows(file io.ReaderAt, size int64, name string) (shape []int, err error) {
	r, err := OpenRows(file, size, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.inArchive {
		if _, err := io.Copy(io.Discard, r.r); err != nil {
			return nil, fmt.Errorf("array %s: %w", setting.Quote(name), damaged(err))
		}
	}
	return r.Shape, nil
}

// damaged returns a sentence for an error of reading an archive's member.
func damaged(err error) error {
	return fmt.Errorf("it is damaged (%w); take another copy of the file", err)
}

func checkRows(h *npyHeader) error {
	switch {
	case len(h.shape) == 0:
		return errors.New("it is a single number; save an array")
	case h.fortran && len(h.shape) > 1:
		return errors.New("it is in Fortran order, which can only be read whole; save numpy.ascontiguousarray of it")
	case h.text():
		return h.checkNumbers()
	case h.kind != 'f':
		return errors.New("it holds whole numbers; save it as float32")
	case h.count > 0 && h.count/h.shape[0] > maxRowBytes/h.room():
		return fmt.Errorf("a row of the shape %s is over the limit of %d MiB", shapeText(h.shape), maxRowBytes>>20)
	}
	return nil
}

// ShapeOf returns the shape of an array in an NPZ archive, which must have the array.
func ShapeOf(file io.ReaderAt, size int64, name string) ([]int, error) {
	var shape []int
	_, err := ReadArray(file, size, name, func(is []int) error {
		shape = is
		return errSeen
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return shape, err
}

// errSeen ends the reading of an array whose shape has been seen.
var errSeen = errors.New("only the shape is read")

// Names lists the names of the arrays in an NPZ archive. An NPY file has no named arrays.
func Names(file io.ReaderAt, size int64) ([]string, error) {
	archive, err := isNPZ(file)
	if err != nil || !archive {
		return nil, err
	}
	members, err := openNPZ(file, size)
	return slices.Sorted(maps.Keys(members)), err
}

func isNPZ(file io.ReaderAt) (bool, error) {
	var head [4]byte
	n, err := file.ReadAt(head[:], 0)
	if n == 0 {
		if err == io.EOF {
			return false, errors.New("the file is empty; choose one with numbers in it")
		}
		return false, fmt.Errorf("reading failed: %w", err)
	}
	return bytes.Equal(head[:], []byte("PK\x03\x04")) || bytes.Equal(head[:], []byte("PK\x05\x06")), nil
}

// Next reads the next row into dst, which must have the length of a row. After the last row it
// returns io.EOF.
func (r *Rows) Next(dst []float32) error { return nextRow(r, dst) }

// Next64 is Next in double precision.
func (r *Rows) Next64(dst []float64) error { return nextRow(r, dst) }

func nextRow[T tensor.Float](r *Rows, dst []T) error {
	if r.next >= r.Shape[0] {
		return io.EOF
	}
	if len(dst) != r.row {
		panic(fmt.Sprintf("data: a row of %d values into %d", r.row, len(dst)))
	}
	if r.buf == nil {
		r.buf = make([]byte, r.row*r.h.size)
	}
	if _, err := io.ReadFull(r.r, r.buf); err != nil {
		return fmt.Errorf("row %d: %w", r.next, cutShort(err))
	}
	if r.next++; r.next == r.Shape[0] { // read on to the end of the member, so that its checksum is checked
		_, err := io.ReadFull(r.r, make([]byte, 1))
		if err == nil {
			err = errors.New("it goes on")
		}
		if err != io.EOF {
			return fmt.Errorf("after the last row: %w", damaged(err))
		}
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if r.h.bigEndian {
		order = binary.BigEndian
	}
	for i := range dst {
		var v float64
		switch r.h.size {
		case 2:
			v = float64(half.Value(order.Uint16(r.buf[2*i:])))
		case 4:
			v = float64(math.Float32frombits(order.Uint32(r.buf[4*i:])))
		default:
			v = math.Float64frombits(order.Uint64(r.buf[8*i:]))
		}
		if r.offset != nil {
			v -= r.offset[i%len(r.offset)]
		}
		dst[i] = T(v)
	}
	return nil
}

// Close closes the archive's member. The file stays open.
func (r *Rows) Close() error { return r.r.Close() }
