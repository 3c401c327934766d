package polymer

import (
	"fmt"
	"math"
	"math/rand/v2"

	"macroscope/sim/rng"
)

// pivots is the number of moves per bond that Equilibrium tries. After about 10 moves per bond, the
// mean squared end-to-end distance of 20 to 300 beads no longer changes.
const pivots = 20

// Equilibrium writes the positions (N, 3), relative to the centre of mass, of a chain at
// equilibrium without flow. Pivot moves (Madras and Sokal, 1988) turn a random walk into a
// sample of the density exp(-U/T). For ideally rigid rods the density has the additional factor
// √det G (see doc.go). Springs start with a length of 1.
func (c Config) Equilibrium(dst []float32, r *rand.Rand) {
	g := c.walk(dst, r, func(int) (float64, float64) { return 0, 1 })
	if c.Repulsion == 0 && c.Bonds != Rods || c.Temperature == 0 {
		return
	}
	bonds, tried := make([]float32, 3*g.bonds), make([]float32, 3*g.bonds)
	g.getBonds(bonds, 0)
	energy := c.energy(g)
	for range pivots * g.bonds {
		turn := randomTurn(r)
		first := 3 * r.IntN(g.bonds)
		copy(tried, bonds)
		for i := first; i < len(tried); i += 3 {
			turn.apply(tried[i : i+3])
		}
		g.setBonds(0, tried)
		if e := c.energy(g); e <= energy || r.Float64() < math.Exp((energy-e)/c.Temperature) {
			bonds, tried, energy = tried, bonds, e
		}
	}
	g.setBonds(0, bonds)
	positions(g, 0, dst)
}

// Folded writes the positions (N, 3) of a chain folded into strands: it turns back at strands-1
// random places. Bonds prefer the x axis, with the density exp(tension·cos θ). The repulsion is
// ignored.
func (c Config) Folded(dst []float32, strands int, tension float64, r *rand.Rand) {
	if strands < 1 || strands > c.N/2 {
		panic(fmt.Sprintf("polymer: %d strands of %d beads", strands, c.N))
	}
	turns := make([]bool, c.N)
	for range strands - 1 {
		for {
			if at := 1 + r.IntN(c.N-2); !turns[at] {
				turns[at] = true
				break
			}
		}
	}
	direction := 1.0
	c.walk(dst, r, func(i int) (pull, sign float64) {
		if turns[i] {
			direction = -direction
		}
		return tension, direction
	})
}

// walk draws a random walk with bonds of length 1. It writes the positions to dst and returns the
// walk as a group. For bond i, `pull` returns the tension along x and the sign of its direction.
func (c Config) walk(dst []float32, r *rand.Rand, pull func(i int) (tension, sign float64)) *group {
	if len(dst) != 3*c.N {
		panic(fmt.Sprintf("polymer: room for %d numbers, for %d beads", len(dst), c.N))
	}
	g := newGroup(c, 1)
	bonds := make([]float32, 3*g.bonds)
	for i := range g.bonds {
		f, sign := pull(i)
		u := r.Float64()
		cos := 2*u - 1
		if f > 0 { // the inverse of the distribution function for the density exp(f cos θ)
			cos = 1 + math.Log(u+(1-u)*math.Exp(-2*f))/f
		}
		sin, angle := math.Sqrt(max(0, 1-cos*cos)), 2*math.Pi*r.Float64()
		y, z := math.Sincos(angle)
		bonds[3*i], bonds[3*i+1], bonds[3*i+2] = float32(sign*cos), float32(sin*y), float32(sin*z)
	}
	g.setBonds(0, bonds)
	positions(g, 0, dst)
	return g
}

// energy returns the energy of a chain's repulsion, minus T/2 ln det G for ideally rigid rods.
func (c Config) energy(g *group) (energy float64) {
	if c.Repulsion > 0 {
		g.search(2, true)
		for _, p := range g.touching {
			gap := 1 - math.Sqrt(float64(g.square(int(p.a), int(p.b))))
			energy += c.Repulsion / 2 * gap * gap
		}
	}
	if c.Bonds == Rods {
		active().angles(g)
		pivot := 2.0
		for i := range g.bonds - 1 {
			cos := float64(g.c[g.at(i, 0)])
			pivot = 2 - cos*cos/pivot
			energy -= c.Temperature / 2 * math.Log(pivot)
		}
	}
	return energy
}

// quaternion is a rotation of space.
type quaternion [4]float64

// randomTurn draws a rotation uniformly.
func randomTurn(r *rand.Rand) (q quaternion) {
	square := 0.0
	for i := range q {
		q[i] = r.NormFloat64()
		square += q[i] * q[i]
	}
	for i := range q {
		q[i] /= math.Sqrt(square)
	}
	return q
}

// apply rotates the unit vector v and then removes the rounding error of its length.
func (q quaternion) apply(v []float32) {
	w, x, y, z := q[0], q[1], q[2], q[3]
	a, b, c := float64(v[0]), float64(v[1]), float64(v[2])
	tx, ty, tz := 2*(y*c-z*b), 2*(z*a-x*c), 2*(x*b-y*a)
	a, b, c = a+w*tx+y*tz-z*ty, b+w*ty+z*tx-x*tz, c+w*tz+x*ty-y*tx
	length := math.Sqrt(a*a + b*b + c*c)
	v[0], v[1], v[2] = float32(a/length), float32(b/length), float32(c/length)
}

// InitialPositions returns the default initial positions (N, 3) of the trajectory
// with this index.
func InitialPositions(cfg Config, seed uint64, index int) []float32 {
	dst := make([]float32, 3*cfg.N)
	cfg.Equilibrium(dst, rng.New(seed, "polymer start", uint64(index)).Rand)
	return dst
}
