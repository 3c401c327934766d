//go:build goexperiment.simd && amd64

package polymer

import (
	"math"
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

func floats256(p unsafe.Pointer, at int) archsimd.Float32x8 {
	return archsimd.LoadFloat32x8Array((*[8]float32)(unsafe.Add(p, at)))
}

func store256(x archsimd.Float32x8, p unsafe.Pointer, at int) {
	x.StoreArray((*[8]float32)(unsafe.Add(p, at)))
}

// mix256 is the step of Threefry for two words.
func mix256(a, b archsimd.Uint32x8, by uint64) (x, y archsimd.Uint32x8) {
	a = a.Add(b)
	return a, b.ShiftAllLeft(by).Or(b.ShiftAllRight(32 - by)).Xor(a)
}

// spread256 makes a displacement of the 10 bits of a word that stand where those of
// a mantissa do.
func spread256(word archsimd.Uint32x8, scale archsimd.Float32x8) archsimd.Float32x8 {
	const middle = 1.5 - 0.5/levels
	one, mask := archsimd.BroadcastUint32x8(oneBit), archsimd.BroadcastUint32x8(field)
	return word.And(mask).Or(one).BitsToFloat32().Sub(archsimd.BroadcastFloat32x8(middle)).Mul(scale)
}

// noise256 is refNoise.
func noise256(g *group, scale float32, node uint32) {
	w, blocks := g.width, g.blocks()
	k0 := archsimd.LoadUint32x8Array((*[8]uint32)(g.key[0][:]))
	k1 := archsimd.LoadUint32x8Array((*[8]uint32)(g.key[1][:]))
	k2 := archsimd.LoadUint32x8Array((*[8]uint32)(g.key[2][:]))
	k3 := archsimd.LoadUint32x8Array((*[8]uint32)(g.key[3][:]))
	k4 := archsimd.LoadUint32x8Array((*[8]uint32)(g.key[4][:]))
	one, two, three := archsimd.BroadcastUint32x8(1), archsimd.BroadcastUint32x8(2), archsimd.BroadcastUint32x8(3)
	c1 := archsimd.BroadcastUint32x8(node).Add(k1)
	c2 := archsimd.LoadUint32x8Array((*[8]uint32)(g.step[0][:])).Add(k2)
	c3 := archsimd.LoadUint32x8Array((*[8]uint32)(g.step[1][:])).Add(k3)
	size := archsimd.BroadcastFloat32x8(scale)
	sx, sy, sz := unsafe.Pointer(&g.s[0][halo*w]), unsafe.Pointer(&g.s[1][halo*w]), unsafe.Pointer(&g.s[2][halo*w])
	e := 0
	for ; e+lanes256 <= len(g.block); e += lanes256 {
		x0 := archsimd.LoadUint32x8Array((*[8]uint32)(g.block[e : e+lanes256])).Add(k0)
		x1, x2, x3 := c1, c2, c3
		x0, x1 = mix256(x0, x1, 10)
		x2, x3 = mix256(x2, x3, 26)
		x0, x3 = mix256(x0, x3, 11)
		x2, x1 = mix256(x2, x1, 21)
		x0, x1 = mix256(x0, x1, 13)
		x2, x3 = mix256(x2, x3, 27)
		x0, x3 = mix256(x0, x3, 23)
		x2, x1 = mix256(x2, x1, 5)
		x0, x1, x2, x3 = x0.Add(k1), x1.Add(k2), x2.Add(k3), x3.Add(k4).Add(one)
		x0, x1 = mix256(x0, x1, 6)
		x2, x3 = mix256(x2, x3, 20)
		x0, x3 = mix256(x0, x3, 17)
		x2, x1 = mix256(x2, x1, 11)
		x0, x1 = mix256(x0, x1, 25)
		x2, x3 = mix256(x2, x3, 10)
		x0, x3 = mix256(x0, x3, 18)
		x2, x1 = mix256(x2, x1, 20)
		x0, x1, x2, x3 = x0.Add(k2), x1.Add(k3), x2.Add(k4), x3.Add(k0).Add(two)
		x0, x1 = mix256(x0, x1, 10)
		x2, x3 = mix256(x2, x3, 26)
		x0, x3 = mix256(x0, x3, 11)
		x2, x1 = mix256(x2, x1, 21)
		x0, x1 = mix256(x0, x1, 13)
		x2, x3 = mix256(x2, x3, 27)
		x0, x3 = mix256(x0, x3, 23)
		x2, x1 = mix256(x2, x1, 5)
		x0, x1, x2, x3 = x0.Add(k3), x1.Add(k4), x2.Add(k0), x3.Add(k1).Add(three)
		x0, x1 = mix256(x0, x1, 6)
		x2, x3 = mix256(x2, x3, 20)

		// Of a single chain the last quarter may run over, into the halo.
		bead, at := e/w, 4*e
		store256(spread256(x0.ShiftAllLeft(13), size), sx, at)
		store256(spread256(x0.ShiftAllLeft(3), size), sy, at)
		store256(spread256(x0.ShiftAllRight(7), size), sz, at)
		bead, at = bead+blocks, at+4*blocks*w
		if bead < g.beads {
			store256(spread256(x1.ShiftAllLeft(13), size), sx, at)
			store256(spread256(x1.ShiftAllLeft(3), size), sy, at)
			store256(spread256(x1.ShiftAllRight(7), size), sz, at)
		}
		bead, at = bead+blocks, at+4*blocks*w
		if bead < g.beads {
			store256(spread256(x2.ShiftAllLeft(13), size), sx, at)
			store256(spread256(x2.ShiftAllLeft(3), size), sy, at)
			store256(spread256(x2.ShiftAllRight(7), size), sz, at)
		}
		bead, at = bead+blocks, at+4*blocks*w
		if bead < g.beads {
			store256(spread256(x3.ShiftAllLeft(13), size), sx, at)
			store256(spread256(x3.ShiftAllLeft(3), size), sy, at)
			store256(spread256(x3.ShiftAllRight(7), size), sz, at)
		}
	}
	archsimd.ClearAVXUpperBits()
	refNoise(g, scale, node, e)
}

// angles256 is refAngles.
func angles256(g *group) {
	row, first := 4*g.width, 4*g.at(0, 0)
	x, y, z, c := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0]), unsafe.Pointer(&g.c[0])
	e, end := first, 4*g.at(g.bonds-1, 0)
	for ; e+4*lanes256 <= end; e += 4 * lanes256 {
		xx := floats256(x, e).Mul(floats256(x, e+row))
		yy := floats256(y, e).Mul(floats256(y, e+row))
		zz := floats256(z, e).Mul(floats256(z, e+row))
		store256(xx.Add(yy).Add(zz), c, e)
	}
	archsimd.ClearAVXUpperBits()
	refAngles(g, (e-first)/4)
}

