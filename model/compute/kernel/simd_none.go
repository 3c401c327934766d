//go:build !goexperiment.simd || !(amd64 || arm64 || wasm)

package kernel

func implementations() []impl { return []impl{plain} }
