package polymer

import "math"

// Below are the plain forms of the loops of a step. The vector forms do the same operations in the
// same order. All forms give the same bits, because no form fuses a multiplication with an
// addition. In this file, products are converted to float32: this forbids the compiler to fuse. A
// vector form leaves the last elements to the plain form, which starts at element `from`.

// refNoise writes the noise displacements of beads to s.
func refNoise(g *group, scale float32, node uint32, from int) {
	w, blocks := g.width, g.blocks()
	for e := from; e < len(g.block); e++ {
		l := e % maxWidth
		key := Key{g.key[0][l], g.key[1][l], g.key[2][l], g.key[3][l]}
		words := threefry(&key, [4]uint32{g.block[e], node, g.step[0][l], g.step[1][l]})
		for k, word := range words {
			if at := (k*blocks+halo)*w + e; k*blocks+e/w < g.beads {
				d := displacement(word, scale)
				g.s[0][at], g.s[1][at], g.s[2][at] = d[0], d[1], d[2]
			}
		}
	}
}

// refAngles writes the cosines c_i = u_i·u_{i+1} between neighbouring bonds.
func refAngles(g *group, from int) {
	w := g.width
	x, y, z := g.u[0], g.u[1], g.u[2]
	for e := g.at(0, 0) + from; e < g.at(g.bonds-1, 0); e++ {
		g.c[e] = float32(x[e]*x[e+w]) + float32(y[e]*y[e+w]) + float32(z[e]*z[e+w])
	}
}

// refMetric eliminates the matrix G of the bonds from both ends. G has 2 on the diagonal and -c_i
// next to the diagonal. fwd_i is 1/(2 - c_{i-1}² fwd_{i-1}) and bwd_i is 1/(2 - c_i² bwd_{i+1}).
func refMetric(g *group) {
	w := g.width
	c, fwd, bwd := g.c, g.fwd, g.bwd
	for l := range w {
		i, j := g.at(0, l), g.at(g.bonds-1, l)
		f, b := float32(0.5), float32(0.5)
		fwd[i], bwd[j] = f, b
		for range g.bonds - 1 {
			ci, cj := c[i], c[j-w]
			i, j = i+w, j-w
			f = 1 / (2 - float32(float32(ci*ci)*f))
			b = 1 / (2 - float32(float32(cj*cj)*b))
			fwd[i], bwd[j] = f, b
		}
	}
}

// nearest is a lower bound for the squared distance of two beads, so that no force becomes
// infinite.
const nearest = 1e-6

