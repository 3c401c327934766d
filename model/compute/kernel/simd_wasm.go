//go:build goexperiment.simd && wasm

package kernel

func implementations() []impl { return []impl{plain, simd128("simd128")} }
