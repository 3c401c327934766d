//go:build goexperiment.simd && amd64

package polymer

import "simd/archsimd"

// less512 and less256 return a mask with bit i set where x[i] < y[i].
func less512(x, y archsimd.Float32x16) uint32 { return uint32(x.Less(y).ToBits()) }
func less256(x, y archsimd.Float32x8) uint32  { return uint32(x.Less(y).ToBits()) }

// below512 and below256 return a mask with bit i set where byte x[i] < y[i].
func below512(x, y archsimd.Int8x64) uint64 { return x.Less(y).ToBits() }
func below256(x, y archsimd.Int8x32) uint64 { return uint64(x.Less(y).ToBits()) }

// pick512 and pick256 return the bytes at the given places of a table of eight bytes.
func pick512(x, at archsimd.Int8x64) archsimd.Int8x64 { return x.PermuteOrZeroGrouped(at) }
func pick256(x, at archsimd.Int8x32) archsimd.Int8x32 { return x.PermuteOrZeroGrouped(at) }

func solveOne(g *group) { refSolve(g) }
