//go:build goexperiment.simd && arm64

package kernel

func implementations() []impl { return []impl{plain, simd128("neon")} }
