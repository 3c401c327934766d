//go:build goexperiment.simd && amd64

package polymer

import (
	"math"
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// A vector holds numbers of several chains, or of several beads of one chain. A group's width
// divides the number of lanes of a vector.

func impl512(name string) impl {
	return impl{
		name, lanes512,
		noise512, angles512, metric512, bend512, move512, residual512, solve512, finish512, place512, near512, meet512,
	}
}

func floats512(p unsafe.Pointer, at int) archsimd.Float32x16 {
	return archsimd.LoadFloat32x16Array((*[16]float32)(unsafe.Add(p, at)))
}

func store512(x archsimd.Float32x16, p unsafe.Pointer, at int) {
	x.StoreArray((*[16]float32)(unsafe.Add(p, at)))
}

// mix512 is the mixing step of Threefry for two words.
func mix512(a, b archsimd.Uint32x16, by uint64) (x, y archsimd.Uint32x16) {
	a = a.Add(b)
	return a, b.ShiftAllLeft(by).Or(b.ShiftAllRight(32 - by)).Xor(a)
}

// spread512 returns displacements in [-scale/2, scale/2] from 10 bits of each word. In a float32,
// these bits are the highest bits of the mantissa.
func spread512(word archsimd.Uint32x16, scale archsimd.Float32x16) archsimd.Float32x16 {
	const middle = 1.5 - 0.5/levels
	one, mask := archsimd.BroadcastUint32x16(oneBit), archsimd.BroadcastUint32x16(field)
	return word.And(mask).Or(one).BitsToFloat32().Sub(archsimd.BroadcastFloat32x16(middle)).Mul(scale)
}

func noise512(g *group, scale float32, node uint32) (done int) {
	w, blocks := g.width, g.blocks()
	k0 := archsimd.LoadUint32x16Array((*[16]uint32)(g.key[0][:]))
	k1 := archsimd.LoadUint32x16Array((*[16]uint32)(g.key[1][:]))
	k2 := archsimd.LoadUint32x16Array((*[16]uint32)(g.key[2][:]))
	k3 := archsimd.LoadUint32x16Array((*[16]uint32)(g.key[3][:]))
	k4 := archsimd.LoadUint32x16Array((*[16]uint32)(g.key[4][:]))
	one, two, three := archsimd.BroadcastUint32x16(1), archsimd.BroadcastUint32x16(2), archsimd.BroadcastUint32x16(3)
	c1 := archsimd.BroadcastUint32x16(node).Add(k1)
	c2 := archsimd.LoadUint32x16Array((*[16]uint32)(g.step[0][:])).Add(k2)
	c3 := archsimd.LoadUint32x16Array((*[16]uint32)(g.step[1][:])).Add(k3)
	size := archsimd.BroadcastFloat32x16(scale)
	sx, sy, sz := unsafe.Pointer(&g.s[0][halo*w]), unsafe.Pointer(&g.s[1][halo*w]), unsafe.Pointer(&g.s[2][halo*w])
	e := 0
	for ; e+lanes512 <= len(g.block); e += lanes512 {
		x0 := archsimd.LoadUint32x16Array((*[16]uint32)(g.block[e : e+lanes512])).Add(k0)
		x1, x2, x3 := c1, c2, c3
		x0, x1 = mix512(x0, x1, 10)
		x2, x3 = mix512(x2, x3, 26)
		x0, x3 = mix512(x0, x3, 11)
		x2, x1 = mix512(x2, x1, 21)
		x0, x1 = mix512(x0, x1, 13)
		x2, x3 = mix512(x2, x3, 27)
		x0, x3 = mix512(x0, x3, 23)
		x2, x1 = mix512(x2, x1, 5)
		x0, x1, x2, x3 = x0.Add(k1), x1.Add(k2), x2.Add(k3), x3.Add(k4).Add(one)
		x0, x1 = mix512(x0, x1, 6)
		x2, x3 = mix512(x2, x3, 20)
		x0, x3 = mix512(x0, x3, 17)
		x2, x1 = mix512(x2, x1, 11)
		x0, x1 = mix512(x0, x1, 25)
		x2, x3 = mix512(x2, x3, 10)
		x0, x3 = mix512(x0, x3, 18)
		x2, x1 = mix512(x2, x1, 20)
		x0, x1, x2, x3 = x0.Add(k2), x1.Add(k3), x2.Add(k4), x3.Add(k0).Add(two)
		x0, x1 = mix512(x0, x1, 10)
		x2, x3 = mix512(x2, x3, 26)
		x0, x3 = mix512(x0, x3, 11)
		x2, x1 = mix512(x2, x1, 21)
		x0, x1 = mix512(x0, x1, 13)
		x2, x3 = mix512(x2, x3, 27)
		x0, x3 = mix512(x0, x3, 23)
		x2, x1 = mix512(x2, x1, 5)
		x0, x1, x2, x3 = x0.Add(k3), x1.Add(k4), x2.Add(k0), x3.Add(k1).Add(three)
		x0, x1 = mix512(x0, x1, 6)
		x2, x3 = mix512(x2, x3, 20)

		// For a single chain the vector with the last beads may extend into the halo.
		bead, at := e/w, 4*e
		store512(spread512(x0.ShiftAllLeft(13), size), sx, at)
		store512(spread512(x0.ShiftAllLeft(3), size), sy, at)
		store512(spread512(x0.ShiftAllRight(7), size), sz, at)
		bead, at = bead+blocks, at+4*blocks*w
		if bead < g.beads {
			store512(spread512(x1.ShiftAllLeft(13), size), sx, at)
			store512(spread512(x1.ShiftAllLeft(3), size), sy, at)
			store512(spread512(x1.ShiftAllRight(7), size), sz, at)
		}
		bead, at = bead+blocks, at+4*blocks*w
		if bead < g.beads {
			store512(spread512(x2.ShiftAllLeft(13), size), sx, at)
			store512(spread512(x2.ShiftAllLeft(3), size), sy, at)
			store512(spread512(x2.ShiftAllRight(7), size), sz, at)
		}
		bead, at = bead+blocks, at+4*blocks*w
		if bead < g.beads {
			store512(spread512(x3.ShiftAllLeft(13), size), sx, at)
			store512(spread512(x3.ShiftAllLeft(3), size), sy, at)
			store512(spread512(x3.ShiftAllRight(7), size), sz, at)
		}
	}
	archsimd.ClearAVXUpperBits()
	return e
}

func angles512(g *group) {
	row, first := 4*g.width, 4*g.at(0, 0)
	x, y, z, c := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0]), unsafe.Pointer(&g.c[0])
	e, end := first, 4*g.at(g.bonds-1, 0)
	for ; e+4*lanes512 <= end; e += 4 * lanes512 {
		xx := floats512(x, e).Mul(floats512(x, e+row))
		yy := floats512(y, e).Mul(floats512(y, e+row))
		zz := floats512(z, e).Mul(floats512(z, e+row))
		store512(xx.Add(yy).Add(zz), c, e)
	}
	archsimd.ClearAVXUpperBits()
	refAngles(g, (e-first)/4)
}

