//go:build goexperiment.simd && (arm64 || wasm)

package polymer

import (
	"math"
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

func floats128(p unsafe.Pointer, at int) archsimd.Float32x4 {
	return archsimd.LoadFloat32x4Array((*[4]float32)(unsafe.Add(p, at)))
}

func store128(x archsimd.Float32x4, p unsafe.Pointer, at int) {
	x.StoreArray((*[4]float32)(unsafe.Add(p, at)))
}

// mix128 is the step of Threefry for two words.
func mix128(a, b archsimd.Uint32x4, by uint64) (x, y archsimd.Uint32x4) {
	a = a.Add(b)
	return a, b.ShiftAllLeft(by).Or(b.ShiftAllRight(32 - by)).Xor(a)
}

// spread128 makes a displacement of the 10 bits of a word that stand where those of
// a mantissa do.
func spread128(word archsimd.Uint32x4, scale archsimd.Float32x4) archsimd.Float32x4 {
	const middle = 1.5 - 0.5/levels
	one, mask := archsimd.BroadcastUint32x4(oneBit), archsimd.BroadcastUint32x4(field)
	return word.And(mask).Or(one).BitsToFloat32().Sub(archsimd.BroadcastFloat32x4(middle)).Mul(scale)
}

// noise128 is refNoise.
func noise128(g *group, scale float32, node uint32) {
	w, blocks := g.width, g.blocks()
	k0 := archsimd.LoadUint32x4Array((*[4]uint32)(g.key[0][:]))
	k1 := archsimd.LoadUint32x4Array((*[4]uint32)(g.key[1][:]))
	k2 := archsimd.LoadUint32x4Array((*[4]uint32)(g.key[2][:]))
	k3 := archsimd.LoadUint32x4Array((*[4]uint32)(g.key[3][:]))
	k4 := archsimd.LoadUint32x4Array((*[4]uint32)(g.key[4][:]))
	one, two, three := archsimd.BroadcastUint32x4(1), archsimd.BroadcastUint32x4(2), archsimd.BroadcastUint32x4(3)
	c1 := archsimd.BroadcastUint32x4(node).Add(k1)
	c2 := archsimd.LoadUint32x4Array((*[4]uint32)(g.step[0][:])).Add(k2)
	c3 := archsimd.LoadUint32x4Array((*[4]uint32)(g.step[1][:])).Add(k3)
	size := archsimd.BroadcastFloat32x4(scale)
	sx, sy, sz := unsafe.Pointer(&g.s[0][halo*w]), unsafe.Pointer(&g.s[1][halo*w]), unsafe.Pointer(&g.s[2][halo*w])
	e := 0
	for ; e+lanes128 <= len(g.block); e += lanes128 {
		x0 := archsimd.LoadUint32x4Array((*[4]uint32)(g.block[e : e+lanes128])).Add(k0)
		x1, x2, x3 := c1, c2, c3
		x0, x1 = mix128(x0, x1, 10)
		x2, x3 = mix128(x2, x3, 26)
		x0, x3 = mix128(x0, x3, 11)
		x2, x1 = mix128(x2, x1, 21)
		x0, x1 = mix128(x0, x1, 13)
		x2, x3 = mix128(x2, x3, 27)
		x0, x3 = mix128(x0, x3, 23)
		x2, x1 = mix128(x2, x1, 5)
		x0, x1, x2, x3 = x0.Add(k1), x1.Add(k2), x2.Add(k3), x3.Add(k4).Add(one)
		x0, x1 = mix128(x0, x1, 6)
		x2, x3 = mix128(x2, x3, 20)
		x0, x3 = mix128(x0, x3, 17)
		x2, x1 = mix128(x2, x1, 11)
		x0, x1 = mix128(x0, x1, 25)
		x2, x3 = mix128(x2, x3, 10)
		x0, x3 = mix128(x0, x3, 18)
		x2, x1 = mix128(x2, x1, 20)
		x0, x1, x2, x3 = x0.Add(k2), x1.Add(k3), x2.Add(k4), x3.Add(k0).Add(two)
		x0, x1 = mix128(x0, x1, 10)
		x2, x3 = mix128(x2, x3, 26)
		x0, x3 = mix128(x0, x3, 11)
		x2, x1 = mix128(x2, x1, 21)
		x0, x1 = mix128(x0, x1, 13)
		x2, x3 = mix128(x2, x3, 27)
		x0, x3 = mix128(x0, x3, 23)
		x2, x1 = mix128(x2, x1, 5)
		x0, x1, x2, x3 = x0.Add(k3), x1.Add(k4), x2.Add(k0), x3.Add(k1).Add(three)
		x0, x1 = mix128(x0, x1, 6)
		x2, x3 = mix128(x2, x3, 20)

		// Of a single chain the last quarter may run over, into the halo.
		bead, at := e/w, 4*e
		store128(spread128(x0.ShiftAllLeft(13), size), sx, at)
		store128(spread128(x0.ShiftAllLeft(3), size), sy, at)
		store128(spread128(x0.ShiftAllRight(7), size), sz, at)
		bead, at = bead+blocks, at+4*blocks*w
		if bead < g.beads {
			store128(spread128(x1.ShiftAllLeft(13), size), sx, at)
			store128(spread128(x1.ShiftAllLeft(3), size), sy, at)
			store128(spread128(x1.ShiftAllRight(7), size), sz, at)
		}
		bead, at = bead+blocks, at+4*blocks*w
		if bead < g.beads {
			store128(spread128(x2.ShiftAllLeft(13), size), sx, at)
			store128(spread128(x2.ShiftAllLeft(3), size), sy, at)
			store128(spread128(x2.ShiftAllRight(7), size), sz, at)
		}
		bead, at = bead+blocks, at+4*blocks*w
		if bead < g.beads {
			store128(spread128(x3.ShiftAllLeft(13), size), sx, at)
			store128(spread128(x3.ShiftAllLeft(3), size), sy, at)
			store128(spread128(x3.ShiftAllRight(7), size), sz, at)
		}
	}
	refNoise(g, scale, node, e)
}

// angles128 is refAngles.
func angles128(g *group) {
	row, first := 4*g.width, 4*g.at(0, 0)
	x, y, z, c := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0]), unsafe.Pointer(&g.c[0])
	e, end := first, 4*g.at(g.bonds-1, 0)
	for ; e+4*lanes128 <= end; e += 4 * lanes128 {
		xx := floats128(x, e).Mul(floats128(x, e+row))
		yy := floats128(y, e).Mul(floats128(y, e+row))
		zz := floats128(z, e).Mul(floats128(z, e+row))
		store128(xx.Add(yy).Add(zz), c, e)
	}
	refAngles(g, (e-first)/4)
}

