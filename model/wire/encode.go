package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
)

// An encoded frame is its magic, the lab's name, its own sequence number, that
// of the frame which it continues (0: it is whole), the number of its rows, and
// operations. These go through the rows of the frame before in their order and
// bring about those of the new one in theirs; rows of the frame before that are
// left at the end are dropped. A name has its length before it, a byte. Counts
// within operations are unsigned varints, all else is little endian.
const (
	opSame    = iota // the next row stays as it is
	opDrop           // the next row is dropped
	opChange         // the next row, of numbers: its length, stretches
	opRetext         // the next row, of text: its length, the text
	opNumbers        // a row that was not there: its name, length, stretches
	opText           // a row that was not there: its name, length, the text
)

// A stretch is how many numbers it has, how many before them stay what they
// were, and the numbers. The last has none, and says no more.

// nearby is the number of unchanged numbers that do not end a stretch: another
// one would not take fewer bytes or less time.
const nearby = 4

// AppendTo appends the encoding of the whole frame to b and returns the result.
func (f *Frame) AppendTo(b []byte) []byte {
	f.Forget()
	return f.AppendChanges(b)
}

// Forget says that the other side has none of the frames that were encoded so
// far, so that the next encoding is whole.
func (f *Frame) Forget() {
	f.has = 0
	for i := range f.rows {
		f.rows[i].place = -1
	}
}

// AppendChanges appends to b what has changed since the frame was last encoded,
// and returns the result. The other side has to decode every encoding in turn.
func (f *Frame) AppendChanges(b []byte) []byte {
	if f.sequence++; f.sequence == 0 {
		f.sequence = 1 // 0 is no frame
	}
	le := binary.LittleEndian
	b = appendName(append(b, frameMagic...), f.Lab)
	b = le.AppendUint32(le.AppendUint32(b, f.sequence), f.has)
	b = le.AppendUint16(b, uint16(f.used))
	next := 0 // of the rows that the other side has
	for i := range f.rows[:f.used] {
		r := &f.rows[i]
		if r.place >= next && r.isText == r.sent.isText {
			for ; next < r.place; next++ {
				b = append(b, opDrop)
			}
			next++
			b = r.appendChange(b)
		} else {
			b = r.appendNew(b)
		}
		r.place, r.kept = i, len(r.numbers)
	}
	for i := f.used; i < len(f.rows); i++ {
		f.rows[i].place = -1
	}
	f.has = f.sequence
	return b
}

// appendNew encodes a row that the other side does not have.
func (r *row) appendNew(b []byte) []byte {
	r.sent.numbers, r.sent.isText, r.kept = r.sent.numbers[:0], r.isText, 0
	if r.isText {
		return r.appendText(appendName(append(b, opText), r.name))
	}
	b, _ = r.appendNumbers(appendName(append(b, opNumbers), r.name))
	return b
}

// appendChange encodes a row that the other side has in its last state.
func (r *row) appendChange(b []byte) []byte {
	if r.isText {
		if bytes.Equal(r.text, r.sent.text) {
			return append(b, opSame)
		}
		return r.appendText(append(b, opRetext))
	}
	changed, any := r.appendNumbers(append(b, opChange))
	if !any {
		return append(b, opSame)
	}
	return changed
}

func (r *row) appendText(b []byte) []byte {
	r.sent.text = append(r.sent.text[:0], r.text...)
	return append(binary.AppendUvarint(b, uint64(len(r.text))), r.text...)
}

// appendNumbers appends the row's length and stretches, and reports whether
// anything has changed.
func (r *row) appendNumbers(b []byte) (_ []byte, changed bool) {
	now, had := r.numbers, r.sent.numbers
	n, m := len(now), min(len(now), len(r.sent.numbers))
	changed = n != len(had)
	had = slices.Grow(had[:m], n-m)[:n]
	r.sent.numbers = had
	b = binary.AppendUvarint(b, uint64(n))
	end := 0 // of the stretch before
	for i := r.kept; ; {
		for i < m && math.Float32bits(now[i]) == math.Float32bits(had[i]) {
			i++
		}
		if i == n {
			return append(b, 0), changed
		}
		from, stay := i, i-end
		for end = i + 1; i < n && i < end+nearby; i++ {
			if i >= m || math.Float32bits(now[i]) != math.Float32bits(had[i]) {
				end = i + 1
			}
		}
		changed = true
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(end-from)), uint64(stay))
		b = appendFloats(b, now[from:end])
		copy(had[from:end], now[from:end])
		i = end
	}
}

func appendName(b []byte, name string) []byte { return append(append(b, byte(len(name))), name...) }

func appendFloats(b []byte, v []float32) []byte {
	from := len(b)
	b = slices.Grow(b, 4*len(v))[:from+4*len(v)]
	for i, d := 0, b[from:]; i < len(v) && len(d) >= 4; i, d = i+1, d[4:] {
		binary.LittleEndian.PutUint32(d, math.Float32bits(v[i]))
	}
	return b
}