func metric512(g *group) {
	if g.width < lanes512 {
		refMetric(g)
		return
	}
	two, one := archsimd.BroadcastFloat32x16(2), archsimd.BroadcastFloat32x16(1)
	c, fwd, bwd := unsafe.Pointer(&g.c[0]), unsafe.Pointer(&g.fwd[0]), unsafe.Pointer(&g.bwd[0])
	row := 4 * g.width
	for l := 0; l < g.width; l += lanes512 {
		i, j := 4*g.at(0, l), 4*g.at(g.bonds-1, l)
		f := archsimd.BroadcastFloat32x16(0.5)
		b := f
		store512(f, fwd, i)
		store512(b, bwd, j)
		for last := j; i < last; {
			ci, cj := floats512(c, i), floats512(c, j-row)
			i, j = i+row, j-row
			f = one.Div(two.Sub(ci.Mul(ci).Mul(f)))
			b = one.Div(two.Sub(cj.Mul(cj).Mul(b)))
			store512(f, fwd, i)
			store512(b, bwd, j)
		}
	}
	archsimd.ClearAVXUpperBits()
}

func bend512(g *group, metric, repulsion float32) (done int) {
	row, first := 4*g.width, 4*g.at(0, 0)
	c, fwd, bwd, bend := unsafe.Pointer(&g.c[0]), unsafe.Pointer(&g.fwd[0]), unsafe.Pointer(&g.bwd[0]), unsafe.Pointer(&g.bend[0])
	one, two, least := archsimd.BroadcastFloat32x16(1), archsimd.BroadcastFloat32x16(2), archsimd.BroadcastFloat32x16(nearest)
	m, k := archsimd.BroadcastFloat32x16(metric), archsimd.BroadcastFloat32x16(repulsion)
	e, end := first, 4*g.at(g.bonds-1, 0)
	for ; e+4*lanes512 <= end; e += 4 * lanes512 {
		cos := floats512(c, e)
		fb := cos.Mul(floats512(fwd, e).Mul(floats512(bwd, e+row)))
		force := m.Mul(fb.Div(one.Sub(cos.Mul(fb))))
		square := two.Add(two.Mul(cos))
		if less512(square, one) != 0 {
			push := k.Mul(one.Div(square.Max(least).Sqrt()).Sub(one))
			force = force.Add(push.Masked(square.Less(one)))
		}
		store512(force, bend, e)
	}
	archsimd.ClearAVXUpperBits()
	return (e - first) / 4
}

