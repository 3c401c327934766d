//go:build !goexperiment.simd || !(amd64 || arm64 || wasm)

package lj

func implementations() []impl { return []impl{plain} }