// metric128 is refMetric.
func metric128(g *group) {
	if g.width < lanes128 {
		refMetric(g)
		return
	}
	two, one := archsimd.BroadcastFloat32x4(2), archsimd.BroadcastFloat32x4(1)
	c, fwd, bwd := unsafe.Pointer(&g.c[0]), unsafe.Pointer(&g.fwd[0]), unsafe.Pointer(&g.bwd[0])
	row := 4 * g.width
	for l := 0; l < g.width; l += lanes128 {
		i, j := 4*g.at(0, l), 4*g.at(g.bonds-1, l)
		f := archsimd.BroadcastFloat32x4(0.5)
		b := f
		store128(f, fwd, i)
		store128(b, bwd, j)
		for last := j; i < last; {
			ci, cj := floats128(c, i), floats128(c, j-row)
			i, j = i+row, j-row
			f = one.Div(two.Sub(ci.Mul(ci).Mul(f)))
			b = one.Div(two.Sub(cj.Mul(cj).Mul(b)))
			store128(f, fwd, i)
			store128(b, bwd, j)
		}
	}
}

// bend128 is refBend.
func bend128(g *group, metric, repulsion float32) {
	row, first := 4*g.width, 4*g.at(0, 0)
	c, fwd, bwd, bend := unsafe.Pointer(&g.c[0]), unsafe.Pointer(&g.fwd[0]), unsafe.Pointer(&g.bwd[0]), unsafe.Pointer(&g.bend[0])
	one, two, least := archsimd.BroadcastFloat32x4(1), archsimd.BroadcastFloat32x4(2), archsimd.BroadcastFloat32x4(nearest)
	m, k := archsimd.BroadcastFloat32x4(metric), archsimd.BroadcastFloat32x4(repulsion)
	e, end := first, 4*g.at(g.bonds-1, 0)
	for ; e+4*lanes128 <= end; e += 4 * lanes128 {
		cos := floats128(c, e)
		fb := cos.Mul(floats128(fwd, e).Mul(floats128(bwd, e+row)))
		force := m.Mul(fb.Div(one.Sub(cos.Mul(fb))))
		square := two.Add(two.Mul(cos))
		if less128(square, one) != 0 {
			push := k.Mul(one.Div(square.Max(least).Sqrt()).Sub(one))
			force = force.Add(push.Masked(square.Less(one)))
		}
		store128(force, bend, e)
	}
	refBend(g, metric, repulsion, (e-first)/4)
}

