//go:build goexperiment.simd && arm64

package polymer

func implementations() []impl { return []impl{plain, vectors128("neon")} }
