//go:build goexperiment.simd && (arm64 || wasm)

package particle

import "macroscope/sim/simd"

func implementations() []impl {
	return []impl{plain, tiled(simd.Narrow(), 4, tile128, 4, table128)}
}