// move128 is refMove.
func move128(g *group, flow *[3]float32, bent bool) {
	if g.width == lanes128 && bent {
		sweepMove128(g, flow)
		return
	}
	row, first, size := 4*g.width, 4*g.at(0, 0), 4*lanes128
	bend := unsafe.Pointer(&g.bend[0])
	for axis, rate := range flow {
		u, s, v := unsafe.Pointer(&g.u[axis][0]), unsafe.Pointer(&g.s[axis][0]), unsafe.Pointer(&g.v[axis][0])
		if bent {
			e := first
			for end := 4 * g.at(g.beads, 0); e+size <= end; e += size {
				near := floats128(bend, e-row).Mul(floats128(u, e).Sub(floats128(u, e-row)))
				wide := floats128(bend, e-2*row).Mul(floats128(u, e-2*row)).Sub(floats128(bend, e).Mul(floats128(u, e+row)))
				store128(floats128(s, e).Add(near.Add(wide)), s, e)
			}
			refTurn(g, axis, (e-first)/4)
		}
		a := archsimd.BroadcastFloat32x4(rate)
		e := first
		for end := 4 * g.at(g.bonds, 0); e+size <= end; e += size {
			bond := floats128(u, e)
			store128(bond.Add(a.Mul(bond).Add(floats128(s, e+row).Sub(floats128(s, e)))), v, e)
		}
		refDrive(g, axis, rate, (e-first)/4)
	}
}

// sweepMove128 is refMove, of chains side by side that are bent, from bead to bead.
// It leaves s as it is.
func sweepMove128(g *group, flow *[3]float32) {
	row := 4 * g.width
	bend := unsafe.Pointer(&g.bend[0])
	for axis, rate := range flow {
		u, s, v := unsafe.Pointer(&g.u[axis][0]), unsafe.Pointer(&g.s[axis][0]), unsafe.Pointer(&g.v[axis][0])
		a := archsimd.BroadcastFloat32x4(rate)
		e, end := 4*g.at(0, 0), 4*g.at(g.beads, 0)
		var before, behind, moved, far, near archsimd.Float32x4 // u_{j-2}, u_{j-1}, displacement of j-1, bend_{j-2}, bend_{j-1}
		here := floats128(u, e)
		for ; e < end; e += row {
			after, next := floats128(u, e+row), floats128(bend, e)
			d := floats128(s, e).Add(near.Mul(here.Sub(behind)).Add(far.Mul(before).Sub(next.Mul(after))))
			// For the first bead this is a row of the halo, of zeros if not for d.
			store128(behind.Add(a.Mul(behind).Add(d.Sub(moved))), v, e-row)
			before, behind, here, moved, far, near = behind, here, after, d, near, next
		}
		store128(archsimd.Float32x4{}, v, 4*g.at(-1, 0))
	}
}

// residual128 is refResidual and, of chains side by side, the elimination of
// refSolve.
func residual128(g *group) {
	if g.width < lanes128 {
		elements128(g, 0, g.bonds)
		refResidual(g, g.bonds*g.width/lanes128*lanes128)
		return
	}
	middle := g.bonds / 2
	sweep128(g, 0, middle, 1)
	sweep128(g, g.bonds-1, middle, -1)
	elements128(g, middle, middle+1)
}

