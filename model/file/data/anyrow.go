package data

import (
	"io"
	"slices"
	"sync"
)

// AnyRow reads the rows of an array in any order. An array can only be read from its beginning, so AnyRow
// keeps a few places at which it goes on. Several goroutines may use it.
type AnyRow struct {
	open func() (*Rows, error)

	mu     sync.Mutex
	places []place           // the one used last comes last
	passed map[int][]float32 // rows that were passed on the way to a later one
}

// place is a place in the array.
type place struct {
	in   *Rows
	next int // index of the next row
}

const (
	// mostPlaces is enough for a training, its validation and the row on show.
	mostPlaces = 3
	// mostPassed is the largest number of passed rows. Several workers ask for rows nearly in order.
	mostPassed = 8
	// passedNumbers is the largest number of values in passed rows, 16 MiB.
	passedNumbers = 4 << 20
)

// NewAnyRow returns a reader of the array that OpenRows would open with these arguments. The first
// Read opens the array. The offset is subtracted from the values, see Rows.Subtract; nil subtracts
// nothing.
func NewAnyRow(file io.ReaderAt, size int64, name string, offset []float64) *AnyRow {
	return &AnyRow{passed: make(map[int][]float32), open: func() (*Rows, error) {
		in, err := OpenRows(file, size, name)
		if err == nil {
			in.Subtract(offset)
		}
		return in, err
	}}
}

// Whole makes the array a single row. It must be called before Read.
func (r *AnyRow) Whole() {
	open := r.open
	r.open = func() (*Rows, error) {
		in, err := open()
		if err == nil {
			in.Whole()
		}
		return in, err
	}
}

// Read fills dst with the array's row number `index`, counted from 0.
func (r *AnyRow) Read(dst []float32, index int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if row, ok := r.passed[index]; ok && len(row) == len(dst) {
		copy(dst, row)
		delete(r.passed, index)
		return nil
	}
	at, err := r.before(index)
	if err != nil {
		return err
	}
	for ; at.next <= index; at.next++ {
		if err := at.in.Next(dst); err != nil {
			r.close()
			return err
		}
		if index-at.next <= mostPassed && at.next < index && mostPassed*len(dst) <= passedNumbers {
			r.pass(at.next, dst)
		}
	}
	return nil
}

// before returns the last place that is not behind a row. It becomes the place used last.
func (r *AnyRow) before(index int) (*place, error) {
	best := -1
	for i := range r.places {
		if next := r.places[i].next; next <= index && (best < 0 || next > r.places[best].next) {
			best = i
		}
	}
	if best < 0 {
		in, err := r.open()
		if err != nil {
			return nil, err
		}
		if len(r.places) == mostPlaces {
			r.places[0].in.Close()
			r.places = slices.Delete(r.places, 0, 1)
		}
		best, r.places = len(r.places), append(r.places, place{in: in})
	}
	last := r.places[best]
	r.places = append(slices.Delete(r.places, best, best+1), last)
	return &r.places[len(r.places)-1], nil
}

// pass keeps a copy of a passed row, in place of the lowest one if there are too many.
func (r *AnyRow) pass(index int, row []float32) {
	if len(r.passed) == mostPassed {
		lowest := index
		for i := range r.passed {
			lowest = min(lowest, i)
		}
		delete(r.passed, lowest)
	}
	if len(r.passed) < mostPassed {
		r.passed[index] = slices.Clone(row)
	}
}

// Close closes the array. Read opens it again.
func (r *AnyRow) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close()
}

func (r *AnyRow) close() {
	for _, p := range r.places {
		p.in.Close()
	}
	r.places = nil
	clear(r.passed)
}
