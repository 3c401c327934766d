package polymer

import "math"

// The repulsion of beads three bonds and more apart needs to know which touch. Pairs
// at most local apart along the chain are all looked at, in tiles that stay in the
// cache; for the others the chain is cut into blocks of side beads, each with a box,
// and blocks whose boxes are less than 1 apart are searched. Bonds keep blocks small,
// so that boxes of the present positions take the place of neighbour lists, which at
// these time steps would last for two steps.
const (
	side  = 8          // beads in a block
	local = 2*side - 1 // how far apart beads of a block and the next one can be
	tile  = 64         // beads
)

// pair is the places of two beads in arrays.
type pair struct{ a, b int32 }

// contacts is the part of a group that finds beads that touch.
type contacts struct {
	r         vectors // positions from the first bead
	low, high vectors // of the boxes of blocks, without halo
	touching  []pair  // less than 1 apart, found last
}

// margin is how many elements past the last bead vectors may look at; what is there
// is near to nothing.
const margin = maxWidth + local

func (g *group) newContacts() {
	blocks := g.blocksOfBeads()
	nan := float32(math.NaN())
	for axis := range 3 {
		g.r[axis] = aligned(len(g.u[axis]) + margin)
		g.low[axis], g.high[axis] = aligned(blocks*g.width+maxWidth), aligned(blocks*g.width+maxWidth)
		for _, v := range [...][]float32{g.r[axis], g.low[axis], g.high[axis]} {
			for e := range v {
				v[e] = nan
			}
		}
	}
	g.touching = make([]pair, 0, 4*g.beads*g.width)
}

func (g *group) blocksOfBeads() int { return (g.beads + side - 1) / side }

// repel adds the repulsion of beads at least so far apart along the chain to s. All
// forms find a chain's pairs in the same order.
func (g *group) repel(least int, repulsion float32) {
	active.place(g)
	g.touching = g.touching[:0]
	active.near(g, least)
	active.meet(g)
	for _, p := range g.touching {
		a, b := int(p.a), int(p.b)
		push := float32(repulsion * (1/root(max(g.square(a, b), nearest)) - 1))
		for axis := range 3 {
			r, s := g.r[axis], g.s[axis]
			d := float32(push * (r[b] - r[a]))
			s[a] -= d
			s[b] += d
		}
	}
}

// square is the squared distance of two beads.
func (g *group) square(a, b int) float32 {
	dx, dy, dz := g.r[0][b]-g.r[0][a], g.r[1][b]-g.r[1][a], g.r[2][b]-g.r[2][a]
	return float32(dx*dx) + float32(dy*dy) + float32(dz*dz)
}

// refPlace writes positions and boxes.
func refPlace(g *group) {
	w := g.width
	for axis := range 3 {
		u, r := g.u[axis], g.r[axis]
		for l := range w {
			var x float32
			for b := range g.blocksOfBeads() {
				low, high := x, x
				for e, end := g.at(b*side, l), g.at(min((b+1)*side, g.beads), 0); e < end; e += w {
					r[e] = x
					if x < low {
						low = x
					}
					if x > high {
						high = x
					}
					x += u[e] // after the last bead a zero of the halo
				}
				g.low[axis][b*w+l], g.high[axis][b*w+l] = low, high
			}
		}
	}
}

// refNear finds beads that touch and are from least to local apart along the chain.
func refNear(g *group, least int) {
	for from := 0; from < g.beads; from += tile {
		for k := least; k <= local; k++ {
			on := k * g.width
			for e, end := g.at(from, 0), g.at(min(from+tile, g.beads-k), 0); e < end; e++ {
				if g.square(e, e+on) < 1 {
					g.touching = append(g.touching, pair{int32(e), int32(e + on)})
				}
			}
		}
	}
}

// refMeet finds beads that touch of blocks that are not neighbours.
func refMeet(g *group) {
	w, blocks := g.width, g.blocksOfBeads()
	for i := range blocks {
		for e := (i + 2) * w; e < blocks*w; e++ {
			if g.gap(i*w+e%w, e) < 1 {
				refMeetBlocks(g, i, e/w, e%w)
			}
		}
	}
}

// gap is by how much two boxes are apart in the coordinate in which it is most.
func (g *group) gap(i, j int) (most float32) {
	for axis := range 3 {
		most = max(most, g.low[axis][j]-g.high[axis][i], g.low[axis][i]-g.high[axis][j])
	}
	return most
}

// refMeetBlocks looks at blocks i and j of chain l, at what refNear left out.
func refMeetBlocks(g *group, i, j, l int) {
	w := g.width
	for a := g.at(i*side, l); a < g.at((i+1)*side, 0); a += w {
		for b := g.at(j*side, l); b < g.at(min((j+1)*side, g.beads), 0); b += w {
			if b-a > local*w && g.square(a, b) < 1 {
				g.touching = append(g.touching, pair{int32(a), int32(b)})
			}
		}
	}
}
