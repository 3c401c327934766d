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

// far is how far apart what stands past the last bead is from beads and from each
// other.
const far = 1e6

// margin is how many elements past the last bead vectors may look at; what is there
// is near to nothing.
const margin = (side + local) * maxWidth

func (g *group) newContacts() {
	blocks := g.blocksOfBeads()
	for axis := range 3 {
		g.r[axis] = g.aligned(len(g.u[axis]) + margin)
		g.low[axis], g.high[axis] = g.aligned(blocks*g.width+maxWidth), g.aligned(blocks*g.width+maxWidth)
		for _, v := range [...][]float32{g.r[axis], g.low[axis], g.high[axis]} {
			for e := range v {
				v[e] = far * float32(1+e)
			}
		}
	}
	g.touching = make([]pair, 0, 4*g.beads*g.width)
}

func (g *group) blocksOfBeads() int { return (g.beads + side - 1) / side }

// search finds the beads that touch and are at least so far apart along the chain. All
// forms find a chain's pairs in the same order.
func (g *group) search(least int, rods bool) {
	active().place(g)
	g.touching = g.touching[:0]
	active().near(g, least, rods)
	active().meet(g)
}

// repel adds the repulsion of beads at least so far apart along the chain to s.
func (g *group) repel(least int, repulsion float32, rods bool) {
	g.search(least, rods)
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

// outOfReach is the squared distance of beads k apart along a chain of rods from which
// on those up to local apart cannot touch. A hundredth is more than bonds and sums of
// them are wrong by.
func outOfReach(k int) float32 {
	d := 1.01 + float32(local-k)
	return float32(d * d)
}

// square is the squared distance of two beads.
func (g *group) square(a, b int) float32 {
	dx, dy, dz := g.r[0][b]-g.r[0][a], g.r[1][b]-g.r[1][a], g.r[2][b]-g.r[2][a]
	return float32(dx*dx) + float32(dy*dy) + float32(dz*dz)
}

// refPlace writes positions and boxes.
func refPlace(g *group) {
	refPositions(g)
	for l := range g.width {
		for b := range g.blocksOfBeads() {
			refBox(g, b, l)
		}
	}
}

// refBox writes the box of block b of chain l.
func refBox(g *group, b, l int) {
	w := g.width
	for axis, r := range g.r {
		e := g.at(b*side, l)
		least, most := r[e], r[e]
		for range min(side, g.beads-b*side) {
			if r[e] < least {
				least = r[e]
			}
			if r[e] > most {
				most = r[e]
			}
			e += w
		}
		g.low[axis][b*w+l], g.high[axis][b*w+l] = least, most
	}
}

func refPositions(g *group) {
	w := g.width
	ux, uy, uz, rx, ry, rz := g.u[0], g.u[1], g.u[2], g.r[0], g.r[1], g.r[2]
	for l := range w {
		var x, y, z float32
		e := g.at(0, l)
		for range g.beads {
			rx[e], ry[e], rz[e] = x, y, z
			x, y, z = x+ux[e], y+uy[e], z+uz[e] // after the last bead a zero of the halo
			e += w
		}
	}
}

// refNear finds beads that touch and are from least to local apart along the chain.
// Rods that keep all of a tile far enough apart have its other pairs left out.
func refNear(g *group, least int, rods bool) {
	for from := 0; from < g.beads; from += tile {
		for k := least; k <= local; k++ {
			on := k * g.width
			closest := float32(math.MaxFloat32)
			for e, end := g.at(from, 0), g.at(min(from+tile, g.beads-k), 0); e < end; e++ {
				square := g.square(e, e+on)
				if square < closest {
					closest = square
				}
				if square < 1 {
					g.touching = append(g.touching, pair{int32(e), int32(e + on)})
				}
			}
			if rods && closest >= outOfReach(k) {
				break
			}
		}
	}
}

// refMeet finds beads that touch of blocks that are not neighbours.
func refMeet(g *group) {
	w, blocks := g.width, g.blocksOfBeads()
	for i := range blocks {
		for e := (i + 2) * w; e < blocks*w; e++ {
			if g.apart(i*w+e%w, e) < 1 {
				refMeetBlocks(g, i, e/w, e%w)
			}
		}
	}
}

// apart is the squared distance of two boxes, which rounds to no more than that of two
// beads in them.
func (g *group) apart(i, j int) float32 {
	var gap [3]float32
	for axis := range gap {
		gap[axis] = max(0, g.low[axis][j]-g.high[axis][i], g.low[axis][i]-g.high[axis][j])
	}
	return float32(gap[0]*gap[0]) + float32(gap[1]*gap[1]) + float32(gap[2]*gap[2])
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
