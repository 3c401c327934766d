//go:build goexperiment.simd && amd64

package polymer

import "simd/archsimd"

//go:generate sh -c "sed 's/512/256/g; s/32x16/32x8/g; s/8x64/8x32/g; s/64x8/64x4/g; s/\\[16\\]/[8]/g; s/\\[64\\]/[32]/g; /The other widths/,/one chain/d' lanes512.go | gofmt > lanes256.go"
//go:generate sh -c "sed 's/512/128/g; s/32x16/32x4/g; s/8x64/8x16/g; s/64x8/64x2/g; s/\\[16\\]/[4]/g; s/\\[64\\]/[16]/g; s/ amd64/ (arm64 || wasm)/; /ClearAVX/d; /The other widths/,/one chain/d' lanes512.go | gofmt > lanes128.go"

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
