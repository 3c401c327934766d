//go:build goexperiment.simd && (wasm || arm64)

package kernel

// simd128 is the implementation on registers of four floats.
func simd128(name string) impl {
	v := plain
	v.name = name
	v.gemmNN, v.gemmNT, v.gemmTN, v.affine = gemmNN128, gemmNT128, gemmTN128, affine128
	return v
}
