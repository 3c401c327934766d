//go:build goexperiment.simd && amd64

package kernel

import "simd/archsimd"

//go:generate sh -c "for f in attend gemm math reduce; do sed 's/512/256/g; s/32x16/32x8/g' $DOLLAR{f}512.go > $DOLLAR{f}256.go; done"

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