// elements128 is refResidual for bonds from and up to another, of them as many as
// fill vectors.
func elements128(g *group, from, to int) {
	row := 4 * g.width
	x, y, z := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0])
	vx, vy, vz := unsafe.Pointer(&g.v[0][0]), unsafe.Pointer(&g.v[1][0]), unsafe.Pointer(&g.v[2][0])
	lambda := unsafe.Pointer(&g.lambda[0])
	lo, diag, up, right := unsafe.Pointer(&g.lo[0]), unsafe.Pointer(&g.diag[0]), unsafe.Pointer(&g.up[0]), unsafe.Pointer(&g.right[0])
	one, two, half := archsimd.BroadcastFloat32x4(1), archsimd.BroadcastFloat32x4(2), archsimd.BroadcastFloat32x4(0.5)
	sign := archsimd.BroadcastUint32x4(1 << 31)
	worst := archsimd.LoadUint32x4Array((*[4]uint32)(g.worst[:]))
	for e, end := 4*g.at(from, 0), 4*g.at(to, 0); e+4*lanes128 <= end; e += 4 * lanes128 {
		before, here, after := floats128(lambda, e-row), two.Mul(floats128(lambda, e)), floats128(lambda, e+row)
		px, ux, nx := floats128(x, e-row), floats128(x, e), floats128(x, e+row)
		ax := floats128(vx, e).Add(before.Mul(px).Add(after.Mul(nx)).Sub(here.Mul(ux)))
		py, uy, ny := floats128(y, e-row), floats128(y, e), floats128(y, e+row)
		ay := floats128(vy, e).Add(before.Mul(py).Add(after.Mul(ny)).Sub(here.Mul(uy)))
		pz, uz, nz := floats128(z, e-row), floats128(z, e), floats128(z, e+row)
		az := floats128(vz, e).Add(before.Mul(pz).Add(after.Mul(nz)).Sub(here.Mul(uz)))
		r := half.Mul(ax.Mul(ax).Add(ay.Mul(ay)).Add(az.Mul(az)).Sub(one))
		d := two.Mul(ax.Mul(ux).Add(ay.Mul(uy)).Add(az.Mul(uz)))
		store128(r, right, e)
		store128(d, diag, e)
		store128(ax.Mul(px).Add(ay.Mul(py)).Add(az.Mul(pz)), lo, e)
		store128(ax.Mul(nx).Add(ay.Mul(ny)).Add(az.Mul(nz)), up, e)
		worst = worst.Max(r.ToBits().AndNot(sign).Or(d.ToBits().And(sign)))
	}
	worst.StoreArray((*[4]uint32)(g.worst[:]))
}

// sweep128 is refResidual and the elimination for bonds from one end towards the
// middle, which it leaves out.
func sweep128(g *group, from, middle, direction int) {
	ahead := 4 * g.width * direction
	x, y, z := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0])
	vx, vy, vz := unsafe.Pointer(&g.v[0][0]), unsafe.Pointer(&g.v[1][0]), unsafe.Pointer(&g.v[2][0])
	lambda, toUp, toRight := unsafe.Pointer(&g.lambda[0]), unsafe.Pointer(&g.up[0]), unsafe.Pointer(&g.right[0])
	one, two, half := archsimd.BroadcastFloat32x4(1), archsimd.BroadcastFloat32x4(2), archsimd.BroadcastFloat32x4(0.5)
	sign := archsimd.BroadcastUint32x4(1 << 31)
	worst := archsimd.LoadUint32x4Array((*[4]uint32)(g.worst[:]))
	e, end := 4*g.at(from, 0), 4*g.at(middle, 0)
	var up, right, before, px, py, pz archsimd.Float32x4
	here, ux, uy, uz := floats128(lambda, e), floats128(x, e), floats128(y, e), floats128(z, e)
	for ; e != end; e += ahead {
		after, nx, ny, nz := floats128(lambda, e+ahead), floats128(x, e+ahead), floats128(y, e+ahead), floats128(z, e+ahead)
		twice := two.Mul(here)
		ax := floats128(vx, e).Add(before.Mul(px).Add(after.Mul(nx)).Sub(twice.Mul(ux)))
		ay := floats128(vy, e).Add(before.Mul(py).Add(after.Mul(ny)).Sub(twice.Mul(uy)))
		az := floats128(vz, e).Add(before.Mul(pz).Add(after.Mul(nz)).Sub(twice.Mul(uz)))
		r := half.Mul(ax.Mul(ax).Add(ay.Mul(ay)).Add(az.Mul(az)).Sub(one))
		d := two.Mul(ax.Mul(ux).Add(ay.Mul(uy)).Add(az.Mul(uz)))
		worst = worst.Max(r.ToBits().AndNot(sign).Or(d.ToBits().And(sign)))

		back := ax.Mul(px).Add(ay.Mul(py)).Add(az.Mul(pz))
		on := ax.Mul(nx).Add(ay.Mul(ny)).Add(az.Mul(nz))
		inverse := one.Div(d.Sub(back.Mul(up)))
		right = r.Add(back.Mul(right)).Mul(inverse)
		up = on.Mul(inverse)
		store128(up, toUp, e)
		store128(right, toRight, e)
		before, px, py, pz = here, ux, uy, uz
		here, ux, uy, uz = after, nx, ny, nz
	}
	worst.StoreArray((*[4]uint32)(g.worst[:]))
}

