package wire

import "encoding/binary"

// An encoded frame consists of the text frameMagic, the lab's name, the frame's sequence
// number, the sequence number of the previous frame (0: this frame is whole), the number of
// rows, and operations. The operations read the rows of the previous frame in order and write
// the rows of the new frame in order. Rows of the previous frame that are left at the end are
// dropped. A name is preceded by its length, one byte. Counts in operations are unsigned
// varints; all other numbers are little endian.
const (
	opSame    = iota // the next row is unchanged
	opDrop           // the next row is dropped
	opChange         // the numbers of the next row change; its new length and its stretches follow
	opRetext         // the text of the next row changes; the new length and the new text follow
	opNumbers        // a new row; its name, length and stretches follow
	opText           // a new row; its name, length and text follow
)

// A stretch consists of the count of its numbers, the count of unchanged numbers before it, and
// its numbers. A count of 0 ends the stretches of a row.

// AppendTo appends the encoding of the whole frame to b and returns the result.
func (f *Frame) AppendTo(b []byte) []byte {
	f.Forget()
	return f.AppendChanges(b)
}

// Forget makes the next encoding whole. It is called when the receiver has none of the frames
// encoded so far.
func (f *Frame) Forget() {
	f.has = 0
	for i := range f.rows {
		f.rows[i].place = -1
	}
}

// AppendChanges appends to b the changes since the frame was last encoded, and returns the
// result. The receiver must decode all encodings in order.
func (f *Frame) AppendChanges(b []byte) []byte {
	if f.sequence++; f.sequence == 0 {
		f.sequence = 1 // 0 means no frame
	}
	le := binary.LittleEndian
	b = appendName(append(b, frameMagic...), f.Lab)
	b = le.AppendUint32(le.AppendUint32(b, f.sequence), f.has)
	b = le.AppendUint16(b, uint16(f.used))
	next := 0 // index of the next row that the receiver has
	for i := range f.rows[:f.used] {
		r := &f.rows[i]
		if r.place >= next && r.isText == r.wasText {
			for ; next < r.place; next++ {
				b = append(b, opDrop)
			}
			next++
			b = r.appendChange(b)
		} else {
			b = r.appendNew(b)
		}
		r.none()
		r.place, r.was, r.wasText, r.retext = i, len(r.numbers), r.isText, false
	}
	for i := f.used; i < len(f.rows); i++ {
		f.rows[i].place = -1
	}
	f.has = f.sequence
	return b
}

// appendNew encodes a row that the receiver does not have.
func (r *row) appendNew(b []byte) []byte {
	if r.isText {
		return appendText(appendName(append(b, opText), r.name), r.text)
	}
	r.all(len(r.numbers))
	return r.changes.appendTo(appendName(append(b, opNumbers), r.name), r.numbers)
}

// appendChange encodes the changes of a row since the last encoding, which the receiver has.
func (r *row) appendChange(b []byte) []byte {
	switch {
	case r.isText && r.retext:
		return appendText(append(b, opRetext), r.text)
	case !r.isText && (len(r.stretches) > 0 || len(r.numbers) != r.was):
		return r.changes.appendTo(append(b, opChange), r.numbers)
	}
	return append(b, opSame)
}

func appendName(b []byte, name string) []byte { return append(append(b, byte(len(name))), name...) }

func appendText(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
