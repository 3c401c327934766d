package polymer

import "errors"

// ErrUnstable is wrapped by the error of a Step that fails even after the last halving.
var ErrUnstable = errors.New("the time step is too long for these forces")

const (
	usual         = 3  // iterations of Newton's method that suffice for nearly all steps
	maxIterations = 10 // iterations after which a step counts as unsolved
	maxHalvings   = 12 // largest number of halvings of a step
)

// forces computes the forces on the beads from the bonds u, and adds the resulting displacements to
// s. For the forces between neighbouring rods it only writes coefficients to the array `bend` and
// returns true; refMove or its vector form later adds the displacements.
func (g *group) forces(p *params) (bent bool) {
	least := 2 // the method repel leaves out pairs of beads with fewer bonds between them
	if p.bonds == Springs {
		refSprings(g, p.spring)
	} else if p.metric != 0 || p.repulsion != 0 {
		least = 3
		active().angles(g)
		if p.metric != 0 {
			active().metric(g)
		}
		refBend(g, p.metric, p.repulsion, active().bend(g, p.metric, p.repulsion))
		bent = true
	}
	if p.repulsion != 0 {
		g.repel(least, p.repulsion, p.bonds != Springs)
	}
	return bent
}

// advance computes the next bonds from the bonds u and the displacements s, and returns a bit
// for each chain that failed.
func (g *group) advance(p *params) (failed uint16) {
	active().move(g, &p.flow, g.forces(p))
	if p.bonds == Springs {
		return g.stretched()
	}
	clear(g.lambda)
	for l := range g.live {
		g.live[l] = ^uint32(0)
	}
	for iteration := 0; iteration < maxIterations; iteration++ {
		if iteration >= usual {
			if g.settle(active().finish) == 0 {
				return 0
			}
		}
		if g.settle(active().residual) == 0 {
			return g.settle(active().finish)
		}
		active().solve(g)
	}
	return g.settle(active().finish)
}

// settle calls `find` to compute the errors of the constraints. It then clears the mask `live` of
// each chain with solved constraints, and returns a bit for each unsolved chain.
func (g *group) settle(find func(*group)) (unsolved uint16) {
	clear(g.worst[:])
	find(g)
	for l, worst := range g.errors() {
		if worst <= toleranceBits {
			g.live[l] = 0
		} else {
			unsolved |= 1 << l
		}
	}
	return unsolved
}

// errors returns the largest error of each chain's constraints, as the bits of a float32.
func (g *group) errors() []uint32 {
	for l := maxWidth - 1; l >= g.width; l-- {
		g.worst[l%g.width] = max(g.worst[l%g.width], g.worst[l])
	}
	return g.worst[:g.width]
}

// For chains with springs, stretched() makes the vectors in g.v the next bonds. In the result, the
// bit of a chain is set if the chain has a bond longer than 2.
func (g *group) stretched() (failed uint16) {
	g.next, g.v = g.v, g.next
	for l := range g.width {
		for i := range g.bonds {
			e := g.at(i, l)
			x, y, z := g.next[0][e], g.next[1][e], g.next[2][e]
			if !(float32(x*x)+float32(y*y)+float32(z*z) <= 4) {
				failed |= 1 << l
			}
		}
	}
	return failed
}
