//go:build goexperiment.simd && amd64

package polymer

import (
	"math/bits"
	"simd/archsimd"
)

// less512 and less256 return a bit for each number below another.
func less512(x, y archsimd.Float32x16) uint32 { return uint32(x.Less(y).ToBits()) }
func less256(x, y archsimd.Float32x8) uint32  { return uint32(x.Less(y).ToBits()) }

// meetBlocks512 is meetBlocks256: a block fills one of its vectors.
func meetBlocks512(g *group, i, j, l int) { meetBlocks256(g, i, j, l) }

// meetBlocks256 is refMeetBlocks.
func meetBlocks256(g *group, i, j, l int) {
	w := g.width
	first, last := g.at(j*side, l), g.at(g.beads-1, l)
	var block [3][side]float32
	for axis := range 3 {
		r := g.r[axis]
		for b := range side {
			block[axis][b] = r[min(first+b*w, last)]
		}
	}
	look := uint32(1)<<min(side, g.beads-j*side) - 1
	x, y, z := archsimd.LoadFloat32x8Array(&block[0]), archsimd.LoadFloat32x8Array(&block[1]), archsimd.LoadFloat32x8Array(&block[2])
	one := archsimd.BroadcastFloat32x8(1)
	for a, end := g.at(i*side, l), g.at((i+1)*side, 0); a < end; a += w {
		dx := x.Sub(archsimd.BroadcastFloat32x8(g.r[0][a]))
		dy := y.Sub(archsimd.BroadcastFloat32x8(g.r[1][a]))
		dz := z.Sub(archsimd.BroadcastFloat32x8(g.r[2][a]))
		for near := look & less256(dx.Mul(dx).Add(dy.Mul(dy)).Add(dz.Mul(dz)), one); near != 0; near &= near - 1 {
			g.touching = append(g.touching, pair{int32(a), int32(first + bits.TrailingZeros32(near)*w)})
		}
		if j == i+2 { // where refNear saw one bead more of each row
			look &= look - 1
		}
	}
}

func placeOne(g *group) { refPlace(g) }
func solveOne(g *group) { refSolve(g) }