// metric256 is refMetric.
func metric256(g *group) {
	if g.width < lanes256 {
		refMetric(g)
		return
	}
	two, one := archsimd.BroadcastFloat32x8(2), archsimd.BroadcastFloat32x8(1)
	c, fwd, bwd := unsafe.Pointer(&g.c[0]), unsafe.Pointer(&g.fwd[0]), unsafe.Pointer(&g.bwd[0])
	row := 4 * g.width
	for l := 0; l < g.width; l += lanes256 {
		i, j := 4*g.at(0, l), 4*g.at(g.bonds-1, l)
		f := archsimd.BroadcastFloat32x8(0.5)
		b := f
		store256(f, fwd, i)
		store256(b, bwd, j)
		for last := j; i < last; {
			ci, cj := floats256(c, i), floats256(c, j-row)
			i, j = i+row, j-row
			f = one.Div(two.Sub(ci.Mul(ci).Mul(f)))
			b = one.Div(two.Sub(cj.Mul(cj).Mul(b)))
			store256(f, fwd, i)
			store256(b, bwd, j)
		}
	}
	archsimd.ClearAVXUpperBits()
}

// bend256 is refBend.
func bend256(g *group, metric, repulsion float32) {
	row, first := 4*g.width, 4*g.at(0, 0)
	c, fwd, bwd, bend := unsafe.Pointer(&g.c[0]), unsafe.Pointer(&g.fwd[0]), unsafe.Pointer(&g.bwd[0]), unsafe.Pointer(&g.bend[0])
	one, two, least := archsimd.BroadcastFloat32x8(1), archsimd.BroadcastFloat32x8(2), archsimd.BroadcastFloat32x8(nearest)
	m, k := archsimd.BroadcastFloat32x8(metric), archsimd.BroadcastFloat32x8(repulsion)
	e, end := first, 4*g.at(g.bonds-1, 0)
	for ; e+4*lanes256 <= end; e += 4 * lanes256 {
		cos := floats256(c, e)
		fb := cos.Mul(floats256(fwd, e).Mul(floats256(bwd, e+row)))
		force := m.Mul(fb.Div(one.Sub(cos.Mul(fb))))
		square := two.Add(two.Mul(cos))
		if less256(square, one) != 0 {
			push := k.Mul(one.Div(square.Max(least).Sqrt()).Sub(one))
			force = force.Add(push.Masked(square.Less(one)))
		}
		store256(force, bend, e)
	}
	archsimd.ClearAVXUpperBits()
	refBend(g, metric, repulsion, (e-first)/4)
}

