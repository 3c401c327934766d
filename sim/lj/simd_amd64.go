//go:build goexperiment.simd && amd64

package lj

import "simd/archsimd"

func implementations() []impl {
	all := []impl{plain}
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		all = append(all, impl{"avx2", 8, forcesAVX2, drift256, kick256, scale256})
	}
	// The form avx512 computes forces like avx2, with 8 neighbours at a time. With 16 the forces take
	// a tenth longer, because an atom has fewer than 16 neighbours in a strip.
	if archsimd.X86.AVX512() {
		all = append(all, impl{"avx512", 8, forcesAVX2, drift512, kick512, scale512})
	}
	return all
}
