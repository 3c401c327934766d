//go:build goexperiment.simd && amd64

package polymer

import "simd/archsimd"

// less512 and less256 return a bit for each number below another.
func less512(x, y archsimd.Float32x16) uint32 { return uint32(x.Less(y).ToBits()) }
func less256(x, y archsimd.Float32x8) uint32  { return uint32(x.Less(y).ToBits()) }

func placeOne(g *group) { refPlace(g) }
func solveOne(g *group) { refSolve(g) }