// move256 is refMove.
func move256(g *group, flow *[3]float32, bent bool) {
	if g.width == lanes256 && bent {
		sweepMove256(g, flow)
		return
	}
	row, first, size := 4*g.width, 4*g.at(0, 0), 4*lanes256
	bend := unsafe.Pointer(&g.bend[0])
	for axis, rate := range flow {
		u, s, v := unsafe.Pointer(&g.u[axis][0]), unsafe.Pointer(&g.s[axis][0]), unsafe.Pointer(&g.v[axis][0])
		if bent {
			e := first
			for end := 4 * g.at(g.beads, 0); e+size <= end; e += size {
				near := floats256(bend, e-row).Mul(floats256(u, e).Sub(floats256(u, e-row)))
				wide := floats256(bend, e-2*row).Mul(floats256(u, e-2*row)).Sub(floats256(bend, e).Mul(floats256(u, e+row)))
				store256(floats256(s, e).Add(near.Add(wide)), s, e)
			}
			archsimd.ClearAVXUpperBits()
			refTurn(g, axis, (e-first)/4)
		}
		a := archsimd.BroadcastFloat32x8(rate)
		e := first
		for end := 4 * g.at(g.bonds, 0); e+size <= end; e += size {
			bond := floats256(u, e)
			store256(bond.Add(a.Mul(bond).Add(floats256(s, e+row).Sub(floats256(s, e)))), v, e)
		}
		archsimd.ClearAVXUpperBits()
		refDrive(g, axis, rate, (e-first)/4)
	}
}

// sweepMove256 is refMove, of chains side by side that are bent, from bead to bead.
// It leaves s as it is.
func sweepMove256(g *group, flow *[3]float32) {
	row := 4 * g.width
	bend := unsafe.Pointer(&g.bend[0])
	for axis, rate := range flow {
		u, s, v := unsafe.Pointer(&g.u[axis][0]), unsafe.Pointer(&g.s[axis][0]), unsafe.Pointer(&g.v[axis][0])
		a := archsimd.BroadcastFloat32x8(rate)
		e, end := 4*g.at(0, 0), 4*g.at(g.beads, 0)
		var before, behind, moved, far, near archsimd.Float32x8 // u_{j-2}, u_{j-1}, displacement of j-1, bend_{j-2}, bend_{j-1}
		here := floats256(u, e)
		for ; e < end; e += row {
			after, next := floats256(u, e+row), floats256(bend, e)
			d := floats256(s, e).Add(near.Mul(here.Sub(behind)).Add(far.Mul(before).Sub(next.Mul(after))))
			// For the first bead this is a row of the halo, of zeros if not for d.
			store256(behind.Add(a.Mul(behind).Add(d.Sub(moved))), v, e-row)
			before, behind, here, moved, far, near = behind, here, after, d, near, next
		}
		store256(archsimd.Float32x8{}, v, 4*g.at(-1, 0))
	}
	archsimd.ClearAVXUpperBits()
}

// residual256 is refResidual and, of chains side by side, the elimination of
// refSolve.
func residual256(g *group) {
	if g.width < lanes256 {
		elements256(g, 0, g.bonds)
		refResidual(g, g.bonds*g.width/lanes256*lanes256)
		return
	}
	middle := g.bonds / 2
	sweep256(g, 0, middle, 1)
	sweep256(g, g.bonds-1, middle, -1)
	elements256(g, middle, middle+1)
}

