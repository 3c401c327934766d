//go:build goexperiment.simd && amd64

package polymer

import "simd/archsimd"

// Numbers in a vector.
const lanes512, lanes256 = 16, 8

func implementations() []impl {
	all := []impl{plain}
	if archsimd.X86.AVX2() {
		all = append(all, impl{"avx2", lanes256, noise256, angles256, metric256, bend256, move256, residual256, solve256, finish256, place256, near256, meet256})
	}
	if archsimd.X86.AVX512() {
		all = append(all, impl{"avx512", lanes512, noise512, angles512, metric512, bend512, move512, residual512, solve512, finish512, place512, near512, meet512})
	}
	return all
}