func move512(g *group, flow *[3]float32, bent bool) {
	if g.width == lanes512 && bent {
		sweepMove512(g, flow)
		return
	}
	row, first, size := 4*g.width, 4*g.at(0, 0), 4*lanes512
	bend := unsafe.Pointer(&g.bend[0])
	for axis, rate := range flow {
		u, s, v := unsafe.Pointer(&g.u[axis][0]), unsafe.Pointer(&g.s[axis][0]), unsafe.Pointer(&g.v[axis][0])
		if bent {
			e := first
			for end := 4 * g.at(g.beads, 0); e+size <= end; e += size {
				near := floats512(bend, e-row).Mul(floats512(u, e).Sub(floats512(u, e-row)))
				wide := floats512(bend, e-2*row).Mul(floats512(u, e-2*row)).Sub(floats512(bend, e).Mul(floats512(u, e+row)))
				store512(floats512(s, e).Add(near.Add(wide)), s, e)
			}
			archsimd.ClearAVXUpperBits()
			refTurn(g, axis, (e-first)/4)
		}
		a := archsimd.BroadcastFloat32x16(rate)
		e := first
		for end := 4 * g.at(g.bonds, 0); e+size <= end; e += size {
			bond := floats512(u, e)
			store512(bond.Add(a.Mul(bond).Add(floats512(s, e+row).Sub(floats512(s, e)))), v, e)
		}
		archsimd.ClearAVXUpperBits()
		refDrive(g, axis, rate, (e-first)/4)
	}
}

