package wire

import (
	"iter"
	"math"
	"slices"
)

// Frame is one picture of a lab, as named rows of numbers or of text. A lab and its scene use
// the same names. The lab fills the frame again for every picture, but only changes since the
// last picture are encoded. Filling, encoding or decoding a frame with unchanged names does not
// allocate.
type Frame struct {
	Lab  string
	rows []row // rows left out of this picture come last
	used int   // number of rows in this picture

	sequence uint32 // sequence number of the last encoded frame
	has      uint32 // sequence number of the receiver's frame; 0: the receiver has none

	decoded uint32 // sequence number of the last decoded frame; 0: none
	before  []row  // scratch memory of Decode
}

type row struct {
	name    string
	numbers []float32
	text    []byte
	isText  bool

	// An extended row keeps its numbers while its generation is the same.
	extended   bool
	generation uint64

	place   int // index of the row in the receiver's frame; -1: not there
	was     int // count of the row's numbers in the receiver's frame
	wasText bool
	changes      // changes since the receiver's frame
	retext  bool // whether the text has changed
}

const (
	frameMagic = "MSF3"
	maxRows    = 256
	maxName    = 64
	// maxSlice limits the numbers in a row, and maxNumbers the numbers in a frame. Without
	// these limits, a series of frames that extend one another could fill the memory.
	maxSlice   = 1 << 20
	maxNumbers = 1 << 22
)

// Begin starts a new picture of a lab. Rows that are not put before the next encoding are
// dropped.
func (f *Frame) Begin(lab string) {
	if len(lab) > maxName {
		panic("wire: the name of a lab is too long")
	}
	if f.Lab != lab {
		f.Lab = lab
		f.Forget()
		for i := range f.rows {
			f.rows[i].extended = false
		}
	}
	f.used = 0
}

// The method `next` appends the row with this name to the rows of the picture, and returns the row.
// The row still has its content from an earlier picture.
func (f *Frame) next(name string) *row {
	i := f.used
	for i < len(f.rows) && f.rows[i].name != name {
		i++
	}
	if i == len(f.rows) {
		i = f.room(name)
	}
	f.rows[f.used], f.rows[i] = f.rows[i], f.rows[f.used]
	f.used++
	return &f.rows[f.used-1]
}

// room returns the index of a row that is free for a new name.
func (f *Frame) room(name string) int {
	if len(name) > maxName || f.used == maxRows {
		panic("wire: a frame has too many rows, or one with too long a name: " + name)
	}
	i := len(f.rows)
	if i < maxRows {
		f.rows = append(f.rows, row{place: -1})
	} else {
		i--
	}
	r := &f.rows[i]
	r.name, r.extended, r.place = name, false, -1
	return i
}

// Put adds a row with a copy of numbers.
func (f *Frame) Put(name string, numbers ...float32) {
	r := f.next(name)
	r.isText, r.extended = false, false
	r.numbers = r.replace(r.numbers, numbers)
}

// PutSwitch adds a row of one number: 1 for on, 0 for off.
func (f *Frame) PutSwitch(name string, on bool) {
	v := float32(0)
	if on {
		v = 1
	}
	f.Put(name, v)
}

// Extend adds a row of n numbers. Within a generation numbers never change. The row therefore keeps
// the numbers that it already has for this name and generation. Extend calls `at` only for the
// remaining indices. In another generation it calls `at` for all indices.
func (f *Frame) Extend(name string, generation uint64, n int, at func(i int) float32) {
	r := f.next(name)
	from := 0
	if !r.isText && r.extended && r.generation == generation {
		from = min(len(r.numbers), n)
		r.extend(r.was, from, n)
	} else {
		r.all(n)
	}
	r.isText, r.extended, r.generation = false, true, generation
	r.numbers = slices.Grow(r.numbers[:from], n-from)[:n]
	for i := from; i < n; i++ {
		r.numbers[i] = at(i)
	}
}

// ExtendBy is Extend with a slice instead of a function. The slice contains the whole row. ExtendBy
// reads only the new numbers.
func (f *Frame) ExtendBy(name string, generation uint64, numbers ...float32) {
	r := f.next(name)
	if n := len(numbers); !r.isText && r.extended && r.generation == generation {
		from := min(len(r.numbers), n)
		r.extend(r.was, from, n)
		r.numbers = append(r.numbers[:from], numbers[from:]...)
	} else {
		r.numbers = r.replace(r.numbers, numbers)
	}
	r.isText, r.extended, r.generation = false, true, generation
}

// PutText adds a row of text.
func (f *Frame) PutText(name, text string) {
	r := f.next(name)
	r.isText, r.extended = true, false
	if string(r.text) != text {
		r.retext = true
		r.text = append(r.text[:0], text...)
	}
}

// find returns the row with this name, or nil if there is none.
func (f *Frame) find(name string) *row {
	for i := range f.rows[:f.used] {
		if r := &f.rows[i]; r.name == name {
			return r
		}
	}
	return nil
}

// Names returns the names of the frame's rows in the order of their Put calls.
func (f *Frame) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range f.rows[:f.used] {
			if !yield(f.rows[i].name) {
				return
			}
		}
	}
}

// Numbers returns the row of numbers with this name, or nil if there is none. The result is
// valid until the frame is filled or decoded again.
func (f *Frame) Numbers(name string) []float32 {
	if r := f.find(name); r != nil && !r.isText {
		return r.numbers
	}
	return nil
}

// Number returns the first number of a row, or NaN if there is no such row.
func (f *Frame) Number(name string) float64 {
	if v := f.Numbers(name); len(v) > 0 {
		return float64(v[0])
	}
	return math.NaN()
}

// On reports whether a row has a first number that is not 0.
func (f *Frame) On(name string) bool {
	v := f.Number(name)
	return v == v && v != 0
}

// Text returns the row of text with this name, or nil if there is none. The result is valid
// until the frame is filled or decoded again.
func (f *Frame) Text(name string) []byte {
	if r := f.find(name); r != nil && r.isText {
		return r.text
	}
	return nil
}
