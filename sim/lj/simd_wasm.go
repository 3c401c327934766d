//go:build goexperiment.simd && wasm

package lj

import "simd/archsimd"

func implementations() []impl {
	return []impl{plain, {"simd128", 4, forces128, drift128, kick128, scale128}}
}

// mulAdd is x·y + z. WebAssembly has no fused form.
func mulAdd(x, y, z archsimd.Float32x4) archsimd.Float32x4 { return x.Mul(y).Add(z) }
