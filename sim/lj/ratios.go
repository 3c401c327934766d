package lj

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Ratios returns the mixing ratios R_AB and R_BA of atoms at the given positions (N, 2). `species`
// (N) contains 1 or 2 for each atom. The positions must be finite, but may lie anywhere in the
// plane.
func Ratios(positions []float32, species []uint8, cutoff float64) [2]float64 {
	if len(positions) != 2*len(species) {
		panic(fmt.Sprintf("lj: %d coordinates for %d atoms", len(positions), len(species)))
	}
	c, _ := contactsOf(positions, species, cutoff)
	return c.ratios()
}

// contactsOf counts the pairs within the cutoff. It also returns the number of pairs that it
// examined (looked).
//
// The box is divided into strips, and the height of a strip is a little more than the cutoff. Atoms
// are ordered by strips, and by x within a strip. Every pair within the cutoff lies in one strip or
// in two adjacent strips.
func contactsOf(positions []float32, species []uint8, cutoff float64) (c contacts, looked int) {
	cut := float32(cutoff * cutoff)
	// Distances are compared in float32; the margin exceeds the rounding.
	reach := 1.001 * cutoff
	atoms := make([]placed, len(species))
	for i := range atoms {
		x, y := positions[2*i], positions[2*i+1]
		atoms[i] = placed{math.Floor(float64(y) / reach), x, y, species[i] - 1}
	}
	slices.SortFunc(atoms, func(a, b placed) int { return cmp.Or(cmp.Compare(a.strip, b.strip), cmp.Compare(a.x, b.x)) })
	// last is the previous strip. The slice `below` holds atoms of the previous strip. The slice
	// `above` holds atoms of the present strip. Both contain only atoms that may be within reach.
	var last, below, above []placed
	count := func(a placed, near []placed) (rest []placed) {
		for len(near) > 0 && float64(a.x)-float64(near[0].x) > reach {
			near = near[1:]
		}
		for _, b := range near {
			if float64(b.x)-float64(a.x) > reach {
				break
			}
			looked++
			if dx, dy := a.x-b.x, a.y-b.y; dx*dx+dy*dy < cut {
				c[a.kind+b.kind]++
			}
		}
		return near
	}
	for begin := 0; begin < len(atoms); {
		end, strip := begin, atoms[begin].strip
		for end < len(atoms) && atoms[end].strip == strip {
			end++
		}
		if below = nil; len(last) > 0 && last[0].strip == strip-1 {
			below = last
		}
		above = atoms[begin:begin]
		for k := begin; k < end; k++ {
			below = count(atoms[k], below)
			above = count(atoms[k], above)
			above = above[:len(above)+1]
		}
		last, begin = atoms[begin:end], end
	}
	return c, looked
}

// placed is an atom in a strip of the plane.
type placed struct {
	strip float64 // the strip's number; a float64, because an int cannot hold the numbers of distant atoms
	x, y  float32
	kind  uint8 // species - 1
}
