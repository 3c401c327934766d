// Package points writes a set of particles as text that fits a link, and reads it back.
//
// Coordinates are rounded to multiples of a power of two. Each dimension has its own power, the
// smallest for which the multiples fit in 16 bits. In each dimension, no coordinate moves by more
// than ErrorBound times the set's extent. Coordinates that have been rounded before do not move
// again. The order of the particles is kept.
//
// The text is base64url (RFC 4648) of a deflated record (RFC 1951):
//
//	uvarint   number of particles N
//	uvarint   number of exact numbers, at most MaxExact
//	          for each dimension:
//	varint      exponent e of the step 2^e
//	varint      smallest multiple of the step
//	          for each dimension:
//	N bytes     upper halves of the differences
//	          for each dimension:
//	N bytes     lower halves of the differences
//	4 bytes   each exact number, float32, little-endian
//	4 bytes   CRC-32 (IEEE) of all bytes before it, little-endian
//
// A difference is a coordinate's multiple minus the previous particle's multiple, modulo 2^16, with
// the sign in bit 0. For the first particle, the smallest multiple is subtracted instead.
package points