// elements256 is refResidual for bonds from and up to another, of them as many as
// fill vectors.
func elements256(g *group, from, to int) {
	row := 4 * g.width
	x, y, z := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0])
	vx, vy, vz := unsafe.Pointer(&g.v[0][0]), unsafe.Pointer(&g.v[1][0]), unsafe.Pointer(&g.v[2][0])
	lambda := unsafe.Pointer(&g.lambda[0])
	lo, diag, up, right := unsafe.Pointer(&g.lo[0]), unsafe.Pointer(&g.diag[0]), unsafe.Pointer(&g.up[0]), unsafe.Pointer(&g.right[0])
	one, two, half := archsimd.BroadcastFloat32x8(1), archsimd.BroadcastFloat32x8(2), archsimd.BroadcastFloat32x8(0.5)
	sign := archsimd.BroadcastUint32x8(1 << 31)
	worst := archsimd.LoadUint32x8Array((*[8]uint32)(g.worst[:]))
	for e, end := 4*g.at(from, 0), 4*g.at(to, 0); e+4*lanes256 <= end; e += 4 * lanes256 {
		before, here, after := floats256(lambda, e-row), two.Mul(floats256(lambda, e)), floats256(lambda, e+row)
		px, ux, nx := floats256(x, e-row), floats256(x, e), floats256(x, e+row)
		ax := floats256(vx, e).Add(before.Mul(px).Add(after.Mul(nx)).Sub(here.Mul(ux)))
		py, uy, ny := floats256(y, e-row), floats256(y, e), floats256(y, e+row)
		ay := floats256(vy, e).Add(before.Mul(py).Add(after.Mul(ny)).Sub(here.Mul(uy)))
		pz, uz, nz := floats256(z, e-row), floats256(z, e), floats256(z, e+row)
		az := floats256(vz, e).Add(before.Mul(pz).Add(after.Mul(nz)).Sub(here.Mul(uz)))
		r := half.Mul(ax.Mul(ax).Add(ay.Mul(ay)).Add(az.Mul(az)).Sub(one))
		d := two.Mul(ax.Mul(ux).Add(ay.Mul(uy)).Add(az.Mul(uz)))
		store256(r, right, e)
		store256(d, diag, e)
		store256(ax.Mul(px).Add(ay.Mul(py)).Add(az.Mul(pz)), lo, e)
		store256(ax.Mul(nx).Add(ay.Mul(ny)).Add(az.Mul(nz)), up, e)
		worst = worst.Max(r.ToBits().AndNot(sign).Or(d.ToBits().And(sign)))
	}
	worst.StoreArray((*[8]uint32)(g.worst[:]))
	archsimd.ClearAVXUpperBits()
}

// sweep256 is refResidual and the elimination for bonds from one end towards the
// middle, which it leaves out.
func sweep256(g *group, from, middle, direction int) {
	ahead := 4 * g.width * direction
	x, y, z := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0])
	vx, vy, vz := unsafe.Pointer(&g.v[0][0]), unsafe.Pointer(&g.v[1][0]), unsafe.Pointer(&g.v[2][0])
	lambda, toUp, toRight := unsafe.Pointer(&g.lambda[0]), unsafe.Pointer(&g.up[0]), unsafe.Pointer(&g.right[0])
	one, two, half := archsimd.BroadcastFloat32x8(1), archsimd.BroadcastFloat32x8(2), archsimd.BroadcastFloat32x8(0.5)
	sign := archsimd.BroadcastUint32x8(1 << 31)
	worst := archsimd.LoadUint32x8Array((*[8]uint32)(g.worst[:]))
	e, end := 4*g.at(from, 0), 4*g.at(middle, 0)
	var up, right, before, px, py, pz archsimd.Float32x8
	here, ux, uy, uz := floats256(lambda, e), floats256(x, e), floats256(y, e), floats256(z, e)
	for ; e != end; e += ahead {
		after, nx, ny, nz := floats256(lambda, e+ahead), floats256(x, e+ahead), floats256(y, e+ahead), floats256(z, e+ahead)
		twice := two.Mul(here)
		ax := floats256(vx, e).Add(before.Mul(px).Add(after.Mul(nx)).Sub(twice.Mul(ux)))
		ay := floats256(vy, e).Add(before.Mul(py).Add(after.Mul(ny)).Sub(twice.Mul(uy)))
		az := floats256(vz, e).Add(before.Mul(pz).Add(after.Mul(nz)).Sub(twice.Mul(uz)))
		r := half.Mul(ax.Mul(ax).Add(ay.Mul(ay)).Add(az.Mul(az)).Sub(one))
		d := two.Mul(ax.Mul(ux).Add(ay.Mul(uy)).Add(az.Mul(uz)))
		worst = worst.Max(r.ToBits().AndNot(sign).Or(d.ToBits().And(sign)))

		back := ax.Mul(px).Add(ay.Mul(py)).Add(az.Mul(pz))
		on := ax.Mul(nx).Add(ay.Mul(ny)).Add(az.Mul(nz))
		inverse := one.Div(d.Sub(back.Mul(up)))
		right = r.Add(back.Mul(right)).Mul(inverse)
		up = on.Mul(inverse)
		store256(up, toUp, e)
		store256(right, toRight, e)
		before, px, py, pz = here, ux, uy, uz
		here, ux, uy, uz = after, nx, ny, nz
	}
	worst.StoreArray((*[8]uint32)(g.worst[:]))
	archsimd.ClearAVXUpperBits()
}

