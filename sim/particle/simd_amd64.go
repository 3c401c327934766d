//go:build goexperiment.simd && amd64

package particle

import "simd/archsimd"

func implementations() []impl {
	all := []impl{plain}
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		all = append(all, impl{"avx2", func(p *pass) float64 { return p.tiled(8, tileAVX2) }})
	}
	if archsimd.X86.AVX512() {
		all = append(all, impl{"avx512", func(p *pass) float64 { return p.tiled(16, tileAVX512) }})
	}
	return all
}