// sweepMove512 is refMove with bent = true, for chains side by side. It goes from bead to bead and
// leaves s unchanged.
func sweepMove512(g *group, flow *[3]float32) {
	row := 4 * g.width
	bend := unsafe.Pointer(&g.bend[0])
	for axis, rate := range flow {
		u, s, v := unsafe.Pointer(&g.u[axis][0]), unsafe.Pointer(&g.s[axis][0]), unsafe.Pointer(&g.v[axis][0])
		a := archsimd.BroadcastFloat32x16(rate)
		e, end := 4*g.at(0, 0), 4*g.at(g.beads, 0)
		var before, behind, moved, far, near archsimd.Float32x16 // u_{j-2}, u_{j-1}, displacement of j-1, bend_{j-2}, bend_{j-1}
		here := floats512(u, e)
		for ; e < end; e += row {
			after, next := floats512(u, e+row), floats512(bend, e)
			d := floats512(s, e).Add(near.Mul(here.Sub(behind)).Add(far.Mul(before).Sub(next.Mul(after))))
			// The first iteration writes to the halo row in front of v_0. The halo row is cleared
			// below.
			store512(behind.Add(a.Mul(behind).Add(d.Sub(moved))), v, e-row)
			before, behind, here, moved, far, near = behind, here, after, d, near, next
		}
		store512(archsimd.Float32x16{}, v, 4*g.at(-1, 0))
	}
	archsimd.ClearAVXUpperBits()
}

// residual512 is the vector form of refResidual. For chains side by side it also does the
// elimination of refSolve.
func residual512(g *group) {
	if g.width < lanes512 {
		elements512(g, 0, g.bonds)
		refResidual(g, g.bonds*g.width/lanes512*lanes512)
		return
	}
	middle := g.bonds / 2
	sweep512(g, 0, middle, 1)
	sweep512(g, g.bonds-1, middle, -1)
	elements512(g, middle, middle+1)
}

// elements512 is refResidual for the bonds in [from, to), except for a last partial vector.
func elements512(g *group, from, to int) {
	row := 4 * g.width
	x, y, z := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0])
	vx, vy, vz := unsafe.Pointer(&g.v[0][0]), unsafe.Pointer(&g.v[1][0]), unsafe.Pointer(&g.v[2][0])
	lambda := unsafe.Pointer(&g.lambda[0])
	lo, diag, up, right := unsafe.Pointer(&g.lo[0]), unsafe.Pointer(&g.diag[0]), unsafe.Pointer(&g.up[0]), unsafe.Pointer(&g.right[0])
	one, two, half := archsimd.BroadcastFloat32x16(1), archsimd.BroadcastFloat32x16(2), archsimd.BroadcastFloat32x16(0.5)
	sign := archsimd.BroadcastUint32x16(1 << 31)
	worst := archsimd.LoadUint32x16Array((*[16]uint32)(g.worst[:]))
	for e, end := 4*g.at(from, 0), 4*g.at(to, 0); e+4*lanes512 <= end; e += 4 * lanes512 {
		before, here, after := floats512(lambda, e-row), two.Mul(floats512(lambda, e)), floats512(lambda, e+row)
		px, ux, nx := floats512(x, e-row), floats512(x, e), floats512(x, e+row)
		ax := floats512(vx, e).Add(before.Mul(px).Add(after.Mul(nx)).Sub(here.Mul(ux)))
		py, uy, ny := floats512(y, e-row), floats512(y, e), floats512(y, e+row)
		ay := floats512(vy, e).Add(before.Mul(py).Add(after.Mul(ny)).Sub(here.Mul(uy)))
		pz, uz, nz := floats512(z, e-row), floats512(z, e), floats512(z, e+row)
		az := floats512(vz, e).Add(before.Mul(pz).Add(after.Mul(nz)).Sub(here.Mul(uz)))
		r := half.Mul(ax.Mul(ax).Add(ay.Mul(ay)).Add(az.Mul(az)).Sub(one))
		d := two.Mul(ax.Mul(ux).Add(ay.Mul(uy)).Add(az.Mul(uz)))
		store512(r, right, e)
		store512(d, diag, e)
		store512(ax.Mul(px).Add(ay.Mul(py)).Add(az.Mul(pz)), lo, e)
		store512(ax.Mul(nx).Add(ay.Mul(ny)).Add(az.Mul(nz)), up, e)
		worst = worst.Max(r.ToBits().AndNot(sign).Or(d.ToBits().And(sign)))
	}
	worst.StoreArray((*[16]uint32)(g.worst[:]))
	archsimd.ClearAVXUpperBits()
}

