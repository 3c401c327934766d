package data

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"math"
)

// NumPy's archives are ZIP files (PKWARE's APPNOTE 6.3.10) whose members are
// stored or deflated, with sizes of 64 bits where they are large. archive/zip can
// do more; it compresses too, and would add 45 kB to what the page's first view
// fetches.
const (
	zipLocal      = 0x04034b50 // signatures
	zipEntry      = 0x02014b50
	zipEnd        = 0x06054b50
	zipEnd64      = 0x06064b50
	zipLocator64  = 0x07064b50
	zipDescriptor = 0x08074b50

	zipLocalSize     = 30 // bytes, without names and what follows them
	zipEntrySize     = 46
	zipEndSize       = 22
	zipEnd64Size     = 56
	zipLocator64Size = 20

	zipStored, zipDeflated = 0, 8
	zipSizesFollow         = 1 << 3  // flag: sizes and checksum are after the content
	zipUTF8                = 1 << 11 // flag
	zipExtra64             = 1       // id of the extra field with sizes of 64 bits
	zipMaxComment          = math.MaxUint16
)

var (
	errZip         = errors.New("it is not a ZIP archive")
	errZipChecksum = errors.New("its checksum is wrong")
	errZipSize     = errors.New("its sizes contradict each other")
)

// zipMember is one file of an archive.
type zipMember struct {
	name         string
	size, packed uint64 // bytes, before and after compression
	offset       uint64 // of its local header
	method       uint16
	crc          uint32
	in           io.ReaderAt
	inSize       uint64 // of the archive
}

// readZip lists the members of an archive of size bytes.
func readZip(in io.ReaderAt, size int64) ([]*zipMember, error) {
	dir, count, err := zipDirectory(in, size)
	if err != nil {
		return nil, err
	}
	var members []*zipMember
	le := binary.LittleEndian
	for range count {
		if len(dir) < zipEntrySize || le.Uint32(dir) != zipEntry {
			return nil, errZip
		}
		m := &zipMember{
			in: in, inSize: uint64(size), method: le.Uint16(dir[10:]), crc: le.Uint32(dir[16:]),
			packed: uint64(le.Uint32(dir[20:])), size: uint64(le.Uint32(dir[24:])), offset: uint64(le.Uint32(dir[42:])),
		}
		name, extra, comment := int(le.Uint16(dir[28:])), int(le.Uint16(dir[30:])), int(le.Uint16(dir[32:]))
		if dir = dir[zipEntrySize:]; len(dir) < name+extra+comment {
			return nil, errZip
		}
		m.name = string(dir[:name])
		if err := m.widen(dir[name : name+extra]); err != nil {
			return nil, err
		}
		members = append(members, m)
		dir = dir[name+extra+comment:]
	}
	return members, nil
}

// zipDirectory reads an archive's list of members, and how many there are.
func zipDirectory(in io.ReaderAt, size int64) (dir []byte, count uint64, err error) {
	tail := make([]byte, min(size, zipEndSize+zipMaxComment))
	start := size - int64(len(tail))
	if _, err := in.ReadAt(tail, start); err != nil && err != io.EOF {
		return nil, 0, err
	}
	le := binary.LittleEndian
	at := bytes.LastIndex(tail, le.AppendUint32(nil, zipEnd))
	if at < 0 || len(tail)-at < zipEndSize {
		return nil, 0, errZip
	}
	end, endAt := tail[at:], start+int64(at)
	if len(end) < zipEndSize+int(le.Uint16(end[20:])) {
		return nil, 0, errZip // cut off within the comment
	}
	count = uint64(le.Uint16(end[10:]))
	length, from := uint64(le.Uint32(end[12:])), uint64(le.Uint32(end[16:]))
	if count == math.MaxUint16 || length == math.MaxUint32 || from == math.MaxUint32 {
		wide, err := zipWideEnd(in, endAt)
		if err != nil {
			return nil, 0, err
		}
		count, length, from = le.Uint64(wide[32:]), le.Uint64(wide[40:]), le.Uint64(wide[48:])
	}
	if length > uint64(endAt) || from > uint64(endAt)-length || count > length/zipEntrySize {
		return nil, 0, errZip
	}
	dir = make([]byte, length)
	if _, err := in.ReadAt(dir, int64(from)); err != nil {
		return nil, 0, err
	}
	return dir, count, nil
}

