//go:build goexperiment.simd && (arm64 || wasm)

package polymer

import (
	"math/bits"
	"simd/archsimd"
)

const lanes128 = 4

func vectors128(name string) impl {
	return impl{name, lanes128, noise128, angles128, metric128, bend128, turn128, drive128, residual128, solve128, place128, near128, meet128}
}

// less128 returns a bit for each number below another. A mask's bits are not to be
// had at once here, but mostly there are none.
func less128(x, y archsimd.Float32x4) (near uint32) {
	below := archsimd.BroadcastUint32x4(1).Masked(x.Less(y))
	if pair := below.ReshapeToUint64s(); pair.GetElem(0)|pair.GetElem(1) == 0 {
		return 0
	}
	return below.GetElem(0) | below.GetElem(1)<<1 | below.GetElem(2)<<2 | below.GetElem(3)<<3
}

// meetBlocks128 is refMeetBlocks.
func meetBlocks128(g *group, i, j, l int) {
	w := g.width
	first, last := g.at(j*side, l), g.at(g.beads-1, l)
	var block [3][2][lanes128]float32
	for axis := range 3 {
		r := g.r[axis]
		for b := range side {
			block[axis][b/lanes128][b%lanes128] = r[min(first+b*w, last)]
		}
	}
	look := uint32(1)<<min(side, g.beads-j*side) - 1
	x0, y0, z0 := archsimd.LoadFloat32x4Array(&block[0][0]), archsimd.LoadFloat32x4Array(&block[1][0]), archsimd.LoadFloat32x4Array(&block[2][0])
	x1, y1, z1 := archsimd.LoadFloat32x4Array(&block[0][1]), archsimd.LoadFloat32x4Array(&block[1][1]), archsimd.LoadFloat32x4Array(&block[2][1])
	one := archsimd.BroadcastFloat32x4(1)
	for a, end := g.at(i*side, l), g.at((i+1)*side, 0); a < end; a += w {
		x, y, z := archsimd.BroadcastFloat32x4(g.r[0][a]), archsimd.BroadcastFloat32x4(g.r[1][a]), archsimd.BroadcastFloat32x4(g.r[2][a])
		dx, dy, dz := x0.Sub(x), y0.Sub(y), z0.Sub(z)
		near := less128(dx.Mul(dx).Add(dy.Mul(dy)).Add(dz.Mul(dz)), one)
		dx, dy, dz = x1.Sub(x), y1.Sub(y), z1.Sub(z)
		near |= less128(dx.Mul(dx).Add(dy.Mul(dy)).Add(dz.Mul(dz)), one) << lanes128
		for near &= look; near != 0; near &= near - 1 {
			g.touching = append(g.touching, pair{int32(a), int32(first + bits.TrailingZeros32(near)*w)})
		}
		if j == i+2 { // where refNear saw one bead more of each row
			look &= look - 1
		}
	}
}
