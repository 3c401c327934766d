//go:build goexperiment.simd && arm64

package particle

import "simd/archsimd"

func implementations() []impl {
	return []impl{plain, tiled("neon", 4, tile128, 4, table128)}
}

// mulAdd is x·y + z, rounded once.
func mulAdd(x, y, z archsimd.Float32x4) archsimd.Float32x4 { return x.MulAdd(y, z) }