// solve128 is refSolve, of chains side by side what residual128 left of it.
func solve128(g *group) {
	if g.width < lanes128 {
		solveOne(g)
		return
	}
	lambda, lo, diag := unsafe.Pointer(&g.lambda[0]), unsafe.Pointer(&g.lo[0]), unsafe.Pointer(&g.diag[0])
	up, right := unsafe.Pointer(&g.up[0]), unsafe.Pointer(&g.right[0])
	live := archsimd.LoadUint32x4Array((*[4]uint32)(g.live[:]))
	row, first, middle, last := 4*g.width, 4*g.at(0, 0), 4*g.at(g.bonds/2, 0), 4*g.at(g.bonds-1, 0)
	var f, b archsimd.Float32x4
	pivot, rest := floats128(diag, middle), floats128(right, middle)
	if i := middle - row; i >= first {
		pivot = pivot.Sub(floats128(lo, middle).Mul(floats128(up, i)))
		rest = rest.Add(floats128(lo, middle).Mul(floats128(right, i)))
	}
	if j := middle + row; j <= last {
		pivot = pivot.Sub(floats128(up, middle).Mul(floats128(up, j)))
		rest = rest.Add(floats128(up, middle).Mul(floats128(right, j)))
	}
	f = rest.Mul(archsimd.BroadcastFloat32x4(1).Div(pivot))
	store128(floats128(lambda, middle).Add(f.ToBits().And(live).BitsToFloat32()), lambda, middle)
	b = f
	i, j := middle-row, middle+row
	for ; j <= last; i, j = i-row, j+row {
		f = floats128(right, i).Add(floats128(up, i).Mul(f))
		b = floats128(right, j).Add(floats128(up, j).Mul(b))
		store128(floats128(lambda, i).Add(f.ToBits().And(live).BitsToFloat32()), lambda, i)
		store128(floats128(lambda, j).Add(b.ToBits().And(live).BitsToFloat32()), lambda, j)
	}
	if i >= first { // of an even number of bonds one more is left of the middle
		f = floats128(right, i).Add(floats128(up, i).Mul(f))
		store128(floats128(lambda, i).Add(f.ToBits().And(live).BitsToFloat32()), lambda, i)
	}
}

// finish128 is refFinish.
func finish128(g *group) {
	row, first := 4*g.width, 4*g.at(0, 0)
	x, y, z := unsafe.Pointer(&g.u[0][0]), unsafe.Pointer(&g.u[1][0]), unsafe.Pointer(&g.u[2][0])
	vx, vy, vz := unsafe.Pointer(&g.v[0][0]), unsafe.Pointer(&g.v[1][0]), unsafe.Pointer(&g.v[2][0])
	toX, toY, toZ := unsafe.Pointer(&g.next[0][0]), unsafe.Pointer(&g.next[1][0]), unsafe.Pointer(&g.next[2][0])
	lambda := unsafe.Pointer(&g.lambda[0])
	one, two, half := archsimd.BroadcastFloat32x4(1), archsimd.BroadcastFloat32x4(2), archsimd.BroadcastFloat32x4(0.5)
	sign := archsimd.BroadcastUint32x4(1 << 31)
	worst := archsimd.LoadUint32x4Array((*[4]uint32)(g.worst[:]))
	e := first
	for end := 4 * g.at(g.bonds, 0); e+4*lanes128 <= end; e += 4 * lanes128 {
		before, here, after := floats128(lambda, e-row), two.Mul(floats128(lambda, e)), floats128(lambda, e+row)
		px, ux, nx := floats128(x, e-row), floats128(x, e), floats128(x, e+row)
		ax := floats128(vx, e).Add(before.Mul(px).Add(after.Mul(nx)).Sub(here.Mul(ux)))
		store128(ax, toX, e)
		py, uy, ny := floats128(y, e-row), floats128(y, e), floats128(y, e+row)
		ay := floats128(vy, e).Add(before.Mul(py).Add(after.Mul(ny)).Sub(here.Mul(uy)))
		store128(ay, toY, e)
		pz, uz, nz := floats128(z, e-row), floats128(z, e), floats128(z, e+row)
		az := floats128(vz, e).Add(before.Mul(pz).Add(after.Mul(nz)).Sub(here.Mul(uz)))
		store128(az, toZ, e)
		r := half.Mul(ax.Mul(ax).Add(ay.Mul(ay)).Add(az.Mul(az)).Sub(one))
		d := two.Mul(ax.Mul(ux).Add(ay.Mul(uy)).Add(az.Mul(uz)))
		worst = worst.Max(r.ToBits().AndNot(sign).Or(d.ToBits().And(sign)))
	}
	worst.StoreArray((*[4]uint32)(g.worst[:]))
	refFinish(g, (e-first)/4)
}

