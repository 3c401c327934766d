package lj

import "fmt"

// Definition writes the forces on atoms at the given positions (N, 2) to dst (N, 2), and returns
// the potential energy and the mixing ratios. `species` (N) contains 1 or 2 for each atom.
// Definition evaluates the equations directly, pair by pair in float64, with the pair table and
// cutoff of cfg. It is the reference for Simulation, which is faster and computes forces in
// float32.
func Definition(dst, positions []float64, species []uint8, cfg Config) (potential float64, ratios [2]float64) {
	n := len(species)
	if len(positions) != 2*n || len(dst) != 2*n {
		panic(fmt.Sprintf("lj: %d forces and %d coordinates for %d atoms", len(dst), len(positions), n))
	}
	clear(dst)
	l := cfg.mixing()
	var c contacts
	for i := range n {
		a := int(species[i]) - 1
		for j := range i {
			dx, dy := positions[2*i]-positions[2*j], positions[2*i+1]-positions[2*j+1]
			square := dx*dx + dy*dy
			if square >= l.cutoff*l.cutoff {
				continue
			}
			b := int(species[j]) - 1
			energy, force := l.pair(a, b, square)
			potential += energy
			c[a+b]++
			dst[2*i] += force * dx
			dst[2*i+1] += force * dy
			dst[2*j] -= force * dx
			dst[2*j+1] -= force * dy
		}
	}
	return potential, c.ratios()
}

// Forces writes the forces on atoms at the given positions (N, 2) to dst (N, 2). Like a Simulation,
// it computes forces in float32. `species` (N) contains 1 or 2 for each atom. The atoms may lie
// outside the box and arbitrarily close together.
func Forces(dst []float32, positions []float64, species []uint8, cfg Config) {
	n := len(species)
	if len(positions) != 2*n || len(dst) != 2*n {
		panic(fmt.Sprintf("lj: %d forces and %d coordinates for %d atoms", len(dst), len(positions), n))
	}
	s := newSimulation(cfg, n)
	s.pairs = cfg.mixing()
	copy(s.species, species)
	copy(s.now.x, positions)
	s.settle(nil)
	s.Forces(dst)
}

// contacts counts pairs within the cutoff: 1-1, 1-2, 2-2.
type contacts [3]int

// ratios returns R_AB and R_BA. The ratio of a species without neighbours is 0.
func (c contacts) ratios() (r [2]float64) {
	for k, own := range [2]int{c[0], c[2]} {
		if all := 2*own + c[1]; all > 0 {
			r[k] = float64(c[1]) / float64(all)
		}
	}
	return r
}
