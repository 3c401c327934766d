package data

import "io"

// AnyRow reads the rows of an array in any order. To read an earlier row, it reopens the array
// and starts at the first row. It is not safe for concurrent use.
type AnyRow struct {
	file io.ReaderAt
	size int64
	name string
	off  []float64
	in   *Rows // nil before the first Read, after an error and after Close
	next int
}

// NewAnyRow returns a reader of the array that OpenRows would open with these arguments. The first
// Read opens it. `offset` is subtracted from the values before they are rounded (see Rows.Subtract);
// nil: nothing is.
func NewAnyRow(file io.ReaderAt, size int64, name string, offset []float64) AnyRow {
	return AnyRow{file: file, size: size, name: name, off: offset}
}

// Read fills dst with the array's row number `index`, counted from 0.
func (r *AnyRow) Read(dst []float32, index int) (err error) {
	if r.in == nil || index < r.next {
		r.Close()
		if r.in, err = OpenRows(r.file, r.size, r.name); err != nil {
			return err
		}
		r.in.Subtract(r.off)
	}
	for ; r.next <= index; r.next++ {
		if err := r.in.Next(dst); err != nil {
			r.Close()
			return err
		}
	}
	return nil
}

// Close closes the open array. Read opens it again.
func (r *AnyRow) Close() {
	if r.in != nil {
		r.in.Close()
		r.in, r.next = nil, 0
	}
}
