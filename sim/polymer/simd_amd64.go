//go:build goexperiment.simd && amd64

package polymer

import "simd/archsimd"

//go:generate sh -c "sed 's/512/256/g; s/32x16/32x8/g; s/\\[16\\]/[8]/g; /The other widths/,/one chain/d' lanes512.go | gofmt > lanes256.go"
//go:generate sh -c "sed 's/512/128/g; s/32x16/32x4/g; s/\\[16\\]/[4]/g; s/ amd64/ (arm64 || wasm)/; /ClearAVX/d; /The other widths/,/one chain/d' lanes512.go | gofmt > lanes128.go"

// Numbers in a vector, and vectors of which near512 asks together whether something is
// near: of many chains something mostly is.
const (
	lanes512, lanes256 = 16, 8
	chunk512, chunk256 = 1, 1
)

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
