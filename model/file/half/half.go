// Package half converts between float32 and IEEE 754's binary16, which has 11 significant bits.
package half

import "math"

// Round returns the binary16 nearest to v, with ties to even. From 65520 on the result is infinite.
func Round(v float32) uint16 {
	b := math.Float32bits(v)
	sign, e, m := uint16(b>>16&0x8000), int(b>>23&0xff)-112, b&0x7fffff
	if e == 255-112 { // infinite or NaN
		h := sign | 0x7c00 | uint16(m>>13)
		if m != 0 && m>>13 == 0 {
			h |= 0x200
		}
		return h
	}
	shift := 13
	switch {
	case e >= 31:
		return sign | 0x7c00
	case e < -10:
		return sign
	case e <= 0: // subnormal, without the implied bit
		m |= 1 << 23
		shift, e = 14-e, 0
	}
	h := uint32(e)<<10 | m>>shift
	if rest, half := m&(1<<shift-1), uint32(1)<<(shift-1); rest > half || rest == half && h&1 == 1 {
		h++ // may carry into the exponent
	}
	return sign | uint16(h)
}

// Value returns the exact value of a binary16. A NaN keeps its payload.
func Value(h uint16) float32 {
	sign, e, m := uint32(h&0x8000)<<16, uint32(h>>10&31), uint32(h&0x3ff)
	switch e {
	case 0:
		v := float32(m) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(v))
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | m<<13)
	}
	return math.Float32frombits(sign | (e+112)<<23 | m<<13)
}