// solve256 is refSolve, of chains side by side what residual256 left of it.
func solve256(g *group) {
	if g.width < lanes256 {
		solveOne(g)
		return
	}
	lambda, lo, diag := unsafe.Pointer(&g.lambda[0]), unsafe.Pointer(&g.lo[0]), unsafe.Pointer(&g.diag[0])
	up, right := unsafe.Pointer(&g.up[0]), unsafe.Pointer(&g.right[0])
	live := archsimd.LoadUint32x8Array((*[8]uint32)(g.live[:]))
	row, first, middle, last := 4*g.width, 4*g.at(0, 0), 4*g.at(g.bonds/2, 0), 4*g.at(g.bonds-1, 0)
	var f, b archsimd.Float32x8
	pivot, rest := floats256(diag, middle), floats256(right, middle)
	if i := middle - row; i >= first {
		pivot = pivot.Sub(floats256(lo, middle).Mul(floats256(up, i)))
		rest = rest.Add(floats256(lo, middle).Mul(floats256(right, i)))
	}
	if j := middle + row; j <= last {
		pivot = pivot.Sub(floats256(up, middle).Mul(floats256(up, j)))
		rest = rest.Add(floats256(up, middle).Mul(floats256(right, j)))
	}
	f = rest.Mul(archsimd.BroadcastFloat32x8(1).Div(pivot))
	store256(floats256(lambda, middle).Add(f.ToBits().And(live).BitsToFloat32()), lambda, middle)
	b = f
	i, j := middle-row, middle+row
	for ; j <= last; i, j = i-row, j+row {
		f = floats256(right, i).Add(floats256(up, i).Mul(f))
		b = floats256(right, j).Add(floats256(up, j).Mul(b))
		store256(floats256(lambda, i).Add(f.ToBits().And(live).BitsToFloat32()), lambda, i)
		store256(floats256(lambda, j).Add(b.ToBits().And(live).BitsToFloat32()), lambda, j)
	}
	if i >= first { // of an even number of bonds one more is left of the middle
		f = floats256(right, i).Add(floats256(up, i).Mul(f))
		store256(floats256(lambda, i).Add(f.ToBits().And(live).BitsToFloat32()), lambda, i)
	}
	archsimd.ClearAVXUpperBits()
}

// finish256 is refFinish.
func finish256(g *group) {
	row, first := 4*g.width, 4*g.at(0, 0)
	x, y, z := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0])
	vx, vy, vz := unsafe.Pointer(&g.v[0][0]), unsafe.Pointer(&g.v[1][0]), unsafe.Pointer(&g.v[2][0])
	toX, toY, toZ := unsafe.Pointer(&g.next[0][0]), unsafe.Pointer(&g.next[1][0]), unsafe.Pointer(&g.next[2][0])
	lambda := unsafe.Pointer(&g.lambda[0])
	one, two, half := archsimd.BroadcastFloat32x8(1), archsimd.BroadcastFloat32x8(2), archsimd.BroadcastFloat32x8(0.5)
	sign := archsimd.BroadcastUint32x8(1 << 31)
	worst := archsimd.LoadUint32x8Array((*[8]uint32)(g.worst[:]))
	e := first
	for end := 4 * g.at(g.bonds, 0); e+4*lanes256 <= end; e += 4 * lanes256 {
		before, here, after := floats256(lambda, e-row), two.Mul(floats256(lambda, e)), floats256(lambda, e+row)
		px, ux, nx := floats256(x, e-row), floats256(x, e), floats256(x, e+row)
		ax := floats256(vx, e).Add(before.Mul(px).Add(after.Mul(nx)).Sub(here.Mul(ux)))
		store256(ax, toX, e)
		py, uy, ny := floats256(y, e-row), floats256(y, e), floats256(y, e+row)
		ay := floats256(vy, e).Add(before.Mul(py).Add(after.Mul(ny)).Sub(here.Mul(uy)))
		store256(ay, toY, e)
		pz, uz, nz := floats256(z, e-row), floats256(z, e), floats256(z, e+row)
		az := floats256(vz, e).Add(before.Mul(pz).Add(after.Mul(nz)).Sub(here.Mul(uz)))
		store256(az, toZ, e)
		r := half.Mul(ax.Mul(ax).Add(ay.Mul(ay)).Add(az.Mul(az)).Sub(one))
		d := two.Mul(ax.Mul(ux).Add(ay.Mul(uy)).Add(az.Mul(uz)))
		worst = worst.Max(r.ToBits().AndNot(sign).Or(d.ToBits().And(sign)))
	}
	worst.StoreArray((*[8]uint32)(g.worst[:]))
	archsimd.ClearAVXUpperBits()
	refFinish(g, (e-first)/4)
}

