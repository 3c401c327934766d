package particle

import (
	"context"
	"math"
	"unsafe"
)

const (
	// maxWidth is the number of float32s in the widest vector.
	maxWidth = 16
	// batch is the number of vectors of pairs that pass through a tile's three loops at a time.
	// With this number the intermediate results fit in the first-level cache, and a product of
	// `batch` factors in [1/2, 1] exceeds the smallest float32.
	batch = 64
)

// pass holds the input and output of one pass over the pairs. Arrays start on a cache line. They
// extend maxWidth elements beyond the n particles, as scratch for tiles.
type pass struct {
	a, b   float32
	rate   float32 // -2a log₂e, so that e^{-2a|1-r|} = 2^(rate·|1-r|)
	table  *Force  // replaces a and b, unless it is nil
	n      int
	x, y   []float32
	vx, vy []float32 // Σ_j F(r)(x_i - x_j)/r: N times the velocity

	// Memory for tiles: row sums of the last tile, with x and y interleaved, and the
	// intermediate results of one batch.
	row              []float32
	dx, dy, r, halfs []float32
	places           []uint32 // places of bins in a table, as byte offsets
	corner, rest     sums
}

// sums gathers energies by lane: Σ|r-1| in `abs`, Σ(r-1) in `signed`, and Σ log(1/2 + h) as the
// logarithm of a product mantissa·2^exponent. For a table, `abs` is the number of pairs at distance
// zero, and `signed` is ΣU of all other pairs.
type sums struct {
	abs, signed [maxWidth / 2]float64
	mantissa    [maxWidth]float32
	exponent    [maxWidth]int32
	pairs       int
}

// tile computes pairs of particles. One particle of a pair is in the rows [i0, i1). The other one
// is in the columns [j0, j1). There are at most maxWidth rows, and the columns fill at most `batch`
// vectors. The forces that rows exert on columns are added to vx and vy. Energies are added to s.
// For each row, Σ_j F(r)(x_j - x_i)/r is written to p.row, followed by the same sum for y. Columns
// beyond the last particle count as pairs at distance zero, which exert no force.
type tile func(p *pass, s *sums, i0, i1, j0, j1 int)

func newPass(a, b float64, n int) *pass {
	p := &pass{a: float32(a), b: float32(b), rate: float32(-2 * math.Log2E * a), n: n}
	for _, s := range [...]*[]float32{&p.x, &p.y, &p.vx, &p.vy} {
		*s = aligned(n + maxWidth)
	}
	for _, s := range [...]*[]float32{&p.dx, &p.dy, &p.r, &p.halfs} {
		*s = aligned(batch * maxWidth)
	}
	p.row = aligned(2*maxWidth + 2)
	return p
}

// use sets the force to `table`, or to the force of a and b if `table` is nil.
func (p *pass) use(table *Force) {
	if p.table = table; table != nil && p.places == nil {
		p.places = make([]uint32, batch*maxWidth)
	}
}

func (p *pass) law() law { return law{float64(p.a), float64(p.b), p.table} }

// aligned returns n zeros that start on a cache line, because a vector across two lines
// costs twice as much.
func aligned(n int) []float32 {
	const line = 64
	s := make([]float32, n+line/4-1)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(s))) % line / 4
	return s[skip : int(skip)+n : int(skip)+n]
}

// tiled runs a whole pass in tiles of the given width and returns E, or the error of ctx.
//
// Particles are cut into blocks of `width` particles. A tile of a block with itself is called a
// corner. It contains every pair twice, and every particle paired with itself. In a corner, the
// forces are the column sums alone, and half of the energy counts.
//
// All other pairs of particles are computed once. The force on the particle of the row is minus the
// force on the particle of the column.
//
// If the last block is incomplete, it is paired with complete blocks. In these tiles, the particles
// of the last block are the rows, so that all lanes are used.
func (p *pass) tiled(ctx context.Context, width int, run tile) (energy float64, err error) {
	p.corner.reset()
	p.rest.reset()
	full := p.n / width * width
	for i := 0; i < p.n; i += width {
		run(p, &p.corner, i, min(i+width, p.n), i, i+width)
	}
	for i, next := 0, 0; i < full; i += width {
		if i >= next {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			next = i + max(1, checked/p.n)
		}
		p.rows(run, i, i+width, i+width, full, width)
	}
	if full < p.n {
		p.rows(run, full, p.n, 0, full, width)
	}

	// Corners contain each pair of different particles twice. The remaining pairs in corners are at
	// distance zero.
	own := p.n*(p.n-1)/2 - p.rest.pairs
	none := float64(p.corner.pairs - 2*own)
	if p.table != nil {
		zeros, energies := p.rest.totals()
		twice, corner := p.corner.totals()
		return energies + corner/2 + (zeros+(twice-none)/2)*p.table.core, nil
	}
	a, b := float64(p.a), float64(p.b)
	corner := p.corner.energy(a, b) - none*refEnergy(a, b, math.Sqrt(softening))
	return p.rest.energy(a, b) + corner/2, nil
}

// The method `rows` computes the pairs of rows [i0, i1) and columns [j0, j1). These columns belong
// to other blocks than the rows.
func (p *pass) rows(run tile, i0, i1, j0, j1, width int) {
	for ; j0 < j1; j0 += batch * width {
		run(p, &p.rest, i0, i1, j0, min(j0+batch*width, j1))
		for i := i0; i < i1; i++ {
			p.vx[i] -= p.row[2*(i-i0)]
			p.vy[i] -= p.row[2*(i-i0)+1]
		}
	}
}

func (s *sums) reset() {
	*s = sums{}
	for k := range s.mantissa {
		s.mantissa[k] = 1
	}
}

func (s *sums) totals() (abs, signed float64) {
	for k := range s.abs {
		abs += s.abs[k]
		signed += s.signed[k]
	}
	return abs, signed
}

func (s *sums) energy(a, b float64) float64 {
	abs, signed := s.totals()
	product, exponent := 1.0, 0
	for k := range s.mantissa {
		product *= float64(s.mantissa[k])
		exponent += int(s.exponent[k])
	}
	log := math.Log(product) + math.Ln2*float64(exponent)
	return abs + log/a - b*signed
}
