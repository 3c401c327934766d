package polymer

import (
	"math"
	"unsafe"
)

const (
	maxWidth = 16 // largest number of chains side by side
	halo     = 2  // rows of zeros before the first bond and after the last
)

// vectors holds one vector for each row and chain, as three arrays, one per coordinate.
type vectors [3][]float32

// group is the work space of a step of up to maxWidth chains of one length. An array
// has one row per bead, bond or pair of neighbouring bonds, and a row has one number
// per chain: row i of chain l is element at(i, l). With width 1 the beads of a single
// chain lie side by side, so loops that treat all elements alike work for one chain and
// for many.
type group struct {
	beads, bonds, width int
	arrays              int // number of arrays made so far, see aligned

	key     [5][maxWidth]uint32 // key[i][l]: word i of the key of the chain in lane l. Word 4 is the parity word of the key
	step    [2][maxWidth]uint32 // number of the step, low and high word
	block   []uint32            // first word of the counters (blocks·width), see refNoise
	live    [maxWidth]uint32    // all ones where a chain's constraints are not yet solved
	worst   [maxWidth]uint32    // bits of the largest error of a chain's constraints
	u, next vectors             // bonds before (u) and after (next) the step
	s       vectors             // displacements of beads
	v       vectors             // bonds after a step that ignores the constraints

	lambda, lo, diag, up, right []float32 // linear system of the constraints, see refResidual
	c, fwd, bwd, bend           []float32 // terms for pairs of neighbouring bonds, see refMetric and refBend

	contacts // touching beads, for the repulsion
}

func newGroup(c Config, width int) *group {
	g := &group{beads: c.N, bonds: c.N - 1, width: width}
	for _, v := range [...]*vectors{&g.u, &g.next, &g.s, &g.v} {
		for axis := range v {
			v[axis] = g.array()
		}
	}
	for _, a := range [...]*[]float32{&g.lambda, &g.lo, &g.diag, &g.up, &g.right, &g.c, &g.fwd, &g.bwd, &g.bend} {
		*a = g.array()
	}
	g.block = make([]uint32, g.blocks()*width)
	for e := range g.block {
		g.block[e] = uint32(e / width)
	}
	if c.Repulsion > 0 {
		g.newContacts()
	}
	return g
}

// array returns zeros: one row per bead, the rows of the halo, and two more numbers. The vector
// forms of refNoise write up to three numbers after the last bead. For a single chain, the halo has
// only two numbers there.
func (g *group) array() []float32 { return g.aligned((g.beads+2*halo)*g.width + halo) }

// aligned returns n zeros that start on a cache line. Rows at a distance of k·4096 bytes would
// evict one another from the cache, so each array starts at a different address modulo 4096. 4096
// bytes are `lines` cache lines of `line` float32s. Modulo 4096, each array starts `step` lines
// after the previous array. The numbers `step` and `lines` have no common divisor, so 64 arrays
// have 64 different addresses.
func (g *group) aligned(n int) []float32 {
	const line, lines, step = 16, 64, 5
	skip := g.arrays * step % lines * line
	g.arrays++
	s := make([]float32, n+(lines+1)*line)
	to := (skip + lines*line - int(uintptr(unsafe.Pointer(unsafe.SliceData(s)))/4%(lines*line))) % (lines * line)
	return s[to : to+n : to+n]
}

// at returns the index of row i of chain l in an array.
func (g *group) at(i, l int) int { return (halo+i)*g.width + l }

// blocks returns the number of counters of a chain. The random function turns each counter into
// four words; word w of counter b belongs to bead w·blocks + b.
func (g *group) blocks() int { return (g.beads + 3) / 4 }

// setKey sets the key of chain l's random numbers.
func (g *group) setKey(l int, key Key) {
	for ; l < maxWidth; l += g.width {
		last := uint32(parity)
		for i, k := range key {
			g.key[i][l] = k
			last ^= k
		}
		g.key[4][l] = last
	}
}

func (g *group) setStep(l int, step uint64) {
	for ; l < maxWidth; l += g.width {
		g.step[0][l], g.step[1][l] = uint32(step), uint32(step>>32)
	}
}

// setBonds copies bonds (N-1, 3) to chain l.
func (g *group) setBonds(l int, bonds []float32) {
	for i := range g.bonds {
		for axis := range 3 {
			g.u[axis][g.at(i, l)] = bonds[3*i+axis]
		}
	}
}

// getBonds writes the bonds of chain l to dst (bonds, 3).
func (g *group) getBonds(dst []float32, l int) {
	for i := range g.bonds {
		for axis := range 3 {
			dst[3*i+axis] = g.u[axis][g.at(i, l)]
		}
	}
}

// noise writes the noise displacements of beads to s, see refNoise.
func (g *group) noise(scale float32, node uint32) {
	refNoise(g, scale, node, active().noise(g, scale, node))
}

// params holds the coefficients of a step of duration dt.
type params struct {
	flow              [3]float32 // Rate·gradient·dt
	noise             float32    // scale of the random displacements
	metric, repulsion float32    // coefficients of displacements: T·dt/ζ, k·dt/ζ
	spring            float32
	bonds             Bonds
}

func (c Config) params(dt float64) params {
	p := params{
		noise:     noiseScale(2 * c.Temperature * dt / c.Friction),
		repulsion: float32(c.Repulsion * dt / c.Friction),
		spring:    float32(c.Stiffness * dt / c.Friction),
		bonds:     c.Bonds,
	}
	if c.Bonds == StiffRods {
		p.metric = float32(c.Temperature * dt / c.Friction)
	}
	for axis := range p.flow {
		p.flow[axis] = float32(c.Rate * gradient[c.Flow][axis] * dt)
	}
	return p
}

// tolerance bounds |length² - 1|/2 for every rod after a step. This is nearly the error of the
// length.
const tolerance = 5e-5

var toleranceBits = math.Float32bits(tolerance)
