//go:build goexperiment.simd && amd64

package kernel

import "simd/archsimd"

func implementations() []impl {
	all := []impl{plain}
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		all = append(all, impl256("avx2"))
	}
	if archsimd.X86.AVX512() {
		all = append(all, impl512("avx512"))
	}
	return all
}
