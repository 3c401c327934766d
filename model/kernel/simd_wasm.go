//go:build goexperiment.simd && wasm

package kernel

func implementations() []impl { return []impl{plain} }
