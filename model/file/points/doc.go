// Package points writes a set of particles as text that fits a link, and reads it back.
//
// Coordinates are rounded to multiples of a power of two: in each dimension, the smallest power
// for which the multiples fit in 16 bits. No coordinate moves by more than ErrorBound times the
// set's extent in its dimension. Coordinates that have been rounded before do not move again.
// The order of the particles is kept.
//
// The text is base64url (RFC 4648) of a deflated record (RFC 1951):
//
//	uvarint   number of particles N
//	uvarint   number of exact numbers, at most MaxExact
//	varint    exponent e of the step 2^e, and
//	varint    the smallest multiple of the step, of each dimension in turn
//	N bytes   upper halves, of each dimension in turn, and then
//	N bytes   lower halves, likewise: a coordinate's multiple less the previous particle's
//	          (less the smallest, for the first), modulo 2^16, sign in bit 0
//	4 bytes   each exact number, float32, little-endian
//	4 bytes   CRC-32 (IEEE) of all that, little-endian
package points
