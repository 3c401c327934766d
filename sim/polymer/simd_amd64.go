//go:build goexperiment.simd && amd64

package polymer

import "simd/archsimd"

// The count of numbers in a vector of 512 bits and in a vector of 256 bits.
const lanes512, lanes256 = 16, 8

func implementations() []impl {
	all := []impl{plain}
	if archsimd.X86.AVX2() {
		all = append(all, impl256("avx2"))
	}
	if archsimd.X86.AVX512() {
		all = append(all, impl512("avx512"))
	}
	return all
}
