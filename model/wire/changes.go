package wire

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"
)

// The type `changes` is a record of the parts of a row that have changed since the row's last
// encoding.
type changes struct {
	stretches []stretch // disjoint, in order
	touched   bool      // whether the row has been written since its last encoding
}

// stretch is the part [from, to) of a row.
type stretch struct{ from, to int }

// none marks the whole row as unchanged since its last encoding.
func (c *changes) none() { c.stretches, c.touched = c.stretches[:0], false }

// The method `all` marks all n numbers of the row as changed.
func (c *changes) all(n int) { c.extend(0, 0, n) }

// extend marks the numbers of a row as changed, from index `from` to the row's new end n. `was` is
// the length of the row at its last encoding. If `was` is below `from`, the changes begin at `was`.
// After the call the row has a single stretch, which also contains all earlier stretches.
func (c *changes) extend(was, from, n int) {
	from = min(was, from)
	if len(c.stretches) > 0 {
		from = min(from, c.stretches[0].from)
	}
	if c.none(); from < n {
		c.stretches = append(c.stretches, stretch{from, n})
	}
	c.touched = true
}

// piece is the number of float32s that are compared at once (64 bytes). A stretch ends before the
// first piece without a difference.
const piece = 16

// replace copies the numbers `now` into row, records where they differ from the row's old numbers,
// and returns the row.
func (c *changes) replace(row, now []float32) []float32 {
	n, m := len(now), min(len(now), len(row))
	if c.touched { // rare: the previous picture was not encoded
		c.all(n)
		return append(row[:0], now...)
	}
	c.touched = true
	row = slices.Grow(row[:m], n-m)[:n]
	had := row[:m]
	for to := 0; to < n; {
		from := alike(had, now, to, true)
		if from == n {
			break
		}
		if to = alike(had, now, from, false); to == m {
			to = n
		}
		s := stretch{from, to}
		for s.from < m && same(had[s.from], now[s.from]) {
			s.from++
		}
		for s.to <= m && same(had[s.to-1], now[s.to-1]) {
			s.to--
		}
		copy(row[s.from:s.to], now[s.from:s.to])
		c.stretches = append(c.stretches, s)
	}
	return row
}

// alike compares a and b piece by piece, beginning at index i. If `equal` is true, it skips equal
// pieces and returns the index of the first piece with a difference. If `equal` is false, it
// returns the index of the first piece without a difference. If there is no such piece, it returns
// the length of the shorter slice. In WebAssembly, comparing eight words at a time is many times
// faster than bytes.Equal.
func alike(a, b []float32, i int, equal bool) int {
	n := min(len(a), len(b))
	le := binary.LittleEndian
	for p, q := memory(a[i:n]), memory(b[i:n]); len(p) >= 4*piece && len(q) >= 4*piece; p, q = p[4*piece:], q[4*piece:] {
		differ := (le.Uint64(p) ^ le.Uint64(q)) |
			(le.Uint64(p[8:]) ^ le.Uint64(q[8:])) |
			(le.Uint64(p[16:]) ^ le.Uint64(q[16:])) |
			(le.Uint64(p[24:]) ^ le.Uint64(q[24:])) |
			(le.Uint64(p[32:]) ^ le.Uint64(q[32:])) |
			(le.Uint64(p[40:]) ^ le.Uint64(q[40:])) |
			(le.Uint64(p[48:]) ^ le.Uint64(q[48:])) |
			(le.Uint64(p[56:]) ^ le.Uint64(q[56:]))
		if (differ == 0) != equal {
			return i
		}
		i += piece
	}
	if slices.EqualFunc(a[i:n], b[i:n], same) == equal {
		return n
	}
	return i
}

func same(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// memory returns the bytes of v in memory. These bytes equal the encoding of v, because all
// platforms of Macroscope, including WebAssembly, are little endian.
func memory(v []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

// appendTo encodes the changes of a row.
func (c *changes) appendTo(b []byte, row []float32) []byte {
	b = binary.AppendUvarint(b, uint64(len(row)))
	done := 0
	for _, s := range c.stretches {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(s.to-s.from)), uint64(s.from-done))
		b = append(b, memory(row[s.from:s.to])...)
		done = s.to
	}
	return append(b, 0)
}
