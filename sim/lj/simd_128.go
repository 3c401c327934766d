//go:build goexperiment.simd && (arm64 || wasm)

package lj

import "macroscope/sim/simd"

func implementations() []impl {
	return []impl{plain, {simd.Narrow(), 4, forces128, drift128, kick128, scale128}}
}
