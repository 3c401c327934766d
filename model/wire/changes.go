package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unsafe"
)

// changes are what of a row has changed since it was encoded last.
type changes struct {
	stretches []stretch // apart from each other, in their order
	touched   bool      // the row has been put since then
}

// stretch is a part of a row.
type stretch struct{ from, to int }

// none says that the row has been encoded.
func (c *changes) none() { c.stretches, c.touched = c.stretches[:0], false }

// all says that all of a row of n numbers has changed, or its text.
func (c *changes) all(n int) { c.extend(0, 0, n) }

// extend says that of a row, which was so long when it was encoded, all has
// changed from an index on to its new end n.
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

// piece is how many numbers are compared at once: a stretch goes on while each
// piece of it has a difference.
const (
	piece  = 16
	pieces = 512 // where nothing has changed, this is faster
)

// replace makes now of a row, in its memory, and notes where they differ.
func (c *changes) replace(row, now []float32) []float32 {
	n, m := len(now), min(len(now), len(row))
	if c.touched { // rare: a picture was not encoded
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

// alike returns where pieces of a and b that are equal, or that are not, end from
// i on, at the latest where one of the two ends.
func alike(a, b []float32, i int, equal bool) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	for i < n {
		next := min(i+piece, n)
		if equal && i+pieces <= n && bytes.Equal(memory(a[i:i+pieces]), memory(b[i:i+pieces])) {
			next = i + pieces
		} else if bytes.Equal(memory(a[i:next]), memory(b[i:next])) != equal {
			break
		}
		i = next
	}
	return i
}

func same(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// memory returns the memory of numbers, which is their encoding: every machine
// that Macroscope runs on is little endian, as is WebAssembly.
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