// sweep512 computes the residuals and does the elimination, bond by bond. It begins at one end of
// the chains and stops before the middle bond.
func sweep512(g *group, from, middle, direction int) {
	ahead := 4 * g.width * direction
	x, y, z := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0])
	vx, vy, vz := unsafe.Pointer(&g.v[0][0]), unsafe.Pointer(&g.v[1][0]), unsafe.Pointer(&g.v[2][0])
	lambda, toUp, toRight := unsafe.Pointer(&g.lambda[0]), unsafe.Pointer(&g.up[0]), unsafe.Pointer(&g.right[0])
	one, two, half := archsimd.BroadcastFloat32x16(1), archsimd.BroadcastFloat32x16(2), archsimd.BroadcastFloat32x16(0.5)
	sign := archsimd.BroadcastUint32x16(1 << 31)
	worst := archsimd.LoadUint32x16Array((*[16]uint32)(g.worst[:]))
	e, end := 4*g.at(from, 0), 4*g.at(middle, 0)
	var up, right, before, px, py, pz archsimd.Float32x16
	here, ux, uy, uz := floats512(lambda, e), floats512(x, e), floats512(y, e), floats512(z, e)
	for ; e != end; e += ahead {
		after, nx, ny, nz := floats512(lambda, e+ahead), floats512(x, e+ahead), floats512(y, e+ahead), floats512(z, e+ahead)
		twice := two.Mul(here)
		ax := floats512(vx, e).Add(before.Mul(px).Add(after.Mul(nx)).Sub(twice.Mul(ux)))
		ay := floats512(vy, e).Add(before.Mul(py).Add(after.Mul(ny)).Sub(twice.Mul(uy)))
		az := floats512(vz, e).Add(before.Mul(pz).Add(after.Mul(nz)).Sub(twice.Mul(uz)))
		r := half.Mul(ax.Mul(ax).Add(ay.Mul(ay)).Add(az.Mul(az)).Sub(one))
		d := two.Mul(ax.Mul(ux).Add(ay.Mul(uy)).Add(az.Mul(uz)))
		worst = worst.Max(r.ToBits().AndNot(sign).Or(d.ToBits().And(sign)))

		back := ax.Mul(px).Add(ay.Mul(py)).Add(az.Mul(pz))
		on := ax.Mul(nx).Add(ay.Mul(ny)).Add(az.Mul(nz))
		inverse := one.Div(d.Sub(back.Mul(up)))
		right = r.Add(back.Mul(right)).Mul(inverse)
		up = on.Mul(inverse)
		store512(up, toUp, e)
		store512(right, toRight, e)
		before, px, py, pz = here, ux, uy, uz
		here, ux, uy, uz = after, nx, ny, nz
	}
	worst.StoreArray((*[16]uint32)(g.worst[:]))
	archsimd.ClearAVXUpperBits()
}

