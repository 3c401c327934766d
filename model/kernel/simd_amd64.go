//go:build goexperiment.simd && amd64

package kernel

func implementations() []impl { return []impl{plain} }
