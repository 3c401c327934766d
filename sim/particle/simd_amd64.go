//go:build goexperiment.simd && amd64

package particle

import "simd/archsimd"

func implementations() []impl {
	all := []impl{plain}
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		all = append(all, tiled("avx2", 8, tile256, 8, tableAVX2))
	}
	if archsimd.X86.AVX512() {
		all = append(all, tiled("avx512", 16, tile512, 8, tableAVX2))
	}
	return all
}