// place256 is refPlace, and writes words.
func place256(g *group) {
	if g.width < lanes256 {
		placeOne(g)
		return
	}
	row, first := 4*g.width, 4*g.at(0, 0)
	middle := archsimd.BroadcastFloat32x8(shift)
	for axis := range 3 {
		u, r := unsafe.Pointer(&g.u[axis][0]), unsafe.Pointer(&g.r[axis][0])
		low, high, words := unsafe.Pointer(&g.low[axis][0]), unsafe.Pointer(&g.high[axis][0]), unsafe.Pointer(&g.words[axis][0])
		var x archsimd.Float32x8
		var word archsimd.Uint32x8
		for b := range g.blocksOfBeads() {
			least, most := x, x
			for e, end := 4*g.at(b*side, 0), 4*g.at(min((b+1)*side, g.beads), 0); e < end; e += row {
				store256(x, r, e)
				least, most = least.Min(x), most.Max(x)
				word = word.ShiftAllRight(8).Or(x.Add(middle).ToBits().ShiftAllLeft(24))
				storeWords256(word, words, e-first) // whole with the last of its beads
				x = x.Add(floats256(u, e))
			}
			store256(least, low, b*row)
			store256(most, high, b*row)
		}
		for i := range inWord - 1 { // those of the last beads have fewer bytes
			word = word.ShiftAllRight(8)
			storeWords256(word, words, 4*g.at(g.beads+i, 0)-first)
		}
	}
	archsimd.ClearAVXUpperBits()
}

func storeWords256(x archsimd.Uint32x8, p unsafe.Pointer, at int) {
	x.StoreArray((*[8]uint32)(unsafe.Add(p, at)))
}

