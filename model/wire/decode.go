package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// ErrBase is returned if the changes in a frame refer to a frame that is not the last decoded one.
// The next frame must then be whole.
var ErrBase = errors.New("wire: the frame continues one that did not arrive")

var (
	errShort = errors.New("wire: frame is cut short")
	errOrder = errors.New("wire: frame has operations that do not fit together")
)

// LabOf returns the lab of an encoded frame, or "" if b is not a frame.
func LabOf(b []byte) string {
	r := reader{b: b}
	if magic, lab := r.take(4), r.name(); r.err == nil && string(magic) == frameMagic {
		return string(lab)
	}
	return ""
}

// Decode sets f to the frame that b encodes, and reuses the memory of f. On an error f is
// unchanged, and the next frame to decode must be whole.
func (f *Frame) Decode(b []byte) error {
	r := reader{b: b}
	magic := r.take(4)
	if r.err == nil && string(magic) != frameMagic {
		r.err = fmt.Errorf("wire: frame begins with %q, want %q", magic, frameMagic)
	}
	lab, sequence, base, used := r.name(), r.uint32(), r.uint32(), int(r.uint16())
	had := f.used
	if base == 0 {
		had = 0
	} else if r.err == nil && (base != f.decoded || f.Lab != string(lab)) {
		r.err = ErrBase
	}
	if r.err == nil && (sequence == 0 || used > maxRows) {
		r.err = fmt.Errorf("wire: frame %d of %d rows", sequence, used)
	}
	f.decoded = 0
	if r.err != nil {
		return r.err
	}
	operations := r.b
	if err := f.check(&r, had, used); err != nil {
		return err
	}
	f.apply(&reader{b: operations}, had)
	if f.Lab != string(lab) {
		f.Lab = string(lab)
	}
	f.decoded = sequence
	return nil
}

// check returns an error if the operations in r are invalid. The operations must change a frame
// with `had` rows into a frame with `want` rows.
func (f *Frame) check(r *reader, had, want int) error {
	next, used, numbers := 0, 0, 0
	for len(r.b) > 0 && r.err == nil {
		op := r.byte()
		if op > opText {
			return fmt.Errorf("wire: frame has an operation %d", op)
		}
		var has []float32
		isText := op == opText
		if op >= opNumbers {
			r.name()
		} else {
			if next == had {
				return errOrder
			}
			has, isText = f.rows[next].numbers, f.rows[next].isText
			next++
		}
		switch op {
		case opDrop:
			continue
		case opSame:
			numbers += len(has)
		case opChange, opNumbers:
			if isText {
				return errOrder
			}
			numbers += r.skipNumbers(len(has))
		case opRetext, opText:
			if !isText {
				return errOrder
			}
			r.take(r.count())
		}
		if used++; used > want || numbers > maxNumbers {
			return errOrder
		}
	}
	if r.err == nil && used != want {
		return errShort
	}
	return r.err
}

// apply carries out the operations that check has accepted.
func (f *Frame) apply(r *reader, had int) {
	f.before = append(f.before[:0], f.rows...)
	before, spare := f.before[:had], f.before[had:]
	next, dropped := 0, 0
	drop := func() {
		before[dropped] = before[next]
		next, dropped = next+1, dropped+1
	}
	f.rows = f.rows[:0]
	for len(r.b) > 0 {
		op := r.byte()
		switch op {
		case opDrop:
			drop()
			continue
		case opNumbers, opText:
			var fresh row
			fresh, spare = takeRow(spare, r.name(), had)
			fresh.numbers, fresh.isText = fresh.numbers[:0], op == opText
			f.rows = append(f.rows, fresh)
		default:
			f.rows = append(f.rows, before[next])
			next++
		}
		at := &f.rows[len(f.rows)-1]
		at.extended = false
		switch op {
		case opChange, opNumbers:
			at.numbers = r.readNumbers(at.numbers)
		case opRetext, opText:
			at.text = append(at.text[:0], r.take(r.count())...)
		}
	}
	for next < had {
		drop()
	}
	f.used = len(f.rows)
	f.rows = append(append(f.rows, before[:dropped]...), spare...)
	if len(f.rows) > maxRows {
		clear(f.rows[maxRows:])
		f.rows = f.rows[:maxRows]
	}
	f.Forget() // f no longer equals its last encoding
}

// takeRow returns a row for a new name, and the remaining spare rows. It takes the spare row with
// this name. If there is none, it makes a new row. If the frame already has maxRows rows, it takes
// any spare row instead of making one. `had` is the number of rows that are not spare.
func takeRow(spare []row, name []byte, had int) (r row, rest []row) {
	last := len(spare) - 1
	for i := range spare {
		if spare[i].name == string(name) {
			r, spare[i] = spare[i], spare[last]
			return r, spare[:last]
		}
	}
	if last < 0 || had+len(spare) < maxRows {
		return row{name: string(name)}, spare
	}
	r = spare[last]
	r.name = string(name)
	return r, spare[:last]
}

// reader reads an encoding. After an error all of its results are empty.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n int) []byte {
	if r.err != nil || n > len(r.b) {
		if r.b = nil; r.err == nil {
			r.err = errShort
		}
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); r.err == nil {
		return b[0]
	}
	return 0
}

func (r *reader) uint16() uint16 {
	if b := r.take(2); r.err == nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) uint32() uint32 {
	if b := r.take(4); r.err == nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) name() []byte {
	n := int(r.byte())
	if n > maxName {
		r.err = errShort
	}
	return r.take(n)
}

// count reads how many numbers or bytes follow.
func (r *reader) count() int {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > maxSlice {
		r.err = errShort
		return 0
	}
	r.b = r.b[n:]
	return int(v)
}

// skipNumbers checks the new length and the stretches of a row, and returns the new length.
// `had` is the row's old length. Stretches must contain all numbers beyond the old length, so a
// row grows only by numbers that the message contains.
func (r *reader) skipNumbers(had int) int {
	n, end := r.count(), 0
	for count := r.count(); count > 0; count = r.count() {
		stay := r.count()
		if stay > 0 && end+stay > had || end+stay+count > n {
			r.err = errOrder
		}
		end += stay + count
		r.take(4 * count)
	}
	if r.err == nil && end < n && n > had {
		r.err = errOrder
	}
	return n
}

// readNumbers copies the changed numbers of a row to v. skipNumbers has checked them.
func (r *reader) readNumbers(v []float32) []float32 {
	n := r.count()
	had := min(n, len(v))
	v = slices.Grow(v[:had], n-had)[:n]
	at := v
	for count := r.count(); count > 0; count = r.count() {
		at = at[r.count():]
		copy(memory(at), r.take(4*count))
		at = at[count:]
	}
	return v
}
