//go:build goexperiment.simd && (arm64 || wasm)

package polymer

import (
	"simd/archsimd"
	"unsafe"

	"macroscope/sim/simd"
)

const lanes128 = 4 // numbers in a vector

func implementations() []impl { return []impl{plain, impl128(simd.Narrow())} }

// less128 returns a mask with bit i set where x[i] < y[i]. At this width no instruction collects
// the bits of a comparison. In most comparisons no bit is set, so less128 first checks for this
// case.
func less128(x, y archsimd.Float32x4) (near uint32) {
	below := archsimd.BroadcastUint32x4(1).Masked(x.Less(y))
	if pair := below.ReshapeToUint64s(); pair.GetElem(0)|pair.GetElem(1) == 0 {
		return 0
	}
	return below.GetElem(0) | below.GetElem(1)<<1 | below.GetElem(2)<<2 | below.GetElem(3)<<3
}

// below128 returns a mask with bit i set where byte x[i] < y[i].
func below128(x, y archsimd.Int8x16) (near uint64) {
	below := archsimd.BroadcastInt8x16(1).Masked(x.Less(y)).ToBits().ReshapeToUint64s()
	low, high := below.GetElem(0), below.GetElem(1)
	if low|high == 0 {
		return 0
	}
	const gather = 0x0102040810204080 // the highest byte of low*gather contains the lowest bits of the eight bytes of low
	return low*gather>>56 | high*gather>>56<<8
}

// pick128 returns the bytes of a table at the given places.
func pick128(x, at archsimd.Int8x16) archsimd.Int8x16 { return x.LookupOrZero(at) }

// solveOne is refSolve for one chain. It avoids bounds checks, which take half of the time of
// refSolve in WebAssembly.
func solveOne(g *group) {
	if g.width > 1 {
		refSolve(g)
		return
	}
	type number = float32
	at := func(p unsafe.Pointer, e int) *number { return (*number)(unsafe.Add(p, 4*e)) }
	lo, diag, up := unsafe.Pointer(&g.lo[0]), unsafe.Pointer(&g.diag[0]), unsafe.Pointer(&g.up[0])
	right, lambda := unsafe.Pointer(&g.right[0]), unsafe.Pointer(&g.lambda[0])
	i, j, m := g.at(0, 0), g.at(g.bonds-1, 0), g.at(g.bonds/2, 0)
	var upI, rightI, upJ, rightJ float32
	if g.bonds%2 == 0 {
		upI, rightI = eliminate(*at(lo, i), *at(diag, i), *at(up, i), *at(right, i), 0, 0)
		*at(up, i), *at(right, i) = upI, rightI
		i++
	}
	for ; i < m; i, j = i+1, j-1 {
		upI, rightI = eliminate(*at(lo, i), *at(diag, i), *at(up, i), *at(right, i), upI, rightI)
		upJ, rightJ = eliminate(*at(up, j), *at(diag, j), *at(lo, j), *at(right, j), upJ, rightJ)
		*at(up, i), *at(right, i) = upI, rightI
		*at(up, j), *at(right, j) = upJ, rightJ
	}
	pivot := *at(diag, m) - float32(*at(lo, m)*upI) - float32(*at(up, m)*upJ)
	rest := *at(right, m) + float32(*at(lo, m)*rightI) + float32(*at(up, m)*rightJ)
	di := float32(rest * (1 / pivot)) // no mask: a single chain is live until it is solved
	dj := di
	*at(lambda, m) += di
	last := g.at(g.bonds-1, 0)
	for i, j = m-1, m+1; j <= last; i, j = i-1, j+1 {
		di = *at(right, i) + float32(*at(up, i)*di)
		dj = *at(right, j) + float32(*at(up, j)*dj)
		*at(lambda, i) += di
		*at(lambda, j) += dj
	}
	if g.bonds%2 == 0 {
		*at(lambda, i) += *at(right, i) + float32(*at(up, i)*di)
	}
}