// solve512 is refSolve. If chains lie side by side, residual512 has already done the elimination.
func solve512(g *group) {
	if g.width < lanes512 {
		solveOne(g)
		return
	}
	lambda, lo, diag := unsafe.Pointer(&g.lambda[0]), unsafe.Pointer(&g.lo[0]), unsafe.Pointer(&g.diag[0])
	up, right := unsafe.Pointer(&g.up[0]), unsafe.Pointer(&g.right[0])
	live := archsimd.LoadUint32x16Array((*[16]uint32)(g.live[:]))
	row, first, middle, last := 4*g.width, 4*g.at(0, 0), 4*g.at(g.bonds/2, 0), 4*g.at(g.bonds-1, 0)
	var f, b archsimd.Float32x16
	pivot, rest := floats512(diag, middle), floats512(right, middle)
	if i := middle - row; i >= first {
		pivot = pivot.Sub(floats512(lo, middle).Mul(floats512(up, i)))
		rest = rest.Add(floats512(lo, middle).Mul(floats512(right, i)))
	}
	if j := middle + row; j <= last {
		pivot = pivot.Sub(floats512(up, middle).Mul(floats512(up, j)))
		rest = rest.Add(floats512(up, middle).Mul(floats512(right, j)))
	}
	f = rest.Mul(archsimd.BroadcastFloat32x16(1).Div(pivot))
	store512(floats512(lambda, middle).Add(f.ToBits().And(live).BitsToFloat32()), lambda, middle)
	b = f
	i, j := middle-row, middle+row
	for ; j <= last; i, j = i-row, j+row {
		f = floats512(right, i).Add(floats512(up, i).Mul(f))
		b = floats512(right, j).Add(floats512(up, j).Mul(b))
		store512(floats512(lambda, i).Add(f.ToBits().And(live).BitsToFloat32()), lambda, i)
		store512(floats512(lambda, j).Add(b.ToBits().And(live).BitsToFloat32()), lambda, j)
	}
	if i >= first { // with an even number of bonds, one more bond lies left of the middle
		f = floats512(right, i).Add(floats512(up, i).Mul(f))
		store512(floats512(lambda, i).Add(f.ToBits().And(live).BitsToFloat32()), lambda, i)
	}
	archsimd.ClearAVXUpperBits()
}

func finish512(g *group) {
	row, first := 4*g.width, 4*g.at(0, 0)
	x, y, z := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0])
	vx, vy, vz := unsafe.Pointer(&g.v[0][0]), unsafe.Pointer(&g.v[1][0]), unsafe.Pointer(&g.v[2][0])
	toX, toY, toZ := unsafe.Pointer(&g.next[0][0]), unsafe.Pointer(&g.next[1][0]), unsafe.Pointer(&g.next[2][0])
	lambda := unsafe.Pointer(&g.lambda[0])
	one, two, half := archsimd.BroadcastFloat32x16(1), archsimd.BroadcastFloat32x16(2), archsimd.BroadcastFloat32x16(0.5)
	sign := archsimd.BroadcastUint32x16(1 << 31)
	worst := archsimd.LoadUint32x16Array((*[16]uint32)(g.worst[:]))
	e := first
	for end := 4 * g.at(g.bonds, 0); e+4*lanes512 <= end; e += 4 * lanes512 {
		before, here, after := floats512(lambda, e-row), two.Mul(floats512(lambda, e)), floats512(lambda, e+row)
		px, ux, nx := floats512(x, e-row), floats512(x, e), floats512(x, e+row)
		ax := floats512(vx, e).Add(before.Mul(px).Add(after.Mul(nx)).Sub(here.Mul(ux)))
		store512(ax, toX, e)
		py, uy, ny := floats512(y, e-row), floats512(y, e), floats512(y, e+row)
		ay := floats512(vy, e).Add(before.Mul(py).Add(after.Mul(ny)).Sub(here.Mul(uy)))
		store512(ay, toY, e)
		pz, uz, nz := floats512(z, e-row), floats512(z, e), floats512(z, e+row)
		az := floats512(vz, e).Add(before.Mul(pz).Add(after.Mul(nz)).Sub(here.Mul(uz)))
		store512(az, toZ, e)
		r := half.Mul(ax.Mul(ax).Add(ay.Mul(ay)).Add(az.Mul(az)).Sub(one))
		d := two.Mul(ax.Mul(ux).Add(ay.Mul(uy)).Add(az.Mul(uz)))
		worst = worst.Max(r.ToBits().AndNot(sign).Or(d.ToBits().And(sign)))
	}
	worst.StoreArray((*[16]uint32)(g.worst[:]))
	archsimd.ClearAVXUpperBits()
	refFinish(g, (e-first)/4)
}

