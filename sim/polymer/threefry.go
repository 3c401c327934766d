package polymer

import (
	"math"
	"math/bits"

	"macroscope/sim/rng"
)

// Random numbers come from Threefry-4×32 with 13 rounds (Salmon, Moraes, Dror and Shaw, 2011),
// a function of a key and a counter. The numbers of a chain, step and bead do not depend on
// which chains are side by side. One 32-bit word contains 10 bits for each of a bead's three
// coordinates. A displacement takes one of 1024 equidistant values, with mean 0 and the right
// variance, as a scheme of first weak order requires.

// Key selects a chain's random numbers.
type Key [4]uint32

// NewKey returns the key of the chain with this index.
func NewKey(seed, index uint64) Key {
	r := rng.New(seed, "polymer noise", index)
	a, b := r.Uint64(), r.Uint64()
	return Key{uint32(a), uint32(a >> 32), uint32(b), uint32(b >> 32)}
}

const (
	parity = 0x1BD11BDA // constant of the key schedule
	rounds = 13

	levels = 1024       // number of values of a displacement
	field  = 0x007fe000 // the 10 highest bits of a float32's mantissa
	oneBit = 0x3f800000 // 1 as a float32
)

// rotation holds the rotation distances of rounds 0 to 7, in bits. Later rounds repeat these
// distances. The first number of a round is the distance for words 0 and 1 in even rounds and for
// words 0 and 3 in odd rounds. The second number is the distance for the other two words.
var rotation = [8][2]int{{10, 26}, {11, 21}, {13, 27}, {23, 5}, {6, 20}, {17, 11}, {25, 10}, {18, 20}}

// threefry returns the four random words of a counter.
func threefry(key *Key, counter [4]uint32) [4]uint32 {
	k := [5]uint32{key[0], key[1], key[2], key[3], parity ^ key[0] ^ key[1] ^ key[2] ^ key[3]}
	x := counter
	for i := range x {
		x[i] += k[i]
	}
	for r := range rounds {
		near, far := 1, 3
		if r%2 == 1 {
			near, far = 3, 1
		}
		by := rotation[r%8]
		x[0] += x[near]
		x[near] = bits.RotateLeft32(x[near], by[0]) ^ x[0]
		x[2] += x[far]
		x[far] = bits.RotateLeft32(x[far], by[1]) ^ x[2]
		if r%4 == 3 {
			s := r/4 + 1
			for i := range x {
				x[i] += k[(s+i)%5]
			}
			x[3] += uint32(s)
		}
	}
	return x
}

// displacement returns the displacement (k - 511.5)/1024·scale for each of a word's three
// fields k.
func displacement(word uint32, scale float32) (d [3]float32) {
	const middle = 1.5 - 0.5/levels
	for axis, b := range [3]uint32{word << 13, word << 3, word >> 7} {
		d[axis] = (math.Float32frombits(b&field|oneBit) - middle) * scale
	}
	return d
}

// noiseScale is the scale of displacements with the given variance.
func noiseScale(variance float64) float32 {
	return float32(math.Sqrt(variance * 12 * levels * levels / (levels*levels - 1)))
}
