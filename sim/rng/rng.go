// Package rng names the streams from which a run draws its random numbers.
//
// Every stream is a PCG generator. Its initial state is a hash of the run's seed, the stream's
// purpose and a few indices, such as the step and the shard. A run therefore resumes exactly
// without saved generators, and does not depend on the order in which parallel workers draw.
package rng

import (
	"math/rand/v2"
)

// Source is a reusable PCG generator: Seed rewinds it to a named stream
// without allocating.
type Source struct {
	pcg rand.PCG
	// Rand draws from the stream that was seeded last.
	*rand.Rand
}

// New returns a Source at the start of the stream with this seed, name and index.
func New(seed uint64, name string, index ...uint64) *Source {
	s := new(Source)
	s.Rand = rand.New(&s.pcg)
	s.Seed(seed, name, index...)
	return s
}

// Seed moves the source to the start of the named stream.
func (s *Source) Seed(seed uint64, name string, index ...uint64) {
	h := uint64(14695981039346656037) // FNV-1a, written out to avoid allocation
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	a, b := mix(seed), mix(h^seed)
	for _, v := range index {
		a, b = mix(a^v), mix(b+v*0x9e3779b97f4a7c15)
	}
	s.pcg.Seed(a, b)
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
