package polymer

import (
	"math"
	"math/bits"
	"unsafe"
)

// search finds the pairs of beads that touch, which means that they are less than 1 apart.
// Neighbours in the chain do not count. Pairs at most `local` bonds apart along the chain are all
// checked, in tiles. For more distant pairs the chain is cut into blocks of `side` beads, each with
// a bounding box. Only blocks with boxes less than 1 apart are searched. Bonds are short, so boxes
// are small. The boxes are recomputed in every step, because neighbour lists would last for only
// two of these time steps.
//
// The vector forms first compare coordinates as bytes, because a vector holds four times as many
// bytes as float32s. A byte contains a coordinate in units of 1/fine, rounded and modulo 256. If
// two beads touch, each of their three coordinates differs by less than `within`, and the three
// differences have a sum less than `within3`. Few other pairs pass this test. For every pair that
// passes, search then computes the exact distance.
const (
	side  = 8          // beads in a block
	local = 2*side - 1 // largest distance along the chain between beads of one block or of two neighbouring blocks
	tile  = 64         // beads in a tile

	fine    = 16
	within  = fine + 1       // rounding adds less than 1 to a difference
	within3 = 28 + 3         // rounding adds less than 1 to each of three differences; their exact sum is at most √3 times the distance
	shift   = 3 << 22 / fine // number that is added to a coordinate; the last 8 bits of the sum are then the coordinate's byte

	inWord    = 4  // bytes in one word
	byteLanes = 64 // bytes in the widest vector

	// slack is an upper bound: a piece of chain with `side` rods is shorter than side + slack. It
	// allows for the errors of the rods' lengths (see tolerance), and for rounding when the rods
	// are added.
	slack = 0.01
)

// pair holds the array indices of two beads.
type pair struct{ a, b int32 }

// contacts is the part of a group that finds touching beads.
type contacts struct {
	r         vectors     // positions relative to the first bead
	low, high vectors     // corners of the blocks' bounding boxes, without halo
	words     [3][]uint32 // coordinates in bytes, see newContacts
	touching  []pair      // pairs less than 1 apart, as found by the last search
}

// The elements past the last bead are padding. Their coordinates are far, 2·far, 3·far, …, so each
// is far from every bead and from all other padding.
const far = 1e6

// margin is the number of padding elements past the last bead that vectors may read.
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
	// If chains lie side by side, each bead has a word. The word contains the byte of the bead and
	// the bytes of the next inWord-1 beads of the same chain. A row of words has one word for each
	// chain. It therefore contains the bytes of inWord successive beads of every chain. A single
	// chain needs no words, because the bytes of successive beads are adjacent.
	for axis := range g.words {
		s := g.aligned((inWord-1+g.beads+side+local)*g.width + byteLanes)
		g.words[axis] = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
	}
	g.touching = make([]pair, 0, 4*g.beads*g.width)
}

func (g *group) blocksOfBeads() int { return (g.beads + side - 1) / side }

// bytes returns the address of the first bead's word. The words in front of this word contain fewer
// than inWord beads.
func (g *group) bytes(axis int) unsafe.Pointer {
	return unsafe.Pointer(&g.words[axis][(inWord-1)*g.width])
}

// stride returns the distance in bytes between the coordinates of one bead and of the next bead. It
// also returns how many beads of a chain have their coordinates in a vector of `lanes` bytes.
func (g *group) stride(lanes int) (stride, atOnce int) {
	if g.width == 1 {
		return 1, lanes
	}
	return 4 * g.width, inWord
}

// search finds the touching beads that are `least` or more bonds apart along the chain. All
// forms find a chain's pairs in the same order.
func (g *group) search(least int, rods bool) {
	active().place(g)
	g.touching = g.touching[:0]
	active().near(g, least, rods)
	active().meet(g, rods)
	n := 0
	for _, p := range g.touching {
		if g.square(int(p.a), int(p.b)) < 1 {
			g.touching[n] = p
			n++
		}
	}
	g.touching = g.touching[:n]
}

// repel adds to s the repulsion of beads that are `least` or more bonds apart along the chain.
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

