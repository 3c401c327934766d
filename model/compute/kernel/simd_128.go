//go:build goexperiment.simd && (arm64 || wasm)

package kernel

import "macroscope/sim/simd"

func implementations() []impl { return []impl{plain, impl128(simd.Narrow())} }
