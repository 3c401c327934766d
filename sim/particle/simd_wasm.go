//go:build goexperiment.simd && wasm

package particle

import "simd/archsimd"

func implementations() []impl {
	return []impl{plain, tiled("simd128", 4, tile128, 4, table128)}
}

// mulAdd is x·y + z. WebAssembly has no fused form.
func mulAdd(x, y, z archsimd.Float32x4) archsimd.Float32x4 { return x.Mul(y).Add(z) }