// zipWideEnd reads the end record of 64 bits, which is before the one at endAt.
func zipWideEnd(in io.ReaderAt, endAt int64) ([]byte, error) {
	le := binary.LittleEndian
	locator := make([]byte, zipLocator64Size)
	if endAt < zipLocator64Size {
		return nil, errZip
	}
	if _, err := in.ReadAt(locator, endAt-zipLocator64Size); err != nil {
		return nil, err
	}
	at := le.Uint64(locator[8:])
	if le.Uint32(locator) != zipLocator64 || endAt < zipEnd64Size || at > uint64(endAt-zipEnd64Size) {
		return nil, errZip
	}
	wide := make([]byte, zipEnd64Size)
	if _, err := in.ReadAt(wide, int64(at)); err != nil {
		return nil, err
	}
	if le.Uint32(wide) != zipEnd64 {
		return nil, errZip
	}
	return wide, nil
}

// widen takes the numbers that did not fit into 32 bits from the extra fields.
func (m *zipMember) widen(extra []byte) error {
	le := binary.LittleEndian
	for len(extra) >= 4 {
		id, n := le.Uint16(extra), int(le.Uint16(extra[2:]))
		if extra = extra[4:]; n > len(extra) {
			return errZip
		}
		if id != zipExtra64 {
			extra = extra[n:]
			continue
		}
		field := extra[:n]
		for _, v := range [...]*uint64{&m.size, &m.packed, &m.offset} {
			if *v != math.MaxUint32 {
				continue
			}
			if len(field) < 8 {
				return errZip
			}
			*v, field = le.Uint64(field), field[8:]
		}
		return nil
	}
	return nil
}

// Open returns the member's content.
func (m *zipMember) Open() (io.ReadCloser, error) {
	head := make([]byte, zipLocalSize)
	// Deflate makes at most 1032 bytes of one.
	if m.offset > m.inSize || m.packed > m.inSize-m.offset || m.method == zipStored && m.size != m.packed || m.size/1032 > m.packed {
		return nil, errZipSize
	}
	if _, err := m.in.ReadAt(head, int64(m.offset)); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	if le.Uint32(head) != zipLocal {
		return nil, errZip
	}
	from := int64(m.offset) + zipLocalSize + int64(le.Uint16(head[26:])) + int64(le.Uint16(head[28:]))
	body := io.NewSectionReader(m.in, from, int64(m.packed))
	r := &zipReader{member: m, sum: crc32.NewIEEE()}
	switch m.method {
	case zipStored:
		r.r = io.NopCloser(body)
	case zipDeflated:
		r.r = flate.NewReader(body)
	default:
		return nil, errors.New("it is compressed by a method other than deflate")
	}
	return r, nil
}

// zipReader reads a member, and at its end compares its length and its checksum.
type zipReader struct {
	r      io.ReadCloser
	member *zipMember
	sum    hash.Hash32
	n      uint64
}

func (r *zipReader) Read(b []byte) (n int, err error) {
	n, err = r.r.Read(b)
	r.sum.Write(b[:n])
	r.n += uint64(n)
	switch {
	case r.n > r.member.size:
		return n, errZipChecksum
	case err == io.EOF && r.n < r.member.size:
		return n, io.ErrUnexpectedEOF
	case err == io.EOF && r.sum.Sum32() != r.member.crc:
		return n, errZipChecksum
	}
	return n, err
}

func (r *zipReader) Close() error { return r.r.Close() }

// zipWriter writes an archive of stored members.
type zipWriter struct {
	w       io.Writer
	at      uint64 // bytes written so far
	members []*zipMember
	sum     hash.Hash32 // of the open member's content; nil if there is none
	err     error
}

func (z *zipWriter) raw(b []byte) {
	if z.err != nil {
		return
	}
	n, err := z.w.Write(b)
	z.at += uint64(n)
	z.err = err
}

