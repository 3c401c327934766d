//go:build goexperiment.simd && (wasm || arm64)

package kernel

import "macroscope/sim/simd"

func implementations() []impl {
	return []impl{plain, {
		name:   simd.Narrow(),
		gemmNN: gemmNN128, gemmNT: gemmNT128, gemmTN: gemmTN128, affine: affine128,
		activate: activate128, activationGrad: activationGrad128,
		exp: exp128, log: log128, tanh: tanh128, softplus: softplus128, sigmoid: sigmoid128,
		sum: sum128, dot: dot128, max: max128, allFinite: allFinite128,
		axpy: axpy128, scale: scale128, mul: mul128, colSum: colSum128,
		softmaxRows: softmaxRows128, adam: adam128,
		softmaxCols: softmaxCols128, softmaxRowsGrad: softmaxRowsGrad128, softmaxColsGrad: softmaxColsGrad128,
		normRows: normRows128, normRowsGrad: normRowsGrad128,
	}}
}
