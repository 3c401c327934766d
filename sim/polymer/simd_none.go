//go:build !goexperiment.simd || !(amd64 || arm64 || wasm)

package polymer

func implementations() []impl { return []impl{plain} }