// place512 is the vector form of refPlace and refWords.
func place512(g *group) {
	if g.width < lanes512 {
		placeOne(g)
		return
	}
	row, first := 4*g.width, 4*g.at(0, 0)
	middle := archsimd.BroadcastFloat32x16(shift)
	for axis := range 3 {
		u, r := unsafe.Pointer(&g.u[axis][0]), unsafe.Pointer(&g.r[axis][0])
		low, high, words := unsafe.Pointer(&g.low[axis][0]), unsafe.Pointer(&g.high[axis][0]), unsafe.Pointer(&g.words[axis][0])
		var x archsimd.Float32x16
		var word archsimd.Uint32x16
		for b := range g.blocksOfBeads() {
			least, most := x, x
			for e, end := 4*g.at(b*side, 0), 4*g.at(min((b+1)*side, g.beads), 0); e < end; e += row {
				store512(x, r, e)
				least, most = least.Min(x), most.Max(x)
				word = word.ShiftAllRight(8).Or(x.Add(middle).ToBits().ShiftAllLeft(24))
				storeWords512(word, words, e-first) // now complete: the word's last bead is known
				x = x.Add(floats512(u, e))
			}
			store512(least, low, b*row)
			store512(most, high, b*row)
		}
		for i := range inWord - 1 { // words of the last beads have fewer bytes
			word = word.ShiftAllRight(8)
			storeWords512(word, words, 4*g.at(g.beads+i, 0)-first)
		}
	}
	archsimd.ClearAVXUpperBits()
}

func storeWords512(x archsimd.Uint32x16, p unsafe.Pointer, at int) {
	x.StoreArray((*[16]uint32)(unsafe.Add(p, at)))
}

