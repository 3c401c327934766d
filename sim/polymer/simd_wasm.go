//go:build goexperiment.simd && wasm

package polymer

func implementations() []impl { return []impl{plain, vectors128("simd128")} }
