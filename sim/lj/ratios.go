package lj

import "fmt"

// Ratios returns the mixing ratios R_AB and R_BA of atoms at positions (N, 2)
// of species 1 and 2 (N). It is for positions that no Simulation holds, and
// looks at every pair.
func Ratios(positions []float32, species []uint8, cutoff float64) [2]float64 {
	if len(positions) != 2*len(species) {
		panic(fmt.Sprintf("lj: %d coordinates for %d atoms", len(positions), len(species)))
	}
	var c contacts
	cut := float32(cutoff * cutoff)
	for i, a := range species {
		x, y := positions[2*i], positions[2*i+1]
		for j, b := range species[:i] {
			dx, dy := x-positions[2*j], y-positions[2*j+1]
			if dx*dx+dy*dy < cut {
				c[a+b-2]++
			}
		}
	}
	return c.ratios()
}