// place128 is refPlace, and writes words.
func place128(g *group) {
	if g.width < lanes128 {
		placeOne(g)
		return
	}
	row, first := 4*g.width, 4*g.at(0, 0)
	middle := archsimd.BroadcastFloat32x4(shift)
	for axis := range 3 {
		u, r := unsafe.Pointer(&g.u[axis][0]), unsafe.Pointer(&g.r[axis][0])
		low, high, words := unsafe.Pointer(&g.low[axis][0]), unsafe.Pointer(&g.high[axis][0]), unsafe.Pointer(&g.words[axis][0])
		var x archsimd.Float32x4
		var word archsimd.Uint32x4
		for b := range g.blocksOfBeads() {
			least, most := x, x
			for e, end := 4*g.at(b*side, 0), 4*g.at(min((b+1)*side, g.beads), 0); e < end; e += row {
				store128(x, r, e)
				least, most = least.Min(x), most.Max(x)
				word = word.ShiftAllRight(8).Or(x.Add(middle).ToBits().ShiftAllLeft(24))
				storeWords128(word, words, e-first) // whole with the last of its beads
				x = x.Add(floats128(u, e))
			}
			store128(least, low, b*row)
			store128(most, high, b*row)
		}
		for i := range inWord - 1 { // those of the last beads have fewer bytes
			word = word.ShiftAllRight(8)
			storeWords128(word, words, 4*g.at(g.beads+i, 0)-first)
		}
	}
}

func storeWords128(x archsimd.Uint32x4, p unsafe.Pointer, at int) {
	x.StoreArray((*[4]uint32)(unsafe.Add(p, at)))
}

// near128 is refNear, which finds pairs besides that do not touch.
func near128(g *group, least int, rods bool) {
	x, y, z := g.bytes(0), g.bytes(1), g.bytes(2)
	reach, corner := archsimd.BroadcastInt8x16(within), archsimd.BroadcastInt8x16(within3-within)
	stride, atOnce := g.stride(4 * lanes128)
	for from := 0; from < g.beads; from += tile {
		for k := least; k <= local; k++ {
			closest := archsimd.BroadcastInt8x16(math.MaxInt8)
			for i, end := from, min(from+tile, g.beads-k); i < end; i += atOnce {
				e, on := i*stride, (i+k)*stride
				dx := bytes128(x, on).Sub(bytes128(x, e)).Abs()
				dy := bytes128(y, on).Sub(bytes128(y, e)).Abs()
				dz := bytes128(z, on).Sub(bytes128(z, e)).Abs()
				apart := dx.Max(dy).Max(dz)
				if near := below128(apart.Max(beyond128(dx, dy, dz, corner)), reach); near != 0 {
					g.nearBeads(near, i, k)
				}
				closest = closest.Min(apart)
			}
			for rods && k < local && below128(closest, archsimd.BroadcastInt8x16(within+fine+1)) == 0 {
				closest = closest.Sub(archsimd.BroadcastInt8x16(fine))
				k++ // which a bond brings nearer by no more than 1
			}
		}
	}
}

func bytes128(p unsafe.Pointer, at int) archsimd.Int8x16 {
	return archsimd.LoadInt8x16Array((*[16]int8)(unsafe.Add(p, at)))
}

