//go:build goexperiment.simd && arm64

package lj

import "simd/archsimd"

func implementations() []impl {
	return []impl{plain, {"neon", 4, forces128, drift128, kick128, scale128}}
}

// mulAdd is x·y + z, rounded once.
func mulAdd(x, y, z archsimd.Float32x4) archsimd.Float32x4 { return x.MulAdd(y, z) }