// square returns the squared distance of two beads.
func (g *group) square(a, b int) float32 {
	dx, dy, dz := g.r[0][b]-g.r[0][a], g.r[1][b]-g.r[1][a], g.r[2][b]-g.r[2][a]
	return float32(dx*dx) + float32(dy*dy) + float32(dz*dz)
}

// refPlace writes the positions of beads and the boxes of blocks.
func refPlace(g *group) {
	refPositions(g)
	for l := range g.width {
		for b := range g.blocksOfBeads() {
			refBox(g, b, l)
		}
	}
}

// refBox writes the bounding box of block b of chain l.
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
			x, y, z = x+ux[e], y+uy[e], z+uz[e] // after the last bead this reads a zero of the halo
			e += w
		}
	}
}

// refNear finds pairs of touching beads. At least `least` and at most `local` bonds lie between two
// beads of a pair. For rods the vector forms save work. One more bond reduces the distance of a
// pair by at most 1. If all pairs of a tile at k bonds are more than 2 apart, no pair at k+1 bonds
// can touch. The vector forms then skip the pairs at k+1 bonds.
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

// refMeet finds touching beads of blocks that are not neighbours.
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

// apart returns the squared distance of two boxes. Even after rounding it is at most
// the squared distance of any two of their beads.
func (g *group) apart(i, j int) float32 {
	var gap [3]float32
	for axis := range gap {
		gap[axis] = max(0, g.low[axis][j]-g.high[axis][i], g.low[axis][i]-g.high[axis][j])
	}
	return float32(gap[0]*gap[0]) + float32(gap[1]*gap[1]) + float32(gap[2]*gap[2])
}

// refMeetBlocks checks the pairs of beads in blocks i and j of chain l that refNear does not
// check.
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

// refWords writes the words of a group with one chain.
func refWords(g *group) {
	for axis, r := range g.r {
		words := g.words[axis][inWord-1:]
		for i := range (g.beads + inWord - 1) / inWord {
			word := uint32(0)
			for k, x := range r[halo+inWord*i:][:inWord] {
				word |= math.Float32bits(x+float32(shift)) & 0xff << (8 * k)
			}
			words[i] = word
		}
	}
}

// nearBeads appends pairs of beads to g.touching. The beads of a pair are k bonds apart. Each set
// bit of the mask `near` selects one pair. In a single chain, bit i stands for the pair that begins
// with bead `bead`+i. For chains side by side, bit i stands for the pair that begins with bead
// `bead` + (i mod inWord) of chain i/inWord.
func (g *group) nearBeads(near uint64, bead, k int) {
	for ; near != 0; near &= near - 1 {
		row, l := bits.TrailingZeros64(near), 0
		if g.width > 1 {
			row, l = row%inWord, row/inWord
		}
		a := int32(g.at(bead+row, l))
		g.touching = append(g.touching, pair{a, a + int32(k*g.width)})
	}
}

// nearBlocks appends pairs of beads of chain l to g.touching. The first bead of a pair is in block
// i. The second bead is in block j. The mask `near` selects the pairs. It has `side` bits for each
// bead of block i. nearBlocks leaves out the pairs that refNear checks.
func (g *group) nearBlocks(near uint64, i, j, l int) {
	if j == i+2 {
		near &= farther
	}
	for ; near != 0; near &= near - 1 {
		bit := bits.TrailingZeros64(near)
		g.touching = append(g.touching, pair{int32(g.at(i*side+bit/side, l)), int32(g.at(j*side+bit%side, l))})
	}
}

// farther is a mask for nearBlocks, for block j = i+2. It selects the pairs of beads that are more
// than `local` bonds apart along the chain.
const farther = 0x80c0e0f0f8fcfeff

// blockBytes returns the coordinates of the beads in block b of chain l, as bytes.
func blockBytes(words unsafe.Pointer, b, l, stride int) uint64 {
	low := unsafe.Add(words, b*side*stride+4*l)
	return uint64(*(*uint32)(low)) | uint64(*(*uint32)(unsafe.Add(low, inWord*stride)))<<32
}

// firsts holds, for each bit of the mask in nearBlocks, the index of the pair's first bead in its
// block.
var firsts = func() (c [side * side]int8) {
	for i := range c {
		c[i] = int8(i / side)
	}
	return c
}()