// refBend computes the coefficients g.bend, one for each pair of neighbouring bonds i and i+1. They
// define the vectors w_i = bend_i u_{i+1} + bend_{i-1} u_{i-1}. Forces between neighbouring bonds
// displace bead j by w_{j-1} - w_j.
//
// A coefficient is the sum of two terms. The first term comes from the metric force with the energy
// T/2 ln det G (see refMetric). It is `metric` times (G⁻¹)_{i,i+1} = c f b/(1 - c² f b), with c =
// c_i, f = fwd_i and b = bwd_{i+1}. The second term comes from the repulsion between the two outer
// beads of bonds i and i+1, at the distance r = √(2 + 2c). If r < 1, it is `repulsion` times
// (1/r - 1).
func refBend(g *group, metric, repulsion float32, from int) {
	w := g.width
	for e := g.at(0, 0) + from; e < g.at(g.bonds-1, 0); e++ {
		c := g.c[e]
		fb := float32(c * float32(g.fwd[e]*g.bwd[e+w]))
		bend := float32(metric * (fb / (1 - float32(c*fb))))
		if square := 2 + float32(2*c); square < 1 {
			bend += float32(repulsion * (1/root(max(square, nearest)) - 1))
		}
		g.bend[e] = bend
	}
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// refMove writes the new bonds to v: u + (a u + s_{i+1} - s_i). Here u are the old bonds, s are the
// displacements of the beads, and a is the small factor of the flow. The sum 1 + a is avoided,
// because it would lose the last digits of a. If `bent` is true, refMove first adds w_{j-1} - w_j to
// s_j (see refBend).
func refMove(g *group, flow *[3]float32, bent bool) {
	for axis := range 3 {
		if bent {
			refTurn(g, axis, 0)
		}
		refDrive(g, axis, flow[axis], 0)
	}
}

func refTurn(g *group, axis, from int) {
	w := g.width
	u, s := g.u[axis], g.s[axis]
	for e := g.at(0, 0) + from; e < g.at(g.beads, 0); e++ {
		s[e] += float32(g.bend[e-w]*(u[e]-u[e-w])) + (float32(g.bend[e-2*w]*u[e-2*w]) - float32(g.bend[e]*u[e+w]))
	}
}

func refDrive(g *group, axis int, rate float32, from int) {
	w := g.width
	u, s, v := g.u[axis], g.s[axis], g.v[axis]
	for e := g.at(0, 0) + from; e < g.at(g.bonds, 0); e++ {
		v[e] = u[e] + (float32(rate*u[e]) + (s[e+w] - s[e]))
	}
}

// constrained returns bond i (element e) after the step. λ are the constraint forces along the
// old bonds:
//
//	u'_i = v_i + λ_{i-1} u_{i-1} - 2 λ_i u_i + λ_{i+1} u_{i+1}.
func (g *group) constrained(e int) (bond [3]float32) {
	w := g.width
	before, here, after := g.lambda[e-w], 2*g.lambda[e], g.lambda[e+w]
	for axis := range bond {
		u := g.u[axis]
		bond[axis] = g.v[axis][e] + ((float32(before*u[e-w]) + float32(after*u[e+w])) - float32(here*u[e]))
	}
	return bond
}

// The method `along` returns the scalar product of two bonds: `bond`, and bond e as it was before
// the step.
func (g *group) along(bond *[3]float32, e int) float32 {
	return float32(bond[0]*g.u[0][e]) + float32(bond[1]*g.u[1][e]) + float32(bond[2]*g.u[2][e])
}

// refResidual computes the linear system of Newton's method for the constraints,
//
//	-lo_i δ_{i-1} + diag_i δ_i - up_i δ_{i+1} = right_i,
//
// in arrays of these names. right_i is the error (u'_i·u'_i - 1)/2 of a constraint. The array
// `worst` gets the largest error of each chain. A bond that has turned round counts as an error
// larger than any number.
func refResidual(g *group, from int) {
	w := g.width
	for e := g.at(0, 0) + from; e < g.at(g.bonds, 0); e++ {
		bond := g.constrained(e)
		right, diag := g.wrong(&bond, e)
		g.right[e], g.diag[e] = right, diag
		g.lo[e], g.up[e] = g.along(&bond, e-w), g.along(&bond, e+w)
	}
}

// The method `wrong` returns two numbers for the constraint of bond e: the error, and the diagonal
// element of the matrix. The method also updates the array `worst`.
func (g *group) wrong(bond *[3]float32, e int) (right, diag float32) {
	const sign = 1 << 31
	right = 0.5 * ((float32(bond[0]*bond[0]) + float32(bond[1]*bond[1]) + float32(bond[2]*bond[2])) - 1)
	diag = 2 * g.along(bond, e)
	l := (e - g.at(0, 0)) % maxWidth
	g.worst[l] = max(g.worst[l], math.Float32bits(right)&^sign|math.Float32bits(diag)&sign)
	return right, diag
}

// refFinish writes the bonds after the step to the array `next`. Like refResidual, it also writes
// the largest error of each chain to `worst`.
func refFinish(g *group, from int) {
	for e := g.at(0, 0) + from; e < g.at(g.bonds, 0); e++ {
		bond := g.constrained(e)
		g.next[0][e], g.next[1][e], g.next[2][e] = bond[0], bond[1], bond[2]
		g.wrong(&bond, e)
	}
}

// refSolve solves the system of refResidual by elimination from both ends towards the middle bond,
// and adds the solution δ to `lambda` for chains whose constraints are not yet solved (see `live`).
// It overwrites `up` and `right` with the coefficients of δ_i = up_i δ_{i±1} + right_i, in which
// i±1 is the next bond towards the middle.
func refSolve(g *group) {
	w, middle := g.width, g.bonds/2
	lo, diag, up, right, lambda := g.lo, g.diag, g.up, g.right, g.lambda
	for l := range w {
		// Rows of the two ends alternate, because each row needs a division from the previous row
		// of the same end. If the number of bonds is even, there is one bond more before the middle
		// bond than after it.
		i, j := g.at(0, l), g.at(g.bonds-1, l)
		var upI, rightI, upJ, rightJ float32
		if g.bonds%2 == 0 {
			upI, rightI = eliminate(lo[i], diag[i], up[i], right[i], 0, 0)
			up[i], right[i] = upI, rightI
			i += w
		}
		for range (g.bonds - 1) / 2 {
			upI, rightI = eliminate(lo[i], diag[i], up[i], right[i], upI, rightI)
			upJ, rightJ = eliminate(up[j], diag[j], lo[j], right[j], upJ, rightJ)
			up[i], right[i] = upI, rightI
			up[j], right[j] = upJ, rightJ
			i, j = i+w, j-w
		}
		m := g.at(middle, l)
		pivot := diag[m] - float32(lo[m]*upI) - float32(up[m]*upJ)
		rest := right[m] + float32(lo[m]*rightI) + float32(up[m]*rightJ)

		live := g.live[l]
		di := float32(rest * (1 / pivot))
		dj := di
		lambda[m] += masked(di, live)
		i, j = m-w, m+w
		for range (g.bonds - 1) / 2 {
			di = right[i] + float32(up[i]*di)
			dj = right[j] + float32(up[j]*dj)
			lambda[i] += masked(di, live)
			lambda[j] += masked(dj, live)
			i, j = i-w, j+w
		}
		if g.bonds%2 == 0 {
			di = right[i] + float32(up[i]*di)
			lambda[i] += masked(di, live)
		}
	}
}

// eliminate does one row of the elimination. `behind` and `ahead` are the elements next to the
// diagonal. `behind` lies on the side of the chain's end, and `ahead` lies on the side of the
// middle. `rest` is the right-hand side of the row. `up` and `right` are the results for the
// previous row.
func eliminate(behind, diag, ahead, rest, up, right float32) (float32, float32) {
	inverse := 1 / (diag - float32(behind*up))
	return float32(ahead * inverse), float32((rest + float32(behind*right)) * inverse)
}

// masked returns x where the mask is all ones, and 0 where it is 0.
func masked(x float32, mask uint32) float32 {
	return math.Float32frombits(math.Float32bits(x) & mask)
}

// refSprings adds the pull of springs between neighbouring beads to s.
func refSprings(g *group, spring float32) {
	w := g.width
	for e := g.at(0, 0); e < g.at(g.bonds, 0); e++ {
		x, y, z := g.u[0][e], g.u[1][e], g.u[2][e]
		pull := float32(spring * (1 - 1/root(max(float32(x*x)+float32(y*y)+float32(z*z), nearest))))
		for axis, u := range [3]float32{x, y, z} {
			d := float32(pull * u)
			g.s[axis][e] += d
			g.s[axis][e+w] -= d
		}
	}
}
