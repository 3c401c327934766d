//go:build !goexperiment.simd || !(amd64 || arm64 || wasm)

package particle

func implementations() []impl { return []impl{plain} }