// near512 is the vector form of refNear. It also records pairs that nearly touch. The method search
// later removes these pairs.
func near512(g *group, least int, rods bool) {
	x, y, z := g.bytes(0), g.bytes(1), g.bytes(2)
	reach, corner := archsimd.BroadcastInt8x64(within), archsimd.BroadcastInt8x64(within3-within)
	stride, atOnce := g.stride(4 * lanes512)
	for from := 0; from < g.beads; from += tile {
		for k := least; k <= local; k++ {
			closest := archsimd.BroadcastInt8x64(math.MaxInt8)
			for i, end := from, min(from+tile, g.beads-k); i < end; i += atOnce {
				e, on := i*stride, (i+k)*stride
				dx := bytes512(x, on).Sub(bytes512(x, e)).Abs()
				dy := bytes512(y, on).Sub(bytes512(y, e)).Abs()
				dz := bytes512(z, on).Sub(bytes512(z, e)).Abs()
				apart := dx.Max(dy).Max(dz)
				if near := below512(apart.Max(beyond512(dx, dy, dz, corner)), reach); near != 0 {
					g.nearBeads(near, i, k)
				}
				closest = closest.Min(apart)
			}
			for rods && k < local && below512(closest, archsimd.BroadcastInt8x64(within+fine+1)) == 0 {
				closest = closest.Sub(archsimd.BroadcastInt8x64(fine))
				k++ // skipped: one more bond reduces the distance by at most 1, so no such pair can touch
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}

func bytes512(p unsafe.Pointer, at int) archsimd.Int8x64 {
	return archsimd.LoadInt8x64Array((*[64]int8)(unsafe.Add(p, at)))
}

// beyond512 returns dx + dy + dz - corner, saturated.
func beyond512(dx, dy, dz, corner archsimd.Int8x64) archsimd.Int8x64 {
	return dx.AddSaturated(dy).AddSaturated(dz).SubSaturated(corner)
}

// meetBlocks512 is the vector form of refMeetBlocks. It also records pairs that nearly touch. The
// method `search` removes these pairs later.
func meetBlocks512(g *group, i, j, l int) {
	ax, bx := twoBlocks512(g, 0, i, j, l)
	ay, by := twoBlocks512(g, 1, i, j, l)
	az, bz := twoBlocks512(g, 2, i, j, l)
	near := uint64(0)
	reach, corner := archsimd.BroadcastInt8x64(within), archsimd.BroadcastInt8x64(within3-within)
	for from := 0; from < side*side; from += 4 * lanes512 {
		at := bytes512(unsafe.Pointer(&firsts), from)
		dx := bx.Sub(pick512(ax, at)).Abs()
		dy := by.Sub(pick512(ay, at)).Abs()
		dz := bz.Sub(pick512(az, at)).Abs()
		near |= below512(dx.Max(dy).Max(dz).Max(beyond512(dx, dy, dz, corner)), reach) << from
	}
	if near != 0 {
		g.nearBlocks(near, i, j, l)
	}
}

// twoBlocks512 returns the coordinates of the beads in blocks i and j of chain l.
func twoBlocks512(g *group, axis, i, j, l int) (a, b archsimd.Int8x64) {
	stride, _ := g.stride(4 * lanes512)
	words := g.bytes(axis)
	return eight512(blockBytes(words, i, l, stride)), eight512(blockBytes(words, j, l, stride))
}

// eight512 repeats eight bytes to fill a vector.
func eight512(x uint64) archsimd.Int8x64 {
	return archsimd.BroadcastUint64x8(x).ReshapeToUint8s().BitsToInt8()
}

// meet512 is the vector form of refMeet. It calls meetBlocks512 for every two blocks with boxes
// less than 1 apart. The boxes after the last block are padding. They are far from every block.
func meet512(g *group, rods bool) {
	w, blocks := g.width, g.blocksOfBeads()
	lowX, lowY, lowZ := unsafe.Pointer(&g.low[0][0]), unsafe.Pointer(&g.low[1][0]), unsafe.Pointer(&g.low[2][0])
	highX, highY, highZ := unsafe.Pointer(&g.high[0][0]), unsafe.Pointer(&g.high[1][0]), unsafe.Pointer(&g.high[2][0])
	one, none := archsimd.BroadcastFloat32x16(1), archsimd.Float32x16{}
	length, next := archsimd.BroadcastFloat32x16(side+slack), archsimd.BroadcastFloat32x16(1+side+slack)
	for i := range blocks {
		lx, ly, lz := floats512(lowX, 4*i*w), floats512(lowY, 4*i*w), floats512(lowZ, 4*i*w)
		hx, hy, hz := floats512(highX, 4*i*w), floats512(highY, 4*i*w), floats512(highZ, 4*i*w)
		if w == 1 {
			lx, ly, lz = archsimd.BroadcastFloat32x16(g.low[0][i]), archsimd.BroadcastFloat32x16(g.low[1][i]), archsimd.BroadcastFloat32x16(g.low[2][i])
			hx, hy, hz = archsimd.BroadcastFloat32x16(g.high[0][i]), archsimd.BroadcastFloat32x16(g.high[1][i]), archsimd.BroadcastFloat32x16(g.high[2][i])
		}
		for e := (i + 2) * w; e < blocks*w; e += lanes512 {
			gapX := floats512(lowX, 4*e).Sub(hx).Max(lx.Sub(floats512(highX, 4*e)))
			gapY := floats512(lowY, 4*e).Sub(hy).Max(ly.Sub(floats512(highY, 4*e)))
			gapZ := floats512(lowZ, 4*e).Sub(hz).Max(lz.Sub(floats512(highZ, 4*e)))
			if gap := gapX.Max(gapY).Max(gapZ); less512(gap, one) == 0 {
				for rods && w > 1 && e < blocks*w && less512(gap, next) == 0 {
					gap = gap.Sub(length)
					e += w // skips a block: its `side` rods are at most side + slack long, so the gap shrinks by at most this length
				}
				continue
			}
			gapX, gapY, gapZ = gapX.Max(none), gapY.Max(none), gapZ.Max(none)
			for near := less512(gapX.Mul(gapX).Add(gapY.Mul(gapY)).Add(gapZ.Mul(gapZ)), one); near != 0; near &= near - 1 {
				at := e + bits.TrailingZeros32(near)
				meetBlocks512(g, i, at/w, at%w)
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}
