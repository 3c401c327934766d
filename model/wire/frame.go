package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Frame is one picture of a lab, as named rows: of numbers, or of text. A lab
// and its scene agree on the names. Filling or decoding a frame of the same
// rows as the last one does not allocate.
type Frame struct {
	Lab  string
	rows []row
	used int // of rows
}

type row struct {
	name    string
	numbers []float32
	text    []byte
	isText  bool
}

const (
	frameMagic = "MSF2"
	maxRows    = 256
	maxName    = 64
	// maxSlice bounds every row, so that a lying length cannot make the decoder
	// allocate more than the message itself.
	maxSlice = 1 << 20
)

// Begin empties the frame for a picture of a lab.
func (f *Frame) Begin(lab string) { f.Lab, f.used = lab, 0 }

// next returns the row that comes next, whose memory may be an earlier frame's.
func (f *Frame) next(name string) *row {
	if f.used == len(f.rows) {
		f.rows = append(f.rows, row{})
	}
	r := &f.rows[f.used]
	f.used++
	r.name, r.numbers, r.text, r.isText = name, r.numbers[:0], r.text[:0], false
	return r
}

// Put adds a row of numbers, which are copied.
func (f *Frame) Put(name string, numbers ...float32) {
	r := f.next(name)
	r.numbers = append(r.numbers, numbers...)
}

// PutText adds a row of text.
func (f *Frame) PutText(name, text string) {
	r := f.next(name)
	r.text, r.isText = append(r.text, text...), true
}

// find returns a row, nil if there is none.
func (f *Frame) find(name string) *row {
	for i := range f.rows[:f.used] {
		if r := &f.rows[i]; r.name == name {
			return r
		}
	}
	return nil
}

// Numbers returns a row of numbers, nil if there is none. It holds until the
// frame is filled again.
func (f *Frame) Numbers(name string) []float32 {
	if r := f.find(name); r != nil && !r.isText {
		return r.numbers
	}
	return nil
}

// Number returns the first number of a row, NaN if there is none.
func (f *Frame) Number(name string) float64 {
	if v := f.Numbers(name); len(v) > 0 {
		return float64(v[0])
	}
	return math.NaN()
}

// On returns whether the first number of a row is there and not 0.
func (f *Frame) On(name string) bool {
	v := f.Number(name)
	return v == v && v != 0
}

// Text returns a row of text, nil if there is none. It holds until the frame is
// filled again.
func (f *Frame) Text(name string) []byte {
	if r := f.find(name); r != nil && r.isText {
		return r.text
	}
	return nil
}

// AppendTo appends the frame's encoding to b and returns the result.
func (f *Frame) AppendTo(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, frameMagic...)
	b = append(append(b, byte(len(f.Lab))), f.Lab...)
	b = le.AppendUint16(b, uint16(f.used))
	for i := range f.rows[:f.used] {
		r := &f.rows[i]
		b = append(append(b, byte(len(r.name))), r.name...)
		b = append(b, flag(r.isText))
		if r.isText {
			b = append(le.AppendUint32(b, uint32(len(r.text))), r.text...)
			continue
		}
		b = le.AppendUint32(b, uint32(len(r.numbers)))
		for _, v := range r.numbers {
			b = le.AppendUint32(b, math.Float32bits(v))
		}
	}
	return b
}

// errShort is returned for a message that ends before its frame does.
var errShort = errors.New("wire: frame is cut short")

// LabOf returns the lab of an encoded frame of either kind, "" if it is neither.
func LabOf(b []byte) string {
	switch {
	case len(b) >= 4 && string(b[:4]) == demoMagic:
		return Demo
	case len(b) >= 5 && string(b[:4]) == frameMagic && len(b) >= 5+int(b[4]):
		return string(b[5 : 5+int(b[4])])
	}
	return ""
}

// Decode replaces f by the frame encoded in b, reusing f's memory. On an error
// f holds no meaningful frame.
func (f *Frame) Decode(b []byte) error {
	if len(b) < 4 {
		return errShort
	}
	if string(b[:4]) != frameMagic {
		return fmt.Errorf("wire: frame begins with %q, want %q", b[:4], frameMagic)
	}
	lab, b, ok := cutName(b[4:])
	if !ok || len(b) < 2 {
		return errShort
	}
	if f.Lab != string(lab) {
		f.Lab = string(lab)
	}
	rows := int(binary.LittleEndian.Uint16(b))
	if b = b[2:]; rows > maxRows {
		return fmt.Errorf("wire: frame of %d rows, at most %d can be", rows, maxRows)
	}
	f.used = 0
	for range rows {
		var err error
		if b, err = f.decodeRow(b); err != nil {
			return err
		}
	}
	if len(b) != 0 {
		return fmt.Errorf("wire: %d bytes after the frame", len(b))
	}
	return nil
}

// cutName takes a name with its length before it off b.
func cutName(b []byte) (name, rest []byte, ok bool) {
	if len(b) < 1 || int(b[0]) > maxName || len(b) < 1+int(b[0]) {
		return nil, nil, false
	}
	return b[1 : 1+b[0]], b[1+b[0]:], true
}

func (f *Frame) decodeRow(b []byte) (rest []byte, err error) {
	name, b, ok := cutName(b)
	if !ok || len(b) < 5 {
		return nil, errShort
	}
	if b[0] > 1 {
		return nil, fmt.Errorf("wire: row %q of kind %d", name, b[0])
	}
	kept := ""
	if f.used < len(f.rows) && f.rows[f.used].name == string(name) {
		kept = f.rows[f.used].name
	} else {
		kept = string(name)
	}
	r := f.next(kept)
	r.isText = b[0] == 1
	n := int(binary.LittleEndian.Uint32(b[1:]))
	b = b[5:]
	if r.isText {
		if n > len(b) {
			return nil, errShort
		}
		r.text = append(r.text, b[:n]...)
		return b[n:], nil
	}
	if n > maxSlice || n > len(b)/4 {
		return nil, errShort
	}
	for i := range n {
		r.numbers = append(r.numbers, math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return b[4*n:], nil
}