// beyond128 is by how much the sum of three differences is beyond the corner.
func beyond128(dx, dy, dz, corner archsimd.Int8x16) archsimd.Int8x16 {
	return dx.AddSaturated(dy).AddSaturated(dz).SubSaturated(corner)
}

// meetBlocks128 is refMeetBlocks, which finds pairs besides that do not touch.
func meetBlocks128(g *group, i, j, l int) {
	stride, _ := g.stride(4 * lanes128)
	var a, b [3]archsimd.Int8x16
	for axis := range a {
		words := g.bytes(axis)
		a[axis] = eight128(blockBytes(words, i, l, stride))
		b[axis] = eight128(blockBytes(words, j, l, stride))
	}
	near := uint64(0)
	reach, corner := archsimd.BroadcastInt8x16(within), archsimd.BroadcastInt8x16(within3-within)
	for from := 0; from < side*side; from += 4 * lanes128 {
		at := bytes128(unsafe.Pointer(&firsts), from)
		dx := b[0].Sub(pick128(a[0], at)).Abs()
		dy := b[1].Sub(pick128(a[1], at)).Abs()
		dz := b[2].Sub(pick128(a[2], at)).Abs()
		near |= below128(dx.Max(dy).Max(dz).Max(beyond128(dx, dy, dz, corner)), reach) << from
	}
	if near != 0 {
		g.nearBlocks(near, i, j, l)
	}
}

// eight128 returns eight bytes again and again.
func eight128(x uint64) archsimd.Int8x16 {
	return archsimd.BroadcastUint64x2(x).ReshapeToUint8s().BitsToInt8()
}

// meet128 is refMeet, with pairs as meetBlocks128 finds them. Past the last block boxes
// are near to nothing.
func meet128(g *group, rods bool) {
	w, blocks := g.width, g.blocksOfBeads()
	lowX, lowY, lowZ := unsafe.Pointer(&g.low[0][0]), unsafe.Pointer(&g.low[1][0]), unsafe.Pointer(&g.low[2][0])
	highX, highY, highZ := unsafe.Pointer(&g.high[0][0]), unsafe.Pointer(&g.high[1][0]), unsafe.Pointer(&g.high[2][0])
	one, none := archsimd.BroadcastFloat32x4(1), archsimd.BroadcastFloat32x4(0)
	length, next := archsimd.BroadcastFloat32x4(side+slack), archsimd.BroadcastFloat32x4(1+side+slack)
	for i := range blocks {
		lx, ly, lz := floats128(lowX, 4*i*w), floats128(lowY, 4*i*w), floats128(lowZ, 4*i*w)
		hx, hy, hz := floats128(highX, 4*i*w), floats128(highY, 4*i*w), floats128(highZ, 4*i*w)
		if w == 1 {
			lx, ly, lz = archsimd.BroadcastFloat32x4(g.low[0][i]), archsimd.BroadcastFloat32x4(g.low[1][i]), archsimd.BroadcastFloat32x4(g.low[2][i])
			hx, hy, hz = archsimd.BroadcastFloat32x4(g.high[0][i]), archsimd.BroadcastFloat32x4(g.high[1][i]), archsimd.BroadcastFloat32x4(g.high[2][i])
		}
		for e := (i + 2) * w; e < blocks*w; e += lanes128 {
			gapX := floats128(lowX, 4*e).Sub(hx).Max(lx.Sub(floats128(highX, 4*e)))
			gapY := floats128(lowY, 4*e).Sub(hy).Max(ly.Sub(floats128(highY, 4*e)))
			gapZ := floats128(lowZ, 4*e).Sub(hz).Max(lz.Sub(floats128(highZ, 4*e)))
			if gap := gapX.Max(gapY).Max(gapZ); less128(gap, one) == 0 {
				for rods && w > 1 && e < blocks*w && less128(gap, next) == 0 {
					gap = gap.Sub(length)
					e += w // a block of rods is no longer
				}
				continue
			}
			gapX, gapY, gapZ = gapX.Max(none), gapY.Max(none), gapZ.Max(none)
			for near := less128(gapX.Mul(gapX).Add(gapY.Mul(gapY)).Add(gapZ.Mul(gapZ)), one); near != 0; near &= near - 1 {
				at := e + bits.TrailingZeros32(near)
				meetBlocks128(g, i, at/w, at%w)
			}
		}
	}
}
