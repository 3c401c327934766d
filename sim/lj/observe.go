package lj

// Observables are measured quantities of a state, in float64.
type Observables struct {
	Potential   float64
	Kinetic     float64
	Temperature float64 // 2K/(2N-2), where K is Kinetic
	Pressure    float64 // (2K + Σ r·F)/2, divided by the area

	// Conserved is the invariant of the equations of motion: the energy and, from step 0 on, the
	// terms of the thermostats. Here, the pair potential is shifted to zero at the cutoff. The
	// field Potential is not shifted: it has a step at the cutoff, and forces ignore this step.
	Conserved float64

	// Ratios are R_AB and R_BA. Before step 0 all atoms are of one species and both ratios are
	// 0.
	Ratios [2]float64
}

// Observe measures the present state. It allocates nothing.
func (s *Simulation) Observe() Observables {
	h, l := &s.now, &s.pairs
	var (
		potential, virial float64
		counts            contacts
		cut               = l.cutoff * l.cutoff
	)
	for i := range s.n {
		x, y, a := h.x[2*i], h.x[2*i+1], int(h.list.kind[i])
		for _, n := range h.list.near[h.list.row[i]:h.list.row[i+1]] {
			for j := max(n.begin, int32(i)+1); j < n.begin+n.lanes; j++ { // each pair once
				dx, dy := x-h.x[2*j], y-h.x[2*j+1]
				square := dx*dx + dy*dy
				if square >= cut {
					continue
				}
				b := int(h.list.kind[j])
				energy, force := l.pair(a, b, square)
				potential += energy
				virial += force * square
				counts[a+b]++
			}
		}
	}
	o := Observables{Potential: potential, Kinetic: h.square / 2}
	o.Temperature = h.square / freedom(s.n)
	o.Pressure = (h.square + virial) / (2 * s.cfg.Width * s.cfg.Height)
	o.Conserved = o.Potential + o.Kinetic
	for k, ab := range [3][2]int{{0, 0}, {0, 1}, {1, 1}} {
		step, _ := l.pair(ab[0], ab[1], cut)
		o.Conserved -= float64(counts[k]) * step
	}
	if s.step >= 0 {
		o.Conserved += h.chain.energy(s.bath())
		o.Ratios = counts.ratios()
	}
	return o
}