// near256 is refNear, which finds pairs besides that do not touch.
func near256(g *group, least int, rods bool) {
	x, y, z := g.bytes(0), g.bytes(1), g.bytes(2)
	reach, corner := archsimd.BroadcastInt8x32(within), archsimd.BroadcastInt8x32(within3-within)
	stride, atOnce := g.stride(4 * lanes256)
	for from := 0; from < g.beads; from += tile {
		for k := least; k <= local; k++ {
			closest := archsimd.BroadcastInt8x32(math.MaxInt8)
			for i, end := from, min(from+tile, g.beads-k); i < end; i += atOnce {
				e, on := i*stride, (i+k)*stride
				dx := bytes256(x, on).Sub(bytes256(x, e)).Abs()
				dy := bytes256(y, on).Sub(bytes256(y, e)).Abs()
				dz := bytes256(z, on).Sub(bytes256(z, e)).Abs()
				apart := dx.Max(dy).Max(dz)
				if near := below256(apart.Max(beyond256(dx, dy, dz, corner)), reach); near != 0 {
					g.nearBeads(near, i, k)
				}
				closest = closest.Min(apart)
			}
			for rods && k < local && below256(closest, archsimd.BroadcastInt8x32(within+fine+1)) == 0 {
				closest = closest.Sub(archsimd.BroadcastInt8x32(fine))
				k++ // which a bond brings nearer by no more than 1
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}

func bytes256(p unsafe.Pointer, at int) archsimd.Int8x32 {
	return archsimd.LoadInt8x32Array((*[32]int8)(unsafe.Add(p, at)))
}

// beyond256 is by how much the sum of three differences is beyond the corner.
func beyond256(dx, dy, dz, corner archsimd.Int8x32) archsimd.Int8x32 {
	return dx.AddSaturated(dy).AddSaturated(dz).SubSaturated(corner)
}

// meetBlocks256 is refMeetBlocks, which finds pairs besides that do not touch.
func meetBlocks256(g *group, i, j, l int) {
	stride, _ := g.stride(4 * lanes256)
	var a, b [3]archsimd.Int8x32
	for axis := range a {
		words := g.bytes(axis)
		a[axis] = eight256(blockBytes(words, i, l, stride))
		b[axis] = eight256(blockBytes(words, j, l, stride))
	}
	near := uint64(0)
	reach, corner := archsimd.BroadcastInt8x32(within), archsimd.BroadcastInt8x32(within3-within)
	for from := 0; from < side*side; from += 4 * lanes256 {
		at := bytes256(unsafe.Pointer(&firsts), from)
		dx := b[0].Sub(pick256(a[0], at)).Abs()
		dy := b[1].Sub(pick256(a[1], at)).Abs()
		dz := b[2].Sub(pick256(a[2], at)).Abs()
		near |= below256(dx.Max(dy).Max(dz).Max(beyond256(dx, dy, dz, corner)), reach) << from
	}
	if near != 0 {
		g.nearBlocks(near, i, j, l)
	}
}

// eight256 returns eight bytes again and again.
func eight256(x uint64) archsimd.Int8x32 {
	return archsimd.BroadcastUint64x4(x).ReshapeToUint8s().BitsToInt8()
}

// meet256 is refMeet, with pairs as meetBlocks256 finds them. Past the last block boxes
// are near to nothing.
func meet256(g *group, rods bool) {
	w, blocks := g.width, g.blocksOfBeads()
	lowX, lowY, lowZ := unsafe.Pointer(&g.low[0][0]), unsafe.Pointer(&g.low[1][0]), unsafe.Pointer(&g.low[2][0])
	highX, highY, highZ := unsafe.Pointer(&g.high[0][0]), unsafe.Pointer(&g.high[1][0]), unsafe.Pointer(&g.high[2][0])
	one, none := archsimd.BroadcastFloat32x8(1), archsimd.BroadcastFloat32x8(0)
	length, next := archsimd.BroadcastFloat32x8(side+slack), archsimd.BroadcastFloat32x8(1+side+slack)
	for i := range blocks {
		lx, ly, lz := floats256(lowX, 4*i*w), floats256(lowY, 4*i*w), floats256(lowZ, 4*i*w)
		hx, hy, hz := floats256(highX, 4*i*w), floats256(highY, 4*i*w), floats256(highZ, 4*i*w)
		if w == 1 {
			lx, ly, lz = archsimd.BroadcastFloat32x8(g.low[0][i]), archsimd.BroadcastFloat32x8(g.low[1][i]), archsimd.BroadcastFloat32x8(g.low[2][i])
			hx, hy, hz = archsimd.BroadcastFloat32x8(g.high[0][i]), archsimd.BroadcastFloat32x8(g.high[1][i]), archsimd.BroadcastFloat32x8(g.high[2][i])
		}
		for e := (i + 2) * w; e < blocks*w; e += lanes256 {
			gapX := floats256(lowX, 4*e).Sub(hx).Max(lx.Sub(floats256(highX, 4*e)))
			gapY := floats256(lowY, 4*e).Sub(hy).Max(ly.Sub(floats256(highY, 4*e)))
			gapZ := floats256(lowZ, 4*e).Sub(hz).Max(lz.Sub(floats256(highZ, 4*e)))
			if gap := gapX.Max(gapY).Max(gapZ); less256(gap, one) == 0 {
				for rods && w > 1 && e < blocks*w && less256(gap, next) == 0 {
					gap = gap.Sub(length)
					e += w // a block of rods is no longer
				}
				continue
			}
			gapX, gapY, gapZ = gapX.Max(none), gapY.Max(none), gapZ.Max(none)
			for near := less256(gapX.Mul(gapX).Add(gapY.Mul(gapY)).Add(gapZ.Mul(gapZ)), one); near != 0; near &= near - 1 {
				at := e + bits.TrailingZeros32(near)
				meetBlocks256(g, i, at/w, at%w)
			}
		}
	}
	archsimd.ClearAVXUpperBits()
}