// Create begins a member, whose content is what is written until the next
// Create or Close.
func (z *zipWriter) Create(name string) (io.Writer, error) {
	z.finish()
	m := &zipMember{name: name, offset: z.at}
	z.members, z.sum = append(z.members, m), crc32.NewIEEE()
	le := binary.LittleEndian
	b := le.AppendUint32(nil, zipLocal)
	for _, v := range [...]uint16{20, m.flags(), zipStored, 0, 0} { // no time, so that the same arrays make the same bytes
		b = le.AppendUint16(b, v)
	}
	b = append(b, make([]byte, 12)...) // checksum and sizes follow the content
	b = le.AppendUint16(b, uint16(len(name)))
	b = le.AppendUint16(b, 0)
	z.raw(append(b, name...))
	return z, z.err
}

func (m *zipMember) flags() uint16 {
	for _, c := range []byte(m.name) {
		if c < 0x20 || c > 0x7d || c == '\\' {
			return zipSizesFollow | zipUTF8
		}
	}
	return zipSizesFollow
}

// Write writes a part of the open member.
func (z *zipWriter) Write(b []byte) (int, error) {
	z.sum.Write(b)
	z.raw(b)
	z.members[len(z.members)-1].size += uint64(len(b))
	return len(b), z.err
}

// finish ends the open member.
func (z *zipWriter) finish() {
	if z.sum == nil {
		return
	}
	m := z.members[len(z.members)-1]
	m.crc, m.packed, z.sum = z.sum.Sum32(), m.size, nil
	le := binary.LittleEndian
	b := le.AppendUint32(nil, zipDescriptor)
	b = le.AppendUint32(b, m.crc)
	if m.size >= math.MaxUint32 {
		b = le.AppendUint64(le.AppendUint64(b, m.packed), m.size)
	} else {
		b = le.AppendUint32(le.AppendUint32(b, uint32(m.packed)), uint32(m.size))
	}
	z.raw(b)
}

// Close writes the list of members.
func (z *zipWriter) Close() error {
	z.finish()
	le := binary.LittleEndian
	from := z.at
	for _, m := range z.members {
		z.raw(m.entry())
	}
	length, count := z.at-from, uint64(len(z.members))
	if count >= math.MaxUint16 || length >= math.MaxUint32 || from >= math.MaxUint32 {
		wideAt := z.at
		b := le.AppendUint32(nil, zipEnd64)
		b = le.AppendUint64(b, zipEnd64Size-12)
		b = le.AppendUint16(le.AppendUint16(b, 45), 45)
		b = le.AppendUint64(b, 0)
		for _, v := range [...]uint64{count, count, length, from} {
			b = le.AppendUint64(b, v)
		}
		b = le.AppendUint32(b, zipLocator64)
		b = le.AppendUint64(le.AppendUint32(b, 0), wideAt)
		z.raw(le.AppendUint32(b, 1))
		count, length, from = min(count, math.MaxUint16), min(length, math.MaxUint32), min(from, math.MaxUint32)
	}
	b := le.AppendUint32(nil, zipEnd)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint16(le.AppendUint16(b, uint16(count)), uint16(count))
	b = le.AppendUint32(le.AppendUint32(b, uint32(length)), uint32(from))
	z.raw(le.AppendUint16(b, 0))
	return z.err
}

// entry is the member's line in the archive's list.
func (m *zipMember) entry() []byte {
	le := binary.LittleEndian
	var extra []byte
	version, size, packed, offset := uint16(20), m.size, m.packed, m.offset
	if size >= math.MaxUint32 || offset >= math.MaxUint32 {
		extra = le.AppendUint16(le.AppendUint16(nil, zipExtra64), 24)
		extra = le.AppendUint64(le.AppendUint64(le.AppendUint64(extra, size), packed), offset)
		version, size, packed, offset = 45, math.MaxUint32, math.MaxUint32, math.MaxUint32
	}
	b := le.AppendUint32(nil, zipEntry)
	for _, v := range [...]uint16{20, version, m.flags(), zipStored, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	b = le.AppendUint32(b, m.crc)
	b = le.AppendUint32(le.AppendUint32(b, uint32(packed)), uint32(size))
	for _, v := range [...]uint16{uint16(len(m.name)), uint16(len(extra)), 0, 0, 0} {
		b = le.AppendUint16(b, v)
	}
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, uint32(offset))
	return append(append(b, m.name...), extra...)
}
